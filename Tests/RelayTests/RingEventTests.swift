import Testing

@testable import Relay

@Suite struct RingEventTests {
  @Test("an alarm that rings is told with its number, its name and words") func alarm() {
    let event = RingEvent("alarm_rings", "it rings", ["ALARM": "2", "ALARM_NAME": "school"])
    #expect(
      event?.payload
        == #"{"event_type":"alarm_rings","number":2,"name":"school","text":"it rings"}"#)
  }

  @Test("an alarm that is set is none") func others() {
    #expect(RingEvent("alarm", "alarm 1 was set", ["ALARM": "1"]) == nil)
  }
}
