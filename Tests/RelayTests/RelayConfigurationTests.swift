import Basics
import Glibc
import TestSupport
import Testing

@testable import Relay

@Suite struct RelayConfigurationTests {
  private let folder = TemporaryFolder()

  private func load(_ text: String) throws(Fault) -> RelayConfiguration {
    let path = "\(folder.path)/relay.conf"
    try writeText(text, to: path)
    return try RelayConfiguration.load(path: path)
  }

  @Test("every key of the section for apps is read") func everyKeyOfHTTP() throws {
    let token = "\(folder.path)/token"
    try writeText("0123456789abcdef\n", to: token)
    let http = try #require(
      try load(
        """
        [http]
        listen = [::1]:8443
        token_file = \(token)
        certificate = /c
        key = /k
        face = paired
        origins = http://panel.local:8123, HTTPS://Hall.local
        names = clock.example, Hall
        """
      ).http)
    // As browsers write them.
    #expect(http.origins == ["http://panel.local:8123", "https://hall.local"])
    #expect(http.url == "https://[::1]:8443")
    #expect(try http.token() == digest(of: "0123456789abcdef"))
    #expect(http.face == .paired && http.names == ["clock.example", "hall"])
    #expect(throws: Fault.self) { try http.identity() }
  }

  @Test("every key is read") func everyKey() throws {
    let password = "\(folder.path)/password"
    try writeText("secret\n", to: password)
    let configuration = try load(
      """
      [mqtt]
      broker = ::1
      port = 8884
      user = bells
      password_file = \(password)
      tls = yes
      authority = /a
      certificate = /b
      key = /c
      prefix = school/bells
      name = hall
      group = ground
      discovery = none
      """)
    #expect(configuration.broker.port == 8884)
    #expect(try configuration.broker.password() == "secret")
    #expect(configuration.broker.authorities == "/a")
    #expect(configuration.topics.clock == "school/bells/clock/hall")
    #expect(configuration.topics.discovery == nil)
  }

  @Test(
    "what is wrong is told with file, line and what is allowed",
    arguments: [
      ("", "no broker is set"), ("[mqtt]\nbroker = mqtt://box\n", "relay.conf:2: broker"),
      ("[mqtt]\nbroker = box:1884\n", "its port is set by 'port'"),
      ("[mqtt]\nbroker = [::1]\n", "without brackets"),
      ("[mqtt]\nbroker = a\nport = 0\n", ":3: port = 0: allowed: none, or 1 to 65535"),
      ("[mqtt]\nhost = a\n", "unknown key 'host' in [mqtt]; there are authority, broker"),
      ("[web]\nport = 1\n", "unknown section [web]; there are mqtt"),
      ("[http]\norigins = *\n", ":2: origins = *: allowed: none, or origins"),
      ("[http]\norigins = http://a:8123/\n", "an origin ends with the host or the port"),
      ("[http]\norigins = http://a, b\n", "with commas between them"),
      ("[mqtt]\nbroker = a\nbroker = b\n", "set twice"),
      ("[mqtt]\nbroker = a\nname = a/b\n", "allowed: none, or 1 to 64 of a-z"),
      ("[mqtt]\nbroker = a\nprefix = a//b\n", ":3: prefix"),
      ("[mqtt]\nbroker = a\ntls = maybe\n", "allowed: yes, no"),
      ("[mqtt]\nbroker = a\nauthority = /x\n", "[mqtt] has certificates and no TLS"),
      ("[mqtt]\nbroker = a\ntls = yes\nkey = /x\n", ":4: key is set and certificate is not"),
    ]) func wrong(_ text: String, _ words: String)
  {
    let fault = faultThrown { _ = try load(text) }
    #expect(strstr(fault?.description ?? "", words) != nil, "\(fault?.description ?? "nothing")")
  }

  @Test(
    "a secret that is written in place of its file's path is not shown",
    arguments: [
      "[http]\ntoken_file", "[mqtt]\nbroker = a\npassword_file", "[webhook a]\nsecret_file",
      "[ntfy a]\ntoken_file", "[apns]\nkey_file",
    ]) func pastedSecret(_ key: String)
  {
    let words = faultThrown { _ = try load("\(key) = tk_s3cret\n") }?.description ?? "nothing"
    #expect(strstr(words, "_file: allowed: none, or the full path of a file") != nil, "\(words)")
    #expect(strstr(words, "s3cret") == nil, "\(words)")
  }

  @Test("the password in an address that cannot work is not shown") func addressWithPassword() {
    let words = faultThrown { _ = try load("[webhook a]\nurl = https://me:s3cret@box:x/\n") }
    let told = words?.description ?? "nothing"
    #expect(strstr(told, ":2: url: allowed: none, or https://HOST/PATH") != nil, "\(told)")
  }

  @Test("a password of several lines is none") func badPassword() throws {
    let password = "\(folder.path)/password"
    let configuration = try load("[mqtt]\nbroker = a\nuser = b\npassword_file = \(password)\n")
    #expect(faultThrown { _ = try configuration.broker.password() } != nil)
    for text in ["", "\n", "a\nb\n"] {
      try writeText(text, to: password)
      #expect(faultThrown { _ = try configuration.broker.password() } != nil)
    }
  }
}
