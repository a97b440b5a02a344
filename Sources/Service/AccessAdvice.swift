@preconcurrency import Glibc

/// Why the bus did not let a person act, and what to do.
var accessIsDenied: String {
  let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
  return "only root and members of the group audio may do that; "
    + "run 'sudo adduser \(user) audio' and log in again"
}
