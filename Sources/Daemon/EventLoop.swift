import Basics
import CLinux
import CSystemd
@preconcurrency import Glibc

/// The one loop of the program: an `sd_event`.
public final class EventLoop {
  let event: OpaquePointer
  private var failure: Fault?

  public init() throws(Fault) {
    var made: OpaquePointer?
    let code = sd_event_new(&made)
    guard code >= 0, let made else { throw Fault("cannot make an event loop", errno: -code) }
    event = made
  }

  deinit {
    sd_event_unref(event)
  }

  /// Serves events until `exit()`, as `sd_event_loop(3)`; not at all if that was called before.
  /// - Throws: `Fault` also if an attempt has failed.
  public func run() throws(Fault) {
    let code = sd_event_loop(event)
    guard code >= 0 else { throw Fault("the event loop failed", errno: -code) }
    if let failure { throw failure }
  }

  /// Does something that ends the loop if it fails.
  public func attempt(_ body: () throws(Fault) -> Void) {
    do throws(Fault) {
      try body()
    } catch {
      failure = error
      exit()
    }
  }

  public func exit() {
    sd_event_exit(event, 0)
  }

  /// Calls `handler` whenever the descriptor is ready for these events: `EPOLLIN` and so on.
  public func whenReady(
    _ descriptor: Int32, events: UInt32, _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    try EventSource("watch a descriptor", handler) { source, context in
      sd_event_add_io(
        event, &source, descriptor, events, { _, _, _, context in EventSource.call(context) },
        context)
    }
  }

  /// Calls `handler` for each arrival of a signal, which is blocked from now on.
  public func whenSignalled(
    _ signal: Int32, _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    sigprocmask(SIG_BLOCK, &set, nil)
    return try EventSource("watch signal \(signal)", handler) { source, context in
      sd_event_add_signal(
        event, &source, signal, { _, _, context in EventSource.call(context) }, context)
    }
  }

  /// Calls `handler` once, `delay` from now, by the monotonic clock.
  /// - Parameter accuracy: by how much it may be later, so that wake-ups can be shared.
  public func after(
    _ delay: Duration, accuracy: Duration = .milliseconds(1), _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    try EventSource("set a timer", handler) { source, context in
      sd_event_add_time_relative(
        event, &source, CLOCK_MONOTONIC, delay.microseconds,
        accuracy.microseconds, { _, _, context in EventSource.call(context) },
        context)
    }
  }

  /// Calls `handler` once when the clock shows this time since 1970, even if it is set meanwhile.
  public func atUTC(
    microseconds: Int64, _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    try EventSource("set a timer", handler) { source, context in
      sd_event_add_time(
        event, &source, CLOCK_REALTIME, UInt64(max(microseconds, 0)), 1000,
        { _, _, context in EventSource.call(context) }, context)
    }
  }

  /// Calls `handler` repeatedly, `interval` after its last call began, by the monotonic clock.
  public func every(
    _ interval: Duration, _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    let source = try after(interval, accuracy: .microseconds(1), handler)
    source.interval = interval
    return source
  }

  /// Calls `handler` when the file at `path` is made, written, replaced, removed or moved away.
  public func whenReplaced(
    _ path: String, _ handler: @escaping () -> Void
  ) throws(Fault) -> EventSource {
    let slash = path.lastIndex(of: "/")!
    let source = try EventSource("watch \(path)", handler) { source, context in
      sd_event_add_inotify(
        event, &source, String(path[..<slash]),
        UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE),
        { _, event, context in
          guard let event, event.pointee.len > 0 else { return 0 }
          // The name follows the fixed part of the event, as inotify(7) says.
          let name = UnsafeRawPointer(event).advanced(by: MemoryLayout<inotify_event>.size)
          return EventSource.call(
            context, ifNamed: String(cString: name.assumingMemoryBound(to: CChar.self)))
        }, context)
    }
    source.fileName = String(path[path.index(after: slash)...])
    return source
  }
}

/// Something that the loop watches until this source is released.
public final class EventSource {
  fileprivate let handler: () -> Void
  /// The one file of a watched folder that calls the handler.
  fileprivate var fileName: String?
  /// How long after each call the next one is; nil if there is none.
  fileprivate var interval: Duration?
  private var source: OpaquePointer?

  fileprivate init(
    _ operation: String, _ handler: @escaping () -> Void,
    add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
  ) throws(Fault) {
    self.handler = handler
    let code = add(&source, Unmanaged.passUnretained(self).toOpaque())
    guard code >= 0 else { throw Fault("cannot \(operation)", errno: -code) }
  }

  deinit {
    sd_event_source_disable_unref(source)
  }

  /// Waits for other events of a descriptor, as `sd_event_source_set_io_events(3)`.
  public func watches(_ events: UInt32) {
    sd_event_source_set_io_events(source, events)
  }

  /// Sets a timer again.
  public func goesOff(after delay: Duration) {
    sd_event_source_set_time_relative(source, delay.microseconds)
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }

  /// Stops a timer, or stops watching a descriptor.
  public func rests() {
    sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }

  /// Serves it before everything else that is due, but at most `count` times in each `span`.
  public func isServedFirst(atMost count: UInt32, in span: Duration) {
    sd_event_source_set_priority(source, Int64(SD_EVENT_PRIORITY_IMPORTANT))
    sd_event_source_set_ratelimit(source, span.microseconds, count)
  }

  public func isServedLast() {
    sd_event_source_set_priority(source, Int64(SD_EVENT_PRIORITY_IDLE))
  }

  fileprivate static func call(
    _ context: UnsafeMutableRawPointer?, ifNamed fileName: String? = nil
  ) -> Int32 {
    // The handler may release its own source: this reference keeps it until it returns.
    let source = Unmanaged<EventSource>.fromOpaque(context!).takeUnretainedValue()
    if let interval = source.interval { source.goesOff(after: interval) }
    if fileName == nil || fileName == source.fileName { source.handler() }
    return 0
  }
}
