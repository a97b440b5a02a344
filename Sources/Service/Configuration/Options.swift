import Basics
import Horology

extension Clocksmith {
  public struct Options {
    /// The configuration file, in place of those in /etc.
    public var configurationPath: String?
    /// A WAV file to play into, in place of the speaker.
    public var output: String?
    public var saysNow = false
    public var untrusted: UntrustedPolicy?

    public init() {}

    func configuration() throws(Fault) -> Configuration {
      var configuration = try Configuration.load(path: configurationPath)
      if let untrusted { configuration.announcer.untrusted = untrusted }
      return configuration
    }
  }
}
