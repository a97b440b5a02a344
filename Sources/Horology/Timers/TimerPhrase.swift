/// What is said of timers and intervals.
public enum TimerPhrase: Hashable, Sendable {
  /// How much is left.
  case left(Duration)
  /// What a timer of this length is called, as in `ten minute timer`.
  case timer(Duration)
  /// Its name, if the voice has it.
  case name(String)
  case work, rest, half, go, done
  case round(Int)
}
