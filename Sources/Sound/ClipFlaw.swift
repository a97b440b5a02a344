import Basics

public enum ClipFlaw: Hashable {
  case tooLong(seconds: Double)
  case tooShort(seconds: Double)
  case silent

  /// In seconds; no spoken word takes longer.
  public static let longest = 5.0
  /// In seconds; the shortest words of the shipped voices take 0.16.
  static let shortest = 0.05

  /// Nil if the clip is as long as a word.
  public init?(seconds: Double) {
    if seconds > Self.longest {
      self = .tooLong(seconds: seconds)
    } else if seconds < Self.shortest {
      self = .tooShort(seconds: seconds)
    } else {
      return nil
    }
  }

  /// True if the word is not heard, so that the clock would say another time. A clip that is too
  /// long does no such harm.
  public var hidesWord: Bool {
    switch self {
    case .tooLong: false
    case .tooShort, .silent: true
    }
  }

  public var words: String {
    switch self {
    case .tooLong(let seconds):
      "it takes \(seconds.text(decimals: 1, .up)) s, more than 5; cut it"
    case .tooShort(let seconds):
      "it takes \((seconds * 1000).text(decimals: 1)) ms, too short for a word; record it again"
    case .silent: "it is silent; record it again"
    }
  }
}

/// Whether a word can be heard in a mono sound, as it is read.
///
/// A constant is no sound, however large: it moves the membrane once. So the sound is judged by how
/// far it moves within each 10 ms.
public struct Audibility {
  /// -60 dB of full scale: nobody hears a word below it.
  private static let softest: Float = 0.001
  /// How many parts of 10 ms make the shortest word. Less is a click, as where a constant begins.
  private static let fewest = Int(ClipFlaw.shortest * 100)

  private let window: Int
  private var frames = 0
  private var lowest = Float.infinity
  private var highest = -Float.infinity
  private var audible = 0

  public init(rate: Int) {
    window = max(rate / 100, 1)
  }

  public mutating func add(_ samples: some Sequence<Float>) {
    for sample in samples {
      lowest = min(lowest, sample)
      highest = max(highest, sample)
      frames += 1
      guard frames == window else { continue }
      // Half of it is the peak about the mean.
      if (highest - lowest) / 2 >= Self.softest { audible += 1 }
      (frames, lowest, highest) = (0, .infinity, -.infinity)
    }
  }

  public var isHeard: Bool { audible >= Self.fewest }
}
