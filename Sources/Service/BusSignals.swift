import Daemon
import Horology
import Sound

extension Report {
  /// The signal that a report makes, with its arguments; nil if it makes none.
  func signal(_ composer: Composer) -> (name: String, [BusValue])? {
    switch self {
    case .announced(let announcement, let timing):
      let text = try? composer.text(of: announcement)
      return (
        "Announced",
        [
          .unsigned(announcement.anchor.microseconds), .text(text ?? ""),
          .signed(timing.onsetError.map { $0.nanoseconds / 1000 } ?? .min),
        ]
      )
    case .skipped(let first, let last, let reason):
      return (
        "Skipped",
        [
          .unsigned(first.instant.microseconds), .unsigned(last.instant.microseconds),
          .text(reason.key), .text(reason.description),
        ]
      )
    default: return nil
    }
  }
}

extension Notice {
  /// The arguments of the signal `Noticed`, which every notice makes.
  var values: [BusValue] {
    [.text(event), .byte(UInt8(priority.rawValue)), .text(message), .fields(fields)]
  }
}
