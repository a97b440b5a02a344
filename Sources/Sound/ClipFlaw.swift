import Basics

/// Why a clip cannot be used as a word.
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

  /// What is wrong, and what to do.
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
