import Basics
import CSQLite
import Daemon
@preconcurrency import Glibc

/// The register on the disk: the devices, the messages, and what was not sent or was refused.
///
/// A power cut may lose the answers of the last seconds (`synchronous = NORMAL`), so a message that was
/// not sent to everybody yet may come twice, with the same id. What a person was told is kept, and the
/// end of each message, is on the disk at once (`synced`).
public final class Register {
  let database: Database

  private static let name = "register.sqlite"
  private static let folder = "/var/lib/clocksmith-relay"
  /// The version of the tables below.
  private static let version: Int64 = 2

  /// In the service's folder, as systemd names it (`StateDirectory=`), or else by its usual path.
  public static var path: String {
    "\(stateFolder ?? folder)/\(name)"
  }

  /// Opens the register, and makes it if there is none.
  /// - Parameter patience: how long another program may hold it.
  /// - Throws: `Fault` if that is not possible; `isOfBrokenDatabase` if the file is corrupt.
  public init(path: String = Register.path, patience: Duration = .seconds(5)) throws(Fault) {
    try Self.makeFile(path)
    database = try Database(path: path, patience: patience)
    try database.execute("PRAGMA journal_mode = WAL")
    try database.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY")
    try makeTables()
  }

  /// Opens the register for a command, whose caller reads what to do if it cannot be used.
  /// - Throws: `Fault` as `body` and the opening do, with advice.
  public static func use<Result>(
    _ body: (Register) throws(Fault) -> Result
  ) throws(Fault) -> Result {
    do throws(Fault) {
      return try body(try Register())
    } catch {
      let advice =
        error.isOfBrokenDatabase
        ? "; when the service starts, it sets it aside, and the devices have to be registered again"
        : error.isOfLockedDatabase ? "; another program holds it, try again" : ""
      throw Fault(error.operation, code: error.code, error.detail + advice)
    }
  }

  /// Opens the register for the service: waits only briefly, checks it, and replaces a broken one.
  /// - Returns: the register, and a complaint if the old one was broken and set aside.
  static func openedForService(
    path: String, patience: Duration = .milliseconds(100)
  ) throws(Fault) -> (Register, complaint: String?) {
    do throws(Fault) {
      let register = try Register(path: path, patience: patience)
      try register.check()
      return (register, nil)
    } catch {
      guard error.isOfBrokenDatabase else { throw error }
      let complaint = "\(error); \(setAside(path)); the devices have to be registered again"
      return (try Register(path: path, patience: patience), complaint)
    }
  }

  /// - Returns: what was done, as the end of a sentence.
  static func setAside(_ path: String) -> String {
    do throws(Fault) {
      guard let aside = try Basics.setAside(path) else { return "it has gone" }
      // The database's log belongs to it. A log of another one would ruin it.
      for end in ["-wal", "-shm"] where rename(path + end, aside + end) != 0 {
        for path in [path + end, aside + end] { unlink(path) }
      }
      return "it is now \(aside)"
    } catch {
      return error.description
    }
  }

  /// Makes an empty file that belongs to the folder's owner, so that the service can open a file
  /// made by root. SQLite gives its other files the same owner.
  private static func makeFile(_ path: String) throws(Fault) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      let operation = "cannot make the register \(path)"
      switch code {
      case EEXIST: return
      case ENOENT:
        throw Fault(
          operation, code: ENOENT,
          "its folder is not there; 'systemctl start clocksmith-relay' makes it")
      case EACCES:
        throw Fault(operation, code: EACCES, "it is the service's; do this as root")
      default: throw Fault(operation, errno: code)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    if geteuid() == 0, stat(parent(of: path), &status) == 0, status.st_uid != 0 {
      fchown(descriptor, status.st_uid, status.st_gid)
    }
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// - Throws: `Fault` if the register is corrupt.
  private func check() throws(Fault) {
    var complaint: String?
    try database.run("PRAGMA quick_check(1)") { complaint = $0.text(0) }
    guard complaint == "ok" else {
      throw Fault(
        "the register \(database.path)", code: SQLITE_CORRUPT, complaint ?? "it cannot be checked")
    }
  }

  /// - Throws: `Fault` if nothing can be written now. A transaction without changes would not fail.
  func proveWritable() throws(Fault) {
    // SQLite writes the first page, even if the number is the same.
    try database.execute("PRAGMA user_version = \(Self.version)")
  }

  private func makeTables() throws(Fault) {
    let found = try database.integer("PRAGMA user_version") ?? 0
    guard found <= Self.version else {
      throw Fault(
        "the register \(database.path)",
        "it was made by a later version of clocksmith-relay; install that one again")
    }
    if found == Self.version { return }
    try database.transaction { () throws(Fault) in
      // Of version 1, only the devices are kept.
      try database.execute(
        "DROP TABLE IF EXISTS messages; DROP TABLE IF EXISTS passes; DROP TABLE IF EXISTS deliveries"
      )
      try database.execute(Self.tables)
      try database.execute("PRAGMA user_version = \(Self.version)")
    }
  }

  /// Does all of it or nothing, and returns when it is on the disk.
  func synced(_ body: () throws(Fault) -> Void) throws(Fault) {
    try database.execute("PRAGMA synchronous = FULL")
    defer { try? database.execute("PRAGMA synchronous = NORMAL") }
    try database.transaction(body)
  }

  /// Instants are in microseconds since 1970. PushEvents.swift has the values of `events`, and
  /// Delivery.swift those of `state`. Numbers of devices are never used again, so that a message
  /// never goes to a device that came after it.
  private static let tables = """
    CREATE TABLE IF NOT EXISTS devices (
      id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, platform TEXT NOT NULL,
      environment TEXT NOT NULL, events INTEGER NOT NULL, registered INTEGER NOT NULL,
      deactivated INTEGER, reason TEXT);
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, event INTEGER NOT NULL, kind TEXT NOT NULL,
      title TEXT NOT NULL, body TEXT NOT NULL, fields TEXT NOT NULL, collapse TEXT NOT NULL,
      created INTEGER NOT NULL, expires INTEGER NOT NULL, seed INTEGER NOT NULL,
      taken INTEGER NOT NULL DEFAULT 0, accepted INTEGER NOT NULL DEFAULT 0, finished INTEGER);
    CREATE INDEX unfinished ON messages (taken, id) WHERE finished IS NULL;
    CREATE TABLE deliveries (
      id INTEGER PRIMARY KEY, message INTEGER NOT NULL, lane TEXT NOT NULL, device INTEGER NOT NULL,
      state TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, due INTEGER, reason TEXT);
    CREATE INDEX deliveries_of_message ON deliveries (message, state);
    CREATE INDEX waiting ON deliveries (lane, due, id) WHERE state = 'waiting';
    """
}
