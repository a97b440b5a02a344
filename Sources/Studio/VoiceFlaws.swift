import Basics
import Horology
import Sound

extension VoicePack {
  /// What makes the clock say something else than the time, a sentence each: clips that are missing, torn,
  /// silent, far too short or too long, and a crossfade that they are too short for.
  ///
  /// Reads every clip once. `VoiceVerification` looks at how good they are, too.
  public func flaws() -> [String] {
    var flaws = filesMissing.map { [$0.description] } ?? []
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
      if length < shortest?.length ?? .seconds(ClipFlaw.longest) { shortest = (name, length) }
    }
    guard let shortest, overlap > shortest.length / 2 else { return nil }
    let milliseconds = shortest.length.nanoseconds / 1_000_000
    return "crossfade = \(overlap.nanoseconds / 1_000_000)ms is more than half of clip "
      + "'\(shortest.name)', which takes \(milliseconds) ms, so that words run into each other; "
      + "set it to 20ms, say"
  }
}
