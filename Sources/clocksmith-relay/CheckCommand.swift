import Basics
import Horology
import Relay

let checkCommand = Subcommand(
  name: "check", operands: "", mostOperands: 0,
  summary: "check the configuration",
  details: """
    Reads the configuration, the passwords, keys and certificates, and whether each key belongs to
    its certificate, and prints what is connected to. It tells of a certificate that has expired,
    is not valid yet or ends within 20 days.
    It does not connect; with --connect it connects to the broker, and tells whether it is let in.
    Exit status 3 if something was found.
    """,
  options: [
    Option(name: "connect", argument: nil, help: "connect to the broker, too"), configOption,
  ]
) { arguments in
  var report = Report()
  do throws(Fault) {
    let configuration = try RelayConfiguration.load(path: arguments["config"])
    if !configuration.broker.host.isEmpty {
      try report.check(configuration)
      if arguments.has("connect") {
        try RelayService(path: arguments["config"]).tryBroker()
        try report.ok("connection", "the broker has let it in")
      }
    }
    try report.check(configuration.push)
    if let http = configuration.http { try report.check(http) }
  } catch {
    try report.found("\(error)")
  }
  return report.status
}

private struct Report {
  private(set) var status = ExitStatus.done

  func ok(_ what: String, _ words: String) throws(Fault) {
    try say("ok    \(what.padded(to: 14))\(words)")
  }

  mutating func found(_ words: String) throws(Fault) {
    status = ExitStatus.found
    try say("FOUND \(words)")
  }

  private mutating func check(certificate path: String?) throws(Fault) {
    guard let path else { return }
    if let complaint = try TLSIdentity.complaint(of: path) {
      try found("\(complaint)")
    } else {
      try ok("certificate", path)
    }
  }

  mutating func check(_ configuration: RelayConfiguration) throws(Fault) {
    let broker = configuration.broker
    let password = try broker.password()
    let topics = configuration.topics
    try ok("broker", "\(broker.name), \(broker.usesTLS ? "TLS" : "no TLS")")
    let user = broker.user.map { "\($0), with \(password == nil ? "no password" : "a password")" }
    try ok("user", user ?? "none")
    if broker.usesTLS {
      try broker.checkCertificates()
      try ok("authorities", broker.authorities)
      try check(certificate: broker.certificate)
    }
    try ok("clock", topics.clock)
    try ok("commands", topics.commands.joined(separator: ", "))
    try ok("discovery", topics.discovery ?? "none")
  }

  mutating func check(_ push: PushConfiguration) throws(Fault) {
    let faults = push.faults
    func check(_ section: String, _ words: String) throws(Fault) {
      if let fault = faults[section] { return try found("\(fault)") }
      try ok(String(section.prefix { $0 != " " }), words)
    }
    if let apns = push.apns {
      try check("apns", "\(apns.topic), \(apns.server ?? "Apple's servers")")
      if faults["apns"] == nil { try self.check(certificate: apns.certificate) }
    }
    for (kind, entries) in [("ntfy", push.ntfy), ("webhook", push.webhooks)] {
      for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
        let topic = entry.topic.isEmpty ? "" : "\(entry.topic) at "
        try check("\(kind) \(name)", "\(name): \(topic)\(entry.host), \(entry.events.text)")
      }
    }
  }

  mutating func check(_ http: HTTPConfiguration) throws(Fault) {
    let hasToken = try http.check()
    try ok("http", http.url)
    if http.listen.usable != http.listen {
      try say("note  http          this machine has no IPv6: the page is served over IPv4 alone")
    }
    switch http.face {
    case .no: break
    case .yes: try ok("face", "everybody may look, paired phones may act")
    case .paired: try ok("face", "only paired phones may look and act")
    }
    try check(certificate: http.certificate)
    if hasToken || http.face != .no, !http.usesTLS, !http.listen.isLoopback {
      let what = http.face == .no ? "the token" : "the token, or the cookie of a phone,"
      try say(
        "note  http          without TLS, \(what) can be read on its way through the network")
    }
  }
}
