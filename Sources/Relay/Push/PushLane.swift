import Basics
import Daemon

/// The deliveries of one lane, on their way: so many at once as the provider takes, and fewer while
/// it does not answer.
final class PushLane {
  struct Handlers {
    /// Notes outcomes and takes what is next; nil if the register cannot be used now.
    var advance: (_ outcomes: [Outcome], Lane, _ room: Int) -> Register.Batch?
    var nextDue: (Lane) -> UTCTime?
    /// Nil if the register cannot be used now, and nil in it if there is none.
    var message: (Int64) -> RegisteredMessage??
    /// The provider cannot be used, and why; nil if it can again.
    var told: (Lane, _ trouble: String?) -> Void
  }

  /// So many failures in a row, and the others wait too.
  private static let mostFailures = 8
  /// How long an answer may wait for others before it is noted.
  private static let noteTime = Duration.milliseconds(50)
  /// How long a register that cannot be used is left alone.
  private static let registerTime = Duration.seconds(2)

  let provider: Provider
  private let loop: EventLoop
  private let handlers: Handlers
  private var transfers: Transfers?
  private var sent: [Int64: (delivery: Delivery, at: UTCTime)] = [:]
  private var outcomes: [Outcome] = []
  /// How many deliveries may be on their way: one until the provider has accepted one.
  private var window = 1
  private var failures = 0
  private var backOff: BackOff
  private var hasTrouble = false
  private var mayHaveMore = true
  /// While it is there, nothing new is sent.
  private var pause: EventSource?
  private var noteTimer: EventSource?
  private var dueTimer: EventSource?
  private var endTimer: EventSource?
  /// Nothing more is sent; told when the last answer is noted.
  private var closed: (() -> Void)?

  init(_ provider: Provider, _ loop: EventLoop, _ handlers: Handlers) {
    self.provider = provider
    self.loop = loop
    self.handlers = handlers
    backOff = BackOff(seed: UInt64(truncatingIfNeeded: UTCTime.now.microseconds))
  }

  /// How many deliveries are on their way.
  var count: Int { sent.count }

  /// There may be something to send.
  func wake() {
    mayHaveMore = true
    advance()
  }

  // MARK: Sending

  private func advance() {
    noteTimer = nil
    let maySend = pause == nil && mayHaveMore && closed == nil
    let room = maySend ? max(window - sent.count, 0) : 0
    guard room > 0 || !outcomes.isEmpty else { return endIfClosed() }
    guard let batch = handlers.advance(outcomes, provider.lane, room) else {
      noteTimer = try? loop.after(Self.registerTime) { [unowned self] in advance() }
      return
    }
    outcomes = []
    if room > 0 { mayHaveMore = batch.deliveries.count == room || batch.isCut }
    if batch.isCut { noteTimer = try? loop.after(.zero) { [unowned self] in advance() } }
    for delivery in batch.deliveries { start(delivery) }
    if !mayHaveMore { watchDue() }
    if !outcomes.isEmpty { noteSoon() }
    endIfClosed()
  }

  private func start(_ delivery: Delivery) {
    let now = UTCTime.now
    do throws(Fault) {
      guard let found = handlers.message(delivery.message) else {
        return outcomes.append(
          Outcome(delivery: delivery, state: .waiting, due: now + Self.registerTime))
      }
      guard let message = found else { throw Fault("the message", "it is not in the register") }
      let request = try provider.request(delivery, message, at: now)
      if transfers == nil { transfers = try makeTransfers() }
      try transfers?.send(request)
      sent[delivery.id] = (delivery, now)
    } catch {
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: error.description))
    }
  }

  private func makeTransfers() throws(Fault) -> Transfers {
    try Transfers(
      loop, provider.settings, answered: { [unowned self] in answered($0, $1) },
      settled: { [unowned self] in settled() })
  }

  private func watchDue() {
    guard let due = handlers.nextDue(provider.lane) else {
      dueTimer = nil
      return
    }
    dueTimer = try? loop.after(max(due - .now, .milliseconds(10))) { [unowned self] in wake() }
  }

  // MARK: Answers

  private func answered(_ id: Int64, _ answer: Answer) {
    guard let (delivery, at) = sent.removeValue(forKey: id) else { return }
    let now = UTCTime.now
    switch provider.judge(answer, sent: at, at: now) {
    case .accepted:
      outcomes.append(Outcome(delivery: delivery, state: .accepted))
      succeed()
    case .refused(let reason):
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: reason))
      succeed()
    case .gone(let departure):
      outcomes.append(
        Outcome(
          delivery: delivery, state: .refused, reason: departure.reason, departure: departure))
      succeed()
    case .tokenExpired(let reason): tryAgain(delivery, reason, after: .zero, now)
    case .again(let reason, let wanted):
      tryAgain(delivery, reason, after: wanted, now)
      failures += 1
      if failures >= Self.mostFailures { fail(reason) }
    case .down(let reason):
      tryAgain(delivery, reason, after: nil, now)
      fail(reason)
    }
  }

  private func tryAgain(
    _ delivery: Delivery, _ reason: String, after wanted: Duration?, _ now: UTCTime
  ) {
    let due = now + (wanted ?? provider.pause(after: delivery.tries))
    // If that cannot be read now, it is tried again and looked at then.
    let message = handlers.message(delivery.message)
    let expires = message.map { $0?.message.expires ?? now }
    outcomes.append(
      expires.map { due < $0 } ?? true
        ? Outcome(delivery: delivery, state: .waiting, due: due, reason: reason)
        : Outcome(delivery: delivery, state: .expired, reason: reason))
    mayHaveMore = true
  }

  /// The provider has said something sensible.
  private func succeed() {
    failures = 0
    window = provider.settings.most
    if hasTrouble {
      hasTrouble = false
      backOff.reset()
      handlers.told(provider.lane, nil)
    }
  }

  private func fail(_ reason: String) {
    failures = 0
    window = 1
    // All that were on their way fail together.
    guard pause == nil, closed == nil else { return }
    if !hasTrouble {
      hasTrouble = true
      handlers.told(provider.lane, reason)
    }
    pause = try? loop.after(backOff.wait()) { [unowned self] in
      pause = nil
      wake()
    }
  }

  private func settled() {
    // Each batch waits for the disk, while what is left is on its way.
    if sent.count <= window / 4 {
      advance()
    } else {
      noteSoon()
    }
  }

  private func noteSoon() {
    guard noteTimer == nil, !outcomes.isEmpty else { return }
    noteTimer = try? loop.after(Self.noteTime) { [unowned self] in advance() }
  }

  // MARK: The end

  /// How long answers are waited for at the end.
  private static let lastPatience = Duration.seconds(3)

  /// Sends nothing more.
  /// - Parameter done: called once when the last answer is noted, or none is waited for any more.
  func close(_ done: @escaping () -> Void) {
    pause = nil
    dueTimer = nil
    closed = done
    endTimer = try? loop.after(Self.lastPatience) { [unowned self] in end() }
    advance()
  }

  private func endIfClosed() {
    guard closed != nil, sent.isEmpty, outcomes.isEmpty else { return }
    // Whoever is told may release this, and it is still being served.
    endTimer = try? loop.after(.zero) { [unowned self] in end() }
  }

  private func end() {
    let done = closed
    closed = nil
    // What never left is sent by whoever comes next.
    let now = UTCTime.now
    for (id, (delivery, _)) in sent {
      outcomes.append(
        transfers?.hasBegun(id) == false
          ? Outcome(delivery: delivery, state: .waiting, due: now)
          : Outcome(delivery: delivery, state: .unanswered))
    }
    sent = [:]
    if !outcomes.isEmpty { _ = handlers.advance(outcomes, provider.lane, 0) }
    outcomes = []
    transfers = nil
    done?()
  }

  /// The register is another one: what is on its way means nothing there.
  func forget() {
    sent = [:]
    outcomes = []
  }
}
