/// A message that was received.
struct MQTTMessage: Sendable {
  let topic: String
  /// Empty if it is larger than any command.
  let payload: [UInt8]
  /// The size of the payload as it was sent, in bytes.
  let size: Int
  let isRetained: Bool

  init(topic: String, payload: [UInt8], size: Int? = nil, isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.size = size ?? payload.count
    self.isRetained = isRetained
  }
}
