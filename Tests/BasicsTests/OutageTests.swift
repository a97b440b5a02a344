import Basics
import Testing

@Suite struct OutageTests {
  @Test("a loss and a return are news once") func toldOnce() {
    var outage = Outage()
    let news = [outage.ends(), outage.begins(), outage.begins(), outage.ends(), outage.ends()]
    #expect(news == [false, true, false, true, false])
  }

  @Test("the waits double up to the longest, and begin anew after a return") func waits() {
    var outage = Outage(first: .seconds(1), longest: .seconds(5))
    var waits = (0..<4).map { _ in outage.nextWait() }
    _ = outage.ends()
    waits.append(outage.nextWait())
    #expect(waits == [1, 2, 4, 5, 1].map { .seconds($0) })
  }
}
