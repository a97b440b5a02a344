import Basics

/// The files of the page for browsers, read once: a request never names a file of the disk.
struct FaceFiles {
  fileprivate static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json", "json": "application/json",
  ]

  /// The page itself, cut at its places for words: each part with an odd number is the name of one.
  private var index: [Substring] = []
  private(set) var others: [String: HTTPAnswer] = [:]
  /// A digest of all files, by which a page from before an upgrade knows that it is one.
  private(set) var version = ""

  init() throws(Fault) {
    let folders = dataFolders(ofTree: "face", with: "index.html")
    // In the package the folder is one of several.
    let places = folders.prefix(1).map { "\($0)/face" } + folders.dropFirst()
    let folder = places.first { !names(inFolder: $0).isEmpty } ?? places[0]
    var digests = ""
    for name in try readNames(inFolder: folder).sorted() {
      guard let type = Self.types[String(name.drop { $0 != "." }.dropFirst())] else { continue }
      var bytes = try readRegularFile("\(folder)/\(name)")
      if name.hasSuffix(".webmanifest") { bytes = try Self.manifest(bytes, name) }
      let tag = digest(of: bytes)
      digests += tag
      if name == "index.html" {
        index = String(decoding: bytes, as: UTF8.self).split { $0 == "{" || $0 == "}" }
      } else {
        // A browser keeps it, and asks each time whether it is still the same.
        let kept = [
          ("Cache-Control", "no-cache"), ("ETag", "\"\(tag)\""), ("Vary", "Accept-Encoding"),
        ]
        others["/\(name)"] = HTTPAnswer(200, bytes, type: type, kept)
      }
    }
    version = digest(of: Array(digests.utf8))
  }

  /// On a home screen the clock has its own name.
  private static func manifest(_ bytes: [UInt8], _ name: String) throws(Fault) -> [UInt8] {
    var manifest = try Record(json: String(decoding: bytes, as: UTF8.self), path: name)
    for key in ["name", "short_name"] { manifest[key] = .text(RelayConfiguration.hostName) }
    return Array(manifest.json.utf8)
  }

  /// The page, with words for browsers without JavaScript.
  /// - Parameter words: by their names in the page; none for who may not look.
  func page(_ words: [Substring: String]) -> HTTPAnswer {
    let own: [Substring: String] = ["version": version, "host": RelayConfiguration.hostName]
    let words = words.merging(own) { _, own in own }
    let parts = index.enumerated().map { number, part in
      number.isMultiple(of: 2) ? String(part) : words[part, default: ""].escapedForHTML
    }
    return HTTPAnswer(200, Array(parts.joined().utf8), type: Self.types["html"]!)
  }
}

extension HTTPAnswer {
  /// A refusal of the clock's name as a page that leads to the right one, if that is known.
  init(forPerson words: String, url: String?) {
    let link = url.map { "<p>Open <a href=\"\($0)\">\($0)</a>." } ?? ""
    let page = """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>clocksmith</title>
      <h1>This clock has another name</h1>
      \(link)
      <p>\(words.printable.escapedForHTML).

      """
    self.init(421, Array(page.utf8), type: FaceFiles.types["html"]!)
  }
}

extension String {
  fileprivate var escapedForHTML: String {
    let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
    return String(map { escapes[$0] ?? String($0) }.joined())
  }
}
