import Basics
import CSndFile

/// Frames per second of the clips and the bells, and of every file that is written.
public let standardRate = 48_000

/// A sound file, read block by block with libsndfile; mono unless it is opened otherwise.
///
/// Holds one open file, and reads it in order, from the first frame to the last.
public final class SoundFile {
  public let path: String
  /// Frames per second.
  public let rate: Int
  /// Frames in the file, according to its header.
  public let frames: Int

  /// 1, unless it was opened with `anyChannels`.
  let channels: Int

  /// The largest magnitude of the samples that `read(into:)` has read; full scale is 1.
  private(set) var peak: Float = 0

  private let handle: OpaquePointer
  private var position = 0

  /// Opens a file of any format that libsndfile knows.
  /// - Parameter anyChannels: accept more than one channel too, to read the whole file at once.
  /// - Throws: `Fault` if it cannot be opened, is empty, or is not mono.
  public init(path: String, anyChannels: Bool = false) throws(Fault) {
    let descriptor = try openRegularFile(path)
    var info = SF_INFO()
    guard let opened = sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
      throw Self.refusal(path)
    }
    let problem: String? =
      if info.channels != 1 && !anyChannels {
        "it has \(info.channels) channels; a clip is mono"
      } else if info.frames <= 0 {
        "it holds no sound"
      } else if !Self.rates.contains(info.samplerate) {
        "its header says \(info.samplerate) frames per second; sounds have from "
          + "\(Self.rates.lowerBound) to \(Self.rates.upperBound)"
      } else if info.frames > Self.longest * sf_count_t(info.samplerate) {
        "its header says that it is longer than \(Self.longest) s; it is torn, or no clip"
      } else if Self.isShorterThanItsHeaderSays(opened) {
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
  }

  /// Seconds; the longest bell rings for 60 (facts: bells).
  private static let longest: sf_count_t = 600
  /// Frames per second that a clip may have; libsamplerate converts by a factor of at most 256.
  private static let rates: ClosedRange<Int32> = 4000...768_000

  deinit {
    sf_close(handle)
  }

  /// libsndfile repairs the header of a file that was cut off, and says so only in its log.
  private static func isShorterThanItsHeaderSays(_ handle: OpaquePointer) -> Bool {
    var log = [CChar](repeating: 0, count: 2048)
    let length = sf_command(handle, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
    let words = String(
      decoding: log.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return words.split(separator: "\n").contains { line in
      line.split(separator: " ").suffix(3).prefix(2).elementsEqual(["(should", "be"])
    }
  }

  /// Reads the next frames into `block`, up to the end of the file.
  /// - Returns: how many frames were read; 0 at the end.
  /// - Throws: `Fault` if the file ends before its header says, or holds a sample that is not a
  ///   number.
  public func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int {
    let wanted = min(block.count, frames - position)
    guard wanted > 0 else { return 0 }
    try fill(block, frames: wanted)
    peak = block[..<wanted].reduce(peak) { max($0, $1.magnitude) }
    return wanted
  }

  /// Reads the next `wanted` frames of all channels.
  private func fill(
    _ block: UnsafeMutableBufferPointer<Float>, frames wanted: Int
  ) throws(Fault) {
    let count = Int(sf_readf_float(handle, block.baseAddress, sf_count_t(wanted)))
    // If the decoder loses a frame, it goes on with the next. Only sf_error tells.
    guard count == wanted, sf_error(handle) == SF_ERR_NO_ERROR else {
      throw Fault(
        "cannot read \(path)", code: sf_error(handle),
        "it is torn: \(position + max(count, 0)) of \(frames) frames can be read")
    }
    guard block[..<(wanted * channels)].allSatisfy(\.isFinite) else {
      throw Fault("cannot use \(path)", "it holds samples that are not numbers")
    }
    position += wanted
  }

  /// - Throws: `Fault` if nobody hears what `read(into:)` has read: the sounds around it would say
  ///   another time.
  func refuseSilence() throws(Fault) {
    guard let flaw = ClipFlaw(peak: peak) else { return }
    throw Fault("cannot use \(path)", flaw.words)
  }

  /// Reads the whole file. Nothing may have been read from it before.
  /// - Returns: an array for each channel.
  /// - Throws: `Fault` as `read(into:)` does.
  public func readChannels() throws(Fault) -> [[Float]] {
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: frames * channels)
    defer { block.deallocate() }
    try fill(block, frames: frames)
    return (0..<channels).map { channel in
      stride(from: channel, to: frames * channels, by: channels).map { block[$0] }
    }
  }

  /// Reads the file to its end, to check that it is whole.
  /// - Returns: the largest magnitude of its samples; full scale is 1.
  @discardableResult
  public func verify() throws(Fault) -> Float {
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
    defer { block.deallocate() }
    while try read(into: block) > 0 {}
    return peak
  }

  /// Seconds, according to its header.
  public var seconds: Double { Double(frames) / Double(rate) }

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
