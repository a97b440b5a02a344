import Basics
import Glibc
import Testing

@testable import Relay

/// A connected client, by its address.
private struct Peer {
  var address = sockaddr_storage()

  init(_ text: String) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(text, nil, &hints, &found) == 0, let found else { return }
    memcpy(&address, found.pointee.ai_addr, Int(found.pointee.ai_addrlen))
    freeaddrinfo(found)
  }

  func text(forwardedFor header: String) -> String {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        ClientAddress.text(of: $0, forwardedFor: header)
      }
    }
  }
}

@Suite struct HTTPTests {
  @Test("an address has the requests of a minute at once, and then as many a minute")
  func budget() {
    var budgets = RequestBudgets(perMinute: 6)
    let start = Duration.seconds(100)
    for _ in 0..<6 { #expect(budgets.spend("a", at: start) == nil) }
    #expect(budgets.spend("a", at: start) == 10)
    #expect(budgets.spend("b", at: start) == nil)
    // A refused request costs nothing.
    #expect(budgets.spend("a", at: start + .seconds(6)) == 4)
    #expect(budgets.spend("a", at: start + .seconds(10)) == nil)
    #expect(budgets.spend("a", at: start + .seconds(10)) == 10)
    // An address never saves up more than the requests of a minute.
    for _ in 0..<6 { #expect(budgets.spend("a", at: start + .seconds(3600)) == nil) }
    #expect(budgets.spend("a", at: start + .seconds(3600)) != nil)
  }

  @Test("of more addresses than are known, the one silent for longest is forgotten")
  func manyAddresses() {
    var budgets = RequestBudgets(perMinute: 1)
    #expect(budgets.spend("first", at: .seconds(0)) == nil)
    #expect(budgets.spend("second", at: .seconds(1)) == nil)
    for number in 1..<RequestBudgets.most {
      #expect(budgets.spend("\(number)", at: .seconds(2)) == nil)
    }
    #expect(budgets.spend("second", at: .seconds(2)) != nil)
    #expect(budgets.spend("first", at: .seconds(2)) == nil)
  }

  @Test(
    "an address to listen at is a number and a port",
    arguments: ["127.0.0.1:8080", "0.0.0.0:1024", "[::1]:65535", "[::]:8080", "192.168.1.5:4443"])
  func addresses(text: String) {
    #expect(ListenAddress(text: text)?.text == text)
  }

  @Test(
    "what is no address to listen at is none",
    arguments: [
      "", ":", ":8080", "8080", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:8080", "[::1]",
      "localhost:8080", "[]:8080", "127.0.0.1:http", "256.0.0.1:8080", "127.0.0.1:-1",
      "127.0.0.1: 8080",
      "0.0.0.0:80", "[::]:1023",
    ])
  func noAddresses(text: String) {
    #expect(ListenAddress(text: text) == nil)
  }

  @Test("only what this machine alone reaches is a loopback") func loopback() {
    #expect(ListenAddress(text: "127.0.0.53:8080")?.isLoopback == true)
    #expect(ListenAddress(text: "[::1]:8080")?.isLoopback == true)
    #expect(ListenAddress(text: "0.0.0.0:8080")?.isLoopback == false)
    #expect(ListenAddress(text: "[::]:8080")?.isLoopback == false)
  }

  @Test("a customer's network counts as one address, and one of IPv4 as itself") func clients() {
    let prefix: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]
    #expect(ClientAddress.text(of: prefix + [1, 2, 3, 4, 5, 6, 7, 8]) == "2001:db8:1:2::/64")
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 168, 1, 5]
    #expect(ClientAddress.text(of: mapped) == "192.168.1.5")
    #expect(ClientAddress.text(of: nil) == "an unknown address")
  }

  @Test(
    "of what a proxy on this machine forwards, the last address counts",
    arguments: [
      ("192.168.1.5", "192.168.1.5"), ("10.0.0.1, 192.168.1.5", "192.168.1.5"),
      ("unknown,\t192.168.1.5 ", "192.168.1.5"), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
      ("::ffff:192.168.1.5", "192.168.1.5"),
    ])
  func forwarded(header: String, address: String) {
    for proxy in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
      #expect(Peer(proxy).text(forwardedFor: header) == address)
    }
  }

  @Test(
    "what a proxy forwards that is no address is nobody's",
    arguments: [
      "", ",", "192.168.1.5,", "192.168.1.5, unknown", "_hidden", "192.168.1.5 10.0.0.1", "1.2.3",
      "192.168.1.5:80", "[::1]", "256.0.0.1", "::1%lo", "\u{1B}[31m", "1.2.3.4\u{7F}",
    ])
  func notForwarded(header: String) {
    #expect(Peer("127.0.0.1").text(forwardedFor: header) == "127.0.0.1")
  }

  @Test("of another machine, what it says of others is not believed") func otherMachine() {
    #expect(Peer("192.168.1.9").text(forwardedFor: "10.0.0.1") == "192.168.1.9")
    #expect(Peer("2001:db8::9").text(forwardedFor: "10.0.0.1") == "2001:db8::/64")
  }

  @Test("a token is the same as itself only") func tokens() throws {
    let text = "0123456789abcdef"
    let token = try #require(AccessToken(text: text))
    #expect(token.isSame(as: text))
    for other in ["", "0123456789abcde", "0123456789abcdef ", "0123456789abcdeg", "\u{1}"] {
      #expect(!token.isSame(as: other))
    }
    for none in ["", "short", "0123456789 abcdef", "0123456789abcdé12"] {
      #expect(AccessToken(text: none) == nil)
    }
  }

  @Test("what is told elsewhere may not be told again") func known() throws {
    let token = TestRegister.token(0xAB)
    let order = try Order(
      payload: #"{"platform":"macos"}"#, with: [("command", "device_add"), ("token", token)])
    var device = try Device(token: token)
    try device.choose(Record(["platform": .text("macos")]))
    #expect(order.action == .register(device))
    #expect(throws: Rejection(.key, "'token' is told by the path; leave it out of the body")) {
      try Order(payload: #"{"token":"x"}"#, with: [("command", "device_add"), ("token", token)])
    }
  }
}
