import Basics
import CSQLite
import Daemon
@preconcurrency import Glibc
import Horology

/// The register on the disk: the devices, what is not sent yet, and the paired phones.
///
/// A power cut may lose the last seconds (`synchronous = NORMAL`), so a message may come twice, with
/// the same id. What a person was told is kept is on the disk at once (`synced`).
public final class Register {
  private let path: String
  private var handle: OpaquePointer?

  /// In the service's folder, as systemd names it (`StateDirectory=`), or else by its usual path.
  public static var path: String {
    "\(stateFolder ?? "/var/lib/clocksmith-relay")/register.sqlite"
  }

  public init(path: String = Register.path) throws(Fault) {
    self.path = path
    try Self.makeFile(path)
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else { throw fault(code) }
    // In milliseconds: how long another program may hold it.
    sqlite3_busy_timeout(handle, 1000)
    try execute(Self.tables)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Opens the register for a command.
  public static func use<Result>(
    _ body: (Register) throws(Fault) -> Result
  ) throws(Fault) -> Result {
    do throws(Fault) {
      return try body(try Register())
    } catch {
      throw Fault(
        error.operation, code: error.code,
        "\(error.detail); do this as root; 'systemctl restart clocksmith-relay' makes its folder, "
          + "and sets a broken register aside")
    }
  }

  /// Makes an empty file that belongs to the folder's owner, so that the service can open a file made by
  /// root. SQLite gives its other files the same owner.
  private static func makeFile(_ path: String) throws(Fault) {
    // Not through a link: else root would give away whatever file the service's user names by one.
    let descriptor = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Fault("cannot open the register \(path)", errno: errno) }
    defer { close(descriptor) }
    var folder = stat()
    if geteuid() == 0, stat(String(path.prefix(through: path.lastIndex(of: "/")!)), &folder) == 0 {
      fchown(descriptor, folder.st_uid, folder.st_gid)
    }
  }

  /// - Throws: `Fault` also if a part of it was torn by a power cut.
  static func checked(path: String) throws(Fault) -> Register {
    let register = try Register(path: path)
    let complaint = try register.rows("PRAGMA quick_check(1)") { $0.text(0) }.first
    if let complaint, complaint != "ok" {
      throw Fault("the register \(path)", code: SQLITE_CORRUPT, complaint)
    }
    return register
  }

  /// Instants are in microseconds since 1970; a pairing ends at an uptime. A delivery without a lane is
  /// a person's words, for every receiver; one without a device is for an entry. A phone that has not come
  /// in trusted time yet was seen at 0. The clock's row is the trusted time that was known last.
  private static let tables = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512;
    PRAGMA temp_store = MEMORY;
    CREATE TABLE IF NOT EXISTS devices (
      id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, platform TEXT NOT NULL,
      environment TEXT NOT NULL, events INTEGER NOT NULL, registered INTEGER NOT NULL,
      deactivated INTEGER, reason TEXT);
    CREATE TABLE IF NOT EXISTS deliveries (
      id TEXT PRIMARY KEY, lane TEXT NOT NULL, device TEXT NOT NULL, message TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS phones (
      id INTEGER PRIMARY KEY AUTOINCREMENT, cookie TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      since INTEGER NOT NULL, seen INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS pairing (
      cookie TEXT NOT NULL, words TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
      ends INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS clock (
      id INTEGER PRIMARY KEY CHECK (id = 0), trusted INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS retained (
      host TEXT NOT NULL, port INTEGER NOT NULL, topic TEXT NOT NULL,
      PRIMARY KEY (host, port, topic));
    CREATE TABLE IF NOT EXISTS waiting (
      id INTEGER PRIMARY KEY, source TEXT NOT NULL, command TEXT NOT NULL);
    """
}

extension Register {
  func execute(_ sql: String) throws(Fault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// - Parameter values: as texts, which SQLite converts to the types of the columns.
  /// - Returns: how many rows it has changed.
  @discardableResult
  private func run(_ sql: String, _ values: String?...) throws(Fault) -> Int {
    _ = try rows(sql, values) { _ in }
    return Int(sqlite3_changes(handle))
  }

  private func rows<Row>(
    _ sql: String, _ values: [String?] = [], _ read: (SQLRow) -> Row
  ) throws(Fault) -> [Row] {
    var made: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &made, nil)
    guard code == SQLITE_OK, let statement = made else { throw fault(code) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      // SQLITE_TRANSIENT, a macro that casts -1: SQLite copies the text.
      sqlite3_bind_text(
        statement, Int32(index + 1), value, -1,
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
    var rows: [Row] = []
    while true {
      let code = sqlite3_step(statement)
      switch code {
      case SQLITE_ROW: rows.append(read(SQLRow(statement: statement)))
      case SQLITE_DONE: return rows
      default: throw fault(code)
      }
    }
  }

  /// Does all of it or nothing, and returns when it is on the disk.
  @discardableResult
  private func synced<Result>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    do throws(Fault) {
      try execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
      let result = try body()
      try execute("COMMIT; PRAGMA synchronous = NORMAL")
      return result
    } catch {
      // Some errors have already ended the transaction.
      try? execute("ROLLBACK")
      try? execute("PRAGMA synchronous = NORMAL")
      throw error
    }
  }

  private func fault(_ code: Int32) -> Fault {
    Fault("the register \(path)", code: code & 0xFF, String(cString: sqlite3_errmsg(handle)))
  }
}

/// A row of a result, valid until the next one.
private struct SQLRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func optional(_ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  func text(_ column: Int32) -> String { optional(column) ?? "" }

  func instant(_ column: Int32) -> Instant { Instant(microseconds: integer(column)) }
}

/// The register of the running service, opened when it is first needed.
final class OpenRegister {
  private let loop: EventLoop
  private let journal: Journal
  private let changed: () -> Void
  private var register: Register?
  private var watch: EventSource?

  /// - Parameter changed: called when another program may have changed the register.
  init(_ loop: EventLoop, _ journal: Journal, changed: @escaping () -> Void) {
    (self.loop, self.journal, self.changed) = (loop, journal, changed)
  }

  /// Opens it, sets a broken one aside, and ends a pairing that a run before this one has left.
  func opened() throws(Fault) -> Register {
    if let register { return register }
    let path = Register.path
    let opened: Register
    do throws(Fault) {
      opened = try Register.checked(path: path)
    } catch {
      guard error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB else { throw error }
      let aside = try setAside(path)
      // The database's log belongs to it: it would ruin another one.
      for end in ["-wal", "-shm"] { unlink(path + end) }
      let complaint =
        "\(error); it is now \(aside ?? "gone"); the devices have to be registered again, and the "
        + "phones paired again"
      journal.log(.register, .error, complaint, ["DETAIL": complaint])
      opened = try Register.checked(path: path)
    }
    try? opened.endPairing()
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal", changed)
    register = opened
    return opened
  }
}

extension Register {
  /// Registers devices, or renews their entries, which keep what the registration does not name.
  public func add(_ devices: [Device], at now: Instant) throws(Fault) {
    try synced { () throws(Fault) in
      for device in devices {
        try run(
          """
          INSERT INTO devices (token, platform, environment, events, registered)
            VALUES (?1, coalesce(?2, 'ios'), coalesce(?3, 'production'),
              coalesce(?4, \(PushEvents.usual.rawValue)), ?5)
            ON CONFLICT (token) DO UPDATE SET platform = coalesce(?2, platform),
              environment = coalesce(?3, environment), events = coalesce(?4, events),
              registered = ?5, deactivated = NULL, reason = NULL
          """, device.token, device.platform?.rawValue, device.environment?.rawValue,
          device.events.map { "\($0.rawValue)" }, "\(now.microseconds)")
      }
    }
  }

  /// - Returns: false if it is not known.
  public func remove(token: String) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try run("DELETE FROM devices WHERE token = ?", token.lowercased()) > 0
    }
  }

  public func devices() throws(Fault) -> [RegisteredDevice] {
    try rows(
      """
      SELECT token, platform, environment, events, registered, deactivated, reason FROM devices
        ORDER BY id
      """
    ) { row in
      RegisteredDevice(
        device: Device(
          token: row.text(0), platform: Device.Platform(rawValue: row.text(1)),
          environment: Device.Environment(rawValue: row.text(2)),
          events: PushEvents(rawValue: row.integer(3))),
        registered: row.instant(4), deactivated: row.optional(5).map { _ in row.instant(5) },
        reason: row.optional(6))
    }
  }

  /// The tokens of the active devices that want one of these events.
  func receivers(
    _ environment: Device.Environment, of events: PushEvents
  ) throws(Fault) -> [String] {
    try rows(
      """
      SELECT token FROM devices WHERE deactivated IS NULL AND environment = ? AND events & ? != 0
        ORDER BY id
      """, [environment.rawValue, "\(events.rawValue)"]
    ) { $0.text(0) }
  }

  /// - Parameters:
  ///   - reason: why the provider refuses an active device; nil if it takes messages for it again.
  ///   - since: deactivates the device, unless it has registered later than that.
  /// - Returns: false if nothing is changed by it.
  func setRefusal(
    of token: String, _ reason: String?, since: Instant? = nil, at now: Instant
  ) throws(Fault) -> Bool {
    try run(
      """
      UPDATE devices SET reason = ?1, deactivated = ?2 WHERE token = ?3 AND deactivated IS NULL
        AND (registered <= ?4 OR ?4 IS NULL AND reason IS NOT ?1)
      """, reason, since.map { _ in "\(now.microseconds)" }, token,
      since.map { "\($0.microseconds)" }) > 0
  }
}

extension Register {
  /// Keeps words that are for every device and every entry until the service takes them.
  public func publish(_ words: String, title: String, at now: Instant) throws(Fault) {
    let message = PushMessage.words(words, title: title, at: now)
    try save([Delivery(Publication(message), lane: "")])
  }

  /// New deliveries are synced: after a power cut they are sent again with the same ids.
  /// - Parameter words: the id of the words that they are made of.
  func save(_ deliveries: [Delivery], inPlaceOf words: String? = nil) throws(Fault) {
    try synced { () throws(Fault) in
      for delivery in deliveries {
        try run(
          "INSERT INTO deliveries (id, lane, device, message) VALUES (?, ?, ?, ?)", delivery.id,
          delivery.lane, delivery.token, delivery.publication.json)
      }
      if let words { try remove(delivery: words) }
    }
  }

  func remove(delivery id: String) throws(Fault) {
    try run("DELETE FROM deliveries WHERE id = ?", id)
  }

  /// What is not sent yet, and the words that the service has not taken.
  func deliveries() throws(Fault) -> [Delivery] {
    var publications: [String: Publication] = [:]
    return try rows("SELECT id, lane, device, message FROM deliveries ORDER BY rowid") {
      row in
      let text = row.text(3)
      let publication = publications[text] ?? Publication(PushMessage(json: text))
      publications[text] = publication
      return Delivery(id: row.text(0), publication, lane: row.text(1), token: row.text(2))
    }
  }
}

extension Register {
  typealias Place = (host: String, port: Int)

  /// The topics whose last message a broker may still keep for this clock.
  func retained(at place: Place) throws(Fault) -> [String] {
    let sql = "SELECT topic FROM retained WHERE host = ? AND port = ?"
    return try rows(sql, [place.host, "\(place.port)"]) { $0.text(0) }
  }

  func setRetained(_ topics: [String], at place: Place) throws(Fault) {
    try synced { () throws(Fault) in
      try run("DELETE FROM retained WHERE host = ? AND port = ?", place.host, "\(place.port)")
      for topic in topics {
        try run("INSERT INTO retained VALUES (?, ?, ?)", place.host, "\(place.port)", topic)
      }
    }
  }

  func placesOfRetained() throws(Fault) -> [Place] {
    try rows("SELECT DISTINCT host, port FROM retained") { ($0.text(0), Int($0.integer(1))) }
  }

  /// Keeps a command that waits for its instant.
  /// - Returns: its number.
  func keep(command: String, from source: String) throws(Fault) -> Int64 {
    try synced { () throws(Fault) in
      try run("INSERT INTO waiting (source, command) VALUES (?, ?)", source, command)
      return sqlite3_last_insert_rowid(handle)
    }
  }

  func removeWaiting(_ number: Int64) throws(Fault) {
    try run("DELETE FROM waiting WHERE id = ?", "\(number)")
  }

  func waiting() throws(Fault) -> [(number: Int64, source: String, command: String)] {
    try rows("SELECT id, source, command FROM waiting ORDER BY id") {
      ($0.integer(0), $0.text(1), $0.text(2))
    }
  }
}

public struct Phone: Hashable {
  /// Never used again for another phone.
  public let number: Int64
  public let name: String
  public let since: Instant
  /// To the hour; 1970 if it has not come in trusted time yet.
  let visited: Instant

  public var seen: Instant { visited.seconds == 0 ? since : visited }
}

public struct Pairing: Hashable {
  public let cookie: String
  public let words: String
  public let name: String
  public let address: String
  /// An uptime.
  let ends: Duration
}

extension Register {
  /// After its last visit, in trusted time alone. Browsers keep no cookie longer.
  static let lifeOfPhone = Duration.seconds(400 * 86_400)

  /// - Parameter cookie: the digest of the one of the only phone that is wanted.
  public func phones(cookie: String? = nil) throws(Fault) -> [Phone] {
    try rows(
      """
      SELECT id, name, since, seen FROM phones
        WHERE cookie = coalesce(?1, cookie)
          AND (seen = 0 OR seen + ?2 > coalesce((SELECT trusted FROM clock), 0))
        ORDER BY id
      """, [cookie, "\(Self.lifeOfPhone.microseconds)"]
    ) { row in
      Phone(
        number: row.integer(0), name: row.text(1), since: row.instant(2),
        visited: row.instant(3))
    }
  }

  /// - Parameter now: a trusted time.
  func setTime(_ now: Instant) throws(Fault) {
    try run("INSERT OR REPLACE INTO clock (id, trusted) VALUES (0, ?)", "\(now.microseconds)")
  }

  func setSeen(_ phone: Int64, at now: Instant) throws(Fault) {
    try run("UPDATE phones SET seen = ? WHERE id = ?", "\(now.microseconds)", "\(phone)")
  }

  public func remove(phone: Int64) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try run("DELETE FROM phones WHERE id = ?", "\(phone)") > 0
    }
  }

  func begin(_ pairing: Pairing) throws(Fault) {
    try endPairing()
    try run(
      "INSERT INTO pairing (cookie, words, name, address, ends) VALUES (?, ?, ?, ?, ?)",
      pairing.cookie, pairing.words, pairing.name, pairing.address, "\(pairing.ends.microseconds)")
  }

  public func pairing() throws(Fault) -> Pairing? {
    try rows(
      "SELECT cookie, words, name, address, ends FROM pairing WHERE ends > ?",
      ["\(uptime.microseconds)"]
    ) { row in
      Pairing(
        cookie: row.text(0), words: row.text(1), name: row.text(2), address: row.text(3),
        ends: .microseconds(row.integer(4)))
    }.first
  }

  func endPairing() throws(Fault) { try run("DELETE FROM pairing") }

  /// - Returns: nil if this pairing has ended; the phone also if it is paired already.
  public func confirm(_ pairing: Pairing, at now: Instant) throws(Fault) -> Phone? {
    try synced { () throws(Fault) in
      try run(
        """
        INSERT INTO phones (cookie, name, since, seen)
          SELECT cookie, name, ?1, 0 FROM pairing WHERE cookie = ?2 AND ends > ?3
        """, "\(now.microseconds)", pairing.cookie, "\(uptime.microseconds)")
      try run("DELETE FROM pairing WHERE cookie = ?", pairing.cookie)
    }
    return try phones(cookie: pairing.cookie).first
  }

  /// Ends the pairing with this cookie, whether it still waits or is confirmed.
  public func end(cookie: String) throws(Fault) {
    try synced { () throws(Fault) in
      try run("DELETE FROM pairing WHERE cookie = ?", cookie)
      try run("DELETE FROM phones WHERE cookie = ?", cookie)
    }
  }
}
