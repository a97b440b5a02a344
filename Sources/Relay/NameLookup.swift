import Basics
import CLinux
import Daemon
@preconcurrency import Glibc

/// Finds the addresses of a host with getaddrinfo_a(3), which waits for the network inside glibc.
/// The result is polled at growing intervals: a completion signal would have to be shared with
/// glibc's other signals.
final class NameLookup {
  private static let longestPause = Duration.milliseconds(640)

  /// glibc writes to it until it is done.
  private let query = UnsafeMutablePointer<gaicb>.allocate(capacity: 1)
  private var timer: EventSource?
  private var pause = Duration.milliseconds(10)

  /// - Parameter done: called once with numeric addresses in the order in which to try them, or
  ///   with a `Fault`; never if this is released before.
  init(
    _ host: String, _ loop: EventLoop, _ done: @escaping (Result<[String], Fault>) -> Void
  ) throws(Fault) {
    query.initialize(to: gaicb())
    query.pointee.ar_name = UnsafePointer(strdup(host))
    var list: UnsafeMutablePointer<gaicb>? = query
    let code = getaddrinfo_a(GAI_NOWAIT, &list, 1, nil)
    guard code == 0 else { throw Self.fault(host, code) }
    timer = try loop.after(pause) { [unowned self] in
      let code = gai_error(query)
      guard code != EAI_INPROGRESS else {
        pause = min(pause * 2, Self.longestPause)
        timer?.goesOff(after: pause)
        return
      }
      timer = nil
      done(code == 0 ? .success(addresses) : .failure(Self.fault(host, code)))
    }
  }

  deinit {
    // glibc still writes to a query that it cannot cancel: leak it.
    guard gai_cancel(query) != EAI_NOTCANCELED else { return }
    freeaddrinfo(query.pointee.ar_result)
    free(UnsafeMutablePointer(mutating: query.pointee.ar_name))
    query.deallocate()
  }

  private var addresses: [String] {
    var addresses: [String] = []
    var next = query.pointee.ar_result
    while let info = next?.pointee {
      next = info.ai_next
      // Each address comes for each type of socket.
      guard info.ai_socktype == Int32(SOCK_STREAM.rawValue) else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(text.count)
      if getnameinfo(info.ai_addr, info.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
      }
    }
    return addresses
  }

  private static func fault(_ host: String, _ code: Int32) -> Fault {
    Fault("cannot find \(host)", code: code, String(cString: gai_strerror(code)))
  }
}
