import Basics
import Testing

@testable import Relay

@Suite struct HTTPTests {
  @Test(
    "an address to listen at is a number and a port",
    arguments: ["127.0.0.1:8080", "0.0.0.0:80", "[::1]:65535", "[::]:8080", "192.168.1.5:4443"])
  func addresses(text: String) {
    #expect(ListenAddress(text: text)?.text == text)
  }

  @Test(
    "what is no address to listen at is none",
    arguments: [
      "", ":", ":8080", "8080", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:8080", "[::1]",
      "localhost:8080", "[]:8080", "127.0.0.1:http", "256.0.0.1:8080", "127.0.0.1:-1",
      "127.0.0.1: 8080",
      "0.0.0.0:79",
    ])
  func noAddresses(text: String) {
    #expect(ListenAddress(text: text) == nil)
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
}
