import CALSA
@preconcurrency import Glibc

/// A sound card that can play, as the kernel has it now.
public struct SoundCard: Hashable, Sendable {
  /// A PCM name that opens it whatever its number is, as in `plughw:CARD=DAC,DEV=0`.
  public let device: String
  public let name: String
  /// The controls of its mixer, and why it cannot be opened now.
  public let state: String

  public static func all() -> [SoundCard] {
    var cards: [SoundCard] = []
    var number: Int32 = -1
    while snd_card_next(&number) == 0, number >= 0 {
      cards += opened(number, devices) ?? []
    }
    return cards
  }

  /// The name of a card that stays the same when its number changes, as in `DAC`.
  static func id(ofCard number: Int32) -> String? { opened(number) { _, id, _ in id } }

  private static func opened<Value>(
    _ number: Int32, _ body: (_ control: OpaquePointer, _ id: String, _ name: String) -> Value
  ) -> Value? {
    var (opened, information): (OpaquePointer?, OpaquePointer?)
    guard snd_ctl_open(&opened, "hw:\(number)", 0) == 0, let control = opened else { return nil }
    defer { snd_ctl_close(control) }
    snd_ctl_card_info_malloc(&information)
    defer { snd_ctl_card_info_free(information) }
    guard snd_ctl_card_info(control, information) == 0 else { return nil }
    return body(
      control, String(cString: snd_ctl_card_info_get_id(information)),
      String(cString: snd_ctl_card_info_get_name(information)))
  }

  private static func devices(
    of control: OpaquePointer, _ id: String, _ name: String
  ) -> [SoundCard] {
    let mixers = CardMixer.controls(of: "hw:CARD=\(id)")
    let volume = mixers.isEmpty ? "no mixer" : "mixer \(mixers.joined(separator: ", "))"

    var cards: [SoundCard] = []
    var device: Int32 = -1
    while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
      var opened: OpaquePointer?
      let code = snd_pcm_open(
        &opened, "hw:CARD=\(id),DEV=\(device)", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
      // It cannot play at all.
      if code == -ENOENT || code == -ENXIO { continue }
      if let opened { snd_pcm_close(opened) }
      let trouble = code == 0 ? "" : ", \(String(cString: snd_strerror(code)))"
      cards.append(
        SoundCard(
          device: "plughw:CARD=\(id),DEV=\(device)", name: name, state: volume + trouble))
    }
    return cards
  }
}
