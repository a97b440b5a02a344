import Basics
import Testing

@Suite struct NumberTextTests {
  @Test("a number over or under a limit does not look equal to it") func limits() {
    #expect(5.01.text(decimals: 1, .up) == "5.1")
    #expect(5.6.text(decimals: 1, .up) == "5.6")
    #expect((-54.9).text(decimals: 0, .up) == "-54")
    #expect(34.9.text(decimals: 0, .down) == "34")
    #expect((-12.01).text(decimals: 1, .down) == "-12.1")
  }

  @Test("a number is rounded to its decimals") func decimals() {
    #expect(2.675.text(decimals: 0) == "3")
    #expect(0.04.text(decimals: 2) == "0.04")
    #expect((-0.04).text(decimals: 1) == "0.0")
    #expect((-1.25).text(decimals: 1) == "-1.3")
  }
}
