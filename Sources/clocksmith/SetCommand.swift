import Basics
import Horology
import Service

let setCommand = Subcommand(
  name: "set", operands: "[KEY [VALUE]]", mostOperands: 2,
  summary: "change a setting, or show the settings and where they come from",
  details: """
    Sets a key of the configuration, as in 'clocksmith set announce.voice slt' or
    'clocksmith set "alarm school.time" 07:00'. It is in force at once, and after a restart. The
    service keeps it in settings.conf in its own folder, and no file in /etc/clocksmith is changed;
    but it counts more than they do, until it is taken back.

    Without VALUE it shows KEY, and without KEY every key: its value, and the file and line where
    that is set, if any.
    """,
  options: [
    Option(
      name: "default", argument: nil,
      help: "take KEY back: the files in /etc/clocksmith count\nagain. KEY may be a whole alarm: "
        + "\"alarm school\""),
    Option(name: "json", argument: nil, help: "print one JSON object a line"),
  ]
) { arguments in
  let (key, value) = (arguments.operands.first, arguments.operands.dropFirst().first)
  let isTakenBack = arguments.has("default")
  if isTakenBack, key == nil || value != nil {
    throw Misuse(description: "--default takes back one KEY; write it without a value")
  }
  if let key, value != nil || isTakenBack {
    let service = try runningService()
    try service.ask(.setting(key, to: value))
    try tellDone(try lines(service.settings(key), key, arguments))
    return ExitStatus.done
  }
  let settings =
    try reachableService()?.settings(key)
    ?? Configuration.load(path: nil).allSettings(of: key)
  if settings.isEmpty {
    let near = nearest(to: key ?? "", of: Configuration().allSettings().map(\.key))
    throw Fault(
      key?.excerpt ?? "the settings", "there is no such key\(near); 'clocksmith set' lists them")
  }
  try say(lines(settings, key, arguments))
  return ExitStatus.done
}

private func lines(_ settings: [Setting], _ key: String?, _ arguments: Arguments) -> String {
  if arguments.has("json") { return settings.map(\.record.json).joined(separator: "\n") }
  if settings.isEmpty { return "\(key ?? "") is not set" }
  return settings.map(\.line).joined(separator: "\n")
}

extension Setting {
  /// As in `announce.voice           slt        /var/lib/clocksmith/settings.conf:4`.
  fileprivate var line: String {
    let shown = inWords.map { "\(value.padded(to: 15)) \($0)" } ?? value
    return "\(key.padded(to: 25)) \(shown)".printable
  }

  /// Where the value comes from, and what it hides; nil for a default.
  var inWords: String? {
    guard let place else { return nil }
    guard origin == .settings else { return place }
    let instead = usual.map { "instead of \($0)" } ?? "not in the files"
    return "\(place), \(instead)" + (hides.map { " of \($0)" } ?? "")
  }
}
