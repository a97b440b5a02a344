import Basics
import CLinux
import Daemon
@preconcurrency import Glibc

/// Finds the addresses of a host with getaddrinfo_a(3), which waits for the network in a thread of
/// glibc. The result is polled at growing intervals: a completion signal would have to be shared
/// with glibc's other signals.
final class NameLookup {
  private static let firstPause = Duration.milliseconds(10)
  private static let longestPause = Duration.milliseconds(640)

  /// The memory that glibc writes to until it is done.
  private final class Query {
    let name: UnsafeMutablePointer<CChar>
    let hints: UnsafeMutablePointer<addrinfo>
    let block: UnsafeMutablePointer<gaicb>

    init(_ host: String) {
      name = strdup(host)
      hints = .allocate(capacity: 1)
      hints.initialize(to: addrinfo())
      hints.pointee.ai_socktype = Int32(SOCK_STREAM.rawValue)
      block = .allocate(capacity: 1)
      block.initialize(to: gaicb())
      block.pointee.ar_name = UnsafePointer(name)
      block.pointee.ar_request = UnsafePointer(hints)
    }

    deinit {
      freeaddrinfo(block.pointee.ar_result)
      block.deallocate()
      hints.deallocate()
      free(name)
    }
  }

  private let request: Query
  private let done: (Result<[String], Fault>) -> Void
  private var timer: EventSource?
  private var pause = firstPause

  /// - Parameter done: called once with numeric addresses in the order in which to try them, or
  ///   with a `Fault`; never if this is released before.
  init(
    _ host: String, _ loop: EventLoop, _ done: @escaping (Result<[String], Fault>) -> Void
  ) throws(Fault) {
    self.done = done
    request = Query(host)
    var list: UnsafeMutablePointer<gaicb>? = request.block
    let code = getaddrinfo_a(GAI_NOWAIT, &list, 1, nil)
    guard code == 0 else { throw Self.fault(host, code) }
    timer = try loop.after(pause) { [unowned self] in lookUp(host) }
  }

  deinit {
    // glibc still writes to a request that it cannot cancel: leak it.
    if gai_cancel(request.block) == EAI_NOTCANCELED { _ = Unmanaged.passRetained(request) }
  }

  private func lookUp(_ host: String) {
    let code = gai_error(request.block)
    guard code != EAI_INPROGRESS else {
      pause = min(pause * 2, Self.longestPause)
      timer?.goesOff(after: pause)
      return
    }
    timer = nil
    guard code == 0 else { return done(.failure(Self.fault(host, code))) }
    var addresses: [String] = []
    var next = request.block.pointee.ar_result
    while let info = next {
      next = info.pointee.ai_next
      if let address = Self.text(of: info.pointee) { addresses.append(address) }
    }
    done(addresses.isEmpty ? .failure(Self.fault(host, EAI_NONAME)) : .success(addresses))
  }

  private static func text(of info: addrinfo) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
      let code = getnameinfo(
        info.ai_addr, info.ai_addrlen, buffer.baseAddress, socklen_t(buffer.count), nil, 0,
        NI_NUMERICHOST)
      return code == 0 ? String(cString: buffer.baseAddress!) : nil
    }
  }

  private static func fault(_ host: String, _ code: Int32) -> Fault {
    Fault("cannot find \(host)", code: code, String(cString: gai_strerror(code)))
  }
}
