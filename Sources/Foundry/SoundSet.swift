import Horology
import Sound

/// Sounds to render into one folder: either the sounds of the tunes, which are each take of each
/// bell, the pips of the time signal and the cuckoo; or the signals.
public struct SoundSet: Sendable {
  /// One file to render.
  public struct Take: Sendable {
    /// The bell's name, or `pip`, `pip-long`, `cuckoo`, or the signal's.
    public let name: String
    /// The notes that a signal plays, as in `E5 G#5 B5 E6`; empty for the other sounds.
    public var notes = ""
    /// Without a folder.
    public let fileName: String
    /// Makes the sound, at its first frame. Each holds the delay lines of its tower, so make one at
    /// a time.
    public let sound: @Sendable () -> any SynthesisedSound
  }

  public let takes: [Take]

  public init(bells: [Bell]) {
    var takes: [Take] = []
    for bell in bells {
      for (index, seed) in bell.seeds.enumerated() {
        takes.append(
          Take(
            name: bell.name, fileName: BellRack.fileName(of: bell.name, take: index + 1),
            sound: { BellBlow(bell, seed: seed) }))
      }
    }
    takes.append(Take(name: "pip", fileName: "pip.flac", sound: { Pip(seconds: 0.1) }))
    takes.append(Take(name: "pip-long", fileName: "pip-long.flac", sound: { Pip(seconds: 0.5) }))
    takes.append(Take(name: "cuckoo", fileName: "cuckoo.flac", sound: { CuckooCall() }))
    self.takes = takes
  }

  /// The signals of timers, intervals and alarms.
  public static let signals = SoundSet(
    takes: Signal.allCases.map { signal in
      Take(
        name: signal.rawValue, notes: SignalFigure(signal).melody,
        fileName: "\(signal.rawValue).flac",
        sound: { SignalSound(signal) })
    })

  private init(takes: [Take]) {
    self.takes = takes
  }
}
