import Basics
import CSystemd
import Daemon
import Glibc
import TestSupport

@testable import Horology
@testable import Service

/// The requests for timers and alarms.
private let forms = Request.forms.filter {
  $0.name.hasPrefix("timer") || $0.name.hasPrefix("interval") || $0.name.hasPrefix("alarm")
}

/// Reads bytes as calls of the bus, one after another, and gives their orders to one Announcer. The
/// timers and the alarms must be the same when they are saved and read again.
///
/// A call is a byte for the method, a byte for the number of its keys, and for each a byte for the
/// key, one for the type, and the value: whole numbers with their first byte first, and texts up to a
/// zero. After a byte beyond the methods, the Announcer sleeps as long as it wants.
func readCalls(_ bytes: [UInt8]) throws {
  var bytes = bytes[...]
  let start = Instant(microseconds: 1_795_359_600_000_000)
  var now = Now(instant: start, uptime: Uptime(seconds: 1000), sinceBoot: .seconds(1000))
  var announcer = Announcer(
    settings: AnnouncerSettings(), zone: UTCZone(), trust: .synchronised, at: now)
  var effects = announcer.handle(.woke, at: now).effects
  for _ in 0..<200 {
    guard let method = bytes.popFirst() else { break }
    if Int(method) < forms.count {
      guard let event = try event(forms[Int(method)], &bytes) else { continue }
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
  state.update(from: announcer, boot: "this")
  let again = try SavedState(text: state.text, path: "state.json")
  precondition(again.text == state.text, "timers that are others when they are read again")
}

/// The order of a call; nil if it is refused.
private func event(_ form: Request.Form, _ bytes: inout ArraySlice<UInt8>) throws -> Event? {
  var record = Record()
  for _ in 0..<(bytes.popFirst() ?? 0) % 8 {
    let key = Int(bytes.popFirst() ?? 0)
    record[key < form.facts.count ? form.facts[key].name : "key \(key)"] = value(&bytes)
  }
  let message = try BusMessage {
    sd_bus_message_new_method_call(bus, &$0, nil, "/a", "a.b", form.method)
  }
  BusWriter.append(record, to: message.pointer)
  guard sd_bus_message_seal(message.pointer, 1, 0) >= 0 else { return nil }
  sd_bus_message_rewind(message.pointer, 1)
  guard let read = BusReader.record(message.pointer) else {
    preconditionFailure("a record that cannot be read again: \(record)")
  }
  precondition(read == record || "\(record)".contains("nan"), "\(record) is read as \(read)")
  do throws(BadValue) {
    switch try form.request(read, from: .person) {
    case .reminder(let order): return .reminder(order)
    case .interval(let order): return .interval(order)
    default: preconditionFailure("\(form.name) is about something else")
    }
  } catch {
    expectSentence(error.description)
    return nil
  }
}

private func value(_ bytes: inout ArraySlice<UInt8>) -> Value {
  func number() -> UInt64 {
    let taken = bytes.prefix(8)
    bytes = bytes.dropFirst(8)
    return taken.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
  switch bytes.popFirst() ?? 0 {
  case 0..<50: return .integer(Int64(bitPattern: number()))
  case 50..<90: return .real(Double(bitPattern: number()))
  case 90..<110: return .flag((bytes.popFirst() ?? 0) & 1 == 1)
  case 110..<120: return .list([.text("a")])
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
