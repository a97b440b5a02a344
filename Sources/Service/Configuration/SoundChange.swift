import Horology
import Sound

extension SoundChange {
  /// Compares how an announcement was made with how it would be made now.
  /// - Parameter announcement: nil if none is under way.
  init(
    of announcement: Announcement?, from old: (Configuration, Composer),
    to new: (Configuration, Composer)
  ) {
    guard let announcement else {
      self = .none
      return
    }
    let scores = [old.1, new.1].map {
      try? $0.score(of: announcement, rate: standardRate)
    }
    if scores[0] != scores[1] {
      self = .sound
    } else {
      self = old.0.speakerSettings == new.0.speakerSettings ? .none : .speaker
    }
  }
}

extension Configuration {
  /// Where and how loud an announcement is played.
  fileprivate struct SpeakerSettings: Equatable {
    let device: String
    let isQuick: Bool
    let mixer: String?
    let volume: Double
    let latencyOffset: Duration
  }

  fileprivate var speakerSettings: SpeakerSettings {
    SpeakerSettings(
      device: device, isQuick: hasControls, mixer: mixer, volume: volume,
      latencyOffset: latencyOffset)
  }
}
