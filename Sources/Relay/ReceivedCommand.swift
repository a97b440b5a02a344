/// A command, and where it came from.
struct ReceivedCommand {
  let order: Order
  /// The MQTT topic, or the HTTP path.
  let topic: String
  /// Answers an app over HTTP, once; nil if none waits for it.
  var answer: ((CommandOutcome) -> Void)?
}
