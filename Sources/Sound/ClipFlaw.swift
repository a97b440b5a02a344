import Basics

/// Why a clip cannot be used as a word: with it, the clock would not say the right time.
public struct ClipFlaw {
  /// What is wrong, and what to do.
  public let words: String

  /// In seconds; no spoken word takes longer.
  public static let longest = 5.0
  /// In seconds; the shortest words of the shipped voices take 0.16.
  private static let shortest = 0.05
  /// -60 dB of full scale: nobody hears a word below it.
  static let softest: Float = 0.001

  /// Nil if the clip has no flaw.
  /// - Parameter peak: the largest magnitude of its samples; full scale is 1.
  public init?(seconds: Double, peak: Float) {
    if seconds > Self.longest {
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
