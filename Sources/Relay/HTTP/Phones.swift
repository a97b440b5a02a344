import Basics
import Daemon
@preconcurrency import Glibc
import Horology

/// The phones that may act without the token, and the pairing of new ones, one at a time.
///
/// A phone asks, and gets a cookie and two words. The cookie counts once a person has confirmed it: by
/// holding the button of the clock, or with `clocksmith-relay pair`, which shows the words. No newer
/// request replaces one that waits: it would slip under the owner's hold. The register has only the
/// digests of cookies.
final class Phones {
  fileprivate static let cookie = "clocksmith"
  // Unicode scalars, which are never more than the UTF-16 units that the page counts.
  private static let name = Key<String>.text("name", allowed: "a text of 1 to 40 characters") {
    (1...40).contains($0.unicodeScalars.count)
  }

  private let http: HTTPConfiguration
  var revoked: () -> Void = {}

  private let journal: Journal
  private let register: OpenRegister
  /// Nil while the clock is not trusted.
  private let trustedNow: () -> Instant?
  private var lastTrusted: Instant?
  /// Those that were read last; nil before the first reading.
  private var known: [Phone]?

  init(
    _ journal: Journal, _ register: OpenRegister, _ http: HTTPConfiguration,
    trustedNow: @escaping () -> Instant?
  ) {
    (self.journal, self.register, self.http) = (journal, register, http)
    self.trustedNow = trustedNow
    read()
  }

  /// Judges a request without a token: nil if it may be served.
  func refusal(of exchange: HTTPExchange, for access: Access) -> HTTPAnswer? {
    // A page from elsewhere may have its own name lead to this address (DNS rebinding).
    let host = exchange["Host"] ?? ""
    guard isOurs(host) else {
      let name = host.prefix { $0 != ":" }.prefix(100).lowercased()
      let words =
        "this clock is not called '\(host.excerpt)'; use its address or the name of its machine, or "
        + "write 'names = \(name)' under [http] in relay.conf, on the card in clocksmith.txt"
      guard exchange["Accept"]?.contains("text/html") == true else {
        return HTTPAnswer(421, "host", words)
      }
      // Behind a proxy the machine's own name leads nowhere.
      let url = http.listen.isLoopback ? nil : http.url(of: "\(Self.machine).local")
      return HTTPAnswer(forPerson: words, url: url)
    }
    guard ["GET", "HEAD"].contains(exchange.method) || isOwnPage(exchange, host) else {
      return HTTPAnswer(403, "origin", "only the page of this clock may do that without the token")
    }
    if access == .all || access == .look && http.face == .yes { return nil }
    do throws(Fault) {
      if try sender(of: exchange) != nil { return nil }
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, error.description)))
    }
    return HTTPAnswer(
      401, "unpaired", "this phone is not paired with the clock; pair it, or send the token",
      ("WWW-Authenticate", "Bearer"))
  }

  /// The domains that routers give the machines of a home. Nobody in the internet can have one of our
  /// name there.
  private static let domains = [
    "fritz.box", "home", "home.arpa", "internal", "lan", "localdomain", "localhost", "speedport.ip",
  ]

  /// The name of this machine without its domain, in lower case.
  private static var machine: String {
    RelayConfiguration.hostName.prefix { $0 != "." }.lowercased()
  }

  /// Whether it is the name of this machine in a domain of a home, or in that of its network, which DHCP
  /// has written into resolv.conf(5).
  private func isOfHome(_ name: String) -> Bool {
    guard name.hasPrefix("\(Self.machine).") else { return false }
    if Self.domains.contains(where: { name.hasSuffix(".\($0)") }) { return true }
    let text = String(
      decoding: (try? readRegularFile("/etc/resolv.conf")) ?? [], as: UTF8.self)
    return text.lowercased().split(separator: "\n").contains { line in
      let words = line.split { $0.isWhitespace }
      return ["domain", "search"].contains(words.first ?? "")
        && words.dropFirst().contains { name == "\(Self.machine).\($0)" }
    }
  }

  /// An address, or a name that nobody in the internet can have: one of a single word, one in
  /// `.local`, that of this machine, also in its home, or one of the configuration.
  /// - Parameter host: as a browser sends it: a name or an address, perhaps with a port.
  private func isOurs(_ host: String) -> Bool {
    guard WebAddress.isPlace(host) else { return false }
    var name = host.prefix { $0 != ":" }.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    var address = in_addr()
    return host.hasPrefix("[") || inet_pton(AF_INET, name, &address) == 1
      || !name.contains(".") || name.hasSuffix(".local") || http.names.contains(name)
      || name == RelayConfiguration.hostName.lowercased() || isOfHome(name)
  }

  /// Whether the request comes from a page of this very server. Over plain HTTP, another program may
  /// add TLS in front of it.
  private func isOwnPage(_ exchange: HTTPExchange, _ host: String) -> Bool {
    if exchange["Sec-Fetch-Site"] == "same-origin" { return true }
    let (host, origin) = (host.lowercased(), exchange["Origin"])
    return origin == "https://\(host)" || !http.usesTLS && origin == "http://\(host)"
  }

  /// The phone that sends this request, and its cookie; nil if it is not paired.
  /// - Throws: `Fault` if the register cannot be read now.
  func sender(of exchange: HTTPExchange) throws(Fault) -> (phone: Phone, cookie: String)? {
    let register = try register.opened()
    let now = trustedNow()
    // Once an hour, or if the clock was ahead of now.
    func isDue(_ last: Instant) -> Bool {
      now.map { !(.zero..<Duration.seconds(3600)).contains($0 - last) } ?? false
    }
    if let now, lastTrusted.map(isDue) ?? true {
      try? register.setTime(now)
      lastTrusted = now
    }
    for cookie in exchange.ownCookies {
      guard let phone = try register.phones(cookie: digest(of: cookie)).first else { continue }
      if let now, isDue(phone.visited) { try? register.setSeen(phone.number, at: now) }
      return (phone, cookie)
    }
    return nil
  }

  /// `POST /v1/pair`
  func begin(_ exchange: HTTPExchange) -> HTTPAnswer {
    let name: String
    do {
      let body = String(decoding: exchange.body, as: UTF8.self)
      name = try Record(json: body, path: "the body").value(Self.name)
    } catch {
      return HTTPAnswer(.refused(Rejection(error is BadValue ? .value : .json, "\(error)")))
    }
    return answer { register throws(Fault) in
      if try sender(of: exchange) != nil {
        return HTTPAnswer(409, "pairing", "this phone is paired already")
      }
      if let waiting = try register.pairing() {
        if exchange.has(waiting) { return HTTPAnswer(202, json: waiting.record.json) }
        return HTTPAnswer(
          409, "pairing", "another phone asks to be paired now; wait a minute, and try again")
      }
      // By getrandom(2), as everything random in Swift.
      let cookie = String((0..<64).map { _ in "0123456789abcdef".randomElement()! })
      let pairing = Pairing(
        cookie: digest(of: cookie), words: Self.anyWords, name: name, address: exchange.address,
        ends: uptime + .seconds(60))
      try register.begin(pairing)
      let title = "\"\(name)\" at \(pairing.address), \"\(pairing.words)\""
      journal.log(
        .pairing, .notice,
        "a phone asks to be paired: \(title.printable); hold the button of the clock for a "
          + "second to confirm it, or run 'clocksmith-relay pair', within a minute",
        ["PHONE": name, "ADDRESS": pairing.address])
      return HTTPAnswer(202, json: pairing.record.json, [setCookie(cookie)])
    }
  }

  /// `GET /v1/pair`
  func standing(_ exchange: HTTPExchange) -> HTTPAnswer {
    answer { register throws(Fault) in
      var record = Record(["status": .text("none")])
      var headers: [HTTPHeader] = []
      let sender = try sender(of: exchange)
      if let (phone, cookie) = sender {
        record = Record(["status": .text("paired"), "name": .text(phone.name)])
        // For another 400 days.
        headers = [setCookie(cookie)]
      } else if let waiting = try register.pairing(), exchange.has(waiting) {
        record = waiting.record.merging(
          Record(["status": .text("waiting"), "name": .text(waiting.name)]))
      }
      // Whoever has a token has shown it before.
      record["look"] = .flag(http.face == .yes || sender != nil || exchange["Authorization"] != nil)
      return HTTPAnswer(200, json: record.json, headers)
    }
  }

  /// `DELETE /v1/pair`
  func end(_ exchange: HTTPExchange) -> HTTPAnswer {
    answer { register throws(Fault) in
      for cookie in exchange.ownCookies { try register.end(cookie: digest(of: cookie)) }
      return ended(isOwn: true)
    }
  }

  /// `GET /v1/phones`
  func list(_ exchange: HTTPExchange) -> HTTPAnswer {
    answer { register throws(Fault) in
      let this = try sender(of: exchange)?.phone
      let phones = try register.phones().map { phone in
        phone.record.merging(Record(["this": .flag(phone.number == this?.number)]))
      }
      return HTTPAnswer(200, json: Record(["phones": .list(phones.map { .record($0) })]).json)
    }
  }

  /// `DELETE /v1/phones/NUMBER`
  func revoke(_ number: String, _ exchange: HTTPExchange) -> HTTPAnswer {
    answer { register throws(Fault) in
      let this = try sender(of: exchange)?.phone
      guard let phone = Int64(number), try register.remove(phone: phone) else {
        return HTTPAnswer(
          .refused(Rejection(.unknown, "no phone has the number \(number.excerpt)")))
      }
      return ended(isOwn: phone == this?.number)
    }
  }

  private func ended(isOwn: Bool) -> HTTPAnswer {
    read()
    var done = HTTPAnswer(.done(Record()))
    if isOwn { done.headers.append(setCookie("", life: .zero)) }
    return done
  }

  private func answer(_ body: (Register) throws(Fault) -> HTTPAnswer) -> HTTPAnswer {
    do throws(Fault) {
      return try body(register.opened())
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, error.description)))
    }
  }

  private func setCookie(_ value: String, life: Duration = Register.lifeOfPhone) -> HTTPHeader {
    (
      "Set-Cookie",
      "\(Self.cookie)=\(value); Path=/; Max-Age=\(life.components.seconds); HttpOnly; SameSite=Strict"
        + (http.usesTLS ? "; Secure" : "")
    )
  }

  /// The button was held: the phone that waits is paired.
  func held() {
    do throws(Fault) {
      let register = try register.opened()
      if let waiting = try register.pairing() { _ = try register.confirm(waiting, at: .now) }
    } catch {
      journal.log(
        .register, .warning, "the phone that asks is not paired: \(error)",
        ["DETAIL": error.description])
    }
    read()
  }

  /// Tells what has changed in the register, by whomever. One that cannot be read is told to each
  /// phone that asks.
  func read() {
    guard let phones = try? register.opened().phones() else { return }
    let before = known ?? phones
    known = phones
    let (old, new) = (before.map(\.number), phones.map(\.number))
    for phone in phones where !old.contains(phone.number) { log(phone, "is paired") }
    for phone in before where !new.contains(phone.number) {
      log(phone, "is not paired any more")
      revoked()
    }
  }

  private func log(_ phone: Phone, _ what: String) {
    journal.log(
      .phone, .notice, "phone \(phone.number), \"\(phone.name)\", \(what)".printable,
      ["PHONE": phone.name, "NUMBER": String(phone.number)])
  }

  /// Two words that are easily told apart by ear: one of some 4,000 pairs.
  private static var anyWords: String {
    let words = """
      acorn anchor apple badger banjo barrel basket beacon bell bridge button camel candle carpet
      castle cherry cloud compass dolphin donkey dragon engine falcon feather forest fountain fox
      garden giraffe guitar hammer harbour island jacket kettle kitten ladder lantern lemon mountain
      mushroom needle ocean orchard otter panda pencil piano pillow pumpkin rabbit river rocket saddle
      spider squirrel teapot tiger tunnel turtle umbrella violin walnut zebra
      """
    return words.split { $0.isWhitespace }.shuffled().prefix(2).joined(separator: " ")
  }
}

extension HTTPExchange {
  /// The cookies that may be ours. Another server of this machine may have set some of the same name.
  fileprivate var ownCookies: ArraySlice<String> {
    let start = "\(Phones.cookie)="
    let values = self["Cookie"]?.split { $0 == ";" || $0 == " " }.filter { $0.hasPrefix(start) }
    return (values ?? []).map { String($0.dropFirst(start.count)) }.filter { $0.utf8.count == 64 }
      .prefix(4)
  }

  fileprivate func has(_ pairing: Pairing) -> Bool {
    ownCookies.contains { digest(of: $0) == pairing.cookie }
  }
}

extension Pairing {
  fileprivate var record: Record {
    let left = max(ends - uptime, .zero)
    return Record([
      "words": .text(words), "seconds": .integer(Int64((left / .seconds(1)).rounded(.up))),
    ])
  }
}

extension Phone {
  public var record: Record {
    Record([
      "number": .integer(number), "name": .text(name), "since": .text(since.rfc3339),
      "seen": .text(seen.rfc3339),
    ])
  }
}
