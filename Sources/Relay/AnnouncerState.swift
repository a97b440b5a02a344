import Basics
import Daemon
import Horology

/// The clock's state: the properties of the announcer.
struct AnnouncerState {
  private(set) var record: Record
  /// How far the clock may be off. It changes all the time, and no signal tells of it: only who asks
  /// for the time is told.
  let uncertainty: Record

  init(_ properties: Record) {
    record = Record(properties: properties)
    uncertainty = Record(["clock_uncertainty": record["clock_uncertainty"]])
    for key in ["clock_uncertainty", "clock_words"] { record[key] = nil }
  }
}

extension AnnouncerState {
  /// Whether the announcer is known to say the time by its clock.
  var clockIsUsed: Bool { record[.flag("clock_is_used")] == true }

  var isTrusted: Bool { ["synchronised", "holdover"].contains(record[.text("trust")]) }

  var requestAhead: Duration {
    record[.seconds("request_ahead", .zero ... .seconds(60))] ?? .seconds(5)
  }

  var isPlaying: Bool { record["playing"] != nil }

  /// The names of the alarms, or nil, by their numbers.
  var alarms: [Int: String?] {
    guard case .list(let listed)? = record["alarms"] else { return [:] }
    var names: [Int: String?] = [:]
    for case .record(let alarm) in listed {
      if let number = alarm[.number] { names.updateValue(alarm[.name], forKey: number) }
    }
    return names
  }

  /// When the last announcement began.
  var lastAnchor: Instant? {
    guard case .record(let last)? = record["last"] else { return nil }
    return last[.instant("at")]
  }

  /// Nil if none comes, or it will be silent.
  var nextOccasion: NextOccasion? {
    guard case .record(let next)? = record["next"], next[.flag("sounds")] == true,
      let instant = next[.instant("at")]
    else { return nil }
    return NextOccasion(
      instant: instant, words: next[.text("text")] ?? "", chime: next[.text("chime")] ?? "")
  }

  /// As JSON: one line, the same for the same values.
  /// - Parameter waiting: the commands that wait for their instants.
  func payload(waiting: [Order]) -> String {
    let waiting = waiting.map { order in
      Record([
        "command": .text(order.name), "id": order.id.map { .text($0) },
        "at": order.at.map { .text($0.rfc3339) },
      ])
    }
    return record.merging(Record(["waiting": .list(waiting.map { .record($0) })])).json
  }
}
