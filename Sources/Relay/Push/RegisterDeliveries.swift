import Basics
import Horology

/// The deliveries of the register: takes the next ones, and notes their outcomes.
extension Register {
  /// The result of `advance`.
  struct Batch {
    /// The deliveries to send now, already noted as sent.
    var deliveries: [Delivery] = []
    /// By message: how many deliveries were made, and how many ended as expired or gone.
    var made: [Int64: Int] = [:]
    var ended: [Int64: Int] = [:]
    /// The outcomes that have deactivated a device.
    var departed: [Outcome] = []
    /// There is more to note than one transaction should hold: call `advance` again at once.
    var isCut = false
  }

  /// How many expired deliveries are noted in one transaction: some hundredths of a second on a Pi.
  private static let mostExpired = 2000

  /// Notes outcomes, and takes the next deliveries of a lane. All of it is on the disk afterwards.
  /// - Parameter room: how many to take at most.
  func advance(
    _ outcomes: [Outcome], in lane: Lane, room: Int, at now: Instant
  ) throws(Fault) -> Batch {
    var batch = Batch()
    try database.transaction { () throws(Fault) in
      // A transaction that failed is done again from the start.
      batch = Batch()
      for outcome in outcomes where try note(outcome, at: now) { batch.departed.append(outcome) }
      guard room > 0 else { return }
      try takeWaiting(lane, room, now, &batch)
      while batch.deliveries.count < room, !batch.isCut {
        guard try takeNew(lane, room - batch.deliveries.count, now, &batch) else { break }
      }
    }
    return batch
  }

  /// - Returns: true if this has deactivated the device.
  private func note(_ outcome: Outcome, at now: Instant) throws(Fault) -> Bool {
    try database.run(
      "UPDATE deliveries SET state = ?, due = ?, reason = ?, changed = ? WHERE id = ?",
      [
        .text(outcome.state.rawValue), SQLValue(outcome.due), SQLValue(outcome.reason),
        .integer(now.microseconds), .integer(outcome.delivery.id),
      ])
    guard let departure = outcome.departure else { return false }
    return try deactivate(
      outcome.delivery.device, departure.reason, since: departure.since, at: now)
  }

  private func takeWaiting(
    _ lane: Lane, _ room: Int, _ now: Instant, _ batch: inout Batch
  ) throws(Fault) {
    var found: [(delivery: Delivery, isGone: Bool, isExpired: Bool)] = []
    try database.run(
      """
      SELECT d.id, d.message, d.device, d.tries, v.token, m.expires FROM deliveries d
        JOIN messages m ON m.id = d.message
        LEFT JOIN devices v ON v.id = d.device AND v.deactivated IS NULL AND v.environment = ?4
        WHERE d.lane = ?1 AND d.state = 'waiting' AND d.due <= ?2 ORDER BY d.due LIMIT ?3
      """,
      [
        .text(lane.name), .integer(now.microseconds), .integer(Int64(room)),
        SQLValue(lane.environment?.rawValue),
      ]
    ) { row in
      let delivery = Delivery(
        id: row.integer(0), message: row.integer(1), device: row.integer(2), token: row.text(4),
        tries: Int(row.integer(3)) + 1)
      found.append(
        (delivery, lane.environment != nil && row.isNull(4), row.integer(5) <= now.microseconds))
    }
    for (delivery, isGone, isExpired) in found {
      if isGone || isExpired {
        let state = isGone ? DeliveryState.refused : .expired
        try end(delivery, state, isGone ? "the device has gone" : nil, now)
        batch.ended[delivery.message, default: 0] += 1
      } else {
        try database.run(
          "UPDATE deliveries SET state = 'sent', tries = ?, due = NULL, changed = ? WHERE id = ?",
          [
            .integer(Int64(delivery.tries)), .integer(now.microseconds), .integer(delivery.id),
          ])
        batch.deliveries.append(delivery)
      }
    }
  }

  /// Ends a delivery. Without a new reason, it keeps the last one.
  private func end(
    _ delivery: Delivery, _ state: DeliveryState, _ reason: String?, _ now: Instant
  ) throws(Fault) {
    try database.run(
      """
      UPDATE deliveries SET state = ?, due = NULL, reason = coalesce(?, reason), changed = ?
        WHERE id = ?
      """,
      [
        .text(state.rawValue), SQLValue(reason), .integer(now.microseconds),
        .integer(delivery.id),
      ])
  }

  /// Continues the oldest message that not every device of the lane has got.
  /// - Returns: false if there is none.
  private func takeNew(
    _ lane: Lane, _ room: Int, _ now: Instant, _ batch: inout Batch
  ) throws(Fault) -> Bool {
    guard let environment = lane.environment else { return false }
    var pass: (message: Int64, done: Int64, last: Int64, event: Int64, expires: Int64)?
    try database.run(
      """
      SELECT p.message, p.done, p.last, m.event, m.expires FROM passes p
        JOIN messages m ON m.id = p.message WHERE p.lane = ? ORDER BY p.message LIMIT 1
      """, [.text(lane.name)]
    ) { row in
      pass = (row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4))
    }
    guard let pass else { return false }
    let isExpired = pass.expires <= now.microseconds
    // Expired deliveries are only noted and wait for no answer, but must not hold up the loop.
    let most = isExpired ? Self.mostExpired : room
    batch.isCut = isExpired
    var devices: [(id: Int64, token: String)] = []
    try database.run(
      """
      SELECT id, token FROM devices WHERE id > ?1 AND id <= ?2 AND environment = ?3
        AND deactivated IS NULL AND (events & ?4 OR ?4 = \(PushEvents.message.rawValue))
        ORDER BY id LIMIT ?5
      """,
      [
        .integer(pass.done), .integer(pass.last), .text(environment.rawValue),
        .integer(pass.event), .integer(Int64(most)),
      ]
    ) { devices.append(($0.integer(0), $0.text(1))) }
    for (device, token) in devices {
      try insert(
        pass.message, lane, device: device, isExpired ? .expired : .sent, due: nil, at: now)
      if isExpired { continue }
      batch.deliveries.append(
        Delivery(
          id: database.lastRow, message: pass.message, device: device, token: token, tries: 1))
    }
    batch.made[pass.message, default: 0] += devices.count
    if isExpired { batch.ended[pass.message, default: 0] += devices.count }
    try move(pass.message, lane, to: devices.count < most ? nil : devices.last?.id)
    return true
  }

  /// - Parameter done: the last device that has got the message; nil if all have.
  private func move(_ message: Int64, _ lane: Lane, to done: Int64?) throws(Fault) {
    if let done {
      try database.run(
        "UPDATE passes SET done = ? WHERE message = ? AND lane = ?",
        [.integer(done), .integer(message), .text(lane.name)])
    } else {
      try database.run(
        "DELETE FROM passes WHERE message = ? AND lane = ?",
        [.integer(message), .text(lane.name)])
    }
  }

  /// When the next waiting delivery of a lane is due; nil if there is none.
  func nextDue(in lane: Lane) throws(Fault) -> Instant? {
    try database.integer(
      "SELECT min(due) FROM deliveries WHERE lane = ? AND state = 'waiting'", [.text(lane.name)]
    ).map { Instant(microseconds: $0) }
  }

  /// Marks the deliveries that the relay's last run had sent and that had no answer when it ended.
  /// - Returns: how many there were.
  func leaveUnanswered(at now: Instant) throws(Fault) -> Int {
    try database.run(
      "UPDATE deliveries SET state = 'unanswered', changed = ? WHERE state = 'sent'",
      [.integer(now.microseconds)])
    return database.changes
  }

  /// Ends the deliveries of lanes that are no longer configured.
  func closeLanes(but lanes: [Lane], at now: Instant) throws(Fault) {
    var others: Set<String> = []
    for table in ["passes", "deliveries WHERE state = 'waiting'"] {
      try database.run("SELECT DISTINCT lane FROM \(table)") { others.insert($0.text(0)) }
    }
    for name in others.subtracting(lanes.map(\.name)) {
      try database.transaction { () throws(Fault) in
        try database.run("DELETE FROM passes WHERE lane = ?", [.text(name)])
        try database.run(
          """
          UPDATE deliveries SET state = 'refused', due = NULL, changed = ?,
            reason = 'the configuration does not have it any more'
            WHERE lane = ? AND state = 'waiting'
          """, [.integer(now.microseconds), .text(name)])
      }
    }
  }
}
