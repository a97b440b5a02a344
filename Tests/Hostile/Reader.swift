import Basics
import Horology
import Sound

@testable import Relay
@testable import Service

/// The readers of bytes that others have made: files, messages and words.
///
/// Each uses the program's own paths and goes one step further with the result. It stops the
/// process if a promise is broken: a crash, a refusal that is not a sentence, or a state that
/// changes when it is written and read again.
public enum Reader: String, CaseIterable, Sendable {
  case configuration
  case relay
  case tune
  case voice
  case clip
  case state
  case order
  case request
  case call
  case words

  /// Reads the bytes.
  /// - Parameter folder: where to write a file, for the readers of files.
  public func read(_ bytes: [UInt8], in folder: String) {
    do {
      switch self {
      case .configuration: try readConfiguration(at: file("clocksmith.conf", bytes, folder))
      case .relay: _ = try RelayConfiguration.load(path: file("relay.conf", bytes, folder))
      case .tune: try readTune(at: file("hostile.tune", bytes, folder))
      case .voice: try readVoice(bytes, folder)
      case .clip: try readClip(at: file("clip", bytes, folder))
      case .state: try readState(bytes)
      case .order: try readOrder(bytes)
      case .request: try readRequest(bytes, folder)
      case .call: try readCalls(bytes)
      case .words: try readWords(String(decoding: bytes, as: UTF8.self))
      }
    } catch {
      expectSentence("\(error)")
    }
  }
}

/// A message to a person is one line. It is not empty or too long, and it has no control characters
/// that would steer a terminal.
func expectSentence(_ text: String) {
  precondition(!text.isEmpty, "an empty refusal")
  precondition(text.utf8.count < 2000, "a refusal of \(text.utf8.count) bytes")
  let controls = text.unicodeScalars.filter { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
  precondition(controls.isEmpty, "a refusal with control characters: \(text.debugDescription)")
}

private func readConfiguration(at path: String) throws {
  let configuration = try Configuration.load(path: path)
  let settings = configuration.announcer
  for alarm in settings.alarms {
    precondition(Reminder.flaw(ofName: alarm.name ?? "a", .alarm) == nil)
  }
}

private func readTune(at path: String) throws {
  let tune = try Tune(path: path, name: "hostile")
  for movement in tune.movements.values { precondition(movement.melody.count <= 200) }
}

private func readVoice(_ bytes: [UInt8], _ folder: String) throws {
  let pack = try VoicePack(path: voiceFolder(bytes, in: folder))
  for wording in pack.wordings {
    for minute in [0, 1, 30, 59] {
      _ = try? pack.text(of: CivilTime(hour: 13, minute: minute)!, wording: wording)
    }
    _ = pack.shortestInterval(wording: wording)
  }
}

private func readClip(at path: String) throws {
  let file = try SoundFile(path: path, anyChannels: true)
  for channel in try file.readChannels() {
    precondition(channel.allSatisfy(\.isFinite), "a clip that holds no numbers")
  }
}

private func readState(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let state = try SavedState(text: text, path: "state.json")
  let again = try SavedState(text: state.text, path: "state.json")
  precondition(state == again, "a state that is another when it is read again")
}

private func readOrder(_ bytes: [UInt8]) throws {
  guard bytes.count <= Order.largestPayload else { return }
  var desk = CommandReader()
  let now = Instant(microseconds: 1_795_359_600_000_000)
  _ = try desk.read(bytes, at: now, clockIsUsed: true)
}

private func readWords(_ text: String) throws {
  _ = Duration(text: text)
  _ = Duration(timer: text)
  _ = Instant(rfc3339: text)
  _ = ListenAddress(text: text)
  _ = Reminder.flaw(ofName: text, .alarm).map(expectSentence)
  for read: (String) throws -> Void in [
    { _ = try QuietHours(text: $0) }, { _ = try VolumeRules(text: $0) },
    { _ = try TimeOfDay(text: $0) }, { _ = try AlarmDays(weekdays: $0) },
    { _ = try AlarmRise(text: $0) },
  ] {
    // As the configuration and the commands tell it.
    do { try read(text) } catch { expectSentence("\(Fault("alarm", "\(error)"))") }
  }
}
