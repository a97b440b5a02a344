import Basics
import CALSA
@preconcurrency import Glibc

/// A volume control of a sound card, by ALSA's simple mixer. It is set while something sounds, and
/// restored afterwards.
final class CardMixer {
  private let mixer: OpaquePointer
  private let element: OpaquePointer
  private let control: String
  private let name: String
  private let file: String?
  private var saved: SavedLevel?

  /// - Parameters:
  ///   - control: the card's control device, as in `hw:CARD=DAC`.
  ///   - name: the control, as in `Digital` or `PCM`.
  ///   - file: where the setting is kept until it is restored; nil keeps it in memory alone.
  /// - Throws: `Fault` if there is no such control for playing; it names the controls there are.
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

  /// The controls for playing that a card has, with their ranges in dB if the card tells them.
  static func controls(of control: String) -> [(name: String, range: ClosedRange<Double>?)] {
    guard let mixer = try? open(control) else { return [] }
    defer { snd_mixer_close(mixer) }
    return elements(mixer).map { ($0.name, decibels(of: $0.element)) }
  }

  private static func open(_ control: String) throws(Fault) -> OpaquePointer {
    var opened: OpaquePointer?
    var code = snd_mixer_open(&opened, 0)
    guard code == 0, let mixer = opened else {
      throw Fault("cannot open the mixer of \(control)", errno: -code)
    }
    code = snd_mixer_attach(mixer, control)
    if code == 0 { code = snd_mixer_selem_register(mixer, nil, nil) }
    if code == 0 { code = snd_mixer_load(mixer) }
    guard code == 0 else {
      snd_mixer_close(mixer)
      throw Fault("cannot open the mixer of \(control)", errno: -code)
    }
    return mixer
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

  private static func decibels(of element: OpaquePointer) -> ClosedRange<Double>? {
    var (least, most) = (0, 0)
    guard snd_mixer_selem_get_playback_dB_range(element, &least, &most) == 0, least < most else {
      return nil
    }
    return Double(least) / 100...Double(most) / 100
  }

  /// Saves the control's setting, switches it on and sets it to `decibels`, where 0 leaves the
  /// sound as it is. It gets the nearest value of the card that is not louder.
  func set(decibels: Double) throws(Fault) {
    snd_mixer_handle_events(mixer)
    let level = current
    saved = level
    if let file { try? writeText(level.text, to: file) }
    let wanted = Int((decibels * 100).rounded())
    // Rounding down (-1): never louder than asked for.
    let code = snd_mixer_selem_set_playback_dB_all(element, wanted, -1)
    guard code == 0 else {
      restore()
      throw Fault("cannot set mixer '\(name)'", errno: -code)
    }
    if snd_mixer_selem_has_playback_switch(element) == 1 {
      snd_mixer_selem_set_playback_switch_all(element, 1)
    }
  }

  private var current: SavedLevel {
    var level = SavedLevel(control: control, name: name)
    for number in SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue {
      let channel = snd_mixer_selem_channel_id_t(number)
      guard snd_mixer_selem_has_playback_channel(element, channel) == 1 else { continue }
      var volume = 0
      var isOn: Int32 = 1
      snd_mixer_selem_get_playback_volume(element, channel, &volume)
      snd_mixer_selem_get_playback_switch(element, channel, &isOn)
      level.channels.append([Int(number), volume, Int(isOn)])
    }
    return level
  }

  func restore() {
    guard let saved else { return }
    for numbers in saved.channels {
      let channel = snd_mixer_selem_channel_id_t(Int32(truncatingIfNeeded: numbers[0]))
      snd_mixer_selem_set_playback_volume(element, channel, numbers[1])
      if snd_mixer_selem_has_playback_switch(element) == 1 {
        snd_mixer_selem_set_playback_switch(element, channel, numbers[2] == 0 ? 0 : 1)
      }
    }
    self.saved = nil
    if let file { unlink(file) }
  }

  /// Restores the setting that a killed program has left in `file`, if the card is there.
  static func restore(from file: String) {
    guard let level = SavedLevel(file: file),
      let mixer = try? CardMixer(control: level.control, name: level.name, file: file)
    else { return }
    mixer.saved = level
    mixer.restore()
  }
}

/// What a control was set to. As a text, a line each for the control device, the control, and each
/// channel.
private struct SavedLevel {
  let control: String
  let name: String
  /// The number of each channel, its volume, and 1 if it is switched on.
  var channels: [[Int]] = []

  init(control: String, name: String) {
    (self.control, self.name) = (control, name)
  }

  /// Nil if there is no such file, or it is something else.
  init?(file: String) {
    guard let bytes = try? readRegularFile(file) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    let channels = lines.dropFirst(2).map { $0.split(separator: " ").compactMap { Int($0) } }
    guard lines.count > 2, channels.allSatisfy({ $0.count == 3 }) else { return nil }
    self.init(control: lines[0], name: lines[1])
    self.channels = channels
  }

  var text: String {
    let numbers = channels.map { $0.map(String.init).joined(separator: " ") }
    return ([control, name] + numbers).map { "\($0)\n" }.joined()
  }
}
