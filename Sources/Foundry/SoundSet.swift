import Horology

/// Sounds to be rendered into one folder: everything that the tunes are made of, which is each take
/// of each bell, the pips of the time signal and the cuckoo; or the signals.
public struct SoundSet: Sendable {
  /// One file to be.
  public struct Take: Sendable {
    /// The bell's name, or `pip`, `pip-long`, `cuckoo`, or the signal's.
    public let name: String
    /// What a signal is heard to play, as in `E5 G#5 B5 E6`; nothing for a bell.
    public var notes = ""
    /// Without a folder.
    public let fileName: String
    /// The sound from its first frame; each holds the walls of its tower, so one at a time.
    public let sound: @Sendable () -> any SynthesisedSound
  }

  public let takes: [Take]

  public init(bells: [Bell]) {
    var takes: [Take] = []
    for bell in bells {
      for (index, seed) in bell.seeds.enumerated() {
        takes.append(
          Take(
            name: bell.name, fileName: Self.fileName(of: bell.name, take: index + 1),
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

  /// How the file of a bell's take is called: `F#4`, take 1 is `Fsharp4-1.flac`.
  public static func fileName(of bell: String, take: Int) -> String {
    bell.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "sharp")
      + "-\(take).flac"
  }
}
