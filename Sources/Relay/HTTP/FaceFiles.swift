import Basics
@preconcurrency import Glibc

/// The files of the page for browsers, read once: a request never names a file of the disk.
struct FaceFiles {
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json",
  ]

  /// By their paths, as in `/face.js`; the page itself is `/`.
  private var files: [String: HTTPAnswer] = [:]

  /// - Throws: `Fault` if a file is missing or cannot be read.
  init() throws(Fault) {
    let folders = dataFolders(ofTree: "face", with: "index.html")
    // In the package the folder is one of several.
    let places = folders.prefix(1).map { "\($0)/face" } + folders.dropFirst()
    let folder = places.first { !names(inFolder: $0).isEmpty } ?? places.first ?? "face"
    for name in names(inFolder: folder) {
      guard let dot = name.lastIndex(of: "."),
        let type = Self.types[String(name[name.index(after: dot)...])]
      else { continue }
      let bytes = try readRegularFile("\(folder)/\(name)")
      files[name == "index.html" ? "/" : "/\(name)"] = HTTPAnswer(200, bytes, type: type)
    }
    guard files["/"] != nil else { throw Fault("\(folder)/index.html", errno: ENOENT) }
  }

  func file(at path: String) -> HTTPAnswer? { files[path] }
}
