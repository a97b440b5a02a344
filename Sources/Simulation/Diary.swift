import Horology

/// Log of what happened and what the service did, in order. Kept only where somebody reads it.
struct Diary {
  /// Lines kept from the end: enough to show what led to a violation.
  private static let length = 40

  private(set) var lines: [String] = []

  mutating func write(_ line: String, _ moment: Moment) {
    lines.append("\(moment.shown.utcText)  \(line)")
    if lines.count > 2 * Self.length { lines.removeFirst(Self.length) }
  }

  var end: ArraySlice<String> { lines.suffix(Self.length) }
}

extension World {
  /// Logs what the service did, indented to tell it from the incidents.
  func record(_ line: @autoclosure () -> String) {
    if diary != nil { diary!.write("  " + line(), moment) }
  }
}

extension Sounding {
  var inShort: String {
    switch self {
    case .announcement(let announcement): announcement.inShort
    case .cue(let cue): "\(cue.id.number): \(cue.signal) of \(cue.source)"
    }
  }
}

extension Announcement {
  fileprivate var inShort: String {
    let cause =
      switch cause {
      case .occasion(let occasion): "of \(occasion.instant.nanoseconds.utcText)"
      case .request: "that was asked for"
      case .timer(let words): "of \(words.title)"
      case .start: "of the start"
      case .untrusted: "of a clock that is not trusted"
      }
    let what = programme.blows.isEmpty ? "words" : "\(programme.blows.count) blows"
    return "\(id.number): \(what) \(cause), anchored at \(anchor.nanoseconds.utcText)"
  }
}

extension Report {
  var inShort: String {
    switch self {
    case .announced(let announcement, _): "announced \(announcement.id.number)"
    case .cutOff(let announcement, let reason, _): "cut off \(announcement.id.number): \(reason)"
    case .brokeOff(let announcement, let why): "broke off \(announcement.id.number): \(why)"
    case .skipped(let first, let last, let reason):
      "skipped \(first.instant.nanoseconds.utcText)"
        + (first == last ? "" : " through \(last.instant.nanoseconds.utcText)") + ": \(reason)"
    case .reminder(let reminder, let event): "\(reminder.title): \(event)"
    case .interval(let interval, let event): "\(interval.title): \(event)"
    case .retrying(let occasion, let why):
      "tries \(occasion.instant.nanoseconds.utcText) again: \(why)"
    default: "\(self)"
    }
  }
}
