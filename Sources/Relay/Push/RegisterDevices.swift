import Basics
import Horology

/// The devices of the register.
extension Register {
  /// The result of a registration.
  public enum Registration: Hashable, Sendable {
    case added, renewed
  }

  /// Registers a device, or renews its entry, which keeps what the registration does not name. A
  /// device that had gone becomes active again.
  @discardableResult
  public func add(_ device: Device, at now: Instant) throws(Fault) -> Registration {
    var result = Registration.added
    try synced { () throws(Fault) in result = try put(device, at: now) }
    return result
  }

  /// Registers many, all or none.
  public func add(_ devices: [Device], at now: Instant) throws(Fault) -> Int {
    var added = 0
    try synced { () throws(Fault) in
      for device in devices where try put(device, at: now) == .added { added += 1 }
    }
    return added
  }

  private func put(_ device: Device, at now: Instant) throws(Fault) -> Registration {
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
    if database.changes > 0 { return .renewed }
    try database.run(
      """
      INSERT INTO devices (platform, environment, events, registered, token)
        VALUES (coalesce(?, 'ios'), coalesce(?, 'production'),
          coalesce(?, \(PushEvents.usual.rawValue)), ?, ?)
      """, values)
    return .added
  }

  /// Forgets a device.
  /// - Returns: false if it is not known.
  public func remove(token: String) throws(Fault) -> Bool {
    var isKnown = false
    try synced { () throws(Fault) in
      let id = "SELECT id FROM devices WHERE token = ?"
      if let device = try database.integer(id, [.text(token.lowercased())]) {
        try endDeliveries(to: device)
        try database.run("DELETE FROM devices WHERE id = ?", [.integer(device)])
        isKnown = true
      }
    }
    return isKnown
  }

  /// Lists the devices in the order of their first registration.
  /// - Parameter gone: true for only the deactivated devices, in the order of their deactivation.
  public func devices(gone: Bool = false, _ take: (RegisteredDevice) -> Void) throws(Fault) {
    try database.run(
      """
      SELECT token, platform, environment, events, registered, deactivated, reason FROM devices
        \(gone ? "WHERE deactivated IS NOT NULL ORDER BY deactivated, id" : "ORDER BY id")
      """
    ) { row in
      // Leave out invalid rows, which another program has written.
      guard var device = try? Device(token: row.text(0)) else { return }
      device.platform = Device.Platform(rawValue: row.text(1))
      device.environment = Device.Environment(rawValue: row.text(2))
      guard device.platform != nil, device.environment != nil else { return }
      device.events = PushEvents(rawValue: row.integer(3))
      take(
        RegisteredDevice(
          device: device, registered: Instant(microseconds: row.integer(4)),
          gone: row.time(5).map { .init(at: $0, reason: row.text(6)) }))
    }
  }

  /// How many devices are active.
  public func countOfDevices() throws(Fault) -> Int {
    Int(try database.integer("SELECT count(*) FROM devices WHERE deactivated IS NULL") ?? 0)
  }

  /// Deactivates a device.
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
    guard database.changes > 0 else { return false }
    try endDeliveries(to: device)
    return true
  }

  private func endDeliveries(to device: Int64) throws(Fault) {
    try database.run(
      """
      UPDATE deliveries SET state = 'refused', reason = 'the device has gone'
        WHERE state = 'waiting' AND device = ?
      """, [.integer(device)])
  }
}
