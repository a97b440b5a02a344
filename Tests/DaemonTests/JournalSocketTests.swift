import Testing

@testable import Daemon

@Suite struct JournalSocketTests {
  @Test("a field of one line is told as it is") func oneLine() {
    #expect(JournalSocket.encoded("MESSAGE=a = b") == Array("MESSAGE=a = b\n".utf8))
  }

  @Test("a field of several lines is told with its length") func severalLines() {
    #expect(
      JournalSocket.encoded("MESSAGE=one\ntwo")
        == Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0] + Array("one\ntwo\n".utf8))
  }
}
