import Testing

@testable import Relay

@Suite struct TopicsTests {
  private let topics = Topics(
    prefix: "school/bells", name: "hall", group: "floor-1", discoveryPrefix: "homeassistant")

  @Test("what lies below, beside or above them is for nobody") func others() {
    for topic in [
      "school/bells/clock/hall/command/announce", "school/bells/clock/gym/command",
      "school/bells/clock/hall/state", "", "/",
    ] {
      #expect(topics.destination(of: topic) == .nobody)
    }
    let alone = Topics(prefix: "c", name: "n", group: nil, discoveryPrefix: nil)
    #expect(alone.filters == ["c/clock/n/command/#"])
    #expect(alone.destination(of: "homeassistant/status") == .nobody)
  }

  @Test("machines of one name are two for the broker") func machines() {
    let hall = Topics(prefix: "c", name: "hall", group: nil, discoveryPrefix: nil)
    #expect(hall.clientID(ofMachine: "01234567") == "clocksmith_hall_01234567")
    #expect(hall.clientID(ofMachine: "") == "clocksmith_hall")
  }

  @Test("the name of the machine is made one") func host() {
    #expect(Topics.name(ofHost: "rasp.berry.lan") == "rasp")
    #expect(Topics.name(ofHost: "k\u{fc}che") == "k--che")
    #expect(Topics.name(ofHost: "") == "clocksmith")
  }
}
