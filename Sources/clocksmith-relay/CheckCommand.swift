import Basics
import Glibc
import Horology
import Relay

let checkCommand = Subcommand(
  name: "check", operands: "", mostOperands: 0,
  summary: "check the configuration",
  details: """
    Reads the configuration, the passwords, keys and certificates, and whether each key belongs to
    its certificate, and prints what is connected to. It tells of a certificate that has expired or
    is not valid yet.
    It does not connect; with --connect it connects to the broker, and tells whether it is let in.
    Exit status 3 if something was found.
    """,
  options: [
    Option(name: "connect", argument: nil, help: "connect to the broker, too"), configOption,
  ]
) { arguments in
  do throws(Fault) {
    let configuration = try RelayConfiguration.load(path: arguments["config"])
    var hasFound = !configuration.outdated.isEmpty
    for words in configuration.outdated { try say("FOUND \(words)") }
    if !configuration.broker.host.isEmpty, try check(configuration) { hasFound = true }
    if arguments.has("connect"), !configuration.broker.host.isEmpty {
      try RelayService(path: arguments["config"]).tryBroker()
      try say("ok    connection    the broker has let it in")
    }
    if try check(configuration.push) { hasFound = true }
    if let http = configuration.http { try check(http) }
    return hasFound ? ExitStatus.found : ExitStatus.done
  } catch {
    try say("FOUND \(error)")
    return ExitStatus.found
  }
}

/// - Returns: true if something was found.
private func check(_ configuration: RelayConfiguration) throws(Fault) -> Bool {
  var hasFound = false
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
    if let certificate = broker.certificate {
      hasFound = try check(certificate: certificate)
    }
  }
  try say("ok    clock         \(topics.clock)")
  try say("ok    commands      \(topics.commands.joined(separator: ", "))")
  try say("ok    discovery     \(topics.discovery ?? "none")")
  return hasFound
}

/// - Returns: true if the certificate is not valid now.
private func check(certificate path: String) throws(Fault) -> Bool {
  let complaint = try TLSIdentity.complaint(of: path)
  try say(complaint.map { "FOUND \($0)" } ?? "ok    certificate   \(path)")
  return complaint != nil
}

/// - Returns: true if something was found.
private func check(_ push: PushConfiguration) throws(Fault) -> Bool {
  let faults = push.faults
  var hasFound = !faults.isEmpty
  func printSection(_ section: String, _ words: String) throws(Fault) {
    if let fault = faults[section] {
      try say("FOUND \(fault)")
    } else {
      try say("ok    \(words)")
    }
  }
  if let ahead = push.ahead {
    try say(
      "ok    ahead         \(ahead.components.seconds) s, to those who want the event occasion")
  }
  if let apns = push.apns {
    try printSection("apns", "apns          \(apns.topic), \(apns.server ?? "Apple's servers")")
    if let certificate = apns.certificate, faults["apns"] == nil,
      try check(certificate: certificate)
    {
      hasFound = true
    }
  }
  for (name, ntfy) in push.ntfy.sorted(by: { $0.key < $1.key }) {
    try printSection(
      "ntfy \(name)", "ntfy          \(name): \(ntfy.topic) at \(ntfy.host), \(ntfy.events.text)")
  }
  for (name, webhook) in push.webhooks.sorted(by: { $0.key < $1.key }) {
    try printSection(
      "webhook \(name)", "webhook       \(name): \(webhook.host), \(webhook.events.text)")
  }
  if push.apns != nil, access(Register.path, R_OK) == 0 {
    let active = try Register().devices().filter { $0.deactivated == nil }
    try say("ok    devices       \(active.count)")
  }
  return hasFound
}

private func check(_ http: HTTPConfiguration) throws(Fault) {
  let hasToken = try http.check()
  let hasSecrets = hasToken || http.face != .no
  let isReadable = hasSecrets && !http.usesTLS && !http.listen.isLoopback
  try say("ok    http          \(http.url)")
  switch http.face {
  case .no: break
  case .yes: try say("ok    face          everybody may look, paired phones may act")
  case .paired: try say("ok    face          only paired phones may look and act")
  }
  if let certificate = http.certificate { _ = try check(certificate: certificate) }
  if isReadable {
    let what = http.face == .no ? "the token" : "the token, or the cookie of a phone,"
    try say("note  http          without TLS, \(what) can be read on its way through the network")
  }
}
