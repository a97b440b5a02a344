import Basics
import CSystemd
import Daemon
@preconcurrency import Glibc

@testable import Relay

/// Sends bytes to the door for apps over a connection, and reads its answer until nothing comes.
/// - Parameter folder: where to write the file of the token.
func readRequest(_ bytes: [UInt8], _ folder: String) throws {
  let service = try openDoor(folder)
  defer { service.door.close() }
  let loop = service.loop
  let client = connect()
  defer { close(client) }
  bytes.withUnsafeBytes { _ = send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  var answer: [UInt8] = []
  // The door waits ten seconds for the rest of a request, so the end is silence.
  let silence = try loop.after(quiet) { loop.exit() }
  silence.isServedLast()
  let reading = try loop.whenReady(client, events: EPOLLIN.rawValue) {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(client, &block, block.count, 0)
    guard count > 0 else { return loop.exit() }
    answer += block[..<count]
    silence.goesOff(after: quiet)
  }
  try withExtendedLifetime((reading, silence)) { try loop.run() }
  try judge(String(decoding: answer, as: UTF8.self))
}

/// How long nothing comes after the last of an answer. The door is in the same loop, and served
/// first.
private let quiet = Duration.milliseconds(2)

/// A port that nobody else uses, held in this process for the first address.
nonisolated(unsafe) private var port: UInt16 = 0

/// A relay without a broker and without a clock.
private func openDoor(_ folder: String) throws -> RelayService {
  let token = file("token", Array("0123456789abcdef\n".utf8), folder)
  for _ in 0..<1000 {
    if port == 0 { port = .random(in: 20_000..<32_000) }
    let text = "[http]\nlisten = 127.0.0.1:\(port)\ntoken_file = \(token)\n"
    let service = try RelayService(path: file("door.conf", Array(text.utf8), folder))
    service.door.open()
    if service.door.opened != nil { return service }
    port = 0
  }
  fatalError("no port to listen at")
}

private func connect() -> Int32 {
  let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  let size = socklen_t(MemoryLayout.size(ofValue: address))
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(client, $0, size) }
  }
  // libFuzzer's own timer may interrupt the call, and the connection is made all the same.
  guard code == 0 || errno == EINTR else {
    fatalError("no connection: \(String(cString: strerror(errno)))")
  }
  // Ends with a reset, so that the kernel keeps no ended connections.
  var linger = linger(l_onoff: 1, l_linger: 0)
  setsockopt(
    client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  return client
}

/// An answer is HTTP. Its JSON is whole and as long as its head says, and a refusal has a sentence.
/// libmicrohttpd itself refuses in HTML.
private func judge(_ answer: String) throws {
  guard !answer.isEmpty else { return }
  precondition(answer.hasPrefix("HTTP/1."), "an answer that is not HTTP")
  let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false)
  let length = lines.first { $0.hasPrefix("Content-Length: ") }?.dropFirst("Content-Length: ".count)
  guard let end = lines.firstIndex(of: ""), end + 1 < lines.count, lines[end + 1].hasPrefix("{"),
    let length = length.flatMap({ Int($0) })
  else { return }
  let body = String(decoding: lines[end + 1].utf8.prefix(length), as: UTF8.self)
  guard let record = try? Record(json: body, path: "the answer") else {
    fatalError("an answer that is not JSON: \(body.debugDescription)")
  }
  if case .text(let words)? = record["error"] { expectSentence(words) }
}
