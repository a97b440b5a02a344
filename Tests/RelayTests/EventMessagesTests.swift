import Basics
import TestSupport
import Testing

@testable import Relay

@Suite struct EventMessagesTests {
  private func message(_ event: String, _ fields: [String: String] = [:]) -> PushMessage? {
    PushMessage(notice: event, "words", fields, clock: "hall", at: .second(100))
  }

  @Test(
    "what happens is published by its kind, as long as it is worth being told",
    arguments: [
      (
        "timer_elapsed", ["TIMER": "3", "DUE": "2026-11-22T15:00:00Z"], PushEvents.timer,
        "timer 3 2026-11-22T15:00:00Z hall", 3600
      ),
      (
        "timer_missed", ["TIMER": "3", "DUE": "2026-11-22T15:00:00Z"], .timer,
        "timer 3 2026-11-22T15:00:00Z hall", 3600
      ),
      (
        "alarm_rings", ["ALARM": "1", "DUE": "2026-11-22T07:00:00Z"], .alarm,
        "alarm 1 2026-11-22T07:00:00Z hall", 3600
      ),
      ("alarm_missed", ["ALARM": "1"], .alarm, "alarm 1 hall", 3600),
      ("trust", ["TRUST": "untrusted"], .clock, "trust hall", 86_400),
      ("speaker_substituted", [:], .trouble, "speaker_substituted hall", 86_400),
      ("timer_unheard", ["DETAIL": "no speaker"], .trouble, "timer_unheard hall", 86_400),
      ("skipped", ["REASON": "failed"], .trouble, "skipped hall", 86_400),
      (
        "announced",
        ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:00:00+00:00", "TEXT": "words"], .hour,
        "hour hall", 600
      ),
    ])
  func published(
    event: String, fields: [String: String], kind: PushEvents, collapse: String, life: Int64
  ) throws {
    let made = try #require(message(event, fields))
    #expect(made.event == kind && made.collapse == collapse)
    #expect(made.title == "hall" && made.body == "words" && made.kind == event)
    #expect(made.expires == .second(100 + life))
  }

  @Test(
    "what is nobody's trouble is not published",
    arguments: [
      ("timer", [:]), ("alarm", [:]), ("mute", [:]), ("timer_unheard", ["REASON": "quiet_hours"]),
      ("skipped", ["REASON": "quiet_hours"]), ("cut_off", ["REASON": "muted"]),
      ("announced", ["CAUSE": "request"]),
      ("announced", ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:15:00+00:00"]),
      ("announced", ["CAUSE": "request", "LOCAL": "2026-11-22T15:00:00+00:00"]),
    ])
  func unpublished(event: String, fields: [String: String]) {
    #expect(message(event, fields) == nil)
  }

  @Test("two messages of a person do not take each other's place, whatever their title")
  func twoWords() {
    let title = String(repeating: "long\n", count: 20)
    let collapses = [1, 2].map { second in
      APNsPayload(
        message: .words("words", title: title, at: .second(second)), look: .init()
      ).collapse
    }
    #expect(collapses[0] != collapses[1])
    for collapse in collapses {
      #expect(collapse.utf8.count <= 64)
      #expect(!collapse.utf8.contains(UInt8(ascii: "\n")))
    }
  }

  @Test("events are read and written by their names") func names() {
    #expect(PushEvents(text: "timer, alarm") == [.timer, .alarm])
    #expect(PushEvents(text: "all") == .all)
    #expect(PushEvents(text: "all")?.text == "timer,alarm,trouble,clock,hour,occasion")
    #expect(PushEvents(text: "") == nil && PushEvents(text: "timer,") == nil)
    #expect(PushEvents(text: "message") == nil && PushEvents(text: "timer alarm") == nil)
  }
}

@Suite struct WebhookSecretTests {
  @Test("a signature is that of Standard Webhooks") func signature() throws {
    // From the specification of Standard Webhooks, section Signature scheme.
    let secret = try #require(WebhookSecret(text: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signed = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}"
    #expect(secret.signature(of: signed) == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test(
    "what is no secret is none",
    arguments: ["", "whsec_", "whsec_####", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_QUJD"])
  func noSecret(text: String) {
    #expect(WebhookSecret(text: text) == nil)
  }
}

@Suite struct PushConfigurationTests {
  private let folder = TemporaryFolder()

  private func load(_ text: String) throws(Fault) -> RelayConfiguration {
    let path = "\(folder.path)/relay.conf"
    try writeText(text, to: path)
    return try RelayConfiguration.load(path: path)
  }

  @Test("every key is read") func everyKey() throws {
    let push = try load(
      """
      [push]
      ahead = 15s
      [apns]
      topic = org.example.clock
      key_id = ABC123DEFG
      team = DEF123GHIJ
      key_file = /k
      server = localhost:8443
      authority = /a
      sound = bell.caf
      badge = 2
      content_available = yes
      [ntfy phone]
      server = https://ntfy.example:8443/
      topic = bells
      token_file = /t
      authority = /b
      events = alarm
      [webhook school]
      url = https://school.example/bell
      secret_file = /s
      events = all
      [webhook other]
      url = http://other.example
      """
    ).push
    #expect(push.ahead == .seconds(15))
    let apns = try #require(push.apns)
    #expect(apns.topic == "org.example.clock" && apns.server == "localhost:8443")
    #expect(apns.look == .init(sound: "bell.caf", badge: 2, wakesApp: true))
    #expect(apns.authorities == "/a")
    #expect(push.ntfy["phone"]?.events == .alarm && push.ntfy["phone"]?.authorities == "/b")
    #expect(push.webhooks["school"]?.events == .all)
    #expect(push.webhooks["other"]?.events == .usual)
  }
}
