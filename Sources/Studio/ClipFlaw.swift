import Basics
import Horology
import Sound

/// Why a clip cannot be a word: with it, the clock says something else than the time.
struct ClipFlaw {
  /// What is wrong, and what to do.
  let words: String

  /// Seconds; the shortest words of the voices that ship take 0.16.
  private static let shortest = 0.05
  /// -60 dB of full scale: nobody hears a word below it.
  private static let softest: Float = 0.001

  /// Nil if there is none.
  /// - Parameter peak: the largest magnitude of its samples; full scale is 1.
  init?(seconds: Double, peak: Float) {
    if seconds > Recording.longest {
      words = "it takes \(seconds.text(decimals: 1)) s, more than 5; cut it"
    } else if seconds < Self.shortest {
      words =
        "it takes \((seconds * 1000).text(decimals: 1)) ms, too short for a word; record it again"
    } else if peak < Self.softest {
      words = "it is silent; record it again"
    } else {
      return nil
    }
  }
}

extension VoicePack {
  /// What makes the clock say something else than the time, a sentence each: clips that are torn,
  /// silent, far too short or too long, and a crossfade that they are too short for.
  ///
  /// Reads every clip once. `VoiceVerification` looks at how good they are, too.
  public func flaws() -> [String] {
    var flaws: [String] = []
    for name in clipNames {
      guard let path = clip(name)?.path else { continue }
      do throws(Fault) {
        let file = try SoundFile(path: path)
        // What is far too long need not be read to its end.
        var flaw = ClipFlaw(seconds: file.seconds, peak: 1)
        if flaw == nil { flaw = ClipFlaw(seconds: file.seconds, peak: try file.verify()) }
        if let flaw { flaws.append("\(path): \(flaw.words)") }
      } catch {
        flaws.append(error.description)
      }
    }
    if let flaw = crossfadeFlaw { flaws.append("\(path)/voice.conf: \(flaw)") }
    return flaws
  }

  /// Why the crossfade cannot be as long as it is set: it takes no more than half of a clip, and
  /// then no part of the clip is heard by itself. Nil if it can.
  var crossfadeFlaw: String? {
    guard overlap > .zero else { return nil }
    var shortest: (name: String, length: Duration)?
    for name in clipNames {
      // What cannot be read is told of by itself, and so is what is no word.
      guard let path = clip(name)?.path, let file = try? SoundFile(path: path),
        ClipFlaw(seconds: file.seconds, peak: 1) == nil
      else { continue }
      let length = Duration.seconds(file.seconds)
      if length < shortest?.length ?? .seconds(Recording.longest) { shortest = (name, length) }
    }
    guard let shortest, overlap > shortest.length / 2 else { return nil }
    let milliseconds = shortest.length.nanoseconds / 1_000_000
    return "crossfade = \(overlap.nanoseconds / 1_000_000)ms is more than half of clip "
      + "'\(shortest.name)', which takes \(milliseconds) ms, so that words run into each other; "
      + "set it to 20ms, say"
  }
}
