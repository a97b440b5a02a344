import Basics
@preconcurrency import Glibc
import Horology

public enum Sounds {
  /// The voice of that name beside the program, or the voice in the folder with the path `name`.
  public static func voice(_ name: String) throws(Fault) -> VoicePack {
    if name.contains("/") { return try VoicePack(path: name) }
    if let file = path("voices/\(name)/voice.conf") {
      return try VoicePack(path: String(file.dropLast("/voice.conf".count)))
    }
    let others = [
      "those of the package clocksmith-voices",
      "the full path of a voice's folder (/usr/local/share/mine)",
    ]
    throw notFound("voice", name, voiceNames(), or: others)
  }

  public static func voiceNames() -> [String] {
    let found = folders.flatMap { folder in
      names(inFolder: "\(folder)/voices").filter {
        access("\(folder)/voices/\($0)/voice.conf", F_OK) == 0
      }
    }
    return Set(found).sorted()
  }

  private static func notFound(
    _ kind: String, _ name: String, _ installed: [String], or others: [String]
  ) -> Fault {
    let allowed = (installed + others).joined(separator: ", ")
    let near = nearest(to: name, of: installed)
    return Fault("\(kind) '\(name)'", "not found: allowed are \(allowed)\(near)")
  }

  private static var folders: [String] { dataFolders(ofTree: "sounds", with: "voices") }

  private static func path(_ entry: String) -> String? {
    folders.map { "\($0)/\(entry)" }.first { access($0, F_OK) == 0 }
  }

  /// The tune of that name beside the program, or the tune in the file with the path `name`.
  /// - Parameter others: what may stand in its place, for the sentence of an error.
  public static func tune(
    _ name: String, or others: [String] = ["none", "the path of a tune's file"]
  ) throws(Fault) -> Tune {
    if name.contains("/") { return try Tune(path: name, name: name) }
    if let path = path("tunes/\(name).tune") { return try Tune(path: path, name: name) }
    throw notFound("tune", name, tuneNames(), or: others)
  }

  public static func tuneNames() -> [String] {
    let files = folders.flatMap { names(inFolder: "\($0)/tunes") }
    return Set(files.filter { $0.hasSuffix(".tune") }.map { String($0.dropLast(5)) }).sorted()
  }

  public static func bells() -> BellRack {
    BellRack(folders: folders.map { "\($0)/bells" })
  }

  /// The sound file of each signal that has one. A clock can do without them.
  public static func signals() -> [Signal: String] {
    var paths: [Signal: String] = [:]
    for signal in Signal.allCases { paths[signal] = path("signals/\(signal.rawValue).flac") }
    return paths
  }
}
