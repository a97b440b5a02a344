import Basics
import Daemon

/// Publishes each occasion some seconds ahead, so that a phone can speak at its instant by itself.
final class Ahead {
  /// What comes next, of the announcer's bus.
  struct Occasion: Hashable {
    let instant: UTCTime
    /// What will be said, and rung.
    let words: String
    let chime: String

    /// A message that is worth nothing from the instant on.
    func message(of clock: String, at now: UTCTime) -> PushMessage {
      PushMessage(
        event: .occasion, kind: "occasion", title: clock, body: words,
        fields: ["INSTANT": instant.text, "TEXT": words, "CHIME": chime],
        collapse: "occasion \(clock)", created: now, expires: instant)
    }
  }

  /// A telephone that is told later than this has no time to get ready.
  static let least = Duration.seconds(2)

  private let loop: EventLoop
  private let publish: (Occasion) -> Void
  private var waiting: (occasion: Occasion, lead: Duration, timer: EventSource)?
  private var published: UTCTime?

  init(_ loop: EventLoop, _ publish: @escaping (Occasion) -> Void) {
    self.loop = loop
    self.publish = publish
  }

  /// Waits for the next occasion, and for none that it waited for before.
  /// - Parameters:
  ///   - occasion: nil if none comes, or it will be silent.
  ///   - isPlaying: true while something is heard. From the first note of a melody on, the occasion
  ///     after it is the next one: that which it leads to is waited for all the same.
  ///   - lead: how long before its instant it is published; nil for never.
  func look(at occasion: Occasion?, isPlaying: Bool, lead: Duration?) {
    if let waiting, waiting.lead == lead {
      if waiting.occasion == occasion { return }
      if isPlaying, let occasion, occasion.instant > waiting.occasion.instant { return }
    }
    waiting = nil
    guard let occasion, let lead, occasion.instant != published else { return }
    let due = occasion.instant + (.zero - lead)
    // If there is no timer, there is no push: the next change of the announcer brings another.
    let timer = try? loop.atUTC(microseconds: due.microseconds) { [unowned self] in
      waiting = nil
      guard UTCTime.now + Self.least <= occasion.instant else { return }
      published = occasion.instant
      publish(occasion)
    }
    if let timer { waiting = (occasion, lead, timer) }
  }
}

extension AnnouncerLink {
  var isPlaying: Bool { !text("Playing").isEmpty }

  /// Nil if none comes, or it will be silent, or the announcer does not run.
  var nextOccasion: Ahead.Occasion? {
    guard presence == .running, case .flag(true)? = properties["NextSounds"],
      case .unsigned(let instant)? = properties["NextOccasion"],
      let microseconds = Int64(exactly: instant), microseconds > 0
    else { return nil }
    return Ahead.Occasion(
      instant: UTCTime(microseconds: microseconds), words: text("NextText"),
      chime: text("NextChime"))
  }

  private func text(_ name: String) -> String {
    if case .text(let text)? = properties[name] { text } else { "" }
  }
}
