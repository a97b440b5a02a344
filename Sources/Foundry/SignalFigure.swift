import Horology

/// The notes of a signal, and the instrument that plays them.
struct SignalFigure {
  /// Notes that are struck together.
  struct Chord {
    /// Seconds from the cue.
    let time: Double
    /// The first note is the one that is named. The others are softer.
    let notes: [String]
    /// Decibels relative to the signal's level.
    let level: Double

    init(_ time: Double, _ notes: String..., level: Double = 0) {
      self.time = time
      self.notes = notes
      self.level = level
    }
  }

  let instrument: StruckInstrument
  /// Decibels of a blow relative to full scale, chosen so that the signal is as loud as the voice.
  let level: Double
  /// Seconds over which the end is faded.
  let fade: Double
  let chords: [Chord]

  /// Decibels of the other notes of a chord, relative to the first.
  static let underneath = -5.0

  init(_ signal: Signal) {
    switch signal {
    case .prepare:
      // Two knocks, then up to an unresolved note.
      self.init(
        .marimba, -11, fade: 0.2,
        [Chord(0, "B4"), Chord(0.19, "B4"), Chord(0.38, "F#5")])
    case .work:
      self.init(
        .glockenspiel, -14.8, fade: 0.25,
        [
          Chord(0, "E5", level: -2), Chord(0.07, "G#5", level: -2), Chord(0.14, "B5", level: -1),
          Chord(0.21, "E6"),
        ])
    case .rest:
      self.init(
        .vibraphone, -14.5, fade: 0.7,
        [Chord(0, "G#5"), Chord(0.22, "E5"), Chord(0.44, "B4")])
    case .half:
      self.init(
        .xylophone, -6.5, fade: 0.1,
        [Chord(0, "A5"), Chord(0.07, "A5"), Chord(0.14, "A5"), Chord(0.21, "A5")])
    case .last:
      // The figure of `work`, a fifth higher, twice.
      self.init(
        .glockenspiel, -15.4, fade: 0.3,
        [0, 0.34].flatMap { start in
          [
            Chord(start, "B5", level: -2), Chord(start + 0.07, "E6", level: -2),
            Chord(start + 0.14, "G#6", level: -1), Chord(start + 0.21, "B6"),
          ]
        })
    case .end:
      // From the dominant to the tonic.
      self.init(
        .vibraphone, -15.8, fade: 1,
        [
          Chord(0, "B5", "B4"), Chord(0.2, "B5", "B4"),
          Chord(0.4, "E6", "B5", "G#5", "E5"),
          Chord(0.8, "E5", "B4", "E4"),
        ])
    case .count:
      self.init(.claves, -10.8, fade: 0.03, [Chord(0, "E7")])
    case .cue:
      self.init(.glockenspiel, -10.9, fade: 0.3, [Chord(0, "E5")])
    case .ring:
      // Back and forth.
      self.init(
        .bowls, -16, fade: 0.9,
        [
          Chord(0, "B5", "G#5"), Chord(0.3, "G#5", "E5"), Chord(0.6, "B5", "G#5"),
        ])
    }
  }

  private init(
    _ instrument: StruckInstrument, _ level: Double, fade: Double, _ chords: [Chord]
  ) {
    self.instrument = instrument
    self.level = level
    self.fade = fade
    self.chords = chords
  }

  /// The named notes in their order, as in `E5 G#5 B5 E6`.
  var melody: String { chords.map { $0.notes[0] }.joined(separator: " ") }

  /// Hz of the bell E5 as it ships, the tonic: signals and bells are in the same key.
  private static let tonic = 681.06
  /// The ratios of the notes of E major to the E with the same octave number. They are pure, so
  /// that chords do not beat. Octaves are counted from C.
  private static let ratios: [String: Double] = [
    "C#": 5.0 / 6, "D#": 15.0 / 16, "E": 1, "F#": 9.0 / 8, "G#": 5.0 / 4, "A": 4.0 / 3,
    "B": 3.0 / 2,
  ]

  /// Hz of a note in scientific pitch, from octave 4 on.
  static func frequency(of note: String) -> Double {
    let octavesUp: Int = Int(note.suffix(1))! - 4
    let ratio: Double = ratios[String(note.dropLast())]!
    return tonic / 2 * ratio * Double(1 << octavesUp)
  }
}
