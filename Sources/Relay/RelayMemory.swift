import Basics
import CLinux
import Daemon
@preconcurrency import Glibc
import Horology

/// The memory that outlasts the relay: the commands that wait for their instants, and the topics of
/// the clock's retained messages at the broker.
struct RelayMemory: Hashable {
  struct Waiting: Hashable {
    let topic: String
    let line: String
  }

  var waiting: [Waiting] = []
  var retained: [String] = []

  private static let waiting = Key<[Waiting]>.records(
    "waiting", { Record(["topic": .text($0.topic), "command": .text($0.line)]) },
    { record throws(BadValue) in
      Waiting(
        topic: try record.value(.text("topic")), line: try record.value(.text("command")))
    })
  private static let retained = Key<[String]>.texts("retained")

  private var text: String {
    var record = Record(Self.waiting, waiting)
    record[Self.retained] = retained
    return record.json + "\n"
  }

  private init(text: String, path: String) throws(Fault) {
    let record = try Record(json: text, path: path)
    do throws(BadValue) {
      waiting = try record.optional(Self.waiting) ?? []
    } catch {
      throw Fault(path, "\(error)")
    }
    retained = record[Self.retained] ?? []
  }

  init() {}
}

extension RelayMemory {
  /// More than 64 commands of the largest size have, in which JSON escapes each byte with six.
  private static let mostBytes = 1 << 23

  /// In the folder that systemd has made for the service (`StateDirectory=`); nil without it.
  static var pathOfService: String? {
    stateFolder.map { "\($0)/relay.json" }
  }

  /// Reads the memory. It is empty if there is no file.
  /// - Returns: the memory, and a complaint if the file was wrong; the file is then set aside.
  static func load(_ path: String) -> (RelayMemory, complaint: String?) {
    do throws(Fault) {
      let text = String(
        decoding: try readRegularFile(path, largest: mostBytes), as: UTF8.self)
      return (try RelayMemory(text: text, path: path), nil)
    } catch {
      if error.code == ENOENT { return (RelayMemory(), nil) }
      let kept = (try? setAside(path)).map { "; it is now \($0)" } ?? ""
      return (RelayMemory(), "\(error)\(kept); the commands that waited are lost")
    }
  }

  /// Returns when the memory is on the disk.
  func save(_ path: String) throws(Fault) { try writeText(text, to: path, isSynced: true) }
}

extension Instant {
  /// Reads `CLOCK_REALTIME`, to the microsecond, as the register has it.
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
