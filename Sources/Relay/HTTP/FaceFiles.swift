import Basics

/// The files of the page for browsers, read once: a request never names a file of the disk.
struct FaceFiles {
  fileprivate static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json",
  ]

  /// The page itself, cut at its places for words: each part with an odd number is the name of one.
  private var index: [Substring] = []
  private(set) var others: [String: HTTPAnswer] = [:]

  init() throws(Fault) {
    let folders = dataFolders(ofTree: "face", with: "index.html")
    // In the package the folder is one of several.
    let places = folders.prefix(1).map { "\($0)/face" } + folders.dropFirst()
    let folder = places.first { !names(inFolder: $0).isEmpty } ?? places[0]
    for name in try readNames(inFolder: folder) {
      guard let type = Self.types[String(name.drop { $0 != "." }.dropFirst())] else { continue }
      let bytes = try readRegularFile("\(folder)/\(name)")
      if name == "index.html" {
        index = String(decoding: bytes, as: UTF8.self).split { $0 == "{" || $0 == "}" }
      } else {
        others["/\(name)"] = HTTPAnswer(200, bytes, type: type)
      }
    }
  }

  /// The page, with words for browsers without JavaScript.
  /// - Parameter words: by their names in the page; none for who may not look.
  func page(_ words: [Substring: String]) -> HTTPAnswer {
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
