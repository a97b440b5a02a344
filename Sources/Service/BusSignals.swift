import Basics
import Horology
import Sound

extension Report {
  private static let first = Key<Instant>.instant("first")
  private static let last = Key<Instant>.instant("last")
  private static let reason = Key<String>.text("reason")
  private static let reasonKey = Key<String>.text("reason_key")

  /// The signal that a report makes, with its record; nil if it makes none.
  func signal(_ composer: Composer) -> (name: String, Record)? {
    switch self {
    case .announced(let announcement, let timing):
      return ("Announced", Status.Last(announcement, timing, composer).record)
    case .skipped(let first, let last, let reason):
      var record = Record()
      record[Self.first] = first.instant
      record[Self.last] = last.instant
      record[Self.reason] = reason.description
      record[Self.reasonKey] = reason.key
      return ("Skipped", record)
    default: return nil
    }
  }
}

extension Status.Last {
  init(_ announcement: Announcement, _ timing: Timing, _ composer: Composer) {
    self.init(
      instant: announcement.anchor, text: (try? composer.text(of: announcement)) ?? "",
      onsetError: timing.onsetError)
  }
}
