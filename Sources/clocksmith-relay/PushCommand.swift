import Basics
import Relay

let pushCommand = Subcommand(
  name: "push", operands: "WORDS", mostOperands: 1,
  summary: "publish words to every phone and entry",
  details: """
    Hands a message to the service, which sends it at once to every device and to every entry of the
    configuration, whatever events they want; without a service it is sent when one starts within a
    day. 'journalctl -u clocksmith-relay' has how many took it, and who did not and why. For root, as
    'device'.
    """,
  options: [
    Option(
      name: "title", argument: "TEXT", help: "what stands above the words (default: clocksmith)")
  ]
) { arguments in
  guard let words = arguments.operands.first, !words.isEmpty else {
    throw Misuse(
      description: "write the words in quotes, as one; see 'clocksmith-relay push --help'")
  }
  try Register.use { register throws(Fault) in
    try register.publish(words, title: arguments["title"] ?? "clocksmith", at: .now)
  }
  try tellDone("handed over", "it is handed over")
  return ExitStatus.done
}
