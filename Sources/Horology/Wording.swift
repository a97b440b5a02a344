/// The two formats of a spoken time.
public enum HourFormat: String, CaseIterable, Sendable {
  case twelve = "12"
  case twentyFour = "24"
}

/// Which of a voice's ways to say a time is used.
public struct Wording: Hashable, Sendable {
  /// The style of `[clock 12]` and `[clock 24]`, which every voice has: "three fifteen P M".
  public static let digital = "digital"
  public static let twelve = Wording(.twelve)

  public var format: HourFormat
  /// The voice's name for the style.
  public var style: String
  /// True if the voice's opening words come first, as in "it is noon".
  public var opens = false

  public init(_ format: HourFormat, style: String = Wording.digital) {
    self.format = format
    self.style = style
  }
}
