import Basics
@preconcurrency import Glibc
import Horology
import Service
import Sound
import Studio

func listVoices(_ configured: String?, asJSON: Bool) throws -> Int32 {
  var names = Sounds.voiceNames()
  if let configured, !names.contains(configured) { names.insert(configured, at: 0) }
  for name in names {
    let isConfigured = name == configured
    do throws(Fault) {
      let pack = try Sounds.voice(name)
      try asJSON
        ? say(pack.record(name, isConfigured: isConfigured).json)
        : say(pack.lines(name, isConfigured: isConfigured))
    } catch {
      let record = Record([
        "name": .text(name), "configured": .flag(isConfigured), "error": .text(error.description),
      ])
      try say(asJSON ? record.json : "\(mark(isConfigured)) \(name): cannot be used: \(error)")
    }
  }
  return ExitStatus.done
}

func coverage(_ pack: VoicePack) -> String {
  pack.wordings.map { wording in
    let times = pack.shortestInterval(wording: wording)?.times ?? "not even the full hours"
    return "in \(wording.name) it says \(times)"
  }.joined(separator: "\n") + "\nit \(pack.timersText)"
}

private func mark(_ isConfigured: Bool) -> String { isConfigured ? "*" : " " }

extension VoicePack {
  fileprivate func lines(_ name: String, isConfigured: Bool) -> String {
    let clocks = formats.map { format in
      "\(format.rawValue) hours \(self.styles(format).joined(separator: ", "))"
    }
    let styles = clocks + (hasOpening ? ["with or without 'it is'"] : [])
    return """
      \(mark(isConfigured)) \(name): \(language), \(description)
          styles   \(styles.joined(separator: "; "))
          licence  \(licenceFlaw ?? licencePath)
          size     \(sortedClips.count) clips, \((Double(bytes) / 1e6).text(decimals: 1)) MB
      """
  }

  fileprivate func record(_ name: String, isConfigured: Bool) -> Record {
    Record([
      "name": .text(name), "configured": .flag(isConfigured), "path": .text(path),
      "language": .text(language), "description": .text(description),
      "styles": .list(
        wordings.map {
          .record(
            Record(["clock": .integer(Int64($0.format.rawValue)!), "style": .text($0.style)]))
        }),
      "says_it_is": .flag(hasOpening),
      "licence": licenceFlaw == nil ? .text(licencePath) : nil,
      "clips": .integer(Int64(sortedClips.count)), "bytes": .integer(Int64(bytes)),
    ])
  }

  private var bytes: Int {
    sortedClips.reduce(0) { sum, clip in
      var status = stat()
      return stat(clip.path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}

func verifyVoice(_ name: String) throws -> Int32 {
  let lines = VoiceVerification(of: try voicePack(named: name)).lines
  for line in lines {
    try say("\(line.isWell ? "ok   " : "FOUND") \("\(line.subject)  ".padded(to: 12))\(line.words)")
  }
  return lines.allSatisfy(\.isWell) ? ExitStatus.done : ExitStatus.found
}
