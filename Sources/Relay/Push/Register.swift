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
  private static let version: Int64 = 4

  /// Of the loss of a register.
  static let consequence =
    "the devices have to be registered again, and the phones paired again"

  /// In the service's folder, as systemd names it (`StateDirectory=`), or else by its usual path.
  public static var path: String {
    "\(stateFolder ?? folder)/\(name)"
  }

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
        ? "; when the service starts, it sets it aside, and \(consequence)"
        : error.isOfLockedDatabase ? "; another program holds it, try again" : ""
      throw Fault(error.operation, code: error.code, error.detail + advice)
    }
  }

  /// Opens the register for the service: waits only briefly, checks it, and replaces a broken one.
  /// - Parameter complain: told if a broken one was set aside.
  static func openedForService(
    path: String, complain: (String) -> Void
  ) throws(Fault) -> Register {
    let patience = Duration.milliseconds(100)
    do throws(Fault) {
      let register = try Register(path: path, patience: patience)
      try register.check()
      return register
    } catch {
      guard error.isOfBrokenDatabase else { throw error }
      complain("\(error); \(setAside(path))")
      return try Register(path: path, patience: patience)
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
    var found: Int64 = 0
    try database.run("PRAGMA user_version") { found = $0.integer(0) }
    guard found <= Self.version else {
      throw Fault(
        "the register \(database.path)",
        "it was made by a later version of clocksmith-relay; install that one again")
    }
    if found == Self.version { return }
    try database.transaction { () throws(Fault) in
      // Of versions before the third, only the devices are kept.
      if found < 3 {
        try database.execute("DROP TABLE IF EXISTS messages; DROP TABLE IF EXISTS deliveries")
      }
      try database.execute(Self.tables)
      try database.execute("PRAGMA user_version = \(Self.version)")
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

// MARK: Devices

extension Register {
  /// Registers a device, or renews its entry, which keeps what the registration does not name. A
  /// device that had gone becomes active again.
  func add(_ device: Device, at now: Instant) throws(Fault) { _ = try add([device], at: now) }

  /// - Returns: how many were not known before.
  public func add(_ devices: [Device], at now: Instant) throws(Fault) -> Int {
    var added = 0
    try synced { () throws(Fault) in
      for device in devices where try put(device, at: now) { added += 1 }
    }
    return added
  }

  /// - Returns: true if it was not known before.
  private func put(_ device: Device, at now: Instant) throws(Fault) -> Bool {
    let values: [SQLValue] = [
      SQLValue(device.platform?.rawValue), SQLValue(device.environment?.rawValue),
      device.events.map { .integer($0.rawValue) } ?? .null, .integer(now.microseconds),
      .text(device.token),
    ]
    try database.run(
      """
      UPDATE devices SET platform = coalesce(?, platform),
        environment = coalesce(?, environment), events = coalesce(?, events), registered = ?,
        deactivated = NULL, reason = NULL WHERE token = ?
      """, values)
    if database.changes > 0 { return false }
    try database.run(
      """
      INSERT INTO devices (platform, environment, events, registered, token)
        VALUES (coalesce(?, 'ios'), coalesce(?, 'production'),
          coalesce(?, \(PushEvents.usual.rawValue)), ?, ?)
      """, values)
    return true
  }

  /// - Returns: false if it is not known.
  public func remove(token: String) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try database.run("DELETE FROM devices WHERE token = ?", [.text(token.lowercased())])
    }
    return database.changes > 0
  }

  /// Lists the devices in the order of their first registration.
  /// - Parameter gone: true for only the deactivated devices, in the order of their deactivation.
  public func devices(gone: Bool = false) throws(Fault) -> [RegisteredDevice] {
    var found: [RegisteredDevice] = []
    try eachDevice(gone: gone) { found.append($0) }
    return found
  }

  private func eachDevice(
    gone: Bool = false, _ take: (RegisteredDevice) -> Void
  ) throws(Fault) {
    try database.run(
      """
      SELECT token, platform, environment, events, registered, deactivated, reason, id FROM devices
        \(gone ? "WHERE deactivated IS NOT NULL ORDER BY deactivated, id" : "ORDER BY id")
      """
    ) { row in
      // Leave out invalid rows, which another program has written.
      guard let platform = Device.Platform(rawValue: row.text(1)),
        let environment = Device.Environment(rawValue: row.text(2))
      else { return }
      let device = Device(
        token: row.text(0), platform: platform, environment: environment,
        events: PushEvents(rawValue: row.integer(3)))
      take(
        RegisteredDevice(
          number: row.integer(7), device: device,
          registered: Instant(microseconds: row.integer(4)),
          gone: row.time(5).map { .init(at: $0, reason: row.text(6)) }))
    }
  }

  func activeDevices() throws(Fault) -> [Int64: Device] {
    var active: [Int64: Device] = [:]
    try eachDevice { if $0.gone == nil { active[$0.number] = $0.device } }
    return active
  }

  public func countOfDevices() throws(Fault) -> Int { try activeDevices().count }

  /// - Parameter since: the instant of the provider's knowledge.
  /// - Returns: false if the device registered later, or is not active.
  func deactivate(
    _ device: Int64, _ reason: String, since: Instant, at now: Instant
  ) throws(Fault) -> Bool {
    try database.run(
      """
      UPDATE devices SET deactivated = ?, reason = ?
        WHERE id = ? AND deactivated IS NULL AND registered <= ?
      """,
      [
        .integer(now.microseconds), .text(reason), .integer(device), .integer(since.microseconds),
      ])
    return database.changes > 0
  }
}

// MARK: Messages

extension Register {
  /// In bytes, with the title: APNs takes 4096 of JSON, in which some characters take two.
  public static let mostOfWords = 1500

  /// Keeps words that are for every device and every entry until the service takes them.
  public func publish(_ words: String, title: String, at now: Instant) throws(Fault) {
    let publication = Publication(.words(words, title: title, at: now))
    try synced { () throws(Fault) in try put(Delivery(publication, lane: "")) }
  }

  /// New deliveries are synced: after a power cut they are sent again with the same ids.
  func save(_ deliveries: [Delivery], _ ended: [String]) throws(Fault) {
    func write() throws(Fault) {
      for delivery in deliveries { try put(delivery) }
      for id in ended { try database.run("DELETE FROM deliveries WHERE id = ?", [.text(id)]) }
    }
    if deliveries.isEmpty { try database.transaction(write) } else { try synced(write) }
  }

  private func put(_ delivery: Delivery) throws(Fault) {
    try database.run(
      "INSERT OR IGNORE INTO deliveries (id, lane, device, message) VALUES (?, ?, ?, ?)",
      [
        .text(delivery.id), .text(delivery.lane), .integer(delivery.device),
        .text(delivery.message.record.json),
      ])
  }

  /// The words that the service has not taken yet, each with its id.
  func words() throws(Fault) -> [(id: String, message: PushMessage)] {
    try deliveries(where: "lane = ''").map { ($0.id, $0.message) }
  }

  /// What an earlier run has not sent.
  func deliveries() throws(Fault) -> [Delivery] { try deliveries(where: "lane != ''") }

  private func deliveries(where condition: String) throws(Fault) -> [Delivery] {
    var found: [Delivery] = []
    var publications: [String: Publication] = [:]
    try database.run(
      "SELECT id, lane, device, message FROM deliveries WHERE \(condition) ORDER BY rowid"
    ) { row in
      let text = row.text(3)
      if publications[text] == nil {
        // Leave out invalid rows, which another program has written.
        guard let record = try? Record(json: text, path: "a message"),
          let message = try? PushMessage(record)
        else { return }
        publications[text] = Publication(message)
      }
      found.append(
        Delivery(id: row.text(0), publications[text]!, lane: row.text(1), device: row.integer(2)))
    }
    return found
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
    var found: [Phone] = []
    let oldest = SQLValue.integer((Instant.now - Self.lifeOfPhone).microseconds)
    try database.run(
      "SELECT id, name, since, seen FROM phones WHERE seen > ? \(condition)", [oldest] + values
    ) { row in
      found.append(
        Phone(
          number: row.integer(0), name: row.text(1),
          since: Instant(microseconds: row.integer(2)),
          seen: Instant(microseconds: row.integer(3))))
    }
    return found
  }

  func setSeen(_ phone: Int64, at now: Instant) throws(Fault) {
    try database.run(
      "UPDATE phones SET seen = ? WHERE id = ?", [.integer(now.microseconds), .integer(phone)])
  }

  /// - Returns: false if there is no such phone.
  public func remove(phone: Int64) throws(Fault) -> Bool {
    try synced { () throws(Fault) in
      try database.run("DELETE FROM phones WHERE id = ?", [.integer(phone)])
    }
    return database.changes > 0
  }

  /// Begins a pairing in place of any other.
  func begin(_ pairing: Pairing) throws(Fault) {
    try database.transaction { () throws(Fault) in
      try endPairing()
      try database.run(
        "INSERT INTO pairing (cookie, words, name, address, ends) VALUES (?, ?, ?, ?, ?)",
        [
          .text(pairing.cookie), .text(pairing.words), .text(pairing.name),
          .text(pairing.address), .integer(Int64(pairing.ends.microseconds)),
        ])
    }
  }

  /// The phone that asks now; nil if none does.
  public func pairing() throws(Fault) -> Pairing? {
    var found: Pairing?
    try database.run(
      "SELECT cookie, words, name, address, ends FROM pairing WHERE ends > ?", [Self.uptime]
    ) { row in
      found = Pairing(
        cookie: row.text(0), words: row.text(1), name: row.text(2), address: row.text(3),
        ends: .microseconds(row.integer(4)))
    }
    return found
  }

  func endPairing() throws(Fault) { try database.run("DELETE FROM pairing") }

  /// Pairs the phone that asks.
  /// - Returns: nil if this pairing has ended; the phone also if it is paired already.
  public func confirm(_ pairing: Pairing, at now: Instant) throws(Fault) -> Phone? {
    try synced { () throws(Fault) in
      let since = SQLValue.integer(now.microseconds)
      try database.run(
        """
        INSERT INTO phones (cookie, name, since, seen)
          SELECT cookie, name, ?, ? FROM pairing WHERE cookie = ? AND ends > ?
        """, [since, since, .text(pairing.cookie), Self.uptime])
      try database.run("DELETE FROM pairing WHERE cookie = ?", [.text(pairing.cookie)])
    }
    return try phone(cookie: pairing.cookie)
  }

  /// Ends the pairing with this cookie, whether it still waits or is confirmed.
  public func end(cookie: String) throws(Fault) {
    try synced { () throws(Fault) in
      for table in ["pairing", "phones"] {
        try database.run("DELETE FROM \(table) WHERE cookie = ?", [.text(cookie)])
      }
    }
  }

  private static var uptime: SQLValue { .integer(Int64(Daemon.uptime.microseconds)) }
}
