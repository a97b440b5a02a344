/// What is heard of an announcement or a cue.
struct Sound: Hashable {
  enum Kind: Hashable {
    case begins
    /// So long after the anchor, by the programme.
    case blow(Int64)
    case words
    case ends
  }

  /// By the uptime.
  var at: Int64
  let kind: Kind
}
