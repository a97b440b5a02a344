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
    guard !voicesOfPackage.contains(name) else {
      let looked = places().map { "\($0)/voices" }.joined(separator: " and ")
      throw Fault(
        "voice '\(name)'",
        "not found in \(looked); install the package clocksmith-voices, which has it, or choose "
          + (voiceNames() + [wayToOtherVoice]).joined(separator: ", "))
    }
    throw notFound("voice", name, voiceNames(), or: [wayToOtherVoice])
  }

  private static let wayToOtherVoice =
    "the full path of a voice's folder, as /usr/local/share/mine"

  /// The voices of the package clocksmith-voices, for the words about one that is not installed.
  private static let voicesOfPackage: Set = ["de", "es", "fr", "it", "ru"]

  /// The file of that path in the first folder of sounds that has it, as in `signals/cue.flac`.
  /// - Throws: `Fault` with the path at which it is missing.
  private static func file(_ path: String, in folders: [String]) throws(Fault) -> String {
    for folder in folders where access("\(folder)/\(path)", F_OK) == 0 {
      return "\(folder)/\(path)"
    }
    let missing = folders.first ?? "share/clocksmith"
    throw Fault(
      path,
      "\(missing)/\(path) is not there; install clocksmith again, or run it from where it was "
        + "built")
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
    guard installed.isEmpty else {
      let allowed = (installed + others).joined(separator: ", ")
      return Fault("\(kind) '\(name)'", "not found: allowed are \(allowed)")
    }
    let missing = places().first.map { ": \($0) is not there" } ?? ""
    return Fault(
      "\(kind) '\(name)'",
      "not found, for no \(kind)s are installed\(missing); install clocksmith again, or write "
        + (others.last ?? ""))
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
  public static func signalsThatAreThere() -> [Signal: String] {
    var paths: [Signal: String] = [:]
    for signal in Signal.allCases {
      paths[signal] = try? file("signals/\(signal.rawValue).flac", in: places())
    }
    return paths
  }

  /// The sound file of each signal of a timer, an interval or an alarm.
  /// - Throws: `Fault` for the first that is missing, with its path.
  public static func signals() throws(Fault) -> [Signal: String] {
    try signals(in: places())
  }

  static func signals(in folders: [String]) throws(Fault) -> [Signal: String] {
    var paths: [Signal: String] = [:]
    for signal in Signal.allCases {
      paths[signal] = try file("signals/\(signal.rawValue).flac", in: folders)
    }
    return paths
  }
}
