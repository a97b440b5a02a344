/// A queue of deliveries: for one of Apple's servers, or for an entry of the configuration.
enum Lane: Hashable {
  case apns(Device.Environment)
  case ntfy(String)
  case webhook(String)

  /// As the register and the journal name it.
  var name: String {
    switch self {
    case .apns(let environment): "apns \(environment.rawValue)"
    case .ntfy(let name): "ntfy \(name)"
    case .webhook(let name): "webhook \(name)"
    }
  }

  /// Nil for an entry, which is itself one receiver.
  var environment: Device.Environment? {
    if case .apns(let environment) = self { environment } else { nil }
  }
}
