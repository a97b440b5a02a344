import Basics
@preconcurrency import Glibc
import Horology

/// The messages of the register.
extension Register {
  /// Keeps words that are for every device and every entry until the service takes them.
  public func publish(_ words: String, title: String, at now: Instant) throws(Fault) {
    try add(.words(words, title: title, at: now))
  }

  /// Keeps a message until the service takes it.
  @discardableResult
  func add(_ message: PushMessage) throws(Fault) -> Int64 {
    var seed: UInt64 = 0
    getentropy(&seed, 8)
    try database.run(
      """
      INSERT INTO messages (event, kind, title, body, fields, collapse, created, expires, seed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(message.event.rawValue), .text(message.kind), .text(message.title),
        .text(message.body), .text(message.fieldsRecord.json), .text(message.collapse),
        .integer(message.created.microseconds), .integer(message.expires.microseconds),
        .integer(Int64(bitPattern: seed)),
      ])
    return database.lastRow
  }

  /// True if the occasion at this instant was published.
  func hasOccasion(at instant: Instant) throws(Fault) -> Bool {
    try database.integer(
      "SELECT 1 FROM messages WHERE event = ? AND expires = ?",
      [.integer(PushEvents.occasion.rawValue), .integer(instant.microseconds)]) != nil
  }

  func message(_ id: Int64) throws(Fault) -> RegisteredMessage? {
    var found: RegisteredMessage?
    try database.run(
      """
      SELECT event, kind, title, body, fields, collapse, created, expires, seed FROM messages
        WHERE id = ?
      """, [.integer(id)]
    ) { row in
      var message = PushMessage(
        event: PushEvents(rawValue: row.integer(0)), kind: row.text(1), title: row.text(2),
        body: row.text(3), collapse: row.text(5), created: Instant(microseconds: row.integer(6)),
        expires: Instant(microseconds: row.integer(7)))
      message.fields = Self.fields(row.text(4))
      found = RegisteredMessage(id: id, message: message, seed: UInt64(bitPattern: row.integer(8)))
    }
    return found
  }

  private static func fields(_ line: String) -> [String: String] {
    guard let record = try? Record(json: line, path: "the fields of a message") else { return [:] }
    var fields: [String: String] = [:]
    for case (let key, .text(let text)) in record.fields { fields[key] = text }
    return fields
  }

  /// The unfinished messages: those already taken, or those not taken yet.
  func unfinished(taken: Bool) throws(Fault) -> [Int64] {
    var found: [Int64] = []
    try database.run(
      "SELECT id FROM messages WHERE taken = ? AND finished IS NULL ORDER BY id",
      [.integer(taken ? 1 : 0)]
    ) { found.append($0.integer(0)) }
    return found
  }

  /// Takes a message: from now on, each of these lanes has something to send.
  /// - Returns: how many deliveries were made at once, which are those to entries.
  func take(_ message: Int64, for lanes: [Lane], at now: Instant) throws(Fault) -> Int {
    var made = 0
    try database.transaction { () throws(Fault) in
      let last = try database.integer("SELECT max(id) FROM devices") ?? 0
      for lane in lanes {
        if lane.environment != nil {
          try database.run(
            "INSERT INTO passes (message, lane, done, last) VALUES (?, ?, 0, ?)",
            [.integer(message), .text(lane.name), .integer(last)])
        } else {
          try insert(message, lane, device: 0, .waiting, due: now, at: now)
          made += 1
        }
      }
      try database.run("UPDATE messages SET taken = 1 WHERE id = ?", [.integer(message)])
    }
    return made
  }

  func insert(
    _ message: Int64, _ lane: Lane, device: Int64, _ state: DeliveryState, due: Instant?,
    at now: Instant
  ) throws(Fault) {
    try database.run(
      """
      INSERT INTO deliveries (message, lane, device, state, tries, due, changed)
        VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(message), .text(lane.name), .integer(device), .text(state.rawValue),
        .integer(state == .sent ? 1 : 0), SQLValue(due), .integer(now.microseconds),
      ])
  }

  /// How many deliveries of a message are in each state.
  func counts(of message: Int64) throws(Fault) -> [DeliveryState: Int] {
    var counts: [DeliveryState: Int] = [:]
    try database.run(
      "SELECT state, count(*) FROM deliveries WHERE message = ? GROUP BY state",
      [.integer(message)]
    ) { row in
      if let state = DeliveryState(rawValue: row.text(0)) { counts[state] = Int(row.integer(1)) }
    }
    return counts
  }

  /// The deliveries of a message that nobody accepted, as in `webhook school: refused, status 410`.
  /// - Parameter most: how many are named; the most frequent come first.
  func failures(of message: Int64, most: Int) throws(Fault) -> [String] {
    var found: [String] = []
    try database.run(
      """
      SELECT lane, state, reason, count(*) AS number FROM deliveries
        WHERE message = ? AND state IN ('refused', 'expired') GROUP BY lane, state, reason
        ORDER BY number DESC, lane, state, reason LIMIT ?
      """, [.integer(message), .integer(Int64(most))]
    ) { row in
      let reason = row.isNull(2) ? "before it could be sent" : row.text(2)
      found.append("\(row.text(0)): \(row.text(1)), \(reason)")
    }
    return found
  }

  /// True if a message has not been given to every device yet.
  func hasPasses(_ message: Int64) throws(Fault) -> Bool {
    try database.integer("SELECT 1 FROM passes WHERE message = ?", [.integer(message)]) != nil
  }

  func finish(_ message: Int64, at now: Instant) throws(Fault) {
    try database.run(
      "UPDATE messages SET finished = ? WHERE id = ?",
      [.integer(now.microseconds), .integer(message)])
  }

  /// Deletes the messages that were finished before an instant, and the oldest finished ones while
  /// there are more than `most` deliveries. Deletes only a part, so that nothing else has to wait.
  /// - Returns: true if there may be more to delete.
  func prune(before: Instant, most: Int64) throws(Fault) -> Bool {
    // max() and min() in one SELECT would read every row.
    let rows = "SELECT (SELECT max(id) FROM deliveries) - (SELECT min(id) FROM deliveries)"
    let isFull = try database.integer(rows) ?? 0 > most
    let oldest = try database.integer(
      """
      SELECT id FROM messages WHERE finished IS NOT NULL AND (finished < ? OR ?)
        ORDER BY id LIMIT 1
      """, [.integer(before.microseconds), .integer(isFull ? 1 : 0)])
    guard let oldest else { return false }
    try database.transaction { () throws(Fault) in
      try database.run(
        """
        DELETE FROM deliveries WHERE id IN
          (SELECT id FROM deliveries WHERE message = ? LIMIT 2000)
        """, [.integer(oldest)])
      if database.changes < 2000 {
        try database.run("DELETE FROM messages WHERE id = ?", [.integer(oldest)])
      }
    }
    return true
  }
}
