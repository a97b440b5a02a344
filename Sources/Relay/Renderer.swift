import Basics
import CLinux
import CSystemd
import Daemon
@preconcurrency import Glibc

/// A file that the program `clocksmith` makes.
struct Rendering: Hashable {
  /// The words of the command, up to the name of the file.
  let words: [String]
  /// The name of the file without its folder, as in `noon.svg`.
  let file: String
}

/// Runs `clocksmith` for what the page shows or plays, one process at a time, and keeps the last file
/// of each name: a page that is opened again costs nothing.
final class Renderer {
  private static let patience = Duration.seconds(30)
  private static let mostWaiting = 8
  /// Bytes of the file. A voice takes 100 kB for a time, and a picture half of that.
  private static let largest = 4 << 20

  private typealias Answer = (Result<[UInt8], Rejection>) -> Void

  private let loop: EventLoop
  private var kept: [String: (rendering: Rendering, bytes: [UInt8])] = [:]
  private var waiting: [(rendering: Rendering, answer: Answer)] = []
  private var child: Child?
  private var timer: EventSource?

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// The configuration has changed.
  func forget() {
    kept = [:]
    child?.isOutdated = true
  }

  func render(
    _ rendering: Rendering, _ answer: @escaping (Result<[UInt8], Rejection>) -> Void
  ) {
    if let last = kept[rendering.file], last.rendering == rendering {
      return answer(.success(last.bytes))
    }
    guard waiting.count < Self.mostWaiting else {
      return answer(
        .failure(Rejection(.full, "too many pictures and voices are asked for; try again")))
    }
    waiting.append((rendering, answer))
    renderNext()
  }

  private func renderNext() {
    guard child == nil, let next = waiting.first?.rendering else { return }
    do throws(Fault) {
      let child = try Child(next, loop) { [unowned self] in finish() }
      self.child = child
      timer = try? loop.after(Self.patience) { child.stop() }
    } catch {
      end(next, .failure(Rejection(.refused, error.description)))
    }
  }

  private func finish() {
    guard let child else { return }
    timer = nil
    let result = child.result(largest: Self.largest)
    let rendering = child.rendering
    if case .success(let bytes) = result, !child.isOutdated {
      kept[rendering.file] = (rendering, bytes)
    }
    self.child = nil
    end(rendering, result)
  }

  private func end(_ rendering: Rendering, _ result: Result<[UInt8], Rejection>) {
    let served = waiting.filter { $0.rendering == rendering }
    waiting.removeAll { $0.rendering == rendering }
    for each in served { each.answer(result) }
    renderNext()
  }
}

/// A `clocksmith` that runs, and the folder of its file. Released, it is stopped.
private final class Child {
  let rendering: Rendering
  /// True if its file must not be kept.
  var isOutdated = false
  private var isLate = false
  private var process = pid_t()
  private let folder: String
  /// What it says on standard error: the end of what it says is the end of the process.
  private let errors: Int32
  private var told: [UInt8] = []
  private var source: EventSource?

  private var path: String { "\(folder)/\(rendering.file)" }

  /// - Throws: `Fault` if it cannot be started.
  init(_ rendering: Rendering, _ loop: EventLoop, ended: @escaping () -> Void) throws(Fault) {
    self.rendering = rendering
    var template = Array("/tmp/clocksmith-relay.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Fault("cannot make a folder", errno: errno) }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
    guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
      let code = errno
      rmdir(folder)
      throw Fault("cannot make a pair of sockets", errno: code)
    }
    errors = ends[0]
    let code = start(errors: ends[1])
    close(ends[1])
    guard code == 0 else { throw Fault("cannot start clocksmith", errno: code) }
    source = try loop.whenReady(errors, events: EPOLLIN.rawValue) { [unowned self] in
      if !readErrors() { ended() }
    }
  }

  deinit {
    source = nil
    if process > 0 {
      stop()
      waitpid(process, nil, 0)
    }
    close(errors)
    // One that was stopped may leave a part of the file, under another name.
    for name in names(inFolder: folder) { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// - Returns: the number of the error; 0 for none.
  private func start(errors: Int32) -> Int32 {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)
    // The loop has blocked the signals that end a program.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = (["clocksmith"] + rendering.words + [path]).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // Without the folders and sockets that systemd gave to the relay.
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    return posix_spawn(
      &process, programBeside("clocksmith"), &files, &attributes, &arguments, &environment)
  }

  /// - Returns: false at the end.
  private func readErrors() -> Bool {
    var block = [UInt8](repeating: 0, count: 1024)
    let count = read(errors, &block, block.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    if told.count < block.count { told += block[..<count] }
    return true
  }

  func stop() {
    isLate = true
    kill(process, SIGKILL)
  }

  /// Call it at the end.
  func result(largest: Int) -> Result<[UInt8], Rejection> {
    var status: Int32 = 0
    waitpid(process, &status, 0)
    process = 0
    if isLate { return .failure(Rejection(.timeout, "clocksmith took too long for it")) }
    guard status == 0 else {
      // Notes come before it.
      let line = String(decoding: told, as: UTF8.self).split(separator: "\n").last?.prefix(300)
      return .failure(Rejection(.refused, line.map(String.init) ?? "clocksmith failed"))
    }
    do throws(Fault) {
      return .success(try readRegularFile(path, largest: largest))
    } catch {
      return .failure(Rejection(.refused, error.description))
    }
  }
}
