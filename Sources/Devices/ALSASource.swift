import Basics
import CALSA
import CClocksmith
@preconcurrency import Glibc

/// A microphone behind an ALSA PCM device. The mean of its channels is heard.
public final class ALSASource {
  public let name: String
  public let readInterval = Duration.milliseconds(20)
  public private(set) var overruns = 0

  private static let period = Duration.milliseconds(10)
  private static let buffer = Duration.milliseconds(500)
  /// A device that gave no frame in this many reads, 2 s, has stalled. Reads are counted because
  /// time also passes while the whole machine stands still.
  private static let mostEmptyReads = 100

  private var device: PCMDevice { PCMDevice(name: name, direction: .microphone) }
  private var pcm: OpaquePointer?
  private var samples = SampleBuffer(format: .float32, channels: 1)
  private var emptyReads = 0

  public init(name: String) {
    self.name = name
    clocksmith_silence_alsa()
  }

  deinit {
    close()
  }

  /// - Returns: frames per second.
  public func open() throws(Fault) -> Int {
    close()
    let (pcm, rate) = try device.opened(release: release, start)
    self.pcm = pcm
    overruns = 0
    emptyReads = 0
    return rate
  }

  private func start(_ pcm: OpaquePointer) throws(Fault) -> Int {
    let hardware = try device.configure(pcm, channels: 2, period: Self.period, buffer: Self.buffer)
    samples = hardware.samples
    try device.check("cannot start", snd_pcm_start(pcm))
    return hardware.rate
  }

  /// Gives the mono frames that there are, without waiting; full scale is 1.
  /// - Returns: how many; fewer than the block holds if there are no more now.
  public func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int {
    guard let pcm else { return 0 }
    var done = 0
    while done < block.count {
      let rest = UnsafeMutableBufferPointer(rebasing: block[done...])
      let frames = samples.decode(into: rest) { samples, count in
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

  /// After an overrun or a suspend, which are ordinary, the stream goes on with a gap.
  private func recover(_ pcm: OpaquePointer, from code: Int32) throws(Fault) {
    overruns += 1
    try device.check("cannot go on reading from", snd_pcm_recover(pcm, code, 1))
    if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED {
      try device.check("cannot start", snd_pcm_start(pcm))
    }
  }

  public func close() {
    if let pcm { release(pcm) }
  }

  private func release(_ pcm: OpaquePointer) {
    self.pcm = nil
    PCMDevice.limited {
      snd_pcm_drop(pcm)
      _ = snd_pcm_close(pcm)
    }
  }
}
