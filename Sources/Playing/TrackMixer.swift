import Horology
import Sound

/// Sums up the tracks, turns other tracks down under a cue, and gives the sum to the master.
final class TrackMixer {
  private(set) var tracks: [Track] = []
  /// Cues that are over, whose ducking may still be fading out.
  private var past: [Track] = []
  private let rate: Double
  private let master: Master
  private let scratch = UnsafeMutableBufferPointer<Float>.allocate(
    capacity: Master.longestBlock)
  /// Fades of the whole sum, after the limiter.
  private var fades: [Fade] = []

  /// Level of other sounds under a cue: -12 dB.
  private static let ducked: Float = 0.251_188_6
  private static let duckingTakes = Duration.milliseconds(20)

  /// - Parameter memory: by how many frames the stream can go back.
  init(rate: Int, memory: Int) {
    self.rate = Double(rate)
    master = Master(rate: rate, memory: memory)
  }

  deinit {
    scratch.deallocate()
  }

  var memoryOfTracks: Int { master.memoryOfSounds }

  func add(_ track: Track) { tracks.append(track) }

  func remove(_ track: Track) {
    guard let index = tracks.firstIndex(where: { $0 === track }) else { return }
    tracks.remove(at: index)
    if track.ducksOthers && track.end != nil { past.append(track) }
  }

  func render(
    into block: UnsafeMutableBufferPointer<Float>, _ clock: StreamClock, _ now: Now
  ) {
    let first = master.position
    master.render(into: block) { sum, frame in
      sum.update(repeating: 0)
      // Cues first: adding them decides their first and last frames, for the ducking of the others.
      let all = tracks + past
      let cues = all.filter(\.ducksOthers)
      for track in cues + all.filter({ !$0.ducksOthers }) {
        let cues = track.ducksOthers ? [] : cues
        let ducking = cues.isEmpty ? nil : { [self] in level(at: $0, under: cues) }
        track.add(to: sum, at: frame, ducking: ducking, scratch: scratch, clock, now)
      }
    }
    for fade in fades where fade.start < first + block.count && first < fade.end {
      for index in block.indices where first + index < fade.end {
        block[index] *= fade.level(at: first + index)
      }
    }
    let forgotten = first - memoryOfTracks
    fades.removeAll { $0.end < forgotten }
    let returning = Int(Ducking.returnTakes.inSeconds * rate)
    past.removeAll { ($0.end ?? 0) + returning < forgotten }
  }

  /// The level of other tracks at a frame of the stream, under these cues.
  private func level(at frame: Int, under cues: [Track]) -> Float {
    var level: Float = 1
    for cue in cues {
      guard let start = cue.start, frame >= start else { continue }
      // A cue that ended before it was heard ducks nothing.
      let end = cue.duckingEnd ?? .max
      let sounded = min(frame, end) - start
      let fallen = min(Double(max(sounded, 0)) / (Self.duckingTakes.inSeconds * rate), 1)
      let over = max(frame - end, 0)
      let risen = min(Double(over) / (Ducking.returnTakes.inSeconds * rate), 1)
      let share = Float(fallen * (1 - risen))
      level = min(level, 1 - share * (1 - Self.ducked))
    }
    return level
  }

  func goBack(by frames: Int) { master.goBack(by: frames) }

  /// Renders the next frames of the stream and drops them: the stream has them already.
  func pass(_ frames: Int, _ clock: StreamClock, _ now: Now) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: frames) { block in
      render(into: block, clock, now)
    }
  }

  func sounds(besides these: [Track]) -> Bool {
    tracks.contains { track in track.start != nil && !these.contains { $0 === track } }
  }

  /// Fades these tracks out. If others sound, the fade begins a little later, because the frames that
  /// the limiter has taken in go out unchanged.
  func stop(_ stopped: [Track], _ reason: StopReason, fadeFrames: Int) {
    let othersSound = sounds(besides: stopped)
    let fade = Fade(
      start: othersSound ? master.decided : master.position, frames: fadeFrames)
    for track in stopped { track.stop(reason, fade, isAlone: !othersSound) }
    if !othersSound { fades.append(fade) }
  }
}
