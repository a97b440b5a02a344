import Basics
import Sound
import Studio

/// `voice verify`: reads every clip of a pack, and lists what misses the targets.
func verifyVoice(_ name: String) throws -> Int32 {
  let pack = try voicePack(named: name)
  let verification = VoiceVerification(of: pack)
  var hasFound = false
  func found(_ words: String) throws {
    hasFound = true
    try say("FOUND " + words)
  }
  for (wording, interval) in verification.coverage {
    if let interval {
      try say("ok    \(wording.name)    it says \(interval.times)")
    } else {
      let isMendable = pack.shortestInterval(wording: wording) != nil
      try found(
        "\(wording.name)    it says not even the full hours; "
          + (isMendable ? "mend the clips below" : "add rules or clips"))
    }
  }
  if verification.coverage.isEmpty { try found("rules       neither [clock 12] nor [clock 24]") }
  try say("ok    timers      it \(verification.timers)")
  for words in verification.brokenRules { try found("rules       \(words)") }
  if let words = verification.crossfade { try found("crossfade   \(words)") }
  for finding in verification.findings {
    try found("clip        \(finding.clip): \(finding.words)")
  }
  if let words = pack.licenceFlaw { try found("licence     \(words)") }
  if verification.findings.isEmpty {
    try say("ok    clips       \(pack.sortedClips.count), all well")
  }
  return hasFound ? ExitStatus.found : ExitStatus.done
}
