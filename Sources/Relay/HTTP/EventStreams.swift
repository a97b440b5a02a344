import Basics
import Daemon

/// The browsers that listen at `/v1/events` to server-sent events, as the HTML standard describes them.
final class EventStreams {
  private let loop: EventLoop
  private var timer: EventSource?
  private var streams: [EventStream] = []
  private var newest: [UInt8] = []

  init(_ loop: EventLoop) { self.loop = loop }

  /// - Returns: nil if there are as many as there may be.
  func open(_ state: Result<String, Rejection>) -> EventStream? {
    guard streams.count < 32 else { return nil }
    let stream = EventStream { [unowned self] closed in
      streams.removeAll { $0 === closed }
      if streams.isEmpty { timer = nil }
    }
    newest = Self.event(of: state)
    stream.send(newest)
    if streams.isEmpty {
      // A comment shows a browser that the relay is there, and the relay that the browser is.
      timer = try? loop.every(.seconds(15)) { [unowned self] in sendToAll(Array(":\n\n".utf8)) }
    }
    streams.append(stream)
    return stream
  }

  /// The browsers may come again.
  func end() {
    for each in streams { each.end() }
  }

  func show(_ state: @autoclosure () -> Result<String, Rejection>) {
    guard !streams.isEmpty else { return }
    let event = Self.event(of: state())
    if event != newest { sendToAll(event) }
    newest = event
  }

  func send(notice: String) { sendToAll(Self.event("notice", notice)) }

  private func sendToAll(_ event: [UInt8]) {
    for each in streams { each.send(event) }
  }

  private static func event(of state: Result<String, Rejection>) -> [UInt8] {
    switch state {
    case .success(let state): event("state", state)
    case .failure(let rejection): event("absent", CommandOutcome.refused(rejection).record.json)
    }
  }

  /// - Parameter json: on one line.
  private static func event(_ name: String, _ json: String) -> [UInt8] {
    Array("event: \(name)\ndata: \(json)\n\n".utf8)
  }
}

/// What one browser has still to be sent. One that reads too slowly is ended, and may come again.
final class EventStream {
  var suspend: () -> Void = {}
  var resume: () -> Void = {}
  /// Tells when the browser has left.
  var departure: EventSource?
  private let closed: (EventStream) -> Void
  private var isSuspended = false
  private var isOver = false
  private var unsent: [UInt8] = []

  init(closed: @escaping (EventStream) -> Void) { self.closed = closed }

  fileprivate func send(_ event: [UInt8]) {
    // In bytes. A long state alone is no sign of a slow browser.
    guard unsent.isEmpty || unsent.count + event.count <= 1 << 18 else { return end() }
    unsent += event
    wake()
  }

  func end() {
    isOver = true
    wake()
  }

  private func wake() {
    guard isSuspended else { return }
    isSuspended = false
    resume()
  }

  /// - Returns: the count of bytes; 0 if the connection is suspended for now; -1 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if isOver { return -1 }
    let count = min(unsent.count, buffer.count)
    buffer.copyBytes(from: unsent.prefix(count))
    unsent.removeFirst(count)
    if count == 0 {
      isSuspended = true
      suspend()
    }
    return count
  }

  func close() {
    isSuspended = false
    departure = nil
    closed(self)
  }
}
