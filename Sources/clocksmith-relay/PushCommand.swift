import Basics
import Horology
import Relay

let pushCommand = Subcommand(
  name: "push", operands: "WORDS", mostOperands: 1,
  summary: "send words to every phone, ntfy topic and webhook",
  details: """
    Hands the words to the service, which sends them at once to every device, ntfy topic and webhook,
    whatever events they want. If the service does not run, it sends them when it starts within a
    day. 'journalctl -u clocksmith-relay' shows how many took them, and which did not and why. Run it
    as root.
    """,
  options: [
    Option(
      name: "title", argument: "TEXT", help: "the title above the words (default: clocksmith)")
  ]
) { arguments in
  guard let words = arguments.operands.first, !words.isEmpty else {
    throw Misuse(
      description: "write the words as one argument, in quotes; see 'clocksmith-relay push --help'")
  }
  let title = arguments["title"] ?? "clocksmith"
  try Register.use { register throws(Fault) in
    try register.publish(words, title: title, at: .now)
  }
  try tellDone("handed over", "it is handed over")
  return ExitStatus.done
}
