import Basics
import CCurl
import Daemon
@preconcurrency import Glibc

/// Requests to one server, as streams of one connection of HTTP/2.
final class Streams: Carrier {
  private let loop: EventLoop
  private let settings: CarrierSettings
  private let answered: (_ tag: Int64, PushResponse) -> Void
  private let settled: () -> Void
  /// The last one is for new requests. Those before it wait for their last answers.
  private var connections: [HTTP2Connection] = []
  /// Kept until the loop's next turn, for their own methods may be running.
  private var released: [HTTP2Connection] = []
  private var turn: EventSource!
  private var hasEnded = false

  /// - Parameters:
  ///   - answered: called once for each request.
  ///   - settled: called after one or more calls of `answered`.
  init(
    _ loop: EventLoop, _ settings: CarrierSettings,
    answered: @escaping (_ tag: Int64, PushResponse) -> Void, settled: @escaping () -> Void
  ) throws(Fault) {
    self.loop = loop
    self.settings = settings
    self.answered = answered
    self.settled = settled
    turn = try loop.after(.zero) { [unowned self] in
      released = []
      for connection in connections { connection.goOn() }
    }
    turn.rests()
  }

  /// One on a new connection, until its server has said how many it takes.
  var most: Int {
    connections.reduce(connections.last?.takesRequests == true ? 0 : 1) { $0 + $1.most }
  }

  func send(_ request: Request) throws(Fault) {
    try send(Exchange(request, deadline: uptime + settings.patience))
  }

  private func send(_ exchange: Exchange) throws(Fault) {
    if connections.last?.send(exchange) != true {
      let fresh = try HTTP2Connection(loop, self, settings)
      connections.append(fresh)
      guard fresh.send(exchange) else { throw Fault("cannot send a request", errno: ENOMEM) }
    }
    continueLater()
  }

  func hasBegun(_ tag: Int64) -> Bool {
    for connection in connections {
      if let exchange = connection.exchange(tag) {
        return exchange.hasBegun || exchange.mayHaveArrived
      }
    }
    return true
  }

  // MARK: For connections

  /// Sends a request that was on a connection which takes no more, on the next one.
  /// - Parameter isUnseen: the server has not looked at it.
  func sendAgain(_ exchange: Exchange, isUnseen: Bool = false) {
    let again = Exchange(exchange.request, deadline: exchange.deadline)
    again.isSentAgain = exchange.isSentAgain || exchange.hasBegun && !isUnseen
    again.mayHaveArrived = exchange.mayHaveArrived || exchange.hasBegun && !isUnseen
    do throws(Fault) {
      try send(again)
    } catch {
      end(again, .init(code: CURLE_OUT_OF_MEMORY, words: error.description))
    }
  }

  func end(_ exchange: Exchange, _ failure: PushResponse.Failure?) {
    hasEnded = true
    answered(exchange.request.tag, exchange.answer(failure))
  }

  func settle() {
    guard hasEnded else { return }
    hasEnded = false
    settled()
  }

  /// Calls `goOn` of each connection in the loop's next turn.
  func continueLater() { turn.goesOff(after: .zero) }

  func release(_ connection: HTTP2Connection) {
    connections.removeAll { $0 === connection }
    released.append(connection)
    continueLater()
  }
}
