import Basics
import CLinux
import CSystemd
import Daemon
@preconcurrency import Glibc

/// Runs `clocksmith` for what the page shows or plays, one process at a time. It keeps the last file, for
/// a browser asks for a sound in parts.
final class Renderer {
  private static let mostWaiting = 8
  typealias Answer = (Result<[UInt8], Rejection>) -> Void

  private let loop: EventLoop
  private var last: (words: [String], bytes: [UInt8])?
  private var waiting: [(words: [String], answer: Answer)] = []
  private var child: Child?

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// The configuration has changed: the file that is being rendered is begun again.
  func forget() {
    (last, child) = (nil, nil)
    startNext()
  }

  /// - Parameter words: of the command. The name of a file follows.
  func render(_ words: [String], _ answer: @escaping Answer) {
    if let last, last.words == words { return answer(.success(last.bytes)) }
    guard waiting.count < Self.mostWaiting else {
      return answer(
        .failure(Rejection(.full, "too many pictures and voices are asked for; try again")))
    }
    waiting.append((words, answer))
    startNext()
  }

  private func startNext() {
    guard child == nil, let words = waiting.first?.words else { return }
    do throws(Fault) {
      child = try Child(words, loop) { [unowned self] in end(words, $0) }
    } catch {
      end(words, .failure(Rejection(.refused, error.description)))
    }
  }

  private func end(_ words: [String], _ result: Result<[UInt8], Rejection>) {
    child = nil
    if case .success(let bytes) = result { last = (words, bytes) }
    let served = waiting.filter { $0.words == words }
    waiting.removeAll { $0.words == words }
    for each in served { each.answer(result) }
    startNext()
  }
}

/// A `clocksmith` that runs, and the folder of its file. Released, it is stopped.
private final class Child {
  private static let patience = Duration.seconds(30)
  /// Bytes of the file. A voice takes 100 kB for a time, and a picture half of that.
  private static let largest = 4 << 20

  private let folder: String
  /// `clocksmith` takes the format from the name.
  private let path: String
  /// What it says goes into this file.
  private var words: String { "\(folder)/words" }
  private var process = pid_t()
  /// As pidfd_open(2).
  private var descriptor: Int32 = -1
  private var source: EventSource?
  private var timer: EventSource?
  private var isLate = false

  init(
    _ command: [String], _ loop: EventLoop,
    ended: @escaping (Result<[UInt8], Rejection>) -> Void
  ) throws(Fault) {
    var template = Array("/tmp/clocksmith-relay.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Fault("cannot make a folder", errno: errno) }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    path = "\(folder)/\(command.last == "--picture" ? "noon.svg" : "voice.wav")"
    let code = start(command)
    guard code == 0 else { throw Fault("cannot start clocksmith", errno: code) }
    descriptor = pidfd_open(process, 0)
    source = try loop.whenReady(descriptor, events: EPOLLIN.rawValue) { [unowned self] in
      // At once: the next process may get a descriptor of the same number.
      source?.rests()
      ended(result())
    }
    timer = try loop.after(Self.patience) { [unowned self] in
      isLate = true
      kill(process, SIGKILL)
    }
  }

  deinit {
    source = nil
    if process > 0 {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(descriptor)
    // One that was stopped may leave a part of the file, under another name.
    for name in names(inFolder: folder) { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// - Returns: the number of the error; 0 for none.
  private func start(_ command: [String]) -> Int32 {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, words, O_WRONLY | O_CREAT, 0o600)
    // The loop has blocked the signals that end a program.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = (["clocksmith"] + command + [path]).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // Without the folders and sockets that systemd gave to the relay.
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    return posix_spawn(
      &process, programBeside("clocksmith"), &files, &attributes, &arguments, &environment)
  }

  private func result() -> Result<[UInt8], Rejection> {
    var status: Int32 = 0
    waitpid(process, &status, 0)
    process = 0
    if isLate { return .failure(Rejection(.timeout, "clocksmith took too long for it")) }
    guard status == 0 else {
      let said = (try? readRegularFile(words)) ?? []
      // Notes come before it.
      let line = String(decoding: said, as: UTF8.self).split(separator: "\n").last?.prefix(300)
      return .failure(Rejection(.refused, line.map(String.init) ?? "clocksmith failed"))
    }
    do throws(Fault) {
      return .success(try readRegularFile(path, largest: Self.largest))
    } catch {
      return .failure(Rejection(.refused, error.description))
    }
  }
}
