import Horology

/// One ring is heard at a time: the loudest, and of those the newest.
extension Oracle {
  /// A ring from its first frame to its last, since the history began.
  struct RingSpan {
    let id: SoundingID
    let source: Cue.Source
    let from: Int64
    /// From the last blow of a tune on, only its bells ring on.
    let lastBlow: Int64?
    /// Nil while it sounds.
    var to: Int64?
  }

  mutating func notesRing(_ kind: Sound.Kind, of cue: Cue, _ moment: Moment) {
    guard cue.signal == .ring else { return }
    switch kind {
    case .begins:
      timers.spans.append(
        RingSpan(
          id: cue.id, source: cue.source, from: moment.elapsed,
          lastBlow: cue.blows.last.map { moment.elapsed + $0.offset.nanoseconds }))
      timers.lastBlow = moment.elapsed
    case .ends:
      guard let index = timers.spans.firstIndex(where: { $0.id == cue.id }) else { return }
      timers.spans[index].to = moment.elapsed
    case .blow: timers.lastBlow = moment.elapsed
    case .words: break
    }
  }

  /// The service rests: no ring has sounded on for longer than a fade once another had begun.
  mutating func judgeRingsTogether(_ moment: Moment) {
    guard timers.spans.contains(where: { $0.to != nil }) else { return }
    let spans = timers.spans
    timers.spans.removeAll { $0.to != nil }
    for (index, span) in spans.enumerated() {
      for other in spans[..<index] {
        let begun = max(span.from, other.from)
        let together = min(span.to ?? moment.elapsed, other.to ?? moment.elapsed) - begun
        let allowed = Self.fade + Self.tolerance + held(since: begun)
        // The bells of a tune that began late ring on into what follows it.
        let isAfterTune = other.lastBlow.map { span.from > $0 } == true
        guard together > allowed, !isAfterTune,
          !happened([.sleep, .service, .speaker], since: begun - 12 * second)
        else { continue }
        violated(
          .overlap, "two rings sound together for \(Duration.nanoseconds(together).roughly)",
          moment)
      }
    }
  }

  /// The source that rings and is heard in place of this one; nil if there is none.
  func precedes(_ source: Cue.Source, _ moment: Moment) -> Cue.Source? {
    guard let entry = timers.entries[source], let since = entry.rings?.elapsed(moment) else {
      return nil
    }
    let isSoft = entry.alarm?.plan.rise.map { $0.decibels(after: moment.elapsed - since) < -1 }
    return timers.entries.first { other, rival in
      guard other != source, let begun = rival.rings?.elapsed(moment),
        rival.alarm?.plan.rise == nil
      else { return false }
      // Those that begin within a second ring as one.
      return moment.elapsed - begun > second && (isSoft == true || begun - since > second)
    }?.key
  }
}
