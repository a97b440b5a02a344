import Basics
@preconcurrency import Glibc
import Horology

/// The sound files of the tunes' bells, found by the bells' names.
public struct BellRack {
  private let folders: [String]
  private var takes: [String: [StoredSound]] = [:]

  public init(folders: [String]) {
    self.folders = folders
  }

  /// - Throws: `Fault` if a bell is missing, or is not a sound file.
  public mutating func add(_ tune: Tune) throws(Fault) {
    for bell in tune.bells.sorted() where takes[bell] == nil {
      let found = try find(bell)
      guard !found.isEmpty else {
        throw Fault(
          "tune \(tune.name)",
          "there is no bell '\(bell.excerpt)'; looked in \(folders.joined(separator: ", "))")
      }
      takes[bell] = found
    }
  }

  /// The takes of `F#4` are the existing files among `Fsharp4.flac` and `Fsharp4-1.flac` to `-9`,
  /// in the first folder that has any. Blows use them in turn.
  private func find(_ bell: String) throws(Fault) -> [StoredSound] {
    guard !bell.contains("/") else { return [] }
    let name = bell.split(separator: "#", omittingEmptySubsequences: false)
      .joined(separator: "sharp")
    for folder in folders {
      let numbers = [""] + (1...9).map { "-\($0)" }
      let takes = numbers.map { "\(folder)/\(name)\($0).flac" }
        .filter { access($0, F_OK) == 0 }.map(StoredSound.init)
      for take in takes { _ = try take.seconds() }
      if !takes.isEmpty { return takes }
    }
    return []
  }

  func sound(ofBlow index: Int, of bell: String) throws(Fault) -> StoredSound {
    guard let takes = takes[bell] else { throw Fault("bell '\(bell)'", "it is in no tune") }
    return takes[index % takes.count]
  }

  public var paths: [String] { takes.values.joined().map(\.path).sorted() }
}
