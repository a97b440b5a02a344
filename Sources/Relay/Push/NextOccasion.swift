import Basics
import Horology

/// The occasion that comes next and will sound.
struct NextOccasion: Hashable {
  let instant: Instant
  let words: String
  let chime: String

  /// For a phone that speaks at its instant by itself.
  func message(of clock: String, at now: Instant) -> PushMessage {
    PushMessage(
      event: .occasion, kind: "occasion", title: clock, body: words,
      details: Record([
        "INSTANT": .text(instant.rfc3339), "TEXT": .text(words), "CHIME": .text(chime),
      ]),
      collapse: "occasion \(clock)", created: now, expires: instant)
  }
}
