import Basics
import CSndFile
@preconcurrency import Glibc
import Horology

/// Frames per second of the clips and the bells, and of every file that is written.
public let standardRate = 48_000

/// A sound file, read block by block with libsndfile, from the first frame to the last; mono unless it
/// is opened otherwise.
public final class SoundFile {
  public let path: String
  /// Frames per second.
  public let rate: Int
  /// Frames in the file: as many as its header says, or if it does not say, as many as there are.
  public let frames: Int
  /// True for MP3. Its header may not say how long it is; then `frames` is only a guess.
  public let isMPEG: Bool

  private let channels: Int
  private let handle: OpaquePointer
  private var position = 0

  /// How a sound without a header is coded.
  public struct Headerless: Sendable {
    let coding: Int
    let rate: Int

    /// By the suffix that Asterisk gives the file; nil if that says nothing about both.
    public init?(suffix: String) {
      let suffix = suffix.lowercased()
      switch suffix {
      case "gsm": (coding, rate) = (SF_FORMAT_GSM610, 8000)
      case "ulaw", "ul", "ulw", "mulaw", "mu": (coding, rate) = (SF_FORMAT_ULAW, 8000)
      case "alaw", "al", "alw": (coding, rate) = (SF_FORMAT_ALAW, 8000)
      default:
        let rates = [8000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000]
        // As in `sln16`; `sln` alone is 8 kHz.
        let name = suffix == "sln" ? "sln8" : suffix
        guard let rate = rates.first(where: { name == "sln\($0 / 1000)" }) else { return nil }
        (coding, self.rate) = (SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE, rate)
      }
    }
  }

  /// - Parameter anyChannels: accept more than one channel too, to read the whole file at once.
  public convenience init(
    path: String, anyChannels: Bool = false, headerless: Headerless? = nil
  ) throws(Fault) {
    try self.init(
      descriptor: openRegularFile(path), of: path, anyChannels: anyChannels, headerless: headerless)
  }

  /// The same, for a file that is open. It is closed with this object, or if this throws.
  public init(
    descriptor: Int32, of path: String, anyChannels: Bool = false, headerless: Headerless? = nil
  ) throws(Fault) {
    var info = SF_INFO()
    if let headerless {
      info.format = Int32(SF_FORMAT_RAW | headerless.coding)
      info.samplerate = Int32(headerless.rate)
      info.channels = 1
    }
    guard let opened = sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
      throw Self.refusal(path)
    }
    let isUncounted = info.frames == sf_count_t.max
    if isUncounted && Self.container(info) == SF_FORMAT_FLAC {
      info.frames = Self.count(opened, info)
    }
    let problem: String? =
      if isUncounted && info.frames == sf_count_t.max {
        "it is torn: its end is missing"
      } else if info.channels != 1 && !anyChannels {
        "it has \(info.channels) channels; a clip is mono"
      } else if info.frames <= 0 {
        "it holds no sound"
      } else if !anyChannels && Self.container(info) == SF_FORMAT_MPEG {
        // It may be longer than libsndfile believes, and so say something else.
        "it is an MP3; 'clocksmith voice import' reads it, or convert it to FLAC"
      } else if !Self.rates.contains(info.samplerate) {
        "its header says \(info.samplerate) frames per second; sounds have from "
          + "\(Self.rates.lowerBound) to \(Self.rates.upperBound)"
      } else if info.frames > Self.longest * sf_count_t(info.samplerate) {
        "it is longer than \(Self.longest) s, or its header is torn; it is no clip"
      } else if Self.isCutOff(opened, info) {
        "it is torn: shorter than its header says"
      } else {
        nil
      }
    if let problem {
      sf_close(opened)
      throw Fault("cannot use \(path)", problem)
    }
    self.path = path
    handle = opened
    rate = Int(info.samplerate)
    frames = Int(info.frames)
    channels = Int(info.channels)
    isMPEG = Self.container(info) == SF_FORMAT_MPEG
  }

  private static func container(_ info: SF_INFO) -> Int {
    Int(info.format) & SF_FORMAT_TYPEMASK
  }

  /// Seconds; the longest bell rings for 60.
  private static let longest: sf_count_t = 120
  /// Frames per second that a clip may have; libsamplerate converts by a factor of at most 256.
  private static let rates: ClosedRange<Int32> = 4000...768_000

  deinit {
    sf_close(handle)
  }

  /// Counts the frames of a FLAC whose header does not say it, up to the longest clip.
  /// - Returns: the largest number if it is torn.
  private static func count(_ handle: OpaquePointer, _ info: SF_INFO) -> sf_count_t {
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096 * Int(info.channels))
    defer { block.deallocate() }
    var frames: sf_count_t = 0
    while frames <= longest * sf_count_t(info.samplerate) {
      let count = sf_readf_float(handle, block.baseAddress, 4096)
      guard count > 0 else { break }
      frames += count
    }
    // The last part may be torn, which the decoder tells here alone.
    if sf_error(handle) != SF_ERR_NO_ERROR { return sf_count_t.max }
    sf_seek(handle, 0, SEEK_SET)
    return frames
  }

  /// True if the file ends before the sound that its header promises, by more than 10 ms. libsndfile
  /// repairs such a header, and says so only in its log, as in `data : 9600 (should be 960)`. Most
  /// other sizes that it corrects there do not matter.
  private static func isCutOff(_ handle: OpaquePointer, _ info: SF_INFO) -> Bool {
    var log = [CChar](repeating: 0, count: 2048)
    let length = sf_command(handle, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
    let text = String(
      decoding: log.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Long tags leave no room in the log for the size of the sound: then that of the file counts.
    let isFull = length >= log.count - 1
    return text.split(separator: "\n").contains { line in
      if line.hasPrefix("Seems to be a truncated file") { return true }
      let words = line.split(separator: " ")
      guard words.count >= 6, words.suffix(3).prefix(2).elementsEqual(["(should", "be"]),
        case let name = words.dropLast(5).joined(separator: " "),
        sizes.contains(name) || isFull && name == "RIFF",
        let promised = Double(words[words.count - 4]), promised < unknownSize,
        let there = Double(words[words.count - 1].dropLast())
      else { return false }
      return Double(info.frames) * (promised / there - 1) > Double(info.samplerate) / 100
    }
  }

  /// What libsndfile's log calls the bytes of sound, or of the whole file where it does not check
  /// those: in WAV and CAF, AIFF, 8SVX, AU, W64, RF64.
  private static let sizes: Set<String> = [
    "data", "SSND", "BODY", "Data Size", "riff", "Riff size",
  ]
  /// Bytes. Programs that write into a pipe do not know the size yet, and promise 2 GB or 4 GB.
  private static let unknownSize = Double(1 << 30)

  /// Reads the next frames into `block`.
  /// - Returns: how many frames were read; 0 at the end.
  public func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int {
    let wanted = min(block.count, frames - position)
    guard wanted > 0 else { return 0 }
    try fill(block, frames: wanted)
    return wanted
  }

  private func fill(
    _ block: UnsafeMutableBufferPointer<Float>, frames wanted: Int
  ) throws(Fault) {
    let count = Int(sf_readf_float(handle, block.baseAddress, sf_count_t(wanted)))
    let code = sf_error(handle)
    guard count == wanted else {
      throw Fault(
        "cannot read \(path)", code: code,
        "it is torn: \(position + max(count, 0)) of \(frames) frames can be read")
    }
    // If the decoder loses a part, it goes on with the next. Only sf_error tells.
    guard code == SF_ERR_NO_ERROR else {
      throw Fault(
        "cannot read \(path)", code: code,
        "it is damaged: a part of its sound cannot be read; copy it or save it again")
    }
    guard block[..<(wanted * channels)].allSatisfy(\.isFinite) else {
      throw Fault("cannot use \(path)", "it holds samples that are not numbers")
    }
    position += wanted
  }

  /// Reads the whole file. Nothing may have been read from it before.
  /// - Returns: an array for each channel.
  public func readChannels() throws(Fault) -> [[Float]] {
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: frames * channels)
    defer { block.deallocate() }
    try fill(block, frames: frames)
    return (0..<channels).map { channel in
      stride(from: channel, to: frames * channels, by: channels).map { block[$0] }
    }
  }

  /// Reads it to its end.
  /// - Returns: true if a word can be heard in it.
  @discardableResult
  public func verify() throws(Fault) -> Bool {
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
    defer { block.deallocate() }
    var audibility = Audibility()
    while case let count = try read(into: block), count > 0 { audibility.add(block[..<count]) }
    return audibility.isHeard
  }

  public var seconds: Double { Double(frames) / Double(rate) }

  /// Another program may know the format of a file that could not be opened.
  public static func isFormatUnknown(_ fault: Fault) -> Bool {
    ![SF_ERR_NO_ERROR, SF_ERR_SYSTEM, SF_ERR_MALFORMED_FILE].contains(Int(fault.code))
  }

  /// Why the last file could not be opened, in words for a reader who does not know libsndfile.
  private static func refusal(_ path: String) -> Fault {
    let code = sf_error(nil)
    let detail =
      switch Int(code) {
      case SF_ERR_UNRECOGNISED_FORMAT: "it is no sound file, or of a format that is not known"
      case SF_ERR_UNSUPPORTED_ENCODING: "its sound is encoded in a way that is not known"
      default: "its header makes no sense: it is torn, or no sound file"
      }
    return Fault("cannot read \(path)", code: code, detail)
  }
}

extension Duration {
  public func frames(atRate rate: Int) -> Int {
    Int((inSeconds * Double(rate)).rounded())
  }
}

/// A mono sound file, and what is known of it: only a file that was changed is opened and read again.
public final class StoredSound: Hashable {
  public let path: String
  private var facts: Facts?

  private struct Facts {
    /// Inode, size and time of change.
    let stamp: [Int]
    let seconds: Double
    /// Nil until it was read to its end.
    var isHeard: Bool?
  }

  public init(_ path: String) {
    self.path = path
  }

  private func current() throws(Fault) -> Facts {
    var status = stat()
    // Unchecked: if the file cannot be reached, opening it says why.
    stat(path, &status)
    let time = status.st_ctim
    let stamp = [Int(status.st_ino), Int(status.st_size), time.tv_sec, time.tv_nsec]
    if let facts, facts.stamp == stamp { return facts }
    let facts = Facts(stamp: stamp, seconds: try SoundFile(path: path).seconds)
    self.facts = facts
    return facts
  }

  public func seconds() throws(Fault) -> Double { try current().seconds }

  /// How many frames it has once it is converted to this rate.
  func frames(atRate rate: Int) throws(Fault) -> Int {
    Int((try seconds() * Double(rate)).rounded())
  }

  /// Reads it to its end.
  /// - Throws: `Fault` if it is missing, torn or not a sound file, or a word that nobody hears.
  func verify(asWord: Bool) throws(Fault) {
    var facts = try current()
    if facts.isHeard == nil {
      facts.isHeard = try SoundFile(path: path).verify()
      self.facts = facts
    }
    if asWord, facts.isHeard == false { throw Fault("cannot use \(path)", ClipFlaw.silent) }
  }

  public static func == (one: StoredSound, other: StoredSound) -> Bool { one.path == other.path }

  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
