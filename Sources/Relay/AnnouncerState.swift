import Basics
import Daemon

/// The last announcement.
struct LastAnnouncement: Hashable, Sendable {
  let at: UTCTime
  let text: String
  /// In microseconds, positive if it was late; nil if it was not measured.
  let onsetError: Int64?
}

/// The clock's state: the announcer's D-Bus properties.
struct AnnouncerState {
  private let values: [String: BusValue]

  init(_ properties: [String: BusValue]) {
    values = properties
  }

  /// Nil if it is unknown, or of another type.
  private func value<Value: BusType>(_ name: String) -> Value? {
    values[name].flatMap(Value.init)
  }

  /// Whether the announcer says the time by its clock; nil while that is unknown.
  var clockIsUsed: Bool? { value("ClockIsUsed") }

  var isPlaying: Bool { text("Playing")?.isEmpty == false }

  /// Nil if none comes, or it will be silent.
  var nextOccasion: Ahead.Occasion? {
    guard flag("NextSounds") == true, let instant: UInt64 = value("NextOccasion"),
      let microseconds = Int64(exactly: instant), microseconds > 0
    else { return nil }
    return Ahead.Occasion(
      instant: UTCTime(microseconds: microseconds), words: text("NextText") ?? "",
      chime: text("NextChime") ?? "")
  }

  /// The state as the relay publishes it, as JSON: one line, the same for the same values.
  /// - Parameter waiting: the commands that wait for their instants.
  func payload(last: LastAnnouncement?, waiting: [Order] = []) -> String {
    let line = JSONLine()
    line.set("next", next)
    line.set("playing", text("Playing"))
    line.set("muted", flag("Muted"))
    line.set("muted_by", text("MutedBy"))
    line.set("software_mute", text("SoftwareMute"))
    // UInt64.max means that the mute never ends; it becomes null.
    line.set("muted_until", time("MutedUntil"))
    line.set("switch", text("Switch"))
    line.set("switch_error", text("SwitchError"))
    line.set("trust", text("Trust"))
    line.set("clock_basis", text("ClockBasis"))
    line.set("volume_db", number("Volume"))
    line.set("zone", text("Zone"))
    line.set("voice", text("Voice"))
    line.set("device", text("Device"))
    line.set("device_substitute", text("Substitute"))
    line.set("problems", problems)
    line.set("state_error", text("StateError"))
    line.set("state_loss", text("StateLoss"))
    line.set("last_error", text("LastError"))
    line.set("last", announcement(last))
    line.set("timers", Self.soonestFirst(rows("Timers").compactMap(Self.timer)))
    line.set("timer_ends", timerEnds.map { UTCTime(microseconds: $0).text })
    line.set("intervals", rows("Intervals").compactMap(Self.interval))
    line.set("alarms", Self.soonestFirst(rows("Alarms").compactMap(Self.alarm)))
    line.set("alarm_rings", alarmRings.map { UTCTime(microseconds: $0).text })
    line.set("waiting", waiting.map(Self.waiting))
    return line.text
  }

  private static func waiting(_ order: Order) -> JSONLine {
    let line = JSONLine()
    line.set("command", order.name)
    line.set("id", order.id)
    line.set("at", order.at?.text)
    return line
  }

  private var next: JSONLine {
    let line = JSONLine()
    line.set("at", time("NextOccasion"))
    line.set("local", text("NextLocal"))
    line.set("chime", text("NextChime"))
    line.set("text", text("NextText"))
    line.set("sounds", flag("NextSounds"))
    line.set("reason", text("NextReason"))
    return line
  }

  /// No property holds the last announcement: after a start, it is null until the next one. Only
  /// its onset error may be known before.
  private func announcement(_ last: LastAnnouncement?) -> JSONLine {
    let line = JSONLine()
    line.set("at", last?.at.text)
    line.set("text", last?.text)
    var error = last?.onsetError
    if last == nil, let told: Int64 = value("LastOnsetError"), told != .min {
      error = told
    }
    line.set("onset_error_ms", error.map { Double($0) / 1000 })
    return line
  }

  /// Problems that need a person, as sentences.
  private var problems: [String] {
    var problems: [String] = []
    if let substitute = text("Substitute"), !substitute.isEmpty {
      problems.append("\(substitute) plays instead of the configured speaker")
    }
    if text("Switch") == "lost" {
      problems.append("the switch cannot be read: \(text("SwitchError") ?? "")")
    }
    if text("Trust") == "untrusted" { problems.append("the clock is not trusted") }
    if let error = text("StateError"), !error.isEmpty {
      problems.append("what is set at run time is lost at a restart: \(error)")
    }
    return problems
  }

  // MARK: Lists

  /// - Parameter rows: `due` is 0 for those that are not due at any time; they come last.
  private static func soonestFirst(_ rows: [(due: UInt64, line: JSONLine)]) -> [JSONLine] {
    rows.sorted { $0.due &- 1 < $1.due &- 1 }.map(\.line)
  }

  private static func timer(_ row: [BusValue]) -> (due: UInt64, line: JSONLine)? {
    guard row.count == 6, case .small(let number) = row[0], case .text(let name) = row[1],
      case .text(let state) = row[2], case .unsigned(let length) = row[3],
      case .unsigned(let left) = row[4], case .unsigned(let zero) = row[5]
    else { return nil }
    let line = JSONLine()
    line.set("number", Int(number))
    line.set("name", name)
    line.set("state", state)
    line.set("seconds", seconds(length))
    line.set("ends", time(zero))
    line.set("left", state == "paused" ? seconds(left) : nil)
    return (zero, line)
  }

  private static func interval(_ row: [BusValue]) -> JSONLine? {
    let spans = row.prefix(5).compactMap { if case .unsigned(let span) = $0 { span } else { nil } }
    guard row.count == 8, spans.count == 5, case .small(let rounds) = row[5],
      case .small(let countdown) = row[6], case .flag(let words) = row[7]
    else { return nil }
    let line = JSONLine()
    line.set("started", time(spans[0]))
    if spans[1] != 0 {
      line.set("seconds", seconds(spans[1]))
    } else {
      line.set("work", seconds(spans[2]))
      line.set("rest", seconds(spans[3]))
      line.set("prepare", seconds(spans[4]))
      line.set("rounds", rounds == 0 ? nil : Int(rounds))
      line.set("countdown", Int(countdown))
      line.set("words", words)
    }
    return line
  }

  private static func alarm(_ row: [BusValue]) -> (due: UInt64, line: JSONLine)? {
    guard row.count == 10, case .small(let number) = row[0], case .text(let name) = row[1],
      case .text(let clock) = row[2], case .text(let days) = row[3], case .text(let tune) = row[4],
      case .text(let state) = row[5], case .unsigned(let next) = row[6],
      case .text(let reason) = row[8], case .text(let rise) = row[9]
    else { return nil }
    let line = JSONLine()
    line.set("number", Int(number))
    line.set("name", name)
    line.set("time", clock)
    line.set("days", days)
    line.set("tune", tune)
    line.set("rise", rise)
    line.set("state", state)
    line.set("rings", time(next))
    line.set("reason", reason)
    return (next, line)
  }

  /// The end of the running timer that ends next, in microseconds since 1970.
  private var timerEnds: Int64? {
    rows("Timers").compactMap { row in
      guard row.count == 6, case .text("running") = row[2], case .unsigned(let zero) = row[5]
      else { return nil }
      return Int64(clamping: zero)
    }.min()
  }

  private var alarmRings: Int64? {
    rows("Alarms").compactMap { row in
      guard row.count == 10, case .unsigned(let next) = row[6], next != 0 else { return nil }
      return Int64(clamping: next)
    }.min()
  }

  // MARK: Values

  private func text(_ name: String) -> String? { value(name) }

  private func flag(_ name: String) -> Bool? { value(name) }

  private func number(_ name: String) -> Double? { value(name) }

  private func rows(_ name: String) -> [[BusValue]] {
    if case .rows(_, let rows)? = values[name] { rows } else { [] }
  }

  private func time(_ name: String) -> String? {
    value(name).flatMap(Self.time)
  }

  /// Nil for 0, which means no time, and for a time later than any allowed one.
  private static func time(_ microseconds: UInt64) -> String? {
    guard let time = Int64(exactly: microseconds), time > 0, UTCTime.allowed.contains(time) else {
      return nil
    }
    return UTCTime(microseconds: time).text
  }

  private static func seconds(_ microseconds: UInt64) -> Double { Double(microseconds) / 1e6 }
}
