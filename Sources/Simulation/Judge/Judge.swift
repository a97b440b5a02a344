import Horology

/// Judges what was heard and told, by the owner's rules. It knows nothing of how it is decided: it is
/// a list of properties of the timeline. What must not be heard is forbidden always; what must be
/// heard is demanded where nothing has disturbed for a while.
struct Judge {
  /// The first violation; later ones are not kept.
  private(set) var violation: (property: String, text: String)?
  /// How often each kind of incident struck, and how many announcements and cues were heard.
  private(set) var counts: [String: Int] = [:]
  private(set) var world: Situation
  private var properties: [any Property] = [
    TruthProperty(), OverlapProperty(), SilenceProperty(), LevelProperty(), OccasionsProperty(),
    RequestsProperty(), TrustProperty(), RingsProperty(),
    IntervalsProperty(),
  ]

  init(world: Situation) { self.world = world }

  mutating func count(_ incident: String) { counts[incident, default: 0] += 1 }

  mutating func see(_ fact: Fact, _ moment: Moment) {
    guard violation == nil else { return }
    if case .heard(.begins, let sounding) = fact {
      count(sounding.announcement == nil ? "cue" : "announcement")
    }
    world.apply(fact, moment)
    // One copy for all properties.
    let world = world
    for index in properties.indices {
      guard let what = properties[index].see(fact, moment, world) else { continue }
      let name = "\(type(of: properties[index]))".dropLast("Property".count).lowercased()
      violation = (name, "\(name): \(what), at \(moment.shown.utcText)")
      return
    }
  }
}

/// A rule of the owner. It reads the timeline a fact at a time.
protocol Property {
  /// - Returns: what is wrong; nil if nothing is.
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String?
}
