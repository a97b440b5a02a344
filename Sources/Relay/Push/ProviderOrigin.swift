@preconcurrency import Glibc

/// What a provider was made of. A reload leaves its lane alone while this stays the same.
struct ProviderOrigin: Hashable {
  enum Section: Hashable {
    case apns(PushConfiguration.APNs)
    case ntfy(PushConfiguration.Ntfy)
    case webhook(PushConfiguration.Webhook)
  }

  let section: Section
  /// The key, the token or the shared secret; empty if there is none.
  let secret: [UInt8]
  /// The certificates that libcurl reads by itself.
  private let files: [FileState?]

  /// - Parameter files: the paths of the certificates.
  init(_ section: Section, secret: [UInt8], files: [String]) {
    self.section = section
    self.secret = secret
    self.files = files.map { FileState(of: $0) }
  }
}

/// Tells by stat(2) whether a file has been written or replaced.
private struct FileState: Hashable {
  let inode: UInt64
  let bytes: Int64
  let seconds: Int64
  let nanoseconds: Int64

  /// Nil if the file is not there.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    bytes = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }
}
