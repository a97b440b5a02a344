/// A level, relative to another.
public struct Decibels {
  /// At least -60.
  public let value: Double

  /// As in `-12dB`. Nil for anything else, and for levels outside of -60 to `most`.
  public init?(text: some StringProtocol, to most: Double = 0) {
    // Double also reads hexadecimal digits.
    guard text.hasSuffix("dB"), !text.contains("x"), !text.contains("X"),
      let value = Double(text.dropLast(2)), (-60...most).contains(value)
    else { return nil }
    self.value = value
  }
}
