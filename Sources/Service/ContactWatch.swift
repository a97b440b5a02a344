import Basics
import CLinux
import Daemon
import Devices
import Horology

/// Watches and debounces a contact on a GPIO line. A lost line is reopened when it comes back.
final class ContactWatch {
  enum State: Hashable {
    case active, inactive
    case lost(Fault)
  }

  private let loop: EventLoop
  private let open: () throws(Fault) -> any InputLine
  private let changed: (State, Uptime) -> Void

  private(set) var state: State?
  private var line: (any InputLine)?
  private var contact = Contact(isActive: false)
  private var source: EventSource?
  private var timer: EventSource?
  private var outage = Outage()

  init(
    loop: EventLoop, open: @escaping () throws(Fault) -> any InputLine,
    changed: @escaping (State, Uptime) -> Void
  ) {
    self.loop = loop
    self.open = open
    self.changed = changed
  }

  func start() {
    do throws(Fault) {
      let line = try open()
      contact = Contact(isActive: try line.isActive())
      source = try loop.whenReady(line.descriptor, events: EPOLLIN.rawValue) {
        [unowned self] in check()
      }
      // The edges of a floating line never end. Ten looks in 20 ms are enough to silence the clock.
      source?.isServedFirst(atMost: 10, in: .milliseconds(20))
      self.line = line
      _ = outage.ends()
      become(contact.isActive ? .active : .inactive, at: SystemClock.uptime)
    } catch {
      lose(error)
    }
  }

  /// Reads the edges that have come, and the level, in case one was missed or the line is gone.
  func check() {
    guard let line else { return }
    do throws(Fault) {
      var changedAt = SystemClock.uptime
      for edge in try line.readEdges() {
        let before = contact.isActive
        contact.read(isActive: edge.isActive, at: edge.uptime)
        if contact.isActive && !before { changedAt = edge.uptime }
      }
      // The kernel may have dropped some edges of a burst, so the level decides in the end.
      contact.read(isActive: try line.isActive(), at: SystemClock.uptime)
      settle(at: changedAt)
    } catch {
      lose(error)
    }
  }

  /// True if it is open, or is lost and will be tried again.
  var isAccountedFor: Bool { source != nil || timer != nil }

  private func settle(at moment: Uptime) {
    let state = contact.isActive ? State.active : .inactive
    timer = nil
    if let later = contact.settlesAt {
      timer = try? loop.after(later - SystemClock.uptime) { [unowned self] in
        contact.settle(at: SystemClock.uptime)
        settle(at: SystemClock.uptime)
      }
    }
    become(state, at: moment)
  }

  private func lose(_ fault: Fault) {
    source = nil
    line = nil
    timer = try? loop.after(outage.nextWait(), accuracy: .milliseconds(200)) { [unowned self] in
      start()
    }
    become(.lost(fault), at: SystemClock.uptime)
  }

  private func become(_ state: State, at moment: Uptime) {
    guard state != self.state else { return }
    self.state = state
    changed(state, moment)
  }
}
