import Basics

/// Why nobody hears a word in a clip, so that the clock would say another time.
public enum ClipFlaw {
  static let silent = "it is silent; record it again"

  /// Nil if a word can be heard in a mono sound.
  public static func silence(in samples: [Float]) -> String? {
    var audibility = Audibility()
    audibility.add(samples)
    return audibility.isHeard ? nil : silent
  }

  /// Nil if the clip is at least as long as a word: the shortest of the shipped voices takes 0.16 s.
  public static func tooShort(seconds: Double) -> String? {
    seconds < 0.05
      ? "it takes \((seconds * 1000).text(decimals: 1)) ms, too short for a word; record it again"
      : nil
  }
}

/// Whether a word can be heard in a mono sound, as it is read: by the mean power about its mean,
/// because a constant is no sound, however large. It moves the membrane once.
struct Audibility {
  /// -70 dB of full scale: nobody hears a word below it.
  private static let softest = 0.000_3

  private var frames = 0.0
  private var sum = 0.0
  private var squares = 0.0

  mutating func add(_ samples: some Sequence<Float>) {
    for sample in samples {
      frames += 1
      sum += Double(sample)
      squares += Double(sample) * Double(sample)
    }
  }

  var isHeard: Bool {
    guard frames > 0 else { return false }
    let mean = sum / frames
    return squares / frames - mean * mean >= Self.softest * Self.softest
  }
}
