import Basics
import Daemon
import Horology

/// The phones that may act without the token, and the pairing of new ones, one at a time.
///
/// A phone asks, and gets a cookie and two words. The cookie counts once a person has confirmed it: by
/// holding the button of the clock, or with `clocksmith-relay pair`, which shows the words. No newer
/// request replaces one that waits: it would slip under the owner's hold. The register has only the
/// digests of cookies.
final class Phones {
  fileprivate static let cookie = "clocksmith"
  /// How long a pairing waits to be confirmed.
  private static let patience = Duration.seconds(60)
  // Unicode scalars, which are never more than the UTF-16 units that the page counts.
  private static let name = Key<String>.text("name", allowed: "a text of 1 to 40 characters") {
    (1...40).contains($0.unicodeScalars.count)
  }

  let http: HTTPConfiguration
  /// Told of each phone that may act no more, by its number.
  var revoked: (Int64) -> Void = { _ in }

  private let journal: Journal
  private let open: OpenRegister
  /// The register that was read last.
  private weak var register: Register?
  /// The phones in it, by their numbers; nil before the first reading.
  private var known: [Int64: Phone]?

  init(_ journal: Journal, _ open: OpenRegister, _ http: HTTPConfiguration) {
    self.journal = journal
    self.open = open
    self.http = http
    do throws(Fault) {
      try read()
    } catch {
      journal.log(
        .register, .warning, "\(error); each request tries it again",
        ["DETAIL": error.description])
    }
  }

  /// The phone that sends this request; nil if it is not paired.
  /// - Throws: `Fault` if the register cannot be read now.
  func phone(of head: HTTPHead) throws(Fault) -> Phone? { try paired(head)?.phone }

  private func paired(_ head: HTTPHead) throws(Fault) -> (phone: Phone, cookie: String)? {
    let register = try opened()
    for cookie in head.ownCookies {
      guard let phone = try register.phone(cookie: digest(ofCookie: cookie)) else { continue }
      // Once an hour, or if the clock was ahead of now when the phone came last.
      if !(.zero..<Duration.seconds(3600)).contains(.now - phone.seen) {
        try? register.setSeen(phone.number, at: .now)
      }
      return (phone, cookie)
    }
    return nil
  }

  // MARK: Requests

  /// `POST /v1/pair`
  func begin(_ exchange: HTTPExchange) -> HTTPAnswer {
    let head = exchange.head
    do {
      let body = String(decoding: exchange.body, as: UTF8.self)
      let name = try Record(json: body, path: "the body").value(Self.name)
      return try begin(name, head)
    } catch let error as BadValue {
      return HTTPAnswer(.refused(Rejection(.value, "\(error)")))
    } catch let error as Fault where error.operation == "the body" {
      return HTTPAnswer(.refused(Rejection(.json, error.detail)))
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, "\(error)")))
    }
  }

  private func begin(_ name: String, _ head: HTTPHead) throws(Fault) -> HTTPAnswer {
    let register = try opened()
    if try phone(of: head) != nil {
      return HTTPAnswer(409, "pairing", "this phone is paired already")
    }
    if let waiting = try register.pairing() {
      if head.has(waiting) { return HTTPAnswer(202, waiting.record.json) }
      return HTTPAnswer(
        409, "pairing", "another phone asks to be paired now; wait a minute, and try again")
    }
    // By getrandom(2), as everything random in Swift.
    let cookie = String((0..<64).map { _ in "0123456789abcdef".randomElement()! })
    let pairing = Pairing(
      cookie: digest(ofCookie: cookie), words: PairingWords.any, name: name,
      address: head.address, ends: uptime + Self.patience)
    try register.begin(pairing)
    journal.log(
      .pairing, .notice,
      "a phone asks to be paired: \(pairing.title.printable); hold the button of the clock for a "
        + "second to confirm it, or run 'clocksmith-relay pair', within a minute",
      ["PHONE": name, "ADDRESS": pairing.address])
    return HTTPAnswer(202, pairing.record.json, [setCookie(cookie)])
  }

  /// `GET /v1/pair`
  func standing(_ head: HTTPHead) -> HTTPAnswer {
    answer { register throws(Fault) in
      var record = Record(["status": .text("none")])
      var headers: [HTTPHeader] = []
      if let (phone, cookie) = try paired(head) {
        record = Record(["status": .text("paired"), "name": .text(phone.name)])
        // For another 400 days.
        headers = [setCookie(cookie)]
      } else if let waiting = try register.pairing(), head.has(waiting) {
        record = waiting.record.merging(
          Record(["status": .text("waiting"), "name": .text(waiting.name)]))
      }
      // Whoever has a token has shown it before.
      let mayLook = http.face == .yes || record["status"] == .text("paired")
      record["look"] = .flag(mayLook || head.authorization != nil)
      return HTTPAnswer(200, record.json, headers)
    }
  }

  /// `DELETE /v1/pair`
  func end(_ head: HTTPHead) -> HTTPAnswer {
    answer { register throws(Fault) in
      for cookie in head.ownCookies { try register.end(cookie: digest(ofCookie: cookie)) }
      try? read()
      return done(endsCookie: true)
    }
  }

  /// `GET /v1/phones`
  func list(_ head: HTTPHead) -> HTTPAnswer {
    answer { register throws(Fault) in
      let this = try phone(of: head)
      let phones = try register.phones().map { phone in
        phone.record.merging(Record(["this": .flag(phone.number == this?.number)]))
      }
      return HTTPAnswer(200, Record(["phones": .list(phones.map { .record($0) })]).json)
    }
  }

  /// `DELETE /v1/phones/NUMBER`
  func revoke(_ number: Substring, _ head: HTTPHead) -> HTTPAnswer {
    answer { register throws(Fault) in
      let this = try phone(of: head)
      guard let phone = Int64(number), try register.remove(phone: phone) else {
        return HTTPAnswer(
          .refused(Rejection(.unknown, "no phone has the number \(number.excerpt)")))
      }
      try? read()
      return done(endsCookie: phone == this?.number)
    }
  }

  private func done(endsCookie: Bool) -> HTTPAnswer {
    var done = HTTPAnswer(.done(Record()))
    if endsCookie { done.headers.append(setCookie("", life: .zero)) }
    return done
  }

  private func answer(_ body: (Register) throws(Fault) -> HTTPAnswer) -> HTTPAnswer {
    do throws(Fault) {
      return try body(opened())
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

  // MARK: The register

  /// The button was held: the phone that waits is paired.
  func held() {
    do throws(Fault) {
      let register = try opened()
      if let waiting = try register.pairing() { _ = try register.confirm(waiting, at: .now) }
      try read()
    } catch {
      journal.log(
        .register, .warning, "the phone that asks is not paired: \(error)",
        ["DETAIL": error.description])
    }
  }

  private func opened() throws(Fault) -> Register {
    let register = try open.opened()
    if register !== self.register {
      // What a run before this one has left.
      try? register.endPairing()
      try tellChanges(in: register)
      self.register = register
    }
    return register
  }

  /// Tells what has changed in the register, by whomever.
  func read() throws(Fault) { try tellChanges(in: opened()) }

  private func tellChanges(in register: Register) throws(Fault) {
    let known = Dictionary(uniqueKeysWithValues: try register.phones().map { ($0.number, $0) })
    let before = self.known ?? known
    self.known = known
    for (number, phone) in known.sorted(by: { $0.key < $1.key }) where before[number] == nil {
      log(phone, "is paired")
    }
    for (number, phone) in before.sorted(by: { $0.key < $1.key }) where known[number] == nil {
      log(phone, "is not paired any more")
      revoked(number)
    }
  }

  private func log(_ phone: Phone, _ what: String) {
    journal.log(
      .phone, .notice, "phone \(phone.number), \"\(phone.name)\", \(what)".printable,
      ["PHONE": phone.name, "NUMBER": String(phone.number)])
  }
}

extension HTTPHead {
  /// The cookies that may be ours. Another server of this machine may have set some of the same name.
  fileprivate var ownCookies: ArraySlice<String> {
    let start = "\(Phones.cookie)="
    let values = cookies?.split { $0 == ";" || $0 == " " }.filter { $0.hasPrefix(start) } ?? []
    return values.map { String($0.dropFirst(start.count)) }.filter { $0.utf8.count == 64 }.prefix(4)
  }

  fileprivate func has(_ pairing: Pairing) -> Bool {
    ownCookies.contains { digest(ofCookie: $0) == pairing.cookie }
  }
}

/// SHA-256 in hexadecimal digits. A register that compares digests tells nothing of a cookie by the
/// time that it takes.
private func digest(ofCookie cookie: String) -> String {
  AccessToken.digest(of: cookie).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension Pairing {
  /// As in `"Anna's phone" at 192.168.1.5, "amber fox"`.
  fileprivate var title: String { "\"\(name)\" at \(address), \"\(words)\"" }

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

/// Two words that are easily told apart by ear: one of 4,096 pairs.
private enum PairingWords {
  static var any: String { "\(adjectives.randomElement()!) \(nouns.randomElement()!)" }

  private static let adjectives = words(
    """
    amber ancient autumn bitter blue brave bright broad bronze busy calm careful clever cold copper
    cosy curly daring early eager empty fancy fluffy foggy friendly gentle giant golden green happy
    heavy hidden hollow honest icy jolly little lonely loud lucky mellow misty modest narrow noble
    orange patient polite proud purple quick quiet royal rusty salty shiny silver sleepy smooth
    spicy sunny velvet wild yellow
    """)

  private static let nouns = words(
    """
    acorn anchor apple badger banjo barrel basket beacon bell bridge button camel candle carpet
    castle cherry cloud compass dolphin donkey dragon engine falcon feather forest fountain fox
    garden giraffe guitar hammer harbour island jacket kettle kitten ladder lantern lemon mountain
    mushroom needle ocean orchard otter panda pencil piano pillow pumpkin rabbit river rocket saddle
    spider squirrel teapot tiger tunnel turtle umbrella violin walnut zebra
    """)

  private static func words(_ text: String) -> [Substring] {
    text.split { $0 == " " || $0 == "\n" }
  }
}
