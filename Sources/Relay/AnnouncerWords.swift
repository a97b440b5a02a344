/// The announcer's refusals are written for its command line. Here they are reworded for the
/// senders of commands.
///
/// Only the end of a refusal is reworded. The names before it are the senders' own, and stay as they
/// are.
enum AnnouncerWords {
  /// The end of a refusal, and what a sender of commands is told instead.
  private static let endings = [
    (
      "; 'clocksmith timer list' shows those that there are",
      "; 'timers' in the state shows those that there are"
    ),
    (
      "; 'clocksmith alarm list' shows those that there are",
      "; 'alarms' in the state shows those that there are"
    ),
    ("; 'clocksmith alarm list' shows when it will", "; 'alarms' in the state shows when it will"),
    (
      "; 'clocksmith alarm list' shows when one will", "; 'alarms' in the state shows when one will"
    ),
    ("; 'clocksmith stop' stops it", "; the command 'stop' stops it"),
    (" ('clocksmith unmute' ends that)", " (the command 'unmute' ends that)"),
    ("; 'clocksmith interval 30s' starts one", "; the command 'interval' starts one"),
    (
      "; stop it first, or start this one with the option 'replace'",
      "; send 'interval_stop' first, or this one with \"replace\": true"
    ),
    ("; choose a length within that", "; send fewer 'seconds'"),
    // A message must not choose the files that the announcer opens.
    (", or give the path of a tune's file", ""),
    (", the path of a tune's file", ""),
  ]

  static func reworded(_ words: String) -> String {
    for (ending, new) in endings where words.hasSuffix(ending) {
      return words.dropLast(ending.count) + new
    }
    return words
  }
}
