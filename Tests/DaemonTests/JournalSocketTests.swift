import Testing

@testable import Daemon

@Suite struct JournalFieldTests {
  @Test("a field of several lines is told with its length") func fields() {
    #expect(
      Journal.encoded("MESSAGE=a =\nb")
        == Array("MESSAGE\n".utf8) + [5, 0, 0, 0, 0, 0, 0, 0] + Array("a =\nb\n".utf8))
  }
}
