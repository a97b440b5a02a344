import Basics
import Devices
import Horology
import Service
import Sound

let muteCommand = Subcommand(
  name: "mute", operands: "[LENGTH | until HH:MM | next]", mostOperands: 4,
  summary: "silence the clock for a while, or at the next occasion",
  details: """
    Silences the clock for LENGTH (as 45min or 8h30m, at most 744h), or until its zone shows HH:MM
    again, or with 'next' only at the next occasion that would sound, or without any of these until
    'clocksmith unmute'. What sounds now is faded out, timers and alarms that ring are stopped, and
    the running interval ends. With 'next' nothing is stopped. A timer, an alarm or an interval that
    begins later still sounds, and the clock still answers a person who asks for the time. A restart
    or a power cut does not end it.
    """,
  options: []
) { arguments in
  let text = arguments.operands.joined(separator: " ")
  var duration = Duration(text: text)
  if text.hasPrefix("until ") {
    let time = try timeOfDay(String(text.dropFirst("until ".count)))
    let (now, zone) = (SystemClock.now.instant, try zoneOfService(runningService().status().zone))
    duration = next("\(time)", after: now, in: zone).map { $0 - now }
  } else if !text.isEmpty, text != "next" {
    guard let duration, .seconds(1) <= duration, duration <= SoftwareMute.longest else {
      throw Misuse(
        description: "'\(text.excerpt)' is no length; write one from 1s to 744h, as 45min or "
          + "8h30m, or 'until 07:00', or next; 'clocksmith unmute' ends a mute")
    }
  }
  try runningService().change { service in
    try service.ask(text == "next" ? .muteNext : .mute(for: duration))
    // Ask the service when the mute ends: this program may have another clock, as in a container.
    let status = try service.status()
    let words = status.mute.inWords(in: try zoneOfService(status.zone))
    try tellDone("muted \(words ?? "no longer: it was taken back")")
  }
  return ExitStatus.done
}

extension SoftwareMute {
  /// As in `until 2026-11-21T17:07:00`, to follow "muted"; nil if nothing is muted.
  func inWords(in zone: SystemZone) -> String? {
    switch self {
    case .off: nil
    case .next: "for the next announcement"
    case .on: "until 'clocksmith unmute'"
    case .until(let end): "until \(zone.civil(at: end).dateTime)"
    }
  }
}

let volumeCommand = Subcommand(
  name: "volume", operands: "[DECIBELS]", mostOperands: 2,
  summary: "show the volume, or set another",
  details: """
    Without DECIBELS it shows the volume. DECIBELS is from -60dB to 0dB, as -6dB. It is the setting
    speaker.volume, as 'clocksmith set' has it. What sounds now keeps its volume.
    """,
  options: []
) { arguments in
  let text = arguments.operands.joined(separator: " ")
  guard !arguments.operands.isEmpty else {
    try say("\(try runningService().status().volume) dB")
    return ExitStatus.done
  }
  guard let volume = Decibels(level: text)?.value else {
    throw Misuse(
      description: "'\(text.excerpt)' is no volume; write one from -60dB to 0dB: 0dB is the "
        + "loudest, and 10dB less sounds half as loud")
  }
  try runningService().change { service in
    try service.ask(.volume(volume))
    try tellDone("\(try service.status().volume) dB")
  }
  return ExitStatus.done
}

let unmuteCommand = Subcommand(
  name: "unmute", operands: "", mostOperands: 0,
  summary: "end a mute",
  details: "Ends a mute. If the switch silences the clock, it stays silent.",
  options: []
) { _ in
  try runningService().change { service in
    let wasMuted = try service.status().mute != .off
    try service.ask(.unmute)
    try tellDone(wasMuted ? "unmuted" : "it was not muted")
    if try service.status().isSilencedBySwitch {
      complain("note: the switch still silences the clock")
    }
  }
  return ExitStatus.done
}
