/// The announcer's refusals are written for its command line. Here they are reworded for the
/// senders of commands.
enum AnnouncerWords {
  /// What a refusal says, and what it says to a sender of commands.
  private static let rewordings = [
    ("'clocksmith timer list' shows", "'timers' in the state shows"),
    ("'clocksmith alarm list' shows", "'alarms' in the state shows"),
    ("'clocksmith stop' stops it", "the command 'stop' stops it"),
    ("'clocksmith unmute' ends that", "the command 'unmute' ends that"),
    ("'clocksmith interval 30s' starts one", "the command 'interval' starts one"),
    (
      "stop it first, or start this one with the option 'replace'",
      "send 'interval_stop' first, or this one with \"replace\": true"
    ),
    ("choose a length within that", "send fewer 'seconds'"),
    ("its path is longer than", "it is longer than"),
    // A message must not choose the files that the announcer opens.
    (", or give the path of a tune's file", ""),
    (", the path of a tune's file", ""),
  ]

  static func reworded(_ words: String) -> String {
    rewordings.reduce(words) { $0.with($1.1, for: $1.0) }
  }
}

extension String {
  /// The text with `new` in place of the first `old`.
  fileprivate func with(_ new: String, for old: String) -> String {
    let sought = Array(old.utf8)
    let bytes = Array(utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: sought) }) else {
      return self
    }
    let rest = bytes[(start + sought.count)...]
    return String(decoding: bytes[..<start] + Array(new.utf8) + rest, as: UTF8.self)
  }
}
