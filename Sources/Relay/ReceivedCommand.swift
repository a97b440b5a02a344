/// A command, and where it came from.
struct ReceivedCommand {
  let order: Order
  /// The MQTT topic, or the HTTP path.
  let topic: String
  /// Called once with the outcome; nil if nobody waits for it.
  var answer: ((CommandOutcome) -> Void)?
}
