import Basics
import CSystemd
import Daemon
import Glibc
import TestSupport

@testable import Horology
@testable import Service

/// The methods of the bus that take orders for timers and alarms, with their signatures as in
/// Sources/CClocksmith/bus.c.
private let methods: [(member: String, signature: String)] = [
  ("StartTimer", "ts"), ("AddToTimer", "st"), ("PauseTimer", "s"), ("ResumeTimer", "s"),
  ("CancelTimer", "s"), ("TellTimer", "s"), ("StartInterval", "tb"), ("StartRounds", "ttutubb"),
  ("StopInterval", ""), ("SetAlarm", "sssss"), ("SkipAlarm", "s"), ("SnoozeAlarm", "s"),
  ("SnoozeAlarms", ""),
  ("StopAlarm", "s"), ("StopAlarms", ""), ("CancelAlarm", "s"),
]

/// Reads bytes as calls of the bus, one after another, and gives their orders to one Announcer. The
/// timers and the alarms must be the same when they are saved and read again.
///
/// A call is a byte for the method, then its values: whole numbers with their first byte first, and
/// texts up to a zero. After a byte beyond the methods, the Announcer sleeps as long as it wants.
func readCalls(_ bytes: [UInt8]) throws {
  var bytes = bytes[...]
  let start = Instant(microseconds: 1_795_359_600_000_000)
  var now = Now(instant: start, uptime: Uptime(seconds: 1000), sinceBoot: .seconds(1000))
  var announcer = Announcer(
    settings: AnnouncerSettings(), zone: UTCZone(), trust: .synchronised, at: now)
  var effects = announcer.handle(.woke, at: now).effects
  for _ in 0..<200 {
    guard let method = bytes.popFirst() else { break }
    if Int(method) < methods.count {
      guard let event = try event(methods[Int(method)], &bytes) else { continue }
      effects = announcer.handle(event, at: now).effects
    } else if case .wake(let instant)? = effects.last {
      now = now.later(by: max(instant - now.instant, .milliseconds(1)))
      effects = announcer.handle(.woke, at: now).effects
    }
    for case .play(let sounding) in effects {
      let timing = Timing(onsetError: nil, worstError: nil, underruns: 0)
      effects += announcer.handle(.ended(sounding.id, .finished(timing)), at: now).effects
    }
  }
  var state = SavedState()
  state.take(announcer)
  let again = try SavedState(text: state.text, path: "state.json")
  precondition(again.text == state.text, "timers that are others when they are read again")
}

/// The order of a call; nil if it has none.
private func event(
  _ method: (member: String, signature: String), _ bytes: inout ArraySlice<UInt8>
) throws -> Event? {
  let message = try BusMessage {
    sd_bus_message_new_method_call(bus, &$0, nil, "/a", "a.b", method.member)
  }
  for type in method.signature {
    BusWriter.append(value(of: type, &bytes), to: message.pointer)
  }
  guard sd_bus_message_seal(message.pointer, 1, 0) >= 0,
    sd_bus_message_has_signature(message.pointer, method.signature) > 0
  else { return nil }
  sd_bus_message_rewind(message.pointer, 1)
  if let order = BusReader.timerOrder(method.member, message.pointer) { return .timer(order) }
  do throws(BusServer.Refusal) {
    return try BusReader.alarmOrder(method.member, message.pointer).map { .alarm($0) }
  } catch {
    expectSentence(error.words)
    return nil
  }
}

private func value(of type: Character, _ bytes: inout ArraySlice<UInt8>) -> BusValue {
  func number(of size: Int) -> UInt64 {
    let taken = bytes.prefix(size)
    bytes = bytes.dropFirst(size)
    return taken.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
  switch type {
  case "t": return .unsigned(number(of: 8))
  case "u": return .small(UInt32(number(of: 4)))
  case "b": return .flag(number(of: 1) & 1 == 1)
  default:
    let taken = bytes.prefix { $0 != 0 }
    bytes = bytes.dropFirst(taken.count + 1)
    // sd-bus takes only UTF-8, and hands no other text to the program.
    return .text(String(decoding: taken, as: UTF8.self))
  }
}

/// A connection that never says anything: a message cannot be made without one.
nonisolated(unsafe) private let bus: OpaquePointer = {
  var ends: [Int32] = [0, 0]
  var made: OpaquePointer?
  guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, sd_bus_new(&made) >= 0,
    let made, sd_bus_set_fd(made, ends[0], ends[0]) >= 0, sd_bus_start(made) >= 0
  else { fatalError("no connection of a bus") }
  return made
}()
