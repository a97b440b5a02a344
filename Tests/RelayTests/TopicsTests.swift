import Testing

@testable import Relay

@Suite struct TopicsTests {
  @Test("what lies below, beside or above a command's topic is for nobody") func others() {
    let topics = Topics(
      prefix: "school/bells", name: "hall", group: "floor-1", discoveryPrefix: nil)
    for topic in topics.commands { #expect(topics.destination(of: topic) == .command) }
    for topic in [
      "school/bells/clock/hall/command/announce", "school/bells/clock/gym/command",
      "school/bells/clock/hall/state", "homeassistant/status", "", "/",
    ] {
      #expect(topics.destination(of: topic) == .nobody)
    }
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
