import Basics
@preconcurrency import Glibc
import Horology

public enum Sounds {
  /// The voice of that name beside the program, or the voice in the folder with the path `name`.
  /// - Throws: `Fault` that lists the voices.
  public static func voice(_ name: String) throws(Fault) -> VoicePack {
    if name.contains("/") { return try VoicePack(path: name) }
    for folder in folders() where access("\(folder)/voices/\(name)/voice.conf", F_OK) == 0 {
      return try VoicePack(path: "\(folder)/voices/\(name)")
    }
    let others = [
      "those of the package clocksmith-voices",
      "the full path of a voice's folder, as /usr/local/share/mine",
    ]
    throw notFound("voice", name, voiceNames(), or: others)
  }

  public static func voiceNames() -> [String] {
    let found = folders().flatMap { folder in
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
    return Fault("\(kind) '\(name)'", "not found: allowed are \(allowed)")
  }

  private static func folders() -> [String] {
    places().filter { access($0, F_OK) == 0 }
  }

  private static func places() -> [String] {
    dataFolders(ofTree: "sounds", with: "voices")
  }
}

extension Sounds {
  /// The tune of that name beside the program, or the tune in the file with the path `name`.
  /// - Parameter others: what may stand in its place, for the sentence of an error.
  /// - Throws: `Fault` that lists the tunes.
  public static func tune(
    _ name: String, or others: [String] = ["none", "the path of a tune's file"]
  ) throws(Fault) -> Tune {
    if name.contains("/") { return try Tune(path: name, name: name) }
    for folder in folders() {
      let path = "\(folder)/tunes/\(name).tune"
      if access(path, F_OK) == 0 { return try Tune(path: path, name: name) }
    }
    throw notFound("tune", name, tuneNames(), or: others)
  }

  public static func tuneNames() -> [String] {
    let files = folders().flatMap { names(inFolder: "\($0)/tunes") }
    return Set(files.filter { $0.hasSuffix(".tune") }.map { String($0.dropLast(5)) }).sorted()
  }

  public static func bells() -> BellRack {
    BellRack(folders: (folders().isEmpty ? places() : folders()).map { "\($0)/bells" })
  }

  /// The sound file of each signal that has one. A clock can do without them.
  public static func signals() -> [Signal: String] {
    var paths: [Signal: String] = [:]
    for signal in Signal.allCases {
      paths[signal] = places().map { "\($0)/signals/\(signal.rawValue).flac" }
        .first { access($0, F_OK) == 0 }
    }
    return paths
  }
}
