@preconcurrency import Glibc

/// The folder that systemd has made for the service (`StateDirectory=`), the first if there are
/// several; nil without it.
public var stateFolder: String? {
  getenv("STATE_DIRECTORY").flatMap {
    String(cString: $0).split(separator: ":").first.map(String.init)
  }
}
