import Basics
@preconcurrency import Glibc
import Horology
import Service
import Sound

/// `voice list`: the installed and the configured voices, and what each can do.
/// - Parameter configured: the configured voice; nil if it is not known.
func listVoices(_ configured: String?, asJSON: Bool) throws -> Int32 {
  var names = Sounds.voiceNames()
  if let configured, !names.contains(configured) { names.insert(configured, at: 0) }
  for name in names {
    let isConfigured = name == configured
    do throws(Fault) {
      let pack = try Sounds.voice(name)
      try asJSON
        ? say(pack.json(name, isConfigured: isConfigured).text)
        : say(pack.lines(name, isConfigured: isConfigured))
    } catch {
      var line = JSONLine()
      line.begin(name, isConfigured: isConfigured)
      line.set("error", error.description)
      try say(asJSON ? line.text : "\(mark(isConfigured)) \(name): cannot be used: \(error)")
    }
  }
  return ExitStatus.done
}

/// A line for each clock and style of a pack, with the times that it says.
func coverage(_ pack: VoicePack) -> String {
  pack.wordings.map { wording in
    let times = pack.shortestInterval(wording: wording)?.times ?? "not even the full hours"
    return "in \(wording.name) it says \(times)"
  }.joined(separator: "\n") + "\nit \(pack.timersText)"
}

private func mark(_ isConfigured: Bool) -> String { isConfigured ? "*" : " " }

extension JSONLine {
  fileprivate mutating func begin(_ name: String, isConfigured: Bool) {
    set("name", name)
    set("configured", isConfigured)
  }
}

extension VoicePack {
  fileprivate func lines(_ name: String, isConfigured: Bool) -> String {
    let clocks = HourFormat.allCases.compactMap { format -> String? in
      let styles = wordings.filter { $0.format == format }.map(\.style)
      return styles.isEmpty ? nil : "\(format.rawValue) hours \(styles.joined(separator: ", "))"
    }
    let styles = clocks + (hasOpening ? ["with or without 'it is'"] : [])
    return """
      \(mark(isConfigured)) \(name): \(language), \(description)
          styles   \(styles.joined(separator: "; "))
          licence  \(licenceFlaw ?? licencePath)
          size     \(clipNames.count) clips, \((Double(bytes) / 1e6).text(decimals: 1)) MB
      """
  }

  fileprivate func json(_ name: String, isConfigured: Bool) -> JSONLine {
    var line = JSONLine()
    line.begin(name, isConfigured: isConfigured)
    line.set("path", path)
    line.set("language", language)
    line.set("description", description)
    line.set(
      "styles",
      wordings.map { wording in
        let style = JSONLine()
        style.set("clock", Int(wording.format.rawValue))
        style.set("style", wording.style)
        return style
      })
    line.set("says_it_is", hasOpening)
    line.set("licence", licenceFlaw == nil ? licencePath : nil)
    line.set("clips", clipNames.count)
    line.set("bytes", bytes)
    return line
  }

  /// The size of its clips on the disk, in bytes.
  private var bytes: Int {
    clipNames.compactMap { clip($0)?.path }.reduce(0) { sum, path in
      var status = stat()
      return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
