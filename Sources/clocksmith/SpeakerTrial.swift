import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// - Parameter path: of the configuration, if it is not the installed one.
func askForSpeaker(_ configuration: Configuration, _ path: String?) throws -> Int32 {
  let heard: Configuration?
  do {
    heard = try configuration.withSpeakerHeard(reachableService())
  } catch is Ended {
    complain("check --speaker has ended")
    return ExitStatus.failed
  }
  guard let heard else {
    complain("no speaker was heard; look at its power, its plug and its volume ('alsamixer')")
    return ExitStatus.found
  }
  guard heard.device != configuration.device else {
    try say("The clock uses this speaker already: device = \(heard.device)")
    return ExitStatus.done
  }
  // Before a file that sets it, this would change nothing.
  let (file, then) =
    path == nil && PartsAdvice.here == .card
    ? ("clocksmith.txt", ", then restart the Pi")
    : (
      configuration.place(of: "speaker.device") ?? path ?? "/etc/clocksmith/conf.d/my.conf",
      path == nil ? ", then run 'sudo systemctl reload clocksmith'" : ""
    )
  let mixer = heard.mixer == configuration.mixer ? "" : "\nmixer = none"
  try say("Write this into \(file)\(then):\n[speaker]\ndevice = \(heard.device)\(mixer)")
  return ExitStatus.done
}

extension Configuration {
  /// Says a time on each sound card, and then on the configured speaker, until the person hears it.
  /// - Returns: nil if none was heard.
  func withSpeakerHeard(_ service: RunningService?) throws -> Configuration? {
    let cards = SoundCard.all()
    if cards.isEmpty { try say("\nSound card: \(PartsAdvice.here.card)") }
    var devices = cards.map { (device: $0.device, name: $0.name) }
    if !devices.contains(where: { $0.device == device }) {
      devices.append((device, "the configured speaker"))
    }
    for (device, name) in devices {
      try say("\nSpeaker: \(name), \(device)")
      var trial = self
      trial.device = device
      // A control of another card.
      if device != self.device { trial.mixer = nil }
      if try trial.playSample(service), try askYes("Did you hear it?", usually: false) {
        return trial
      }
    }
    return nil
  }

  /// - Returns: false if it could not be played, which is said.
  func playSample(_ service: RunningService?) throws -> Bool {
    while true {
      do {
        if let obstacle = (try? service?.status())?.obstacle { throw Fault("speaker", obstacle) }
        let words = try speak(
          CivilTime(hour: 15, minute: 15)!, try composerOfOneTime(), self, into: nil)
        try say("  test: said \"\(words)\"")
        return true
      } catch let fault as Fault {
        try say("  \(fault)")
        if fault.code == EBUSY, service != nil {
          try say("  if the clock itself uses it, 'sudo systemctl stop clocksmith' frees it")
        }
        guard try askYes("Try again?", usually: false) else { return false }
      }
    }
  }
}
