import CALSA
import CClocksmith
@preconcurrency import Glibc
import Horology
import Sound

/// A speaker behind an ALSA PCM device.
///
/// Takes any device: 32-bit float, 32- or 16-bit integer samples, any rate, any number of
/// channels, of which each gets the same sound.
public final class ALSASink: Sink {
  public let name: String

  private static let wantedRate: UInt32 = 48_000
  private static let wantedChannels: UInt32 = 2
  private static let period = Duration.milliseconds(20)
  private static let buffer = Duration.milliseconds(200)

  private var pcm: OpaquePointer?
  private var encoder = SampleEncoder(format: .float32, channels: 1)
  private var written = 0

  /// - Parameter name: a PCM name of ALSA, as in `plughw:CARD=DAC` or `default`.
  public init(name: String) {
    self.name = name
    clocksmith_silence_alsa()
  }

  deinit {
    close()
  }

  public func open() throws(Fault) -> Int {
    close()
    let code = snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
    guard code == 0, let pcm else {
      pcm = nil
      throw fault("cannot open", code)
    }
    do {
      let rate = try configureHardware(pcm)
      try configureSoftware(pcm)
      written = 0
      return rate
    } catch {
      close()
      throw error
    }
  }

  private func configureHardware(_ pcm: OpaquePointer) throws(Fault) -> Int {
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) == 0 else {
      throw fault("cannot configure", -ENOMEM)
    }
    defer { snd_pcm_hw_params_free(parameters) }
    try check("cannot configure", snd_pcm_hw_params_any(pcm, parameters))
    // The converter's own rate: libsamplerate converts better than ALSA's plug does.
    _ = snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
    try check(
      "cannot write to",
      snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
    let format = SampleFormat.allCases.first {
      snd_pcm_hw_params_set_format(pcm, parameters, $0.alsaFormat) == 0
    }
    guard let format else {
      throw Fault("speaker \(name)", "it takes neither float, 32-bit nor 16-bit samples")
    }
    var channels = Self.wantedChannels
    try check(
      "cannot set the channels of",
      snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels))
    var rate = Self.wantedRate
    try check(
      "cannot set the rate of", snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil))
    var bufferFrames = snd_pcm_uframes_t(Self.buffer.inSeconds * Double(rate))
    try check(
      "cannot set the buffer of",
      snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &bufferFrames))
    var periodFrames = snd_pcm_uframes_t(Self.period.inSeconds * Double(rate))
    try check(
      "cannot set the period of",
      snd_pcm_hw_params_set_period_size_near(pcm, parameters, &periodFrames, nil))
    try check("cannot configure", snd_pcm_hw_params(pcm, parameters))
    encoder = SampleEncoder(format: format, channels: Int(channels))
    return Int(rate)
  }

  private func configureSoftware(_ pcm: OpaquePointer) throws(Fault) {
    var parameters: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&parameters) == 0 else {
      throw fault("cannot configure", -ENOMEM)
    }
    defer { snd_pcm_sw_params_free(parameters) }
    try check("cannot configure", snd_pcm_sw_params_current(pcm, parameters))
    // Time stamps that can be compared with CLOCK_MONOTONIC. A plugin may know no type.
    _ = snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
    _ = snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try check("cannot configure", snd_pcm_sw_params(pcm, parameters))
  }

  public var pollRequests: [PollRequest] {
    guard let pcm else { return [] }
    let count = snd_pcm_poll_descriptors_count(pcm)
    guard count > 0 else { return [] }
    var descriptors = [pollfd](repeating: pollfd(), count: Int(count))
    let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
    return descriptors.prefix(Int(max(filled, 0))).map {
      PollRequest(descriptor: $0.fd, events: $0.events)
    }
  }

  /// Takes in what made the descriptors ready. dmix would report the same timer tick for ever.
  private func acknowledgeReadiness(_ pcm: OpaquePointer) {
    var descriptors = pollRequests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    let count = UInt32(descriptors.count)
    var events: UInt16 = 0
    if poll(&descriptors, nfds_t(count), 0) > 0 {
      _ = snd_pcm_poll_descriptors_revents(pcm, &descriptors, count, &events)
    }
  }

  public func space() throws(Fault) -> Int {
    guard let pcm else { return 0 }
    acknowledgeReadiness(pcm)
    let frames = snd_pcm_avail_update(pcm)
    if frames >= 0 { return Int(frames) }
    try recover(pcm, from: Int32(frames))
    return Int(max(snd_pcm_avail_update(pcm), 0))
  }

  public func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    guard let pcm else { return }
    var done = 0
    while done < block.count {
      let frames = encoder.encode(UnsafeBufferPointer(rebasing: block[done...])) { samples, count in
        snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(count))
      }
      if frames == -Int(EAGAIN) {
        // There was space for it a moment ago: the device has been reset meanwhile.
        throw fault("cannot write to", -EAGAIN)
      } else if frames < 0 {
        try recover(pcm, from: Int32(frames))
      } else {
        done += Int(frames)
        written += Int(frames)
      }
    }
    if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED {
      try check("cannot start", snd_pcm_start(pcm))
    }
  }

  /// An underrun and a suspended device are ordinary: the stream goes on after a gap.
  private func recover(_ pcm: OpaquePointer, from code: Int32) throws(Fault) {
    try check("cannot go on playing on", snd_pcm_recover(pcm, code, 1))
  }

  public func position() throws(Fault) -> StreamPosition? {
    guard let pcm else { return nil }
    var status: OpaquePointer?
    guard snd_pcm_status_malloc(&status) == 0 else { throw fault("cannot ask", -ENOMEM) }
    defer { snd_pcm_status_free(status) }
    try check("cannot ask", snd_pcm_status(pcm, status))
    guard snd_pcm_status_get_state(status) == SND_PCM_STATE_RUNNING else { return nil }
    var stamp = timespec()
    snd_pcm_status_get_htstamp(status, &stamp)
    let stamped = Uptime(nanoseconds: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec))
    let now = SystemClock.uptime
    // Plugins that stamp nothing, or by another clock, are read at this moment instead.
    let isPlausible = stamped <= now && now - stamped < .seconds(1)
    return StreamPosition(
      uptime: isPlausible ? stamped : now,
      frame: Double(written) - Double(snd_pcm_status_get_delay(status)))
  }

  public func close() {
    guard let open = pcm else { return }
    pcm = nil
    snd_pcm_drop(open)
    snd_pcm_close(open)
  }

  private func check(_ operation: String, _ code: Int32) throws(Fault) {
    if code < 0 { throw fault(operation, code) }
  }

  private func fault(_ operation: String, _ code: Int32) -> Fault {
    let detail =
      switch -code {
      case ENOENT, ENODEV, ENXIO:
        "there is no such sound device (aplay -L lists those there are)"
      case EBUSY: "another program is using it"
      case EACCES, EPERM: "not allowed; the user must be in the group 'audio'"
      default: String(cString: snd_strerror(code))
      }
    return Fault("\(operation) speaker \(name)", code: -code, detail)
  }
}
