import Basics
import CALSA
import CClocksmith
@preconcurrency import Glibc
import Horology
import Sound

/// A PCM device of ALSA, by its name: opened, configured, and its errors put into words.
struct PCMDevice {
  enum Direction {
    case speaker, microphone
  }

  struct Hardware {
    let samples: SampleBuffer
    /// Frames per second.
    let rate: Int
    let bufferFrames: Int
    let periodFrames: Int
    /// True if it counts its frames by the period.
    let isCoarse: Bool
  }

  let name: String
  let direction: Direction

  /// ALSA's plugins wait for the answer of a sound server for half a minute, or forever, and for the
  /// reader of a pipe. Nothing may be held up for five seconds, and a slow device takes three to open.
  private static let milliseconds: (toOpen: Int32, toAnswer: Int32) = (4_000, 1_000)

  /// Opens the device and configures it. A device that cannot be used is released. The connection to a
  /// sound server that does not answer is ended, so that the call that waits for it fails.
  func opened<Value>(
    release: (OpaquePointer) -> Void, _ configure: (OpaquePointer) throws(Fault) -> Value
  ) throws(Fault) -> (pcm: OpaquePointer, Value) {
    clocksmith_patience_begin(Self.milliseconds.toOpen, true)
    var opened: OpaquePointer?
    let result: Result<Value, Fault>
    do throws(Fault) {
      let pcm = try open()
      opened = pcm
      result = .success(try configure(pcm))
    } catch {
      result = .failure(error)
    }
    let isOverdue = clocksmith_patience_end()
    // A card that says that it is open is open, however slow it was. A plugin may have no file.
    if case .success(let value) = result, let opened, !isOverdue || Self.card(of: opened) != nil {
      return (opened, value)
    }
    if let opened { release(opened) }
    if case .failure(let fault) = result, !isOverdue { throw fault }
    throw Fault(
      "\(direction) \(name)", code: ETIMEDOUT,
      "its sound server, or the reader of its pipe, does not answer; \(remedy)")
  }

  /// Calls an open device that may wait for a sound server. If that does not answer within a second,
  /// its connection is ended.
  static func limited<Value>(_ call: () -> Value) -> Value {
    clocksmith_patience_begin(milliseconds.toAnswer, false)
    defer { _ = clocksmith_patience_end() }
    return call()
  }

  private func open() throws(Fault) -> OpaquePointer {
    let stream = direction == .speaker ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    var pcm: OpaquePointer?
    let code = snd_pcm_open(&pcm, name, stream, SND_PCM_NONBLOCK)
    guard code == 0, let pcm else {
      guard code == -EINVAL else { throw fault("cannot open", code) }
      throw Fault(
        "cannot open \(direction) \(name)", code: EINVAL,
        "its definition in ALSA's configuration cannot be used ('aplay -D \(name)' says why); correct "
          + "it in /etc/asound.conf or .asoundrc, or name another \(direction)")
    }
    return pcm
  }

  /// Configures the device as near to this as it can.
  func configure(
    _ pcm: OpaquePointer, channels wanted: UInt32, period: Duration, buffer: Duration
  ) throws(Fault) -> Hardware {
    var parameters: OpaquePointer?
    snd_pcm_hw_params_malloc(&parameters)
    defer { snd_pcm_hw_params_free(parameters) }
    func set(_ code: Int32) throws(Fault) { try check("cannot configure", code) }
    try set(snd_pcm_hw_params_any(pcm, parameters))
    // Use the converter's own rate: libsamplerate converts better than ALSA's plug does.
    _ = snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
    try check(
      direction == .speaker ? "cannot write to" : "cannot read from",
      snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
    let format = SampleFormat.allCases.first {
      snd_pcm_hw_params_set_format(pcm, parameters, $0.alsaFormat) == 0
    }
    guard let format else { throw formatFault(pcm) }
    var channels = wanted
    try set(snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels))
    var rate = UInt32(standardRate)
    try set(snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil))
    var bufferFrames = snd_pcm_uframes_t(buffer.frames(atRate: Int(rate)))
    try set(snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &bufferFrames))
    var periodFrames = snd_pcm_uframes_t(period.frames(atRate: Int(rate)))
    try set(snd_pcm_hw_params_set_period_size_near(pcm, parameters, &periodFrames, nil))
    try set(snd_pcm_hw_params(pcm, parameters))
    return Hardware(
      samples: SampleBuffer(format: format, channels: Int(channels)), rate: Int(rate),
      bufferFrames: Int(bufferFrames), periodFrames: Int(periodFrames),
      isCoarse: snd_pcm_hw_params_is_batch(parameters) == 1)
  }

  /// It has none of the sample formats that clocksmith knows. ALSA converts, if the device is opened
  /// by another name. The plug of ALSA before 1.2.12 cannot convert to IEC958, which is all that the
  /// HDMI of a Raspberry Pi takes; the card's own default can.
  private func formatFault(_ pcm: OpaquePointer) -> Fault {
    let id = Self.card(of: pcm).flatMap(SoundCard.id) ?? "NAME"
    let device = direction == .speaker ? "set [speaker] device =" : "name it"
    return Fault(
      "\(direction) \(name)",
      "its samples are neither float, 32-bit nor 16-bit ones; \(device) plughw:CARD=\(id) or, for "
        + "HDMI, sysdefault:CARD=\(id), which converts")
  }

  func check(_ operation: String, _ code: Int32) throws(Fault) {
    if code < 0 { throw fault(operation, code) }
  }

  func fault(_ operation: String, _ code: Int32) -> Fault {
    let absent =
      direction == .speaker
      ? "there is no such speaker; connect it, or correct its name (aplay -L lists the names)"
      : "there is no such microphone (arecord -L lists those there are)"
    let detail =
      switch -code {
      case ENOENT, ENODEV, ENXIO: absent
      case EBUSY: "another program is using it; end that program, or name another \(direction)"
      case ESTRPIPE: "it was suspended: the machine slept"
      case EACCES, EPERM: "not allowed; the user must be in the group 'audio'"
      // PipeWire's error if there is no session, and PulseAudio's.
      case EHOSTDOWN, ECONNREFUSED:
        "\(String(cString: snd_strerror(code))): it belongs to a sound server of a desktop, which "
          + "runs only in a person's session; \(remedy)"
      default: String(cString: snd_strerror(code))
      }
    return Fault("\(operation) \(direction) \(name)", code: -code, detail)
  }

  /// The remedy for a sound server that does not play, or does not record.
  var remedy: String {
    if direction == .microphone { return "name another microphone (arecord -L lists them)" }
    let cards = SoundCard.all().map(\.device)
    return cards.isEmpty
      ? "connect a speaker, and set it as [speaker] device ('clocksmith check' lists them)"
      : "set [speaker] device = \(cards.joined(separator: " or "))"
  }

  /// The current number of the card; nil for a plugin that plays on no card.
  static func card(of pcm: OpaquePointer) -> Int32? {
    var information: OpaquePointer?
    snd_pcm_info_malloc(&information)
    defer { snd_pcm_info_free(information) }
    guard snd_pcm_info(pcm, information) == 0 else { return nil }
    let card = snd_pcm_info_get_card(information)
    return card >= 0 ? card : nil
  }
}
