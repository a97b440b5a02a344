import Basics
import CCurl
import Foundation
import Horology
import TestSupport
import Testing

@testable import Relay

@Suite struct VerdictTests {
  private func answer(_ status: Int, _ body: String = "") -> PushResponse {
    PushResponse(status: status, body: body, retryAfter: nil, failure: nil)
  }

  private func verdict(_ answer: PushResponse) -> Verdict {
    Verdict(apns: answer, sent: .second(100))
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
        410, #"{"reason":"ExpiredToken"}"#,
        .gone("ExpiredToken", since: .second(100))
      ),
      (
        410, #"{"reason":"Unregistered","timestamp":9223372036854775807}"#,
        .gone("Unregistered", since: .second(100))
      ),
      (
        400, #"{"reason":"BadDeviceToken"}"#,
        .refused("BadDeviceToken: the token is wrong, or is of the other environment")
      ),
      (
        400, #"{"reason":"DeviceTokenNotForTopic"}"#,
        .down("APNs refuses this clock: DeviceTokenNotForTopic")
      ),
      (400, #"{"reason":"PayloadEmpty"}"#, .refused("PayloadEmpty")),
      (400, #"{"reason":"BadTopic"}"#, .down("APNs refuses this clock: BadTopic")),
      (
        403, #"{"reason":"InvalidProviderToken"}"#,
        .down("APNs refuses this clock: InvalidProviderToken")
      ),
      (404, #"{"reason":"BadPath"}"#, .refused("BadPath")),
      (413, #"{"reason":"PayloadTooLarge"}"#, .refused("PayloadTooLarge")),
      (429, #"{"reason":"TooManyRequests"}"#, .again("TooManyRequests")),
      (
        429, #"{"reason":"TooManyProviderTokenUpdates"}"#,
        .down("APNs refuses this clock: TooManyProviderTokenUpdates")
      ),
      (500, #"{"reason":"InternalServerError"}"#, .again("InternalServerError")),
      (503, "", .again("status 503")),
      (400, "<html>", .refused("status 400")),
      (400, #"{"reason":"\u001b[31m"}"#, .refused("status 400")),
      (301, "", .down("the server answers status 301: it is not an APNs server")),
    ])
  func apns(status: Int, body: String, means: Verdict) {
    #expect(verdict(answer(status, body)) == means)
  }

  @Test("a request that is lost says nothing of the others, a connection does") func failures() {
    func verdict(_ code: CURLcode, status: Int = 0) -> Verdict {
      Verdict(
        apns: PushResponse(
          status: status, body: "", retryAfter: nil,
          failure: .init(code: code, words: "why")), sent: .second(100))
    }
    #expect(verdict(CURLE_OPERATION_TIMEDOUT) == .again("why"))
    #expect(verdict(CURLE_HTTP2_STREAM) == .again("why"))
    #expect(verdict(CURLE_RECV_ERROR) == .down("why"))
    #expect(verdict(CURLE_RECV_ERROR, status: 410) == .down("why"))
    // A message that APNs has accepted stays accepted.
    #expect(verdict(CURLE_HTTP2_STREAM, status: 200) == .accepted)
    #expect(verdict(CURLE_PEER_FAILED_VERIFICATION) == .down("why"))
  }
}

@Suite struct APNsPayloadTests {
  private func payload(
    _ event: PushEvents = .alarm, body: String = "alarm 1 rings", collapse: String = "alarm-1",
    alarm: String = "1"
  ) -> APNsPayload {
    APNsPayload(
      message: PushMessage(
        event: event, kind: "alarm_rings", title: "hall", body: body,
        fields: ["ALARM": alarm, "aps": "none"], collapse: collapse, created: .second(0),
        expires: .second(60)),
      look: .init(badge: 3, wakesApp: true))
  }

  @Test("an alarm is loud, wakes the app, and breaks through") func alarm() throws {
    #expect(
      payload().text == #"""
        {"aps":{"alert":{"title":"hall","body":"alarm 1 rings"},"sound":"default","badge":3,\#
        "content-available":1,"interruption-level":"time-sensitive","thread-id":"hall"},\#
        "event":"alarm_rings","at":"1970-01-01T00:00:00Z","ALARM":"1"}
        """#)
    #expect(payload().priority == 10)
  }

  @Test("the hour is silent, and waits for the battery") func hour() throws {
    let hour = payload(.hour)
    #expect(hour.priority == 5 && hour.level == .passive)
    #expect(hour.text.range(of: "sound") == nil)
  }

  @Test("what comes wakes the app, and shows nothing") func occasion() throws {
    let occasion = payload(.occasion)
    #expect(occasion.type == "background" && occasion.priority == 5)
    #expect(
      occasion.text == #"""
        {"aps":{"content-available":1},"event":"alarm_rings","at":"1970-01-01T00:00:00Z","ALARM":"1"}
        """#)
    #expect(payload(.hour).type == "alert")
  }

  @Test("what would be larger than APNs takes has no fields") func large() throws {
    let long = payload(
      body: String(repeating: "a", count: 1500), alarm: String(repeating: "1", count: 3000))
    #expect(long.text.utf8.count < 2000 && long.text.range(of: "ALARM") == nil)
  }

  @Test("an id of what is collapsed has 64 bytes of whole characters") func collapse() {
    let long = payload(collapse: String(repeating: "\u{E9}", count: 40) + "x").collapse
    #expect(long == String(repeating: "\u{E9}", count: 32))
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
    #expect(text.split(separator: ".").count == 3)
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

  @Test("what is no key is told") func noKey() {
    let fault = faultThrown {
      _ = try ProviderToken(key: "none", keyID: "ABC123DEFG", team: "DEF123GHIJ", at: .second(1))
    }
    #expect(fault?.detail.hasPrefix("it is no private key of P-256") == true)
  }
}
