import Testing

@testable import Relay

@Suite struct TopicsTests {
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
