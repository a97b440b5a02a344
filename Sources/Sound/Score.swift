import Basics

/// Sounds on a time line, with one frame that is the anchor.
public struct Score: Hashable, Sendable {
  /// One sound on the time line.
  public struct Part: Hashable, Sendable {
    /// The sound file.
    public let path: String
    /// The frame at which it begins.
    public let start: Int
    /// How many frames of it sound; silence follows if the file has fewer.
    public let frames: Int
    /// The frames over which it rises from nothing, as a quarter of a sine: equal power with the
    /// part that falls under it.
    public let fadeIn: Int
    /// The frames over which it falls to nothing at its end, as a quarter of a cosine.
    public let fadeOut: Int
    /// What every sample of it is multiplied by.
    public let gain: Float
    /// True if its beginning belongs to a moment, as a blow's does, and is kept to it however the
    /// converter drifts; false if it belongs to what began before it, as the next clip of a phrase.
    public let isTimed: Bool
    /// What it is, for a reader: a clip's text, a bell's name.
    public let label: String

    public init(
      path: String, start: Int, frames: Int, fadeIn: Int = 0, fadeOut: Int = 0,
      gain: Float = 1, isTimed: Bool = false, label: String = ""
    ) {
      self.path = path
      self.start = start
      self.frames = frames
      self.fadeIn = fadeIn
      self.fadeOut = fadeOut
      self.gain = gain
      self.isTimed = isTimed
      self.label = label
    }

    /// The first frame after it.
    public var end: Int { start + frames }

    func moved(by distance: Int, amplifiedBy factor: Float = 1) -> Part {
      Part(
        path: path, start: start + distance, frames: frames, fadeIn: fadeIn, fadeOut: fadeOut,
        gain: gain * factor, isTimed: isTimed, label: label)
    }
  }

  /// Frames per second of every position in it.
  public let rate: Int
  /// In the order in which they begin.
  public let parts: [Part]
  /// The frame that is to leave the converter at the announcement's instant.
  public let anchor: Int

  public init(rate: Int, parts: [Part], anchor: Int) {
    self.rate = rate
    self.parts = parts.sorted { $0.start < $1.start }
    self.anchor = anchor
  }

  /// How many frames it has: up to the end of the last sound.
  public var frames: Int { parts.map(\.end).max() ?? 0 }

  /// Reads every sound to its end.
  /// - Parameter meanwhile: called after each of them.
  /// - Throws: `Fault` for the first that is missing, torn, silent or no sound.
  public func verify(_ meanwhile: () throws(Fault) -> Void = {}) throws(Fault) {
    for path in Set(parts.map(\.path)) {
      // One that is not heard would leave something else than the time.
      if try SoundFile(path: path).verify() < ClipFlaw.softest {
        throw Fault("cannot use \(path)", "it is silent; record it again")
      }
      try meanwhile()
    }
  }
}
