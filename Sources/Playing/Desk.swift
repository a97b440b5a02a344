import Horology
import Sound

/// Sums up the tracks, turns down what a cue sounds over, and gives the sum to the master. It can
/// go back with the stream, and render again what has changed since.
final class Desk {
  private(set) var tracks: [Track] = []
  /// What is over: what a cue sounded over may still be on its way back, and what had to be given
  /// up on its way to silence.
  private var past: [Track] = []
  private let rate: Double
  private let master: Master
  private let scratch = UnsafeMutableBufferPointer<Float>.allocate(
    capacity: Master.longestBlock)
  /// Of all that sounds, behind the limiter.
  private var fades: [Fade] = []

  /// What sounds under a cue: -12 dB.
  private static let ducked: Float = 0.251_188_6
  private static let duckingTakes = Duration.milliseconds(20)
  private static let returnTakes = Duration.milliseconds(300)

  /// - Parameters:
  ///   - rate: frames per second.
  ///   - memory: by how many frames the stream can go back.
  init(rate: Int, memory: Int) {
    self.rate = Double(rate)
    master = Master(rate: rate, memory: memory)
  }

  deinit {
    scratch.deallocate()
  }

  /// What every sample of the sum is multiplied by.
  var gain: Float {
    get { master.gain }
    set { master.gain = newValue }
  }

  /// How many frames a track must remember.
  var memoryOfTracks: Int { master.memoryOfSounds }

  func add(_ track: Track) { tracks.append(track) }

  func remove(_ track: Track) {
    guard let index = tracks.firstIndex(where: { $0 === track }) else { return }
    tracks.remove(at: index)
    if track.ducksOthers && track.end != nil { past.append(track) }
  }

  /// Removes what cannot go on. What of it the limiter has heard is faded from there, as far as it
  /// is remembered.
  func giveUp(_ track: Track, fadeFrames: Int) {
    guard let start = track.start, start < master.decided else { return remove(track) }
    tracks.removeAll { $0 === track }
    track.fade(Fade(start: master.decided, frames: fadeFrames))
    past.append(track)
  }

  /// Renders the next frames of the stream over whatever `block` held.
  func render(
    into block: UnsafeMutableBufferPointer<Float>, _ clock: StreamClock, _ now: Now
  ) {
    let first = master.position
    master.render(into: block) { sum, frame in
      sum.update(repeating: 0)
      // Cues first: what they sound over is turned down from their first frame to their last.
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
    let returning = Int(Self.returnTakes.inSeconds * rate)
    past.removeAll { ($0.end ?? 0) + returning < forgotten }
  }

  /// How loud at a frame of the stream is what these sound over.
  private func level(at frame: Int, under cues: [Track]) -> Float {
    var level: Float = 1
    for cue in cues {
      guard let start = cue.start, frame >= start else { continue }
      // One that ended before it was heard turns nothing down.
      let sounded = min(frame, cue.end ?? .max) - start
      let fallen = min(Double(max(sounded, 0)) / (Self.duckingTakes.inSeconds * rate), 1)
      let over = max(frame - (cue.end ?? .max), 0)
      let risen = min(Double(over) / (Self.returnTakes.inSeconds * rate), 1)
      let share = Float(fallen * (1 - risen))
      level = min(level, 1 - share * (1 - Self.ducked))
    }
    return level
  }

  /// The stream goes back by so many frames.
  func goBack(by frames: Int) { master.goBack(by: frames) }

  /// Renders the next frames of the stream, which it has already.
  func pass(_ frames: Int, _ clock: StreamClock, _ now: Now) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: frames) { block in
      render(into: block, clock, now)
    }
  }

  /// True if others than these have begun.
  func sounds(besides these: [Track]) -> Bool {
    tracks.contains { track in track.start != nil && !these.contains { $0 === track } }
  }

  /// Fades these out, from the next frame of the stream on if nothing else sounds; else a little
  /// later, for what the limiter has heard already goes out as it is.
  func stop(_ stopped: [Track], _ reason: StopReason, fadeFrames: Int) {
    let othersSound = sounds(besides: stopped)
    let fade = Fade(
      start: othersSound ? master.decided : master.position, frames: fadeFrames)
    for track in stopped { track.stop(reason, fade, isAlone: !othersSound) }
    if !othersSound { fades.append(fade) }
  }
}
