import Horology
import Testing

@Suite struct ContactTests {
  private var contact = Contact(isActive: false)

  private func at(_ milliseconds: Int64) -> Uptime {
    Uptime(seconds: 50) + .milliseconds(milliseconds)
  }

  @Test("it is active from the first edge") func activeAtOnce() {
    var contact = contact
    contact.read(isActive: true, at: at(0))
    #expect(contact.isActive)
    #expect(contact.settlesAt == nil)
  }

  @Test("it is inactive only once that has lasted") func inactiveWhenItLasts() {
    var contact = contact
    contact.read(isActive: true, at: at(0))
    contact.read(isActive: false, at: at(100))
    #expect(contact.isActive)
    #expect(contact.settlesAt == at(130))
    contact.settle(at: at(129))
    #expect(contact.isActive)
    contact.settle(at: at(130))
    #expect(!contact.isActive)
    #expect(contact.settlesAt == nil)
  }

  @Test("every bounce begins the wait anew") func bounces() {
    var contact = contact
    contact.read(isActive: true, at: at(0))
    for time in stride(from: Int64(100), to: 180, by: 20) {
      contact.read(isActive: false, at: at(time))
      contact.read(isActive: true, at: at(time + 1))
    }
    contact.read(isActive: false, at: at(180))
    // The same level again is no edge.
    contact.read(isActive: false, at: at(200))
    contact.settle(at: at(209))
    #expect(contact.isActive)
    contact.settle(at: at(210))
    #expect(!contact.isActive)
  }

  @Test("edges that are told late count from when they were") func lateEdges() {
    var contact = contact
    contact.read(isActive: true, at: at(0))
    contact.read(isActive: false, at: at(10))
    contact.read(isActive: true, at: at(60))
    #expect(contact.isActive)
    contact.read(isActive: false, at: at(70))
    contact.read(isActive: false, at: at(500))
    #expect(!contact.isActive)
  }
}
