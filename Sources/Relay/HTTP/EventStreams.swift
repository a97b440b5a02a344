import Basics
import Daemon

/// The browsers that listen at `/v1/events`, and what they are told: server-sent events, as the HTML
/// standard describes them.
final class EventStreams {
  private static let most = 32
  /// A comment this often shows a browser that the relay is there, and the relay that the browser is.
  private static let pause = Duration.seconds(15)

  private let loop: EventLoop
  private var timer: EventSource?
  private var streams: [EventStream] = []
  /// The last state that was told.
  private var newest: [UInt8] = []

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// - Parameter phone: its number; nil if it is not paired.
  /// - Returns: nil if there are as many as there may be.
  func open(_ phone: Int64?, _ state: Result<String, Rejection>) -> EventStream? {
    guard streams.count < Self.most else { return nil }
    let stream = EventStream(phone) { [unowned self] in close($0) }
    newest = Self.event(of: state)
    stream.send(newest)
    if streams.isEmpty {
      timer = try? loop.every(Self.pause) { [unowned self] in sendToAll(Array(":\n\n".utf8)) }
    }
    streams.append(stream)
    return stream
  }

  private func close(_ stream: EventStream) {
    streams.removeAll { $0 === stream }
    if streams.isEmpty { timer = nil }
  }

  /// Ends those that are chosen. Their browsers may come again.
  func end(where isChosen: (EventStream) -> Bool = { _ in true }) {
    for each in streams where isChosen(each) { each.end() }
  }

  func show(_ state: @autoclosure () -> Result<String, Rejection>) {
    guard !streams.isEmpty else { return }
    let event = Self.event(of: state())
    guard event != newest else { return }
    newest = event
    sendToAll(event)
  }

  /// - Parameter notice: as JSON.
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
  /// Bytes that may wait for a slow browser.
  private static let most = 1 << 18

  let phone: Int64?
  /// Called once, when there is something to read again. Set by the reader after it has got nothing.
  var readable: (() -> Void)?
  private(set) var isOver = false
  private let closed: (EventStream) -> Void
  private var unsent: [UInt8] = []

  init(_ phone: Int64?, closed: @escaping (EventStream) -> Void) {
    self.phone = phone
    self.closed = closed
  }

  fileprivate func send(_ event: [UInt8]) {
    // A long state alone is no sign of a slow browser.
    guard unsent.isEmpty || unsent.count + event.count <= Self.most else { return end() }
    unsent += event
    wake()
  }

  func end() {
    isOver = true
    wake()
  }

  private func wake() {
    let readable = readable
    self.readable = nil
    readable?()
  }

  /// - Returns: the count of bytes; 0 if there is nothing now.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(unsent.count, buffer.count)
    buffer.copyBytes(from: unsent.prefix(count))
    unsent.removeFirst(count)
    return count
  }

  /// The connection has gone.
  func close() { closed(self) }
}
