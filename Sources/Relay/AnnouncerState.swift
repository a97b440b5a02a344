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
  private static let clockIsUsed = Key<Bool>.flag("clock_is_used")
  private static let requestAhead = Key<Duration>.seconds("request_ahead", .zero ... .seconds(60))
  private static let at = Key<Instant>.instant("at")
  private static let sounds = Key<Bool>.flag("sounds")
  private static let text = Key<String>.text("text")
  private static let chime = Key<String>.text("chime")

  /// Whether the announcer is known to say the time by its clock.
  var clockIsUsed: Bool { record[Self.clockIsUsed] == true }

  var requestAhead: Duration { record[Self.requestAhead] ?? .seconds(5) }

  var isPlaying: Bool { record["playing"] != nil }

  /// Nil if none comes, or it will be silent.
  var nextOccasion: Ahead.Occasion? {
    guard case .record(let next)? = record["next"], next[Self.sounds] == true,
      let instant = next[Self.at]
    else { return nil }
    return Ahead.Occasion(
      instant: instant, words: next[Self.text] ?? "", chime: next[Self.chime] ?? "")
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
