import Basics
import CALSA
@preconcurrency import Glibc

/// A volume control of a sound card, which is set while something sounds, and restored afterwards.
public final class CardMixer {
  private let mixer: OpaquePointer
  private let element: OpaquePointer
  private let control: String
  private let name: String
  private let file: String?
  /// What the control was set to before: of each channel its number, its volume, and 1 if it is on.
  private var saved: [[Int]] = []

  /// - Parameter file: keeps the setting until it is restored; nil keeps it in memory alone.
  init(control: String, name: String, file: String?) throws(Fault) {
    (self.control, self.name, self.file) = (control, name, file)
    mixer = try Self.open(control)
    let elements = Self.elements(mixer)
    guard let found = elements.first(where: { $0.name == name }) else {
      snd_mixer_close(mixer)
      let names = elements.map(\.name).joined(separator: ", ")
      throw Fault(
        "mixer '\(name)' of \(control)",
        "not found; set [speaker] mixer to \(names.isEmpty ? "none: there are none" : names)")
    }
    element = found.element
  }

  deinit {
    snd_mixer_close(mixer)
  }

  /// The controls for playing that a card has.
  static func controls(of control: String) -> [String] {
    guard let mixer = try? open(control) else { return [] }
    defer { snd_mixer_close(mixer) }
    return elements(mixer).map(\.name)
  }

  private static func open(_ control: String) throws(Fault) -> OpaquePointer {
    var opened: OpaquePointer?
    var code = snd_mixer_open(&opened, 0)
    if code == 0 { code = snd_mixer_attach(opened, control) }
    if code == 0 { code = snd_mixer_selem_register(opened, nil, nil) }
    if code == 0 { code = snd_mixer_load(opened) }
    if code == 0, let opened { return opened }
    if let opened { snd_mixer_close(opened) }
    throw Fault("cannot open the mixer of \(control)", errno: -code)
  }

  private static func elements(
    _ mixer: OpaquePointer
  ) -> [(name: String, element: OpaquePointer)] {
    var found: [(String, OpaquePointer)] = []
    var next = snd_mixer_first_elem(mixer)
    while let element = next {
      if snd_mixer_selem_has_playback_volume(element) == 1 {
        found.append((String(cString: snd_mixer_selem_get_name(element)), element))
      }
      next = snd_mixer_elem_next(element)
    }
    return found
  }

  /// Saves the control's setting, switches it on and sets it to `decibels`, where 0 leaves the
  /// sound as it is. It gets the nearest value of the card that is not louder.
  func set(decibels: Double) throws(Fault) {
    snd_mixer_handle_events(mixer)
    saved = current
    if let file {
      // A line each for the control device, the control, and each channel.
      let levels = saved.map { $0.map(String.init).joined(separator: " ") }
      try? writeText(([control, name] + levels).joined(separator: "\n"), to: file)
    }
    let wanted = Int((decibels * 100).rounded())
    // Rounding down (-1): never louder than asked for.
    let code = snd_mixer_selem_set_playback_dB_all(element, wanted, -1)
    guard code == 0 else {
      restore()
      throw Fault("cannot set mixer '\(name)'", errno: -code)
    }
    // Fails if it has no switch.
    snd_mixer_selem_set_playback_switch_all(element, 1)
  }

  private var current: [[Int]] {
    (SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue).compactMap { number in
      let channel = snd_mixer_selem_channel_id_t(number)
      var (volume, isOn): (Int, Int32) = (0, 1)
      guard snd_mixer_selem_has_playback_channel(element, channel) == 1 else { return nil }
      snd_mixer_selem_get_playback_volume(element, channel, &volume)
      snd_mixer_selem_get_playback_switch(element, channel, &isOn)
      return [Int(number), volume, Int(isOn)]
    }
  }

  func restore() {
    for numbers in saved where numbers.count == 3 {
      let channel = snd_mixer_selem_channel_id_t(Int32(truncatingIfNeeded: numbers[0]))
      snd_mixer_selem_set_playback_volume(element, channel, numbers[1])
      snd_mixer_selem_set_playback_switch(element, channel, numbers[2] == 0 ? 0 : 1)
    }
    saved = []
    if let file { unlink(file) }
  }

  /// Restores the setting that a killed program has left in `file`, if the card is there.
  public static func restore(from file: String) {
    guard let bytes = try? readRegularFile(file) else { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count > 2,
      let mixer = try? CardMixer(control: lines[0], name: lines[1], file: file)
    else { return }
    mixer.saved = lines.dropFirst(2).map { $0.split(separator: " ").compactMap { Int($0) } }
    mixer.restore()
  }
}
