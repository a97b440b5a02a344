import Basics
@preconcurrency import Glibc
import Horology

/// The sound files of the tunes' bells, found by the bells' names.
public struct BellRack: Sendable {
  /// One take of a bell, as it was rendered.
  public struct Take: Hashable, Sendable {
    public let path: String
    let file: (rate: Int, frames: Int)

    func frames(atRate rate: Int) -> Int {
      SoundFile.frames(file.frames, of: file.rate, atRate: rate)
    }

    public static func == (left: Take, right: Take) -> Bool { left.path == right.path }
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
  }

  private let folders: [String]
  private var takes: [String: [Take]] = [:]

  public init(folders: [String]) {
    self.folders = folders
  }

  /// Finds the sounds of every bell that a tune needs.
  /// - Throws: `Fault` if one is missing, or is not a sound file.
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

  /// The file name of a bell's take, without a folder: `F#4`, take 1 is `Fsharp4-1.flac`.
  /// - Parameter take: nil for the only take of a bell, `Fsharp4.flac`.
  private static func fileName(of bell: String, take: Int?) -> String {
    bell.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "sharp")
      + (take.map { "-\($0)" } ?? "") + ".flac"
  }

  /// The takes of `F#4` are the existing files among `Fsharp4.flac` and `Fsharp4-1.flac` to `-9`,
  /// in the first folder that has any. Blows use them in turn.
  private func find(_ bell: String) throws(Fault) -> [Take] {
    guard !bell.contains("/") else { return [] }
    var names = [Self.fileName(of: bell, take: nil)]
    for number in 1...9 { names.append(Self.fileName(of: bell, take: number)) }
    for folder in folders {
      let paths: [String] = names.map { "\(folder)/\($0)" }.filter { access($0, F_OK) == 0 }
      guard !paths.isEmpty else { continue }
      var takes: [Take] = []
      for path in paths {
        let file = try SoundFile(path: path)
        takes.append(Take(path: path, file: (file.rate, file.frames)))
      }
      return takes
    }
    return []
  }

  /// The take for a bell's blow number `index`, counted from 0.
  func take(_ index: Int, of bell: String) throws(Fault) -> Take {
    guard let takes = takes[bell] else { throw Fault("bell '\(bell)'", "it is in no tune") }
    return takes[index % takes.count]
  }

  public var paths: [String] { takes.values.joined().map(\.path).sorted() }
}
