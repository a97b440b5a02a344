import Basics
import Relay

let checkCommand = Subcommand(
  name: "check", operands: "", mostOperands: 0,
  summary: "look whether the configuration can be used",
  details: """
    Reads the configuration, the password and the certificates, and prints the topics. It does not
    connect. Exit status 3 if something was found.
    """,
  options: [configOption]
) { arguments in
  do throws(Fault) {
    let configuration = try RelayConfiguration.load(path: arguments["config"])
    let broker = configuration.broker
    let password = try broker.password()
    let topics = configuration.topics
    try say(
      "ok    broker        \(broker.host):\(broker.port), \(broker.usesTLS ? "TLS" : "no TLS")")
    let user = broker.user.map { "\($0), with \(password == nil ? "no password" : "a password")" }
    try say("ok    user          \(user ?? "none")")
    if broker.usesTLS {
      try broker.checkCertificates()
      try say("ok    authorities   \(broker.authorities)")
    }
    try say("ok    clock         \(topics.clock)")
    try say("ok    commands      \(topics.commands.joined(separator: ", "))")
    try say("ok    discovery     \(topics.discovery ?? "none")")
    return ExitStatus.done
  } catch {
    try say("FOUND \(error)")
    return ExitStatus.found
  }
}
