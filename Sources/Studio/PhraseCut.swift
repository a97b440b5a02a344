import Basics

/// Finds the words of a phrase that was spoken with a pause between any two words.
///
/// The number of words is known, and the longest pauses separate them. A silence within a word, as
/// before the last sound of "eight", is shorter. If it is not clearly shorter, nothing is cut.
struct PhraseCut {
  /// Ranges of frames from pause to pause, with one word in each.
  let words: [Range<Int>]
  /// The mean power of the speech, and of the quiet.
  let speech: Double
  let noise: Double

  /// The shortest pause between two words, in seconds; the closure of a plosive lasts up to 0.1 s.
  private static let shortestPause = 0.13
  /// The longest quiet place in a word: in seconds, and as a share of the shortest pause.
  private static let longestInWord = 0.2
  private static let clearness = 0.75
  /// The length of a word, in seconds.
  private static let shortest = 0.08
  private static let longest = 1.5
  /// Sound that is this far below the loudest 10 ms is not speech, in dB.
  private static let depth = 36.0
  /// Speech is at least this far above the quiet, in dB.
  private static let height = 9.0

  init(_ samples: [Float], rate: Int, _ prompt: RecordingPrompt) throws(Fault) {
    let count = prompt.words.count
    let track = LevelTrack(samples, rate: rate)
    noise = track.quietest
    let loudest = track.powers.max() ?? 0
    let threshold = max(
      loudest * (-Self.depth).powerOfDecibels, noise * Self.height.powerOfDecibels)
    let sounding = track.powers.indices.filter { track.powers[$0] >= threshold }
    speech =
      sounding.reduce(0) { $0 + track.powers[$1] } / Double(max(sounding.count, 1))
    let gaps = zip(sounding, sounding.dropFirst()).filter { $1 - $0 > 1 }
      .map { (start: $0 + 1, end: $1) }
      .sorted { $0.end - $0.start > $1.end - $1.start }
    func seconds(_ windows: Int) -> Double { Double(windows * track.windowFrames) / Double(rate) }
    let pauses = gaps.prefix(count - 1).sorted { $0.start < $1.start }
    let shortestPause = pauses.map { seconds($0.end - $0.start) }.min() ?? .infinity
    // The longest quiet place in a word.
    let inner = gaps.dropFirst(count - 1).first.map { seconds($0.end - $0.start) } ?? 0
    guard let first = sounding.first, let last = sounding.last, pauses.count == count - 1,
      shortestPause >= Self.shortestPause,
      inner <= min(Self.longestInWord, Self.clearness * shortestPause)
    else {
      throw Take.refusal(
        "it is not clear where the \(count) words part; say them again with a short pause at each "
          + "'...', and none elsewhere")
    }
    var words: [Range<Int>] = []
    var start = 0
    for (index, word) in prompt.words.enumerated() {
      let sound = (index == 0 ? first : pauses[index - 1].end)
      let end = index < pauses.count ? pauses[index].start : last + 1
      guard (Self.shortest...Self.longest).contains(seconds(end - sound)) else {
        throw Take.refusal(
          "'\(word.text)' is too short or too long; say it again, and pause after it")
      }
      let cut =
        index < pauses.count
        ? (pauses[index].start + pauses[index].end) / 2 * track.windowFrames : samples.count
      words.append(start..<cut)
      start = cut
    }
    self.words = words
  }
}
