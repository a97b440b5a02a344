import Basics
@preconcurrency import Glibc

/// The program ffmpeg, which reads what libsndfile does not, as AAC.
enum FFmpeg {
  /// - Parameter fault: why libsndfile does not read it.
  /// - Returns: the descriptor of a WAV file, which has no name.
  static func decode(_ path: String, unknownAs fault: Fault) throws(Fault) -> Int32 {
    let (output, errors) = (try temporaryFile(), try temporaryFile())
    defer { close(errors) }
    var isRead = false
    defer { if !isRead { close(output) } }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)
    // Only local files: a playlist must not open the network.
    let words = [
      "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-protocol_whitelist", "file,pipe",
      "-i", "file:\(path)", "-map", "0:a:0", "-t", "60", "-c:a", "pcm_f32le", "-f", "wav", "pipe:1",
    ]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let code = posix_spawnp(&child, "ffmpeg", &files, nil, &arguments, environ)
    guard code == 0 || code == ENOENT else { throw Fault("cannot start ffmpeg", errno: code) }
    guard code == 0 else {
      let name = path.prefix(upTo: path.lastIndex(of: ".") ?? path.endIndex)
      let suffix = path.hasSuffix(".wav") ? "flac" : "wav"
      throw Fault(
        fault.operation, code: fault.code,
        "\(fault.detail); if it is a sound, install ffmpeg, which import then uses, or convert it: "
          + "ffmpeg -i '\(path)' '\(name).\(suffix)'")
    }
    var status: Int32 = 0
    try retryingInterrupts("cannot wait for ffmpeg") { waitpid(child, &status, 0) }
    var said = stat()
    fstat(errors, &said)
    guard status == 0, said.st_size == 0 else {
      let why = firstLine(errors).map { " (\($0))" } ?? ""
      throw Fault(
        fault.operation, code: fault.code,
        "ffmpeg finds errors in it\(why): it may be torn, or no sound file")
    }
    lseek(output, 0, SEEK_SET)
    isRead = true
    return output
  }

  /// The first line that ffmpeg said, without the part of ffmpeg that says it, as in
  /// `[mov @ 0x55d0c8] moov atom not found`.
  private static func firstLine(_ errors: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 300)
    let count = pread(errors, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return text.split(separator: "\n").first.map { line in
      String(line.hasPrefix("[") ? line.drop { $0 != "]" }.dropFirst(2) : line)
    }
  }
}

/// A file that has no name, and goes when it is closed.
func temporaryFile(_ bytes: [UInt8] = []) throws(Fault) -> Int32 {
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
