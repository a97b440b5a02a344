import Basics
import Sound

extension Arguments {
  /// The sound file that `--output` names; nil if it was not given.
  /// - Parameter inPlace: true if a person listens to it while it is written.
  func soundFile(inPlace: Bool = false) throws -> String? {
    guard let path = self["output"] else { return nil }
    if let flaw = SoundFileWriter.flaw(ofPath: path, inPlace: inPlace) {
      throw Misuse(description: "--output '\(path)': \(flaw)")
    }
    return path
  }

  /// The folder of `--output`; nil if it is not given.
  /// - Throws: `Misuse` if no folder can have this name.
  func folder() throws -> String? {
    guard let name = self["output"] else { return nil }
    if let flaw = flaw(ofOutputName: name) {
      throw Misuse(description: "--output '\(name)': \(flaw)")
    }
    return withoutSlash(name)
  }
}
