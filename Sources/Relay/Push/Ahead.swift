import Basics
import Daemon
import Horology

/// Publishes each occasion some seconds ahead, so that a phone can speak at its instant by itself.
final class Ahead {
  struct Occasion: Hashable {
    let instant: Instant
    let words: String
    let chime: String

    func message(of clock: String, at now: Instant) -> PushMessage {
      PushMessage(
        event: .occasion, kind: "occasion", title: clock, body: words,
        details: Record([
          "INSTANT": .text(instant.rfc3339), "TEXT": .text(words), "CHIME": .text(chime),
        ]),
        collapse: "occasion \(clock)", created: now, expires: instant)
    }
  }

  private let loop: EventLoop
  private let publish: (Occasion) -> Void
  /// Also after it was published.
  private var awaited: (occasion: Occasion, lead: Duration, timer: EventSource)?

  init(_ loop: EventLoop, _ publish: @escaping (Occasion) -> Void) {
    self.loop = loop
    self.publish = publish
  }

  /// Waits for this occasion, and no longer for the one before, except while something sounds: a melody
  /// leads to its occasion, but from its first note on, the bus names the occasion after that.
  /// - Parameters:
  ///   - occasion: nil if none comes, or it will be silent.
  ///   - lead: how long before its instant to publish it; nil for never.
  func awaitOccasion(_ occasion: Occasion?, isPlaying: Bool, lead: Duration?) {
    if let awaited, awaited.lead == lead {
      if awaited.occasion == occasion { return }
      if isPlaying, let occasion, occasion.instant > awaited.occasion.instant { return }
    }
    awaited = nil
    guard let occasion, let lead else { return }
    let due = occasion.instant + (.zero - lead)
    // Without a timer there is no push. The next change of the announcer tries again.
    let timer = try? loop.atUTC(microseconds: due.microseconds) { [unowned self] in
      // A phone that gets it later cannot get ready.
      if occasion.instant - .now >= .seconds(2) { publish(occasion) }
    }
    if let timer { awaited = (occasion, lead, timer) }
  }
}
