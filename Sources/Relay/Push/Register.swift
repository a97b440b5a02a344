import Basics
import CSQLite
import Daemon
@preconcurrency import Glibc
import Horology

/// The register on the disk: the devices, what is not sent yet, and the paired phones.
///
/// A power cut may lose what was noted in the last seconds (`synchronous = NORMAL`), so a message may
/// come twice, with the same id. What a person was told is kept is on the disk at once (`synced`).
public final class Register {
  let database: Database

  private static let name = "register.sqlite"
  private static let folder = "/var/lib/clocksmith-relay"

  /// Of the loss of a register.
  static let consequence =
    "the devices have to be registered again, and the phones paired again"

  /// In the service's folder, as systemd names it (`StateDirectory=`), or else by its usual path.
  public static var path: String {
    "\(stateFolder ?? folder)/\(name)"
  }

  /// - Throws: `Fault` with the code of SQLite, or `errno` if the file cannot be made.
  public init(path: String = Register.path) throws(Fault) {
    try Self.makeFile(path)
    database = try Database(path: path)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512;
      PRAGMA temp_store = MEMORY;
      """)
    try database.execute(Self.tables)
  }

  /// Opens the register for a command, whose caller reads what to do if it cannot be used.
  public static func use<Result>(
    _ body: (Register) throws(Fault) -> Result
  ) throws(Fault) -> Result {
    do throws(Fault) {
      return try body(try Register())
    } catch {
      let advice: String
      switch error.code {
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        advice = "when the service starts, it sets it aside, and \(consequence)"
      case ENOENT: advice = "'systemctl start clocksmith-relay' makes its folder"
      case EACCES, SQLITE_CANTOPEN, SQLITE_READONLY:
        advice = "it is the service's; do this as root"
      default: throw error
      }
      throw Fault(error.operation, code: error.code, "\(error.detail); \(advice)")
    }
  }

  /// Opens the register for the service: checks it, and replaces a broken one.
  /// - Parameter complain: told if a broken one was set aside.
  static func openedForService(
    path: String, complain: (String) -> Void
  ) throws(Fault) -> Register {
    do throws(Fault) {
      let register = try Register(path: path)
      try register.check()
      return register
    } catch {
      guard error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB else { throw error }
      let aside = try setAside(path)
      // The database's log belongs to it: it would ruin another one.
      for end in ["-wal", "-shm"] { unlink(path + end) }
      complain("\(error); it is now \(aside ?? "gone")")
      return try Register(path: path)
    }
  }

  /// Makes an empty file that belongs to the folder's owner, so that the service can open a file
  /// made by root. SQLite gives its other files the same owner.
  private static func makeFile(_ path: String) throws(Fault) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw Fault("cannot make the register \(path)", errno: errno)
    }
    defer { close(descriptor) }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    var status = stat()
    if geteuid() == 0, stat(folder, &status) == 0 {
      fchown(descriptor, status.st_uid, status.st_gid)
    }
  }

  private func check() throws(Fault) {
    let complaint = try database.rows("PRAGMA quick_check(1)") { $0.text(0) }.first
    guard complaint == "ok" else {
      throw Fault(
        "the register \(database.path)", code: SQLITE_CORRUPT, complaint ?? "it cannot be checked")
    }
  }

  /// Does all of it or nothing, and returns when it is on the disk.
  private func synced(_ body: () throws(Fault) -> Void) throws(Fault) {
    try database.execute("PRAGMA synchronous = FULL")
    defer { try? database.execute("PRAGMA synchronous = NORMAL") }
    try database.transaction(body)
  }

  /// Instants are in microseconds since 1970, `events` are the values of PushEvents, and `message` is
  /// JSON. Numbers of devices are never used again, so that a message never goes to a device that came
  /// after it. A delivery without a lane is a person's words, for every receiver.
  ///
  /// A `cookie` is the SHA-256 of one, in hexadecimal digits. `pairing` has the phone that asks to be
  /// paired, until an uptime.
  private static let tables = """
    CREATE TABLE IF NOT EXISTS devices (
      id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, platform TEXT NOT NULL,
      environment TEXT NOT NULL, events INTEGER NOT NULL, registered INTEGER NOT NULL,
      deactivated INTEGER, reason TEXT);
    CREATE TABLE IF NOT EXISTS deliveries (
      id TEXT PRIMARY KEY, lane TEXT NOT NULL, device INTEGER NOT NULL, message TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS phones (
      id INTEGER PRIMARY KEY AUTOINCREMENT, cookie TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      since INTEGER NOT NULL, seen INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS pairing (
      cookie TEXT NOT NULL, words TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
      ends INTEGER NOT NULL);
    """
}

/// The register of the running service, opened when it is first needed.
final class OpenRegister {
  private let path = Register.path
  private let loop: EventLoop
  private let journal: Journal
  /// Called when another program may have changed the register.
  private let changed: () -> Void
  private var register: Register?
  private var watch: EventSource?

  init(_ loop: EventLoop, _ journal: Journal, changed: @escaping () -> Void) {
    self.loop = loop
    self.journal = journal
    self.changed = changed
  }

  /// - Throws: `Fault` if it cannot be opened now.
  func opened() throws(Fault) -> Register {
    if let register { return register }
    let opened = try Register.openedForService(path: path) { loss in
      let complaint = "\(loss); \(Register.consequence)"
      journal.log(.register, .error, complaint, ["DETAIL": complaint])
    }
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal", changed)
    register = opened
    return opened
  }
}

// MARK: Devices

extension Register {
  /// Registers devices, or renews their entries, which keep what the registration does not name. A
  /// device that had gone becomes active again.
  public func add(_ devices: [Device], at now: Instant) throws(Fault) {
    try synced { () throws(Fault) in
      for device in devices {
        try database.run(
          """
          INSERT INTO devices (token, platform, environment, events, registered)
            VALUES (?1, coalesce(?2, 'ios'), coalesce(?3, 'production'),
              coalesce(?4, \(PushEvents.usual.rawValue)), ?5)
            ON CONFLICT (token) DO UPDATE SET platform = coalesce(?2, platform),
              environment = coalesce(?3, environment), events = coalesce(?4, events),
              registered = ?5, deactivated = NULL, reason = NULL
          """, .text(device.token), SQLValue(device.platform?.rawValue),
          SQLValue(device.environment?.rawValue),
          device.events.map { .integer($0.rawValue) } ?? .null, .integer(now.microseconds))
      }
    }
  }

  /// - Returns: false if it is not known.
  public func remove(token: String) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try database.run("DELETE FROM devices WHERE token = ?", .text(token.lowercased()))
    }
    return database.changes > 0
  }

  /// Lists the devices in the order of their first registration.
  public func devices() throws(Fault) -> [RegisteredDevice] {
    try database.rows(
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
        registered: Instant(microseconds: row.integer(4)),
        deactivated: row.isNull(5) ? nil : Instant(microseconds: row.integer(5)),
        reason: row.isNull(6) ? nil : row.text(6))
    }
  }

  /// The numbers of the active devices that want one of these events.
  func receivers(
    _ environment: Device.Environment, of events: PushEvents
  ) throws(Fault) -> [Int64] {
    try database.rows(
      """
      SELECT id FROM devices WHERE deactivated IS NULL AND environment = ? AND events & ? != 0
        ORDER BY id
      """, [.text(environment.rawValue), .integer(events.rawValue)]
    ) { $0.integer(0) }
  }

  /// - Returns: nil if the device has gone.
  func token(of device: Int64) throws(Fault) -> String? {
    try database.rows(
      "SELECT token FROM devices WHERE id = ? AND deactivated IS NULL", [.integer(device)]
    ) { $0.text(0) }.first
  }

  /// - Returns: the token; nil if the device is not active, or has registered later than `since`.
  func deactivate(
    _ device: Int64, _ reason: String, since: Instant, at now: Instant
  ) throws(Fault) -> String? {
    try database.rows(
      """
      UPDATE devices SET deactivated = ?, reason = ? WHERE id = ? AND deactivated IS NULL
        AND registered <= ? RETURNING token
      """,
      [
        .integer(now.microseconds), .text(reason), .integer(device), .integer(since.microseconds),
      ]
    ) { $0.text(0) }.first
  }
}

// MARK: Messages

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
        try database.run(
          "INSERT INTO deliveries (id, lane, device, message) VALUES (?, ?, ?, ?)",
          .text(delivery.id), .text(delivery.lane), .integer(delivery.device),
          .text(delivery.publication.json))
      }
      if let words { try remove(delivery: words) }
    }
  }

  func remove(delivery id: String) throws(Fault) {
    try database.run("DELETE FROM deliveries WHERE id = ?", .text(id))
  }

  /// What is not sent yet, and the words that the service has not taken.
  func deliveries() throws(Fault) -> [Delivery] {
    var publications: [String: Publication] = [:]
    return try database.rows("SELECT id, lane, device, message FROM deliveries ORDER BY rowid") {
      row in
      let text = row.text(3)
      let publication = publications[text] ?? Publication(PushMessage(json: text))
      publications[text] = publication
      return Delivery(id: row.text(0), publication, lane: row.text(1), device: row.integer(2))
    }
  }
}

// MARK: Phones

/// A phone that is paired: it may act.
public struct Phone: Hashable {
  /// Never used again for another phone.
  public let number: Int64
  public let name: String
  public let since: Instant
  /// To the hour.
  public let seen: Instant
}

/// A phone that asks to be paired.
public struct Pairing: Hashable {
  /// The SHA-256 of its cookie, in hexadecimal digits.
  public let cookie: String
  /// Shown on the phone, and to the person who confirms.
  public let words: String
  public let name: String
  public let address: String
  /// The uptime at which it ends unconfirmed.
  let ends: Duration
}

extension Register {
  /// How long a phone stays paired after its last visit: 400 days. Browsers keep no cookie longer.
  static let lifeOfPhone = Duration.seconds(400 * 86_400)

  /// The phones in the order in which they were paired.
  public func phones() throws(Fault) -> [Phone] { try phones("ORDER BY id") }

  func phone(cookie: String) throws(Fault) -> Phone? {
    try phones("AND cookie = ?", [.text(cookie)]).first
  }

  private func phones(_ condition: String, _ values: [SQLValue] = []) throws(Fault) -> [Phone] {
    let oldest = SQLValue.integer((Instant.now - Self.lifeOfPhone).microseconds)
    return try database.rows(
      "SELECT id, name, since, seen FROM phones WHERE seen > ? \(condition)", [oldest] + values
    ) { row in
      Phone(
        number: row.integer(0), name: row.text(1), since: Instant(microseconds: row.integer(2)),
        seen: Instant(microseconds: row.integer(3)))
    }
  }

  func setSeen(_ phone: Int64, at now: Instant) throws(Fault) {
    try database.run(
      "UPDATE phones SET seen = ? WHERE id = ?", .integer(now.microseconds), .integer(phone))
  }

  /// - Returns: false if there is no such phone.
  public func remove(phone: Int64) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try database.run("DELETE FROM phones WHERE id = ?", .integer(phone))
    }
    return database.changes > 0
  }

  /// Begins a pairing in place of any other.
  func begin(_ pairing: Pairing) throws(Fault) {
    try database.transaction { () throws(Fault) in
      try endPairing()
      try database.run(
        "INSERT INTO pairing (cookie, words, name, address, ends) VALUES (?, ?, ?, ?, ?)",
        .text(pairing.cookie), .text(pairing.words), .text(pairing.name), .text(pairing.address),
        .integer(Int64(pairing.ends.microseconds)))
    }
  }

  /// The phone that asks now; nil if none does.
  public func pairing() throws(Fault) -> Pairing? {
    try database.rows(
      "SELECT cookie, words, name, address, ends FROM pairing WHERE ends > ?", [Self.uptime]
    ) { row in
      Pairing(
        cookie: row.text(0), words: row.text(1), name: row.text(2), address: row.text(3),
        ends: .microseconds(row.integer(4)))
    }.first
  }

  func endPairing() throws(Fault) { try database.run("DELETE FROM pairing") }

  /// Pairs the phone that asks.
  /// - Returns: nil if this pairing has ended; the phone also if it is paired already.
  public func confirm(_ pairing: Pairing, at now: Instant) throws(Fault) -> Phone? {
    try synced { () throws(Fault) in
      try database.run(
        """
        INSERT INTO phones (cookie, name, since, seen)
          SELECT cookie, name, ?1, ?1 FROM pairing WHERE cookie = ?2 AND ends > ?3
        """, .integer(now.microseconds), .text(pairing.cookie), Self.uptime)
      try database.run("DELETE FROM pairing WHERE cookie = ?", .text(pairing.cookie))
    }
    return try phone(cookie: pairing.cookie)
  }

  /// Ends the pairing with this cookie, whether it still waits or is confirmed.
  public func end(cookie: String) throws(Fault) {
    try synced { () throws(Fault) in
      for table in ["pairing", "phones"] {
        try database.run("DELETE FROM \(table) WHERE cookie = ?", .text(cookie))
      }
    }
  }

  private static var uptime: SQLValue { .integer(Int64(Daemon.uptime.microseconds)) }
}
