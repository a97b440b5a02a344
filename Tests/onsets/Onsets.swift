import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Sound

/// Says one time again and again with the service's own player, and prints how far each was off its
/// second. For deploy/bench: it is not shipped.
///
/// Announcements are at the seconds that leave REMAINDER when divided by EVERY, so several of these
/// programs can take turns.
@main
enum Onsets {
  private static let usage = "usage: onsets [--quick] DEVICE VOICE HH:MM COUNT EVERY REMAINDER"

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    let isQuick = words.first == "--quick"
    if isQuick { words.removeFirst() }
    guard words.count == 6, let time = CivilDateTime(text: "2000-01-01T\(words[2])"),
      let count = Int(words[3]), let every = Int64(words[4]), every > 0,
      let remainder = Int64(words[5])
    else { end(Self.usage, status: 2) }
    do throws(Fault) {
      let voice = try VoicePack(path: words[1])
      // A new sink for each announcement, as Configuration.speaker makes it.
      let session = try Session(
        sink: { [device = words[0]] in ALSASink(name: device, isQuick: isQuick) },
        compose: { rate throws(Fault) in
          try voice.score(
            of: CivilTime(hour: time.hour, minute: time.minute)!, wording: .twelve, rate: rate)
        }, count: count, every: every, remainder: remainder)
      try session.run()
    } catch {
      end(error.description, status: 1)
    }
  }

  private static func end(_ message: String, status: Int32) -> Never {
    fputs("onsets: \(message)\n", stderr)
    exit(status)
  }
}

/// The announcements, one after the other.
private final class Session {
  private let loop: EventLoop
  private let player: Player
  private let compose: (Int) throws(Fault) -> Score
  private let every: Int64
  private let remainder: Int64
  private var left: Int
  private var anchor = Instant(seconds: 0)
  private var timer: EventSource?

  init(
    sink: @escaping () -> any Sink, compose: @escaping (Int) throws(Fault) -> Score, count: Int,
    every: Int64, remainder: Int64
  ) throws(Fault) {
    loop = try EventLoop()
    player = Player(loop: loop, sink: sink)
    self.compose = compose
    self.every = every
    self.remainder = remainder
    left = count
  }

  func run() throws(Fault) {
    player.ended = { [unowned self] _, outcome in
      tell(outcome)
      prepare()
    }
    prepare()
    try loop.run()
  }

  /// Sets the timer for the next of these seconds that leaves time to open the speaker.
  private func prepare() {
    guard left > 0 else { return loop.exit() }
    left -= 1
    let now = SystemClock.now.instant
    let earliest = (now + Announcer.preparation).seconds + 1
    let wait = ((remainder - earliest) % every + every) % every
    anchor = Instant(seconds: earliest + wait)
    do throws(Fault) {
      timer = try loop.after(anchor - Announcer.preparation - now) { [unowned self] in play() }
    } catch {
      tell(.failed(error.description, heard: .nothing))
      loop.exit()
    }
  }

  private func play() {
    do throws(Fault) {
      try player.play(SoundingID(left), anchoredAt: .utc(anchor), compose)
    } catch {
      tell(.failed(error.description, heard: .nothing))
      prepare()
    }
  }

  /// Prints the second as nanoseconds of UTC, the onset's lateness in nanoseconds, and the
  /// underruns.
  private func tell(_ outcome: Outcome) {
    switch outcome {
    case .finished(let timing):
      guard let error = timing.onsetError else {
        fputs("onsets: it was not measured\n", stderr)
        return
      }
      print(anchor.nanoseconds, error.nanoseconds, timing.underruns)
      fflush(stdout)
    case .failed(let why, _):
      fputs("onsets: \(why)\n", stderr)
    case .tooLate(let delay):
      fputs("onsets: \(delay) too late\n", stderr)
    case .stopped:
      break
    }
  }
}
