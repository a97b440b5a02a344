/// The electrical level at which a GPIO line is active.
public enum ActiveLevel: String, CaseIterable, Sendable {
  case low, high
}
