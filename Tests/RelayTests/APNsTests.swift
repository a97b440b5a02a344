import Basics
import Horology
import TestSupport
import Testing

@testable import Relay

@Suite struct APNsAnswerTests {
  @Test("what breaks off is tried again, unless APNs has accepted it") func failures() {
    let apns = Provider(
      name: "apns", events: .all, authorities: "", request: { _, _ in fatalError() },
      verdict: { Provider.apnsVerdict(on: $0) })
    #expect(Verdict(PushResponse(status: 410, failure: "why"), from: apns) == .again("why"))
    #expect(Verdict(PushResponse(status: 200, failure: "why"), from: apns) == .accepted)
  }
}

@Suite struct APNsPayloadTests {
  @Test("an alarm is loud, wakes the app, and breaks through") func alarm() {
    var apns = PushConfiguration.APNs()
    (apns.sound, apns.badge, apns.wakesApp) = ("bell.caf", 3, true)
    var message = PushMessage(
      event: .alarm, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
      details: Record(["ALARM": .text("1")]))
    #expect(
      message.apnsPayload(apns) == #"""
        {"aps":{"alert":{"title":"hall","body":"alarm 1 rings"},"sound":"bell.caf","badge":3,\#
        "content-available":1,"interruption-level":"time-sensitive","thread-id":"hall"},\#
        "event":"alarm_rings","at":"1970-01-01T00:00:00Z","ALARM":"1"}
        """#)
    message.event = .hour
    #expect(!message.apnsPayload(apns).contains("sound"))
  }
}

@Suite struct ProviderTokenTests {
  /// The key of no provider: made for these tests with `openssl ecparam -name prime256v1 -genkey`.
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghWzJ9XbLjBMIjQof
    SDAA/7jBrTQs3DPtgFzng5jlalGhRANCAATqGi5zX629e8c17ET1yYfcZ661D52+
    MKSVNY7CmULXIFJ4S/VAX857XzkkLKsnf5PkMpN8/3xV9HAuw/3D3u79
    -----END PRIVATE KEY-----

    """

  @Test("it is renewed within the hour, and when the clock was set back") func renewed() throws {
    let folder = TemporaryFolder()
    try folder.write("key.p8", Self.key)
    var apns = PushConfiguration.APNs()
    (apns.keyID, apns.team, apns.keyFile) = ("ABC123DEFG", "DEF123GHIJ", "\(folder.path)/key.p8")
    let token = try #require(try ProviderToken(apns, at: .second(10_000)))
    let texts = try [10_000, 12_940, 13_060, 5000].map { try token.text(at: .second($0)) }
    #expect(texts[0] == texts[1] && texts[1] != texts[2] && texts[2] != texts[3])
  }
}
