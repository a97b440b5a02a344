import Basics

/// Somebody who takes messages: how a delivery is put to him, and what his answers mean.
protocol Provider: AnyObject {
  var lane: Lane { get }
  /// What an entry wants; of devices, each has its own choice.
  var events: PushEvents { get }
  var settings: Transfers.Settings { get }

  /// - Throws: `Fault` if the message cannot be put so that it is taken.
  func request(
    _ delivery: Delivery, _ registered: RegisteredMessage, at now: UTCTime
  ) throws(Fault) -> Request

  func judge(_ answer: Answer, sent: UTCTime, at now: UTCTime) -> Verdict

  /// How long to wait after so many tries of one delivery.
  func pause(after tries: Int) -> Duration
}

extension Provider {
  /// Twice as long each time, from a second to a minute.
  func pause(after tries: Int) -> Duration { .seconds(1 << min(max(tries - 1, 0), 6)) }
}
