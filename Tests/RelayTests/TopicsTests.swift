import Testing

@testable import Relay

@Suite struct TopicsTests {
  private let topics = Topics(
    prefix: "school/bells", name: "hall", group: "floor-1", discoveryPrefix: "homeassistant")

  @Test("commands come to the clock and to its group") func commands() {
    #expect(
      topics.commands == ["school/bells/clock/hall/command", "school/bells/group/floor-1/command"])
    for topic in topics.commands { #expect(topics.destination(of: topic) == .command) }
  }

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

  @Test("Home Assistant's birth is told from commands") func birth() {
    #expect(topics.destination(of: "homeassistant/status") == .birth)
    #expect(topics.filters.last == "homeassistant/status")
    #expect(topics.discovery == "homeassistant/device/\(topics.objectID)/config")
  }

  @Test("machines of one name are two for the broker") func machines() {
    let hall = Topics(prefix: "c", name: "hall", group: nil, discoveryPrefix: nil)
    #expect(hall.clientID(ofMachine: "01234567") == "clocksmith_hall_01234567")
    #expect(hall.clientID(ofMachine: "") == "clocksmith_hall")
  }

  @Test(
    "a name holds nothing that a topic may not",
    arguments: [
      ("hall-1", true), ("Hall_2", true), ("", false), ("a/b", false), ("a+", false), ("#", false),
      ("a b", false), ("\u{e4}", false), (String(repeating: "a", count: 65), false),
    ]) func names(_ name: String, _ isAllowed: Bool)
  {
    #expect(Topics.isName(name) == isAllowed)
  }

  @Test("the name of the machine is made one") func host() {
    #expect(Topics.name(ofHost: "rasp.berry.lan") == "rasp")
    #expect(Topics.name(ofHost: "k\u{fc}che") == "k--che")
    #expect(Topics.name(ofHost: "") == "clocksmith")
  }
}
