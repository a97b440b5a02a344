import CALSA
import CClocksmith
@preconcurrency import Glibc
import Horology
import Sound

/// A microphone behind an ALSA PCM device.
///
/// Takes any device: 32-bit float, 32- or 16-bit integer samples, any rate, any number of
/// channels, of which the first is heard.
public final class ALSASource: Source {
  public let name: String
  public let readInterval = Duration.milliseconds(20)
  public private(set) var overruns = 0

  private static let wantedRate: UInt32 = 48_000
  private static let period = Duration.milliseconds(10)
  private static let buffer = Duration.milliseconds(500)
  /// A device that has given no frame when it was read so often, 2 s long, has stalled. Counted,
  /// for time passes as well while a whole machine stands still.
  private static let mostEmptyReads = 100

  private var pcm: OpaquePointer?
  private var decoder = SampleDecoder(format: .float32, channels: 1)
  private var emptyReads = 0

  /// - Parameter name: a PCM name of ALSA, as in `plughw:CARD=Microphone` or `default`.
  public init(name: String) {
    self.name = name
    clocksmith_silence_alsa()
  }

  deinit {
    close()
  }

  public func open() throws(Fault) -> Int {
    close()
    let code = snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK)
    guard code == 0, let pcm else {
      pcm = nil
      throw fault("cannot open", code)
    }
    do {
      let rate = try configure(pcm)
      overruns = 0
      emptyReads = 0
      try check("cannot start", snd_pcm_start(pcm))
      return rate
    } catch {
      close()
      throw error
    }
  }

  private func configure(_ pcm: OpaquePointer) throws(Fault) -> Int {
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) == 0 else {
      throw fault("cannot configure", -ENOMEM)
    }
    defer { snd_pcm_hw_params_free(parameters) }
    try check("cannot configure", snd_pcm_hw_params_any(pcm, parameters))
    // The converter's own rate: libsamplerate converts better than ALSA's plug does.
    _ = snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
    try check(
      "cannot read from",
      snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
    let format = SampleFormat.allCases.first {
      snd_pcm_hw_params_set_format(pcm, parameters, $0.alsaFormat) == 0
    }
    guard let format else {
      throw Fault("microphone \(name)", "it gives neither float, 32-bit nor 16-bit samples")
    }
    var channels: UInt32 = 1
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
    decoder = SampleDecoder(format: format, channels: Int(channels))
    return Int(rate)
  }

  public func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int {
    guard let pcm else { return 0 }
    do throws(Fault) {
      return try read(from: pcm, into: block)
    } catch {
      // It is left as it is: to close it, the plugin of a sound server that stands still would wait
      // for it.
      self.pcm = nil
      throw error
    }
  }

  private func read(
    from pcm: OpaquePointer, into block: UnsafeMutableBufferPointer<Float>
  ) throws(Fault) -> Int {
    var done = 0
    while done < block.count {
      let rest = UnsafeMutableBufferPointer(rebasing: block[done...])
      let frames = decoder.decode(into: rest) { samples, count in
        Int(snd_pcm_readi(pcm, samples, snd_pcm_uframes_t(count)))
      }
      if frames == -Int(EAGAIN) || frames == 0 { break }
      if frames < 0 {
        try recover(pcm, from: Int32(frames))
      } else {
        done += frames
      }
    }
    emptyReads = done > 0 ? 0 : emptyReads + 1
    guard emptyReads < Self.mostEmptyReads else {
      throw Fault("microphone \(name)", "it has stopped giving sound")
    }
    return done
  }

  /// An overrun and a suspended device are ordinary: the stream goes on after a gap.
  private func recover(_ pcm: OpaquePointer, from code: Int32) throws(Fault) {
    overruns += 1
    try check("cannot go on reading from", snd_pcm_recover(pcm, code, 1))
    if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED {
      try check("cannot start", snd_pcm_start(pcm))
    }
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
        "there is no such microphone (arecord -L lists those there are)"
      case EBUSY: "another program is using it"
      case EACCES, EPERM: "not allowed; the user must be in the group 'audio'"
      default: String(cString: snd_strerror(code))
      }
    return Fault("\(operation) microphone \(name)", code: -code, detail)
  }
}
