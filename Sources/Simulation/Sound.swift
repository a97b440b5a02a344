/// Something heard of an announcement or a cue.
struct Sound: Hashable {
  enum Kind: Hashable {
    case begins
    /// A blow at this offset from the anchor, by the programme.
    case blow(Int64)
    case words
    case ends
  }

  /// The uptime at which it is heard.
  var at: Int64
  let kind: Kind
}
