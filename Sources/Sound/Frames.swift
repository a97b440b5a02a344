import Horology

extension Duration {
  /// Rounded to whole frames.
  public func frames(atRate rate: Int) -> Int {
    Int((inSeconds * Double(rate)).rounded())
  }
}

extension SoundFile {
  /// How many frames it has once it is converted to another rate.
  func frames(atRate other: Int) -> Int { Self.frames(frames, of: rate, atRate: other) }

  /// How many frames a sound of `frames` frames has once it is converted to another rate.
  static func frames(_ frames: Int, of rate: Int, atRate other: Int) -> Int {
    Int((Double(frames) * Double(other) / Double(rate)).rounded())
  }
}
