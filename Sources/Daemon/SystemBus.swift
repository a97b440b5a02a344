import Basics
import CSystemd

public final class SystemBus {
  public let pointer: OpaquePointer
  private var lost: () -> Void = {}
  private var slots: [OpaquePointer?] = []
  private var isClosed = false

  /// As `sd_bus_open_system(3)`. Nothing serves it yet.
  public init() throws(Fault) {
    var opened: OpaquePointer?
    let code = sd_bus_open_system(&opened)
    guard code >= 0, let opened else { throw Fault("cannot reach the system bus", errno: -code) }
    pointer = opened
    // Otherwise a loop would wait at its end until the bus has taken everything.
    sd_bus_set_close_on_exit(opened, 0)
  }

  public convenience init(
    _ loop: EventLoop, isLast: Bool, lost: @escaping () -> Void
  ) throws(Fault) {
    try self.init()
    try attach(loop, isLast: isLast, lost: lost)
  }

  /// - Parameters:
  ///   - isLast: serve it after everything else that is ready, so that callers do not delay the
  ///     sound, however many there are; otherwise in turn with the rest.
  ///   - lost: called when the bus has ended the connection. It may release this.
  public func attach(
    _ loop: EventLoop, isLast: Bool, lost: @escaping () -> Void
  ) throws(Fault) {
    self.lost = lost
    let priority = isLast ? SD_EVENT_PRIORITY_IDLE : SD_EVENT_PRIORITY_NORMAL
    let code = sd_bus_attach_event(pointer, loop.event, Int32(priority))
    guard code >= 0 else { throw Fault("cannot watch the system bus", errno: -code) }
    try keep("watch the system bus") {
      sd_bus_match_signal(
        pointer, &$0, "org.freedesktop.DBus.Local", nil, "org.freedesktop.DBus.Local",
        "Disconnected",
        { _, context, _ in
          // Copy the closure first: it may release the connection, and itself with it.
          let lost = Unmanaged<SystemBus>.fromOpaque(context!).takeUnretainedValue().lost
          lost()
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  deinit { close() }

  /// Ends the connection. None of the handlers of its slots runs any more, but that of a call which
  /// was made on it may run once again, within this.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for slot in slots { sd_bus_slot_unref(slot) }
    slots = []
    // Send the replies that are still queued, as far as the bus takes them now. If none is queued,
    // do not process: sd-bus would answer the next call with "no such object".
    var unsent: UInt64 = 0
    if sd_bus_is_ready(pointer) > 0, sd_bus_get_n_queued_write(pointer, &unsent) >= 0, unsent > 0 {
      sd_bus_process(pointer, nil)
    }
    sd_bus_close_unref(pointer)
  }

  /// Keeps the slot of a match or an object. `make` returns -errno on failure.
  public func keep(
    _ operation: String, _ make: (inout OpaquePointer?) -> Int32
  ) throws(Fault) {
    var slot: OpaquePointer?
    let code = make(&slot)
    guard code >= 0 else { throw Fault("cannot \(operation)", errno: -code) }
    slots.append(slot)
  }
}
