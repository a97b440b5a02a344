import Basics
import CCurl
import Daemon

/// Requests to one server by libcurl. They share one connection. Handles are kept and used again.
final class Transfers: Carrier {
  private let settings: CarrierSettings
  private let answered: (_ tag: Int64, PushResponse) -> Void
  private var curl: CurlMulti!
  private var idle: [Transfer] = []
  private var busy: [UnsafeMutableRawPointer: Transfer] = [:]
  /// The open connection may be dead.
  private var wantsFreshConnection = false
  /// The last answer came by HTTP/2 or later, where requests do not wait for each other.
  private var isMultiplexed = false

  /// - Parameters:
  ///   - answered: called once for each request.
  ///   - settled: called after one or more calls of `answered`.
  init(
    _ loop: EventLoop, _ settings: CarrierSettings,
    answered: @escaping (_ tag: Int64, PushResponse) -> Void, settled: @escaping () -> Void
  ) throws(Fault) {
    self.settings = settings
    self.answered = answered
    curl = try CurlMulti(
      loop, finished: { [unowned self] in finished($0, $1) }, settled: settled)
  }

  deinit {
    for transfer in busy.values { curl.remove(transfer.easy) }
    busy = [:]
    idle = []
  }

  /// By HTTP/1.1 all but one would wait inside libcurl for the one connection.
  var most: Int { isMultiplexed ? settings.most : 1 }

  func send(_ request: Request) throws(Fault) {
    let transfer = if let idle = idle.popLast() { idle } else { try Transfer(settings) }
    transfer.take(request, wantsFreshConnection: wantsFreshConnection)
    wantsFreshConnection = false
    try curl.add(transfer.easy)
    busy[transfer.easy] = transfer
  }

  func hasBegun(_ tag: Int64) -> Bool {
    busy.values.first { $0.tag == tag }?.hasBegun ?? true
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
    curl.remove(easy)
    guard let transfer = busy.removeValue(forKey: easy) else { return }
    // The connection has answered nothing for the whole time limit: take another.
    if result == CURLE_OPERATION_TIMEDOUT { wantsFreshConnection = true }
    isMultiplexed = transfer.isMultiplexed
    let tag = transfer.tag
    let answer = transfer.answer(result)
    idle.append(transfer)
    answered(tag, answer)
  }
}
