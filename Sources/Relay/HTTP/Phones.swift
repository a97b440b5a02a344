import Basics
import Daemon
import Horology

/// The phones that may act without the token, and the pairing of new ones.
///
/// A phone asks, and gets a cookie and two words. The cookie counts once a person has confirmed it: by
/// the button of the clock, or with `clocksmith-relay pair`, which shows the words. The register has
/// only the digests of cookies.
final class Phones {
  static let cookie = "clocksmith"
  /// In seconds: 400 days. Browsers keep no cookie longer.
  private static let lifeOfCookie = 400 * 86_400
  private static let mostUnconfirmed = 5
  private static let hour = Duration.seconds(3600)
  private static let name = Key<String>.text("name", allowed: "a text of 1 to 64 bytes") {
    (1...64).contains($0.utf8.count)
  }

  var http: HTTPConfiguration
  /// Told of each phone that may act no more, by its number.
  var revoked: (Int64) -> Void = { _ in }

  private let loop: EventLoop
  private let journal: Journal
  private let path = Register.path
  private var register: Register?
  private var watch: EventSource?
  /// By their numbers, to tell which one has come or gone.
  private var known: [Int64: Phone] = [:]
  private var waiting: Pairing?
  private var timer: EventSource?
  /// The uptimes of the pairings that began within the last hour and were not confirmed.
  private var unconfirmed: [Duration] = []
  /// The uptime until which no pairing begins.
  private var pauseEnds = Duration.zero

  init(_ loop: EventLoop, _ journal: Journal, _ http: HTTPConfiguration) {
    self.loop = loop
    self.journal = journal
    self.http = http
    do throws(Fault) {
      let register = try opened()
      // Of an earlier run.
      try register.endPairing()
      try register.endInvitation()
    } catch {
      complain(error)
    }
  }

  deinit { if waiting != nil { try? register?.endPairing() } }

  /// The phone that sends this request; nil if it is not paired.
  /// - Throws: `Fault` if the register cannot be read now.
  func phone(of head: HTTPHead) throws(Fault) -> Phone? {
    guard let digest = head.digestOfCookie else { return nil }
    return try using { register throws(Fault) in
      guard let phone = try register.phone(cookie: digest) else { return nil }
      // The clock may have been set back meanwhile.
      if !(.zero..<Self.hour).contains(.now - phone.seen) {
        try? register.setSeen(phone.number, at: .now)
      }
      return phone
    }
  }

  // MARK: Requests

  /// `POST /v1/pair`
  func begin(_ exchange: HTTPExchange) -> HTTPAnswer {
    let head = exchange.head
    do {
      let body = String(decoding: exchange.body, as: UTF8.self)
      let name = try Record(json: body, path: "the body").value(Self.name)
      return try using { register throws(Fault) in try begin(name, head, register) }
    } catch let error as BadValue {
      return HTTPAnswer(.refused(Rejection(.value, "\(error)")))
    } catch let error as Fault where error.operation == "the body" {
      return HTTPAnswer(.refused(Rejection(.json, error.detail)))
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, "\(error)")))
    }
  }

  private func begin(
    _ name: String, _ head: HTTPHead, _ register: Register
  ) throws(Fault) -> HTTPAnswer {
    try read()
    if try phone(of: head) != nil {
      return HTTPAnswer(409, "pairing", "this phone is paired already")
    }
    if let waiting {
      if waiting.cookie == head.digestOfCookie { return HTTPAnswer(202, waiting.record.json) }
      // At the button, nobody could tell which of the two is meant.
      let isInvited = try register.isInvited()
      if !isInvited { try cancelForAnother(waiting, head, register) }
      let words =
        isInvited
        ? "another phone asks at the same time; wait a minute, and try again"
        : "another phone has asked at the same time, so neither is paired; wait a minute, and try again"
      return HTTPAnswer(409, "pairing", words, ("Retry-After", "60"))
    }
    if try !register.isInvited() {
      let now = uptime
      if pauseEnds > now {
        return HTTPAnswer(
          409, "pairing", "two phones have asked at the same time; wait a minute, and try again",
          ("Retry-After", "60"))
      }
      unconfirmed.removeAll { now - $0 > Self.hour }
      if unconfirmed.count >= Self.mostUnconfirmed {
        return HTTPAnswer(
          429, "pairing",
          "too many pairings were not confirmed within the last hour; run 'clocksmith-relay pair' "
            + "at a terminal of the clock, and try again",
          ("Retry-After", "3600"))
      }
    }
    // By getrandom(2), as everything random in Swift.
    let cookie = String((0..<64).map { _ in "0123456789abcdef".randomElement()! })
    let pairing = Pairing(
      cookie: digest(ofCookie: cookie), words: PairingWords.any, name: name,
      address: head.address, ends: uptime + Register.patienceOfPairing)
    try register.begin(pairing)
    waiting = pairing
    timer = try? loop.after(Register.patienceOfPairing) { [unowned self] in
      end(pairing, "nobody has confirmed it within a minute")
    }
    journal.log(
      .pairing, .notice,
      "a phone asks to be paired: \(pairing.title.printable); the button, or 'clocksmith-relay "
        + "pair', confirms it within a minute", ["PHONE": name, "ADDRESS": pairing.address])
    return HTTPAnswer(202, pairing.record.json, [setCookie(cookie)])
  }

  /// `GET /v1/pair`
  func standing(_ head: HTTPHead) -> HTTPAnswer {
    var record = Record(["status": .text("none")])
    var headers: [HTTPHeader] = []
    do throws(Fault) {
      try read()
      if let phone = try phone(of: head), let cookie = head.cookie {
        record = Record(["status": .text("paired"), "name": .text(phone.name)])
        // For another 400 days.
        headers = [setCookie(cookie)]
      } else if let waiting, waiting.cookie == head.digestOfCookie {
        record = waiting.record.merging(
          Record(["status": .text("waiting"), "name": .text(waiting.name)]))
      }
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, error.description)))
    }
    // Whoever has a token has shown it before.
    let mayLook = http.face == .yes || record["status"] == .text("paired")
    record["look"] = .flag(mayLook || head.authorization != nil)
    return HTTPAnswer(200, record.json, headers)
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
      compare(register)
      var done = HTTPAnswer(.done(Record()))
      if phone == this?.number { done.headers.append(setCookie("", life: 0)) }
      return done
    }
  }

  private func answer(_ body: (Register) throws(Fault) -> HTTPAnswer) -> HTTPAnswer {
    do throws(Fault) {
      return try using(body)
    } catch {
      return HTTPAnswer(.refused(Rejection(.register, error.description)))
    }
  }

  private func setCookie(_ value: String, life: Int = lifeOfCookie) -> HTTPHeader {
    (
      "Set-Cookie",
      "\(Self.cookie)=\(value); Path=/; Max-Age=\(life); HttpOnly; SameSite=Strict"
        + (http.usesTLS ? "; Secure" : "")
    )
  }

  // MARK: Pairing

  /// The button was pressed.
  /// - Parameter isSounding: true if something sounds or rings: the press is about that.
  func pressed(isSounding: Bool) {
    guard let waiting, !isSounding else { return }
    do throws(Fault) {
      try using { register throws(Fault) in
        // Whoever waits at a terminal decides.
        guard try !register.isInvited() else { return }
        _ = try register.confirm(waiting, at: .now)
        compare(register)
      }
    } catch {
      complain(error)
    }
  }

  private func cancelForAnother(
    _ pairing: Pairing, _ head: HTTPHead, _ register: Register
  ) throws(Fault) {
    try register.endPairing()
    pauseEnds = uptime + Register.patienceOfPairing
    end(pairing, "another phone, at \(head.address), has asked at the same time")
  }

  private func end(_ pairing: Pairing, _ why: String) {
    // It may have been confirmed at a terminal just now.
    try? using { register throws(Fault) in compare(register) }
    guard waiting == pairing else { return }
    waiting = nil
    timer = nil
    unconfirmed.append(uptime)
    try? register?.endPairing()
    journal.log(
      .pairing, .notice, "\(pairing.title) is not paired: \(why)".printable,
      ["PHONE": pairing.name, "ADDRESS": pairing.address])
  }

  // MARK: The register

  private func opened() throws(Fault) -> Register {
    if let register { return register }
    let (opened, complaint) = try Register.openedForService(path: path)
    if let complaint { journal.log(.register, .error, complaint, ["DETAIL": complaint]) }
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal") { [unowned self] in try? read() }
    known = Dictionary(uniqueKeysWithValues: try opened.phones().map { ($0.number, $0) })
    register = opened
    return opened
  }

  private func using<Result>(
    _ body: (Register) throws(Fault) -> Result
  ) throws(Fault) -> Result {
    do throws(Fault) {
      return try body(try opened())
    } catch {
      // The next opening checks it, and sets it aside if it is broken.
      if error.isOfBrokenDatabase { register = nil }
      throw error
    }
  }

  /// Tells what has changed in the register, by whomever.
  private func compare(_ register: Register) {
    guard let phones = try? register.phones() else { return }
    let before = known
    known = Dictionary(uniqueKeysWithValues: phones.map { ($0.number, $0) })
    for phone in phones where before[phone.number] == nil {
      journal.log(
        .phone, .notice, "phone \(phone.number), \"\(phone.name)\", is paired".printable,
        ["PHONE": phone.name, "NUMBER": String(phone.number)])
    }
    for (number, phone) in before.sorted(by: { $0.key < $1.key }) where known[number] == nil {
      journal.log(
        .phone, .notice, "phone \(number), \"\(phone.name)\", is not paired any more".printable,
        ["PHONE": phone.name, "NUMBER": String(number)])
      revoked(number)
    }
    guard let waiting, (try? register.phone(cookie: waiting.cookie)) != nil else { return }
    self.waiting = nil
    timer = nil
  }

  /// A command may have changed the register.
  private func read() throws(Fault) {
    try using { register throws(Fault) in
      compare(register)
      guard let waiting, try register.pairing() == nil, waiting.ends > uptime else { return }
      end(waiting, "it was refused at a terminal")
    }
  }

  private func complain(_ error: Fault) {
    journal.log(
      .register, .warning, "\(error); no phone is paired now", ["DETAIL": error.description])
  }
}

extension HTTPHead {
  fileprivate var cookie: String? {
    let start = "\(Phones.cookie)="
    let values = cookies?.split { $0 == ";" || $0 == " " }.filter { $0.hasPrefix(start) }
    guard let value = values?.first?.dropFirst(start.count), value.utf8.count == 64 else {
      return nil
    }
    return String(value)
  }

  fileprivate var digestOfCookie: String? { cookie.map(digest) }
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
