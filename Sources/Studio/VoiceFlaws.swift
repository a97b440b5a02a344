import Basics
import Horology
import Sound

extension VoicePack {
  /// What keeps the clock from saying the right time, one sentence each: clips that are missing,
  /// torn, silent, far too short or too long, a crossfade that is too long for them, and phrases of
  /// timers that are said alike.
  ///
  /// Reads every clip once. `VoiceVerification` also checks their quality.
  public func flaws() -> [String] {
    var flaws = filesMissing.map { [$0.description] } ?? []
    for name in clipNames {
      guard let path = clip(name)?.path else { continue }
      do throws(Fault) {
        let file = try SoundFile(path: path)
        // A clip that is far too long need not be read to its end.
        var flaw = ClipFlaw(seconds: file.seconds)
        if flaw == nil {
          try file.verify()
          flaw = file.silence
        }
        if let flaw { flaws.append("\(path): \(flaw.words)") }
      } catch {
        flaws.append(error.description)
      }
    }
    if let flaw = crossfadeFlaw { flaws.append("\(path)/voice.conf: \(flaw)") }
    if let flaw = timersAlike {
      flaws.append("\(path)/voice.conf: \(flaw); give each phrase words of its own")
    }
    return flaws
  }

  /// Why the crossfade cannot be as long as it is set; nil if it can. It takes at most half of a
  /// clip, and then no part of the clip is heard by itself.
  var crossfadeFlaw: String? {
    guard overlap > .zero else { return nil }
    var shortest: (name: String, length: Duration)?
    for name in clipNames {
      // A clip that cannot be read, or cannot be a word, is reported by itself.
      guard let path = clip(name)?.path, let file = try? SoundFile(path: path),
        ClipFlaw(seconds: file.seconds) == nil
      else { continue }
      let length = Duration.seconds(file.seconds)
      if length < shortest?.length ?? .seconds(ClipFlaw.longest) { shortest = (name, length) }
    }
    guard let shortest, overlap > shortest.length / 2 else { return nil }
    let milliseconds = shortest.length.nanoseconds / 1_000_000
    return "crossfade = \(overlap.nanoseconds / 1_000_000)ms is more than half of clip "
      + "'\(shortest.name)', which takes \(milliseconds) ms, so that words run into each other; "
      + "set it to 20ms, say"
  }
}
