import Basics
import CMPG123
@preconcurrency import Glibc
import Sound

struct RecordedSound {
  let channels: [[Float]]
  let rate: Int

  /// Bytes; more is not held in memory.
  private static let largest = 1 << 26

  init(path: String) throws(Fault) {
    let file = try Self.open(path)
    if file.isMPEG {
      (channels, rate) = try Self.readMPEG(path)
    } else {
      try Self.refuse(path, ofSeconds: file.seconds)
      (channels, rate) = (try file.readChannels(), file.rate)
    }
  }

  private static func refuse(_ path: String, ofSeconds seconds: Double) throws(Fault) {
    guard seconds > Recording.longest else { return }
    throw Fault(
      "cannot use \(path)",
      "it takes \(seconds.text(decimals: 1, .up)) s, and no word takes longer than 5 s; cut the word out"
    )
  }

  private static func open(_ path: String) throws(Fault) -> SoundFile {
    let suffix = path.split(separator: ".").last.map(String.init) ?? ""
    if let headerless = SoundFile.Headerless(suffix: suffix) {
      return try SoundFile(path: path, headerless: headerless)
    }
    let descriptor = try openRegularFile(path)
    do throws(Fault) {
      return try SoundFile(descriptor: descriptor, of: path, anyChannels: true)
    } catch {
      if let bytes = try? readRegularFile(path, largest: largest), let mended = mended(bytes) {
        return try SoundFile(
          descriptor: try temporaryFile(mended), of: path, anyChannels: true)
      }
      guard SoundFile.isFormatUnknown(error) else { throw error }
      let decoded = try decodedByFFmpeg(path, unknownAs: error)
      return try SoundFile(descriptor: decoded, of: path, anyChannels: true)
    }
  }

  /// libsndfile 1.2 reads neither BW64, which is RF64 by another name (ITU-R BS.2088), nor a WAV or
  /// CAF whose size was never filled in, because it went into a pipe or the program was killed.
  /// - Returns: the file with a header that it reads; nil if it is none of these.
  private static func mended(_ bytes: [UInt8]) -> [UInt8]? {
    func place(of name: String, _ field: [UInt8]) -> Int? {
      let pattern = Array(name.utf8) + field
      return (0..<min(bytes.count, 1 << 16)).first { bytes[$0...].starts(with: pattern) }
    }
    func with(_ field: [UInt8], at place: Int) -> [UInt8] {
      Array(bytes[..<place]) + field + Array(bytes[(place + field.count)...])
    }
    let unknown = [UInt8](repeating: 0xFF, count: 8)
    switch String(decoding: bytes.prefix(4), as: UTF8.self) {
    case "RIFF":
      return place(of: "data", [0, 0, 0, 0]).map { with(Array(unknown[..<4]), at: $0 + 4) }
    case "BW64":
      return with(Array("RF64".utf8), at: 0)
    case "caff":
      guard let place = place(of: "data", unknown) else { return nil }
      let size = UInt64(bytes.count - place - 12)
      return with((0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }, at: place + 4)
    default:
      return nil
    }
  }

  /// Reads MP1, MP2 and MP3. libsndfile believes the length that libmpg123 guesses from the
  /// first frame if the file has no Xing header, and reads no further.
  private static func readMPEG(_ path: String) throws(Fault) -> (channels: [[Float]], rate: Int) {
    let bytes = try readRegularFile(path, largest: largest)
    func refusal(_ words: String) -> Fault { Fault("cannot read \(path)", words) }
    guard let decoder = mpg123_new(nil, nil) else { throw refusal("the decoder does not start") }
    defer { mpg123_delete(decoder) }
    var (rate, count, encoding) = (0, Int32(0), Int32(0))
    let flags = Int(MPG123_FORCE_FLOAT.rawValue | MPG123_QUIET.rawValue)
    guard mpg123_param2(decoder, Int32(MPG123_ADD_FLAGS.rawValue), flags, 0) == 0,
      // A feed has no size to guess a length from.
      mpg123_open_feed(decoder) == 0, mpg123_feed(decoder, bytes, bytes.count) == 0,
      mpg123_getformat(decoder, &rate, &count, &encoding) == 0, rate > 0, count > 0
    else { throw refusal("its header makes no sense: it is torn, or no sound file") }
    let promised = Int(mpg123_length(decoder))
    let channelCount = Int(count)

    var (samples, frames): ([Float], Int) = ([], 0)
    var block = [Float](repeating: 0, count: 4096)
    var (code, lost) = (Int32(0), false)
    for _ in bytes {
      var size = 0
      code = block.withUnsafeMutableBytes { mpg123_read(decoder, $0.baseAddress, $0.count, &size) }
      // What follows the last frame, as a tag does, is no sound.
      if lost && size > 0 {
        throw refusal("it is damaged: a part of its sound cannot be read; copy it or save it again")
      }
      frames += size / 4 / channelCount
      if Double(frames) <= Recording.longest * Double(rate) { samples += block[..<(size / 4)] }
      if code == MPG123_NEED_MORE.rawValue || code == MPG123_DONE.rawValue { break }
      lost = lost || code != MPG123_OK.rawValue
    }
    guard promised - frames <= rate / 100 else {
      throw refusal("it is torn: \(frames) of \(promised) frames can be read")
    }
    // What is left over begins like a frame: the rest of it is missing.
    var left = 0
    mpg123_getstate2(decoder, Int32(MPG123_BUFFERFILL.rawValue), &left, nil)
    let rest = bytes.suffix(max(left, 0)).prefix(2)
    if rest.count == 2, rest.first == 0xFF, rest.last! >= 0xE0 {
      throw refusal("it is torn: its last part is missing")
    }
    try refuse(path, ofSeconds: Double(frames) / Double(rate))
    guard frames > 0 else { throw refusal("it holds no sound") }
    let channels = (0..<channelCount).map { channel in
      stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
    }
    return (channels, rate)
  }
}

/// The program ffmpeg, which reads what libsndfile does not, as AAC.
/// - Returns: the descriptor of a WAV file, which has no name.
private func decodedByFFmpeg(_ path: String, unknownAs fault: Fault) throws(Fault) -> Int32 {
  let (output, errors) = (try temporaryFile(), try temporaryFile())
  defer { close(errors) }
  // Only local files: a playlist must not open the network.
  let status = system(
    "ffmpeg -nostdin -v error -xerror -protocol_whitelist file,pipe -i "
      + "\("file:\(path)".shellWord) -map 0:a:0 -t 60 -c:a pcm_f32le -f wav pipe:1 "
      + ">/dev/fd/\(output) 2>/dev/fd/\(errors)")
  // Nil if it complained too much to be read.
  let said = try? readRegularFile("/dev/fd/\(errors)")
  if status == 0, said == [] { return output }
  close(output)
  // The shell has found no such program.
  guard status != 127 << 8 else {
    let name = path.prefix(upTo: path.lastIndex(of: ".") ?? path.endIndex)
    let suffix = path.hasSuffix(".wav") ? "flac" : "wav"
    throw Fault(
      fault.operation, code: fault.code,
      "\(fault.detail); if it is a sound, install ffmpeg, which import then uses, or convert it: "
        + "ffmpeg -i \(path.shellWord) \("\(name).\(suffix)".shellWord)")
  }
  let why = said.flatMap { firstLine($0) }.map { " (\($0))" } ?? ""
  throw Fault(
    fault.operation, code: fault.code,
    "ffmpeg finds errors in it\(why): it may be torn, or no sound file")
}

/// Without the part of ffmpeg that says it, as in `[mov @ 0x55d0c8] moov atom not found`.
private func firstLine(_ said: [UInt8]) -> String? {
  let text = String(decoding: said.prefix(300), as: UTF8.self)
  return text.split(separator: "\n").first.map { line in
    String(line.hasPrefix("[") ? line.drop { $0 != "]" }.dropFirst(2) : line)
  }
}

/// A file that has no name, and goes when it is closed.
private func temporaryFile(_ bytes: [UInt8] = []) throws(Fault) -> Int32 {
  let operation = "cannot make a temporary file"
  guard let file = tmpfile() else { throw Fault(operation, errno: errno) }
  defer { fclose(file) }
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
    throw Fault(operation, errno: errno)
  }
  let descriptor = dup(fileno(file))
  guard descriptor >= 0 else { throw Fault(operation, errno: errno) }
  lseek(descriptor, 0, SEEK_SET)
  return descriptor
}

extension String {
  /// As one word of a shell: in quotes, if the shell would take it for anything else.
  public var shellWord: String {
    let isPlain = allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+,:@%".contains($0))
    }
    if isPlain && !isEmpty { return self }
    return "'" + unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
  }
}
