import Basics

@main
enum Main {
  static let program = Program(
    name: "clocksmith-relay",
    summary:
      "The network of clocksmith: it takes commands and tells the clock's state over MQTT\nand HTTP, and tells phones and programs what happens.",
    subcommands: [
      runCommand, checkCommand, deviceCommand, pairCommand, pushCommand, feedbackCommand,
    ])

  static func main() { program.main() }
}

let configOption = Option(
  name: "config", argument: "FILE", help: "read this instead of /etc/clocksmith/relay.conf")

let jsonOption = Option(name: "json", argument: nil, help: "print a JSON object a line")
