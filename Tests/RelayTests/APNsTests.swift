import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Relay

@Suite struct APNsProviderTests {
  private let provider: APNsProvider

  init() throws {
    provider = try APNsProvider(.production, PushConfiguration.APNs())
  }

  @Test(
    "every answer of APNs means what Apple says",
    arguments: [
      (200, "", Verdict.accepted),
      (
        410, #"{"reason":"Unregistered","timestamp":7000}"#,
        .gone("Unregistered", since: .second(7))
      ),
      (
        400, #"{"reason":"BadDeviceToken"}"#,
        .refused("BadDeviceToken: the token is wrong, or is of the other environment")
      ),
      (400, #"{"reason":"BadTopic"}"#, .again("APNs refuses this clock: BadTopic")),
      (
        400, #"{"reason":"DeviceTokenNotForTopic"}"#,
        .again("APNs refuses this clock: DeviceTokenNotForTopic")
      ),
      (
        403, #"{"reason":"ExpiredProviderToken"}"#,
        .again("APNs refuses this clock: ExpiredProviderToken")
      ),
      (413, #"{"reason":"PayloadTooLarge"}"#, .refused("PayloadTooLarge")),
      (429, #"{"reason":"TooManyRequests"}"#, .again("TooManyRequests")),
      (503, "", .again("the server answers status 503")),
      (400, #"{"reason":"\u001b[31m"}"#, .refused(#"\u{1B}[31m"#)),
      (301, "<html>", .again("the server answers status 301")),
    ])
  func verdicts(status: Int, body: String, means: Verdict) {
    #expect(provider.verdict(on: PushResponse(status: status, body: body)) == means)
  }

  @Test("what breaks off is tried again, unless APNs has accepted it") func failures() {
    for status in [0, 410] {
      let answer = PushResponse(status: status, failure: "why")
      #expect(provider.verdict(on: answer) == .again("why"))
    }
    #expect(provider.verdict(on: PushResponse(status: 200, failure: "why")) == .accepted)
  }
}

@Suite struct APNsPayloadTests {
  private func message(_ event: PushEvents, collapse: String = "alarm-1") -> PushMessage {
    PushMessage(
      event: event, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
      details: Record(["ALARM": .text("1")]), collapse: collapse, created: .second(0),
      expires: .second(60))
  }

  @Test("an alarm is loud, wakes the app, and breaks through") func alarm() throws {
    let file = TemporaryFolder()
    try file.write(
      "relay.conf",
      """
      [apns]
      topic = org.example.clock
      key_id = ABC123DEFG
      team = DEF123GHIJ
      sound = bell.caf
      badge = 3
      content_available = yes
      """)
    let loaded = try RelayConfiguration.load(path: "\(file.path)/relay.conf").push.apns
    let configured = try #require(loaded)
    #expect(
      message(.alarm).apnsPayload(configured) == #"""
        {"aps":{"alert":{"title":"hall","body":"alarm 1 rings"},"sound":"bell.caf","badge":3,\#
        "content-available":1,"interruption-level":"time-sensitive","thread-id":"hall"},\#
        "event":"alarm_rings","at":"1970-01-01T00:00:00Z","ALARM":"1"}
        """#)
    #expect(message(.hour).apnsPayload(configured).range(of: "sound") == nil)
  }

  @Test("an id of what is collapsed has 64 bytes of whole characters") func collapse() {
    let long = message(.alarm, collapse: String(repeating: "\u{E9}", count: 40) + "x")
    #expect(long.apnsCollapse == String(repeating: "\u{E9}", count: 32))
  }
}

@Suite struct ProviderTokenTests {
  /// The key of no provider: made for these tests with `openssl ecparam -name prime256v1 -genkey`.
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghWzJ9XbLjBMIjQof
    SDAA/7jBrTQs3DPtgFzng5jlalGhRANCAATqGi5zX629e8c17ET1yYfcZ661D52+
    MKSVNY7CmULXIFJ4S/VAX857XzkkLKsnf5PkMpN8/3xV9HAuw/3D3u79
    -----END PRIVATE KEY-----

    """

  private func token(at second: Int64) throws(Fault) -> ProviderToken {
    try ProviderToken(key: Self.key, keyID: "ABC123DEFG", team: "DEF123GHIJ", at: .second(second))
  }

  private func part(_ token: String, _ index: Int) throws -> String {
    var text = String(token.split(separator: ".")[index])
      .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while !text.utf8.count.isMultiple(of: 4) { text += "=" }
    let data = try #require(Data(base64Encoded: text))
    return String(decoding: data, as: UTF8.self)
  }

  @Test("it says who signs, and when") func parts() throws {
    let text = try token(at: 1_700_000_000).text(at: .second(1_700_000_001))
    let header = try Record(json: try part(text, 0), path: "header")
    #expect(header["alg"] == .text("ES256") && header["kid"] == .text("ABC123DEFG"))
    let claims = try Record(json: try part(text, 1), path: "claims")
    #expect(claims["iss"] == .text("DEF123GHIJ") && claims["iat"] == .integer(1_700_000_000))
  }

  @Test("it is renewed within the hour, and when the clock was set back") func renewed() throws {
    let token = try token(at: 10_000)
    let first = try token.text(at: .second(10_000))
    #expect(try token.text(at: .second(10_000 + 49 * 60)) == first)
    let second = try token.text(at: .second(10_000 + 51 * 60))
    #expect(second != first)
    #expect(try token.text(at: .second(5_000)) != second)
  }
}
