import Basics
import CALSA
import CClocksmith
@preconcurrency import Glibc
import Horology
import Sound

/// A speaker behind an ALSA PCM device. Each channel gets the same sound.
public final class ALSASink: Sink {
  public let name: String

  private static let wantedChannels: UInt32 = 2
  private static let period = Duration.milliseconds(5)
  private static let buffer = Duration.milliseconds(200)
  /// The most that is held if it cannot be taken back, so that the sink is silent within 30 ms.
  private static let shortQueue = Duration.milliseconds(20)
  /// What is never taken back, because it may be on its way into the converter. The DMA of a card
  /// that counts its frames one by one is ahead by less than this.
  private static let leastMargin = Duration.milliseconds(5)
  /// A device that was not touched for so long may have been suspended with the machine.
  private static let longestPause = Duration.seconds(1)

  private var device: PCMDevice
  private var pcm: OpaquePointer?
  private var samples = SampleBuffer(format: .float32, channels: 1)
  private var written = 0
  private let isQuick: Bool
  private var bufferFrames = 0
  public var capacity: Int { bufferFrames }
  private var queueFrames = 0
  private var marginFrames = 0
  /// By how many frames a position may be ahead of the frames fetched. It happens with a rate
  /// converter, and with a device that fetches by the period.
  private var slackFrames = 0
  private var canTakeBack = false
  private var hasTriedToTakeBack = false
  private var rate = 0
  /// When the device was last touched, since the machine started, sleep included.
  private var touched = Duration.zero
  public private(set) var underruns = 0

  /// A volume control of the card, as `Digital`, what it is set to while the sink is open, and the
  /// file that keeps its own level meanwhile.
  public typealias Volume = (control: String, decibels: Double, file: String?)
  private let volume: Volume?
  private var mixer: CardMixer?

  /// A sound card that plays instead of ALSA's default, which could not be opened.
  public struct Substitute: Hashable, Sendable {
    /// As in `plughw:CARD=DAC,DEV=0`.
    public let device: String
    public let why: String
  }
  private static let defaultName = "default"
  /// Called each time ALSA's default is opened, with the substitute if one plays instead.
  public var opened: (Substitute?) -> Void = { _ in }

  /// - Parameter isQuick: true if the sink may have to be silent within 30 ms. If the device cannot
  ///   take frames back, the sink then holds little and must be fed more often.
  public init(name: String, isQuick: Bool = false, volume: Volume? = nil) {
    self.name = name
    self.isQuick = isQuick
    self.volume = volume
    device = PCMDevice(name: name, direction: .speaker)
    clocksmith_silence_alsa()
  }

  deinit { if pcm != nil { close() } }

  public func open() throws(Fault) -> Int {
    let wanted = PCMDevice(name: name, direction: .speaker)
    do throws(Fault) {
      let rate = try open(wanted)
      if name == Self.defaultName { opened(nil) }
      return rate
    } catch {
      // A device that another program uses, or whose server hangs, is there: it needs no substitute.
      guard name == Self.defaultName, error.code != EBUSY, error.code != ETIMEDOUT else {
        throw error
      }
      for card in SoundCard.all() {
        let substitute = PCMDevice(name: card.device, direction: .speaker)
        guard let rate = try? open(substitute) else { continue }
        opened(Substitute(device: card.device, why: error.description))
        return rate
      }
      throw error
    }
  }

  private func open(_ device: PCMDevice) throws(Fault) -> Int {
    close()
    self.device = device
    (pcm, rate) = try device.opened(release: release) { pcm throws(Fault) in
      touched = SystemClock.sinceBoot
      let rate = try configureHardware(pcm)
      try setVolume(pcm)
      return rate
    }
    written = 0
    underruns = 0
    hasTriedToTakeBack = false
    return rate
  }

  private func configureHardware(_ pcm: OpaquePointer) throws(Fault) -> Int {
    // A plugin without a card, as that of a sound server, has already passed on its frames.
    let isShort = isQuick && PCMDevice.card(of: pcm) == nil
    let hardware = try device.configure(
      pcm, channels: Self.wantedChannels, period: Self.period,
      buffer: isShort ? Self.shortQueue : Self.buffer)
    samples = hardware.samples
    bufferFrames = hardware.bufferFrames
    queueFrames = hardware.bufferFrames
    canTakeBack = isQuick && !isShort
    // A card that counts its frames by the period may be two periods further than it says.
    marginFrames = max(
      Self.leastMargin.frames(atRate: hardware.rate),
      hardware.isCoarse ? 2 * hardware.periodFrames : 0)
    slackFrames = hardware.periodFrames
    return hardware.rate
  }

  private func setVolume(_ pcm: OpaquePointer) throws(Fault) {
    guard let volume else { return }
    // The number of a card may be another card's at the next start.
    let card = PCMDevice.card(of: pcm).flatMap(SoundCard.id)
    let control = card.map { "hw:CARD=\($0)" } ?? "default"
    // The card may not have been there when the program started.
    if let file = volume.file { CardMixer.restore(from: file) }
    let mixer = try CardMixer(control: control, name: volume.control, file: volume.file)
    try mixer.set(decibels: volume.decibels)
    self.mixer = mixer
  }

  public var feedInterval: Duration {
    queueFrames < bufferFrames || !canTakeBack && isQuick
      ? Self.shortQueue / 4 : .milliseconds(20)
  }

  public func space() throws(Fault) -> Int {
    guard let pcm else { return 0 }
    touched = SystemClock.sinceBoot
    var available = snd_pcm_avail(pcm)
    if available < 0 {
      try recover(pcm, from: Int32(available))
      available = max(snd_pcm_avail_update(pcm), 0)
    }
    return max(Int(available) - (bufferFrames - queueFrames), 0)
  }

  public func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    guard let pcm else { return }
    var done = 0
    while done < block.count {
      let frames = samples.encode(UnsafeBufferPointer(rebasing: block[done...])) { samples, count in
        snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(count))
      }
      if frames == -Int(EAGAIN) || frames == 0 {
        // There was space a moment ago, so the device has been reset meanwhile.
        throw device.fault("cannot write to", -EAGAIN)
      } else if frames < 0 {
        try recover(pcm, from: Int32(frames))
      } else {
        done += Int(frames)
        written += Int(frames)
      }
    }
    if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED {
      try device.check("cannot start", PCMDevice.limited { snd_pcm_start(pcm) })
    } else if canTakeBack && !hasTriedToTakeBack {
      tryToTakeBack(pcm)
    }
  }

  /// Not every plugin says truly whether it can take frames back: dmix and the rate converter say
  /// that they can, and cannot. So it is tried once, on the silence at the start of a stream.
  private func tryToTakeBack(_ pcm: OpaquePointer) {
    hasTriedToTakeBack = true
    let frames = snd_pcm_sframes_t(marginFrames / 4)
    let moved = snd_pcm_rewind(pcm, snd_pcm_uframes_t(frames))
    if moved > 0 { _ = snd_pcm_forward(pcm, snd_pcm_uframes_t(moved)) }
    if moved != frames {
      canTakeBack = false
      queueFrames = min(bufferFrames, Self.shortQueue.frames(atRate: rate))
    }
  }

  public func takeBack() -> Int {
    guard let pcm, canTakeBack, !mayHaveSlept else { return 0 }
    let held = bufferFrames - Int(max(snd_pcm_avail(pcm), 0))
    guard held > marginFrames else { return 0 }
    let moved = snd_pcm_rewind(pcm, snd_pcm_uframes_t(held - marginFrames))
    guard moved > 0 else { return 0 }
    written -= Int(moved)
    return Int(moved)
  }

  /// After an underrun, which is ordinary, the stream goes on with a gap. After a sleep it does
  /// not: the device is opened again for the next sounding.
  private func recover(_ pcm: OpaquePointer, from code: Int32) throws(Fault) {
    if code == -ESTRPIPE { throw device.fault("cannot go on playing on", code) }
    if code == -EPIPE { underruns += 1 }
    try device.check(
      "cannot go on playing on", PCMDevice.limited { snd_pcm_recover(pcm, code, 1) })
  }

  /// After a sleep, asking a dmix for its state starts its card again, and the rest of the card's
  /// buffer is heard. So a device that may have slept is not asked.
  private var mayHaveSlept: Bool { SystemClock.sinceBoot - touched > Self.longestPause }

  public func position() throws(Fault) -> StreamPosition? {
    guard let pcm else { return nil }
    var status: OpaquePointer?
    snd_pcm_status_malloc(&status)
    defer { snd_pcm_status_free(status) }
    try device.check("cannot ask", PCMDevice.limited { snd_pcm_status(pcm, status) })
    let now = SystemClock.uptime
    guard snd_pcm_status_get_state(status) == SND_PCM_STATE_RUNNING else { return nil }
    // No frame leaves the converter before it was fetched. But the pulse plugin only estimates. Until
    // its server begins, for up to two seconds, it counts by the time alone. After one late answer of
    // the server, by 60 ms, it counts up to 2 % too fast for many seconds (measured). So a frame that
    // is too far ahead is held back to those fetched, and is unknown while the device fetches none.
    let held = max(bufferFrames - Int(snd_pcm_status_get_avail(status)), 0)
    let latest = written - held + slackFrames
    let told = written - snd_pcm_status_get_delay(status)
    guard told <= latest || held < queueFrames else { return nil }
    return StreamPosition(uptime: now, frame: Double(min(told, latest)))
  }

  public func close() {
    if let pcm { release(pcm) }
    // ALSA keeps its configuration. By the next opening a card may have come, or it was corrected.
    snd_config_update_free_global()
  }

  private func release(_ pcm: OpaquePointer) {
    self.pcm = nil
    PCMDevice.limited {
      // snd_pcm_drop and snd_pcm_close ask for the state, but not once the parameters are freed.
      if mayHaveSlept {
        snd_pcm_hw_free(pcm)
      } else {
        snd_pcm_drop(pcm)
      }
      mixer?.restore()
      mixer = nil
      snd_pcm_close(pcm)
    }
  }
}
