import Glibc

/// The folder that systemd has made for the service (`StateDirectory=`), the first if there are
/// several; nil without it.
public var stateFolder: String? { folder("STATE_DIRECTORY") }

/// The same for what need not outlast a restart of the machine (`RuntimeDirectory=`).
public var runtimeFolder: String? { folder("RUNTIME_DIRECTORY") }

private func folder(_ variable: String) -> String? {
  getenv(variable).flatMap {
    String(cString: $0).split(separator: ":").first.map(String.init)
  }
}
