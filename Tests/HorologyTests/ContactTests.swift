import Horology
import TestSupport
import Testing

@Suite struct ContactTests {
  /// What the line says in turn, whether the contact is active at the end, and when it settles.
  /// Times are in milliseconds.
  private typealias Case = (
    readings: [(time: Int64, level: Bool)], end: Int64, isActive: Bool, settles: Int64?
  )

  private static let cases: [Case] = [
    // It is active from the first edge.
    ([(0, true)], 0, true, nil),
    // It is inactive only once that has lasted.
    ([(0, true), (100, false)], 129, true, 130), ([(0, true), (100, false)], 130, false, nil),
    // Every bounce begins the wait anew. The same level again is no edge.
    ([(0, true), (100, false), (120, true), (121, false), (140, false)], 150, true, 151),
    ([(0, true), (100, false), (120, true), (121, false), (140, false)], 151, false, nil),
    // Edges that are told late count from when they were.
    ([(0, true), (10, false), (60, true)], 60, true, nil),
    ([(0, true), (70, false), (500, false)], 500, false, nil),
  ]

  private func at(_ milliseconds: Int64) -> Uptime {
    Uptime(seconds: 50) + .milliseconds(milliseconds)
  }

  @Test("it is active at once, and inactive when that has lasted", .rule("first-edge"))
  func debounces() {
    for (readings, end, isActive, settles) in Self.cases {
      var contact = Contact(isActive: false)
      for reading in readings { contact.read(isActive: reading.level, at: at(reading.time)) }
      contact.settle(at: at(end))
      #expect(contact.isActive == isActive, "\(readings)")
      #expect(contact.settlesAt == settles.map { at($0) }, "\(readings)")
    }
  }
}
