import Basics
import Devices
@preconcurrency import Glibc
import Service
import Sound
import Studio

func importVoice(_ folder: String, _ arguments: Arguments) throws -> Int32 {
  let folder = named(withoutSlash(folder))
  let target = try arguments.folder() ?? "\(folder)-voice"
  let recordings = try VoiceImport(folder: folder)
  for problem in recordings.problems { complain(problem.description) }
  guard recordings.problems.isEmpty else {
    complain("no voice was made from \(folder)")
    return ExitStatus.failed
  }
  let pack = try recordings.make(target)
  complain(of: "not a word of a clock, so not used", recordings.ignored)
  complain(of: "still loud at the end, so perhaps cut off", recordings.cutOff)
  try present(pack, at: target)
  return ExitStatus.done
}

private func complain(of what: String, _ files: [String]) {
  guard !files.isEmpty else { return }
  let first = files.prefix(3).joined(separator: ", ")
  complain("note: \(what): \(first)\(files.count > 3 ? " and \(files.count - 3) more" : "")")
}

func recordVoice(_ folder: String, _ arguments: Arguments) throws -> Int32 {
  let plans = RecordingPlan.allCases.map(\.rawValue)
  guard let plan = RecordingPlan(rawValue: arguments["pack"] ?? "quarters") else {
    throw Misuse(
      description: "--pack '\(arguments["pack"] ?? "")' is not \(plans.joined(separator: " or "))")
  }
  try requireTerminal(for: "voice record")
  let speaker = try Configuration.load(path: arguments["config"]).speaker
  let takes = try TakeFolder(path: withoutSlash(folder), plan: plan)
  let isWhole = try VoiceRecorder(
    plan, into: takes, microphone: ALSASource(name: arguments["device"] ?? "default"),
    terminal: Terminal(descriptor: STDIN_FILENO), speaker: speaker
  ).run()
  if isWhole { try present(try takes.makePack(), at: takes.path) }
  return ExitStatus.done
}

/// The folder with a name of its own, which its voice gets too: `.` and `..` have none.
private func named(_ folder: String) -> String {
  guard [".", ".."].contains(folder.split(separator: "/").last ?? ".") else { return folder }
  return resolved(folder) ?? folder
}

/// The commands have lines of their own, to be pasted.
private func present(_ pack: VoicePack, at target: String) throws(Fault) {
  try say("made \(target): \(pack.sortedClips.count) clips")
  try say(coverage(pack))
  let place = resolved(target) ?? target
  try say("to hear it:\n  clocksmith voice try \(place.shellWord) 15:15")
  var readable = place
  if !["/opt/", "/srv/", "/usr/"].contains(where: { place.hasPrefix($0) }) {
    // The unit hides home folders and /tmp from the service (ProtectHome=, PrivateTmp=).
    readable = "/usr/local/share/\(place.split(separator: "/").last ?? "")"
    // With install(1) everyone can read the copies, whatever the umask was. The takes stay behind.
    let files = ["LICENCE", "voice.conf", "*.flac"].map { "\(place.shellWord)/\($0)" }
    try say(
      "to put it where the service can read it:\n  sudo install -D -m 644 -t "
        + "\(readable.shellWord) \(files.joined(separator: " "))")
  }
  try say("to use it, in [announce] of the configuration:\n  voice = \(readable)")
}
