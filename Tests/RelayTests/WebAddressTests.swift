import Testing

@testable import Relay

@Suite struct WebAddressTests {
  @Test(
    "an address of the web has a host, and a port only as a number",
    arguments: [
      ("https://ntfy.sh", "ntfy.sh"), ("http://localhost:8080/bell", "localhost:8080"),
      ("https://me:secret@box/x@y", "box"), ("https://[::1]:8443/?a=b", "[::1]:8443"),
      ("https://box?token=x", "box"), ("http://192.168.1.5/", "192.168.1.5"),
    ])
  func addresses(_ url: String, _ host: String) {
    #expect(WebAddress.host(of: url) == host)
  }

  @Test(
    "an address without a host, or with a port that is none, is refused",
    arguments: [
      "", "https://", "https://?x", "https://:80/p", "https://localhost:abc/p",
      "https://localhost:65536", "https://[::1", "https://a b/", "ftp://box/", "box",
    ])
  func noAddresses(_ url: String) {
    #expect(WebAddress.host(of: url) == nil)
  }

  @Test(
    "a server is a host, and perhaps its port",
    arguments: [
      ("api.push.apple.com", true), ("localhost:8443", true), ("[::1]:8443", true),
      ("x:y:z", false), ("x:", false), (":443", false), ("", false), ("::1", false),
      ("x:+80", false), ("x/y", false), ("https://x", false),
    ])
  func places(_ text: String, _ isOne: Bool) {
    #expect(WebAddress.isPlace(text) == isOne)
  }
}
