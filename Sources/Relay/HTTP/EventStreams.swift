import Basics
import Daemon

/// The browsers that listen at `/v1/events`, and what they are told: server-sent events, as the HTML
/// standard describes them.
final class EventStreams {
  private static let most = 32
  private static let mostOfAddress = 8
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

  /// - Returns: nil if there are as many as there may be.
  func open(at address: String, phone: Int64?, state: Result<String, Rejection>) -> EventStream? {
    guard streams.count < Self.most,
      streams.count(where: { $0.address == address }) < Self.mostOfAddress
    else { return nil }
    let stream = EventStream(address, phone) { [unowned self] in close($0) }
    newest = Self.event(of: state)
    stream.show(newest)
    if streams.isEmpty {
      timer = try? loop.every(Self.pause) { [unowned self] in for each in streams { each.beat() } }
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
    for each in streams { each.show(event) }
  }

  /// - Parameter notice: as JSON.
  func send(notice: String) {
    guard !streams.isEmpty else { return }
    let event = Self.event("notice", notice)
    for each in streams { each.send(notice: event) }
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

/// What one browser has still to be sent: the newest state, and the newest notices. A slow browser
/// misses what came between.
final class EventStream {
  private static let mostNotices = 50

  let address: String
  /// The number of the phone; nil if it is not paired.
  let phone: Int64?
  /// Called once, when there is something to read again. Set by the reader after it has got nothing.
  var readable: (() -> Void)?
  private(set) var isOver = false
  private let closed: (EventStream) -> Void

  /// What is left of the event that is being sent.
  private var current: ArraySlice<UInt8> = []
  private var state: [UInt8]?
  private var notices: ArraySlice<[UInt8]> = []
  private var beats = false

  init(_ address: String, _ phone: Int64?, closed: @escaping (EventStream) -> Void) {
    self.address = address
    self.phone = phone
    self.closed = closed
  }

  fileprivate func show(_ state: [UInt8]) {
    self.state = state
    wake()
  }

  fileprivate func send(notice: [UInt8]) {
    notices = (notices + [notice]).suffix(Self.mostNotices)
    wake()
  }

  fileprivate func beat() {
    beats = true
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
    if current.isEmpty { current = nextEvent()[...] }
    let count = min(current.count, buffer.count)
    buffer.copyBytes(from: current.prefix(count))
    current.removeFirst(count)
    return count
  }

  private func nextEvent() -> [UInt8] {
    defer { beats = false }
    if let state {
      self.state = nil
      return state
    }
    return notices.popFirst() ?? (beats ? Array(":\n\n".utf8) : [])
  }

  /// The connection has gone.
  func close() { closed(self) }
}
