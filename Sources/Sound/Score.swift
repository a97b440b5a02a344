import Basics

/// Sounds on a time line, with one frame that is the anchor.
public struct Score: Hashable {
  public struct Part: Hashable {
    public let sound: StoredSound
    public private(set) var start: Int
    /// How many frames of it sound; silence follows if the file has fewer.
    public let frames: Int
    /// Frames over which it rises from zero, as a quarter of a sine: equal power with the part that
    /// fades out under it.
    public let fadeIn: Int
    /// Frames over which it falls to zero at its end, as a quarter of a cosine.
    public let fadeOut: Int
    public private(set) var gain: Float
    /// True if it must begin at a moment, as a blow must, even if the converter drifts. False if it
    /// follows the part before it, as the next clip of a phrase does.
    public let isTimed: Bool
    /// True for a clip of a phrase. If nobody hears it, the others say another time.
    public let isWord: Bool
    /// What it is, for a reader: a clip's text, a bell's name.
    public let label: String

    public init(
      _ sound: StoredSound, start: Int, frames: Int, fadeIn: Int = 0, fadeOut: Int = 0,
      gain: Float = 1, isTimed: Bool = false, isWord: Bool = false, label: String = ""
    ) {
      self.sound = sound
      self.start = start
      self.frames = frames
      self.fadeIn = fadeIn
      self.fadeOut = fadeOut
      self.gain = gain
      self.isTimed = isTimed
      self.isWord = isWord
      self.label = label
    }

    public var end: Int { start + frames }

    func moved(by distance: Int, amplifiedBy factor: Float = 1) -> Part {
      var part = self
      part.start += distance
      part.gain *= factor
      return part
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

  /// Up to the end of the last sound.
  public var frames: Int { parts.map(\.end).max() ?? 0 }

  /// - Throws: `Fault` for the first sound that is missing or torn, or a silent word.
  public func verify(_ meanwhile: () throws(Fault) -> Void = {}) throws(Fault) {
    for part in parts {
      try part.sound.verify(asWord: part.isWord)
      try meanwhile()
    }
  }
}

extension Score {
  public func write(to path: String, gain: Float = 1) throws(Fault) {
    let writer = try SoundFileWriter(path: path, rate: rate)
    try render(gain: gain) { block throws(Fault) in try writer.write(block) }
    try writer.finish()
  }

  /// Renders the score block by block. Before that it verifies the words. A blow that is missing or torn
  /// shows when it is read, and then what was heard so far is to be thrown away.
  /// - Parameter heard: called with every block in turn; the block is valid during the call.
  public func render(
    gain: Float = 1, _ heard: (UnsafeBufferPointer<Float>) throws(Fault) -> Void
  ) throws(Fault) {
    for part in parts where part.isWord { try part.sound.verify(asWord: true) }
    let mixer = Mixer(score: self)
    let master = Master(rate: rate, gain: gain)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
    defer { block.deallocate() }
    while master.position < frames {
      let part = UnsafeMutableBufferPointer(
        rebasing: block[..<min(block.count, frames - master.position)])
      try master.render(into: part) { sum, _ throws(Fault) in try mixer.render(into: sum) }
      try heard(UnsafeBufferPointer(part))
    }
  }
}
