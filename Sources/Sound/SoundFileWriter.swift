import Basics
import CSndFile
@preconcurrency import Glibc

/// A mono 16-bit sound file that is being written, with libsndfile: FLAC, CAF or WAV by the suffix
/// of its name. It is renamed when it is whole, so that its name never stands for a half-written file.
public final class SoundFileWriter {
  public let path: String
  private let handle: OpaquePointer
  private let descriptor: Int32
  private let finalPath: String
  private let temporaryPath: String?

  /// - Parameter inPlace: write under the final name from the start, for a file that grows while it
  ///   is listened to. It is WAV, because the header of a FLAC file cannot be updated.
  public init(path: String, rate: Int, inPlace: Bool = false) throws(Fault) {
    self.path = path
    finalPath = try outputPath(path)
    // A device such as /dev/null is written to directly.
    let isSpecial = isSpecialFile(finalPath)
    let writesInPlace = inPlace || isSpecial
    if let flaw = Self.flaw(ofPath: path, inPlace: inPlace) {
      throw Fault("cannot write \(path)", flaw)
    }
    let form = isSpecial ? SF_FORMAT_WAV : Self.forms[Self.suffix(of: path)] ?? SF_FORMAT_WAV
    let target = writesInPlace ? finalPath : "\(finalPath).\(getpid()).part"
    temporaryPath = writesInPlace ? nil : target
    let descriptor = try retryingInterrupts("cannot write \(path)") {
      open(target, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    }
    if inPlace && !isSpecial && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
      close(descriptor)
      throw Fault("cannot write \(path)", "another clock plays into it; name another file")
    }
    ftruncate(descriptor, 0)
    guard lseek(descriptor, 0, SEEK_CUR) != -1 || errno != ESPIPE else {
      close(descriptor)
      throw Fault(
        "cannot write \(path)", code: ESPIPE,
        "it is a pipe or a terminal, and the start of a sound file is written last; name a file, "
          + "and pass that on")
    }
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = 1
    info.format = Int32(form | SF_FORMAT_PCM_16)
    errno = 0
    guard let opened = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 1) else {
      let fault = Self.fault(path, errno: errno, orLibrary: sf_error(nil))
      if let temporaryPath { unlink(temporaryPath) }
      throw fault
    }
    handle = opened
    self.descriptor = descriptor
    sf_command(handle, Int32(SFC_SET_CLIPPING), nil, 1)
  }

  /// WAV has several suffixes, or none.
  private static let forms = [".flac": SF_FORMAT_FLAC, ".caf": SF_FORMAT_CAF]

  /// Why no sound is written under this name, with the remedy; nil if it can be tried.
  public static func flaw(ofPath path: String, inPlace: Bool = false) -> String? {
    if let flaw = Basics.flaw(ofOutputName: path) { return flaw }
    guard let target = try? outputPath(path), !isSpecialFile(target) else { return nil }
    let suffix = suffix(of: path)
    if ["", ".wav", ".wave"].contains(suffix) { return nil }
    if inPlace {
      return "what is heard while it is written is WAV; give it a name that ends in .wav"
    }
    return forms[suffix] == nil
      ? "sound is written as WAV, FLAC or CAF; give it a name that ends in .wav, .flac or .caf"
      : nil
  }

  /// As in `.wav`, in lower case; empty if there is none.
  private static func suffix(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").map { name[$0...].lowercased() } ?? ""
  }

  private var isOpen = true

  deinit {
    guard isOpen else { return }
    sf_close(handle)
    if let temporaryPath { unlink(temporaryPath) }
  }

  /// Appends frames; full scale is 1, and values beyond it are clipped.
  public func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    errno = 0
    let count = sf_writef_float(handle, block.baseAddress, sf_count_t(block.count))
    guard count == block.count else { throw failure() }
  }

  public func write(_ samples: ArraySlice<Float>) throws(Fault) {
    // Through a Result: with older compilers, this closure cannot throw a typed error.
    try samples.withUnsafeBufferPointer { block in
      Result { () throws(Fault) in try write(block) }
    }.get()
  }

  /// - Throws: `Fault` if its name does not lead to it any more.
  public func verifyPlace() throws(Fault) {
    var (own, named) = (stat(), stat())
    fstat(descriptor, &own)
    guard stat(finalPath, &named) == 0, own.st_dev == named.st_dev, own.st_ino == named.st_ino
    else {
      throw Fault(
        "cannot write \(path)", "it was deleted or replaced; restart the clock to begin it anew")
    }
  }

  public func updateHeader() throws(Fault) {
    errno = 0
    sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    guard sf_error(handle) == 0 else { throw failure() }
  }

  public func finish() throws(Fault) {
    isOpen = false
    // FLAC is flushed by sf_close, which reports no error of that: only errno tells.
    errno = 0
    let result = sf_close(handle)
    let code = errno
    guard result == 0, code == 0 else {
      if let temporaryPath { unlink(temporaryPath) }
      throw Self.fault(path, errno: code, orLibrary: result)
    }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, finalPath) == 0 else {
      let code = errno
      unlink(temporaryPath)
      throw Fault("cannot write \(path)", errno: code)
    }
  }

  private func failure() -> Fault {
    Self.fault(path, errno: errno, orLibrary: sf_error(handle))
  }

  /// The kernel's error if the kernel refused, otherwise libsndfile's.
  private static func fault(
    _ path: String, errno code: Int32, orLibrary libraryCode: Int32
  ) -> Fault {
    code != 0
      ? Fault("cannot write \(path)", errno: code)
      : Fault(
        "cannot write \(path)", code: libraryCode, "libsndfile refuses with \(libraryCode)")
  }
}
