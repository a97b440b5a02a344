import Basics

/// An answer to an app: JSON, or nothing. libmicrohttpd itself refuses what it cannot read, in HTML.
struct HTTPAnswer {
  let status: UInt32
  let body: String
  var headers: [(name: String, value: String)] = []

  /// - Parameter body: JSON, or empty.
  init(_ status: UInt32, _ body: String) {
    self.status = status
    self.body = body
  }

  /// Refuses with a sentence, and with a reason word that never changes.
  init(_ status: UInt32, _ reason: String, _ words: String, _ headers: (String, String)...) {
    let record = Record(["error": .text(words.printable), "reason": .text(reason)])
    self.init(status, record.json)
    self.headers = headers.map { (name: $0.0, value: $0.1) }
  }
}

extension HTTPAnswer {
  init(_ outcome: CommandOutcome) {
    let status: UInt32 =
      switch outcome {
      case .done, .unchanged: 200
      case .waits: 202
      case .refused(let rejection): rejection.kind.status
      }
    self.init(status, outcome.record.json)
    if status == 503 { headers.append((name: "Retry-After", value: "5")) }
  }
}

extension Rejection.Kind {
  /// The status codes of RFC 9110, and 429 of RFC 6585.
  fileprivate var status: UInt32 {
    switch self {
    case .json, .command, .key, .value, .topic, .retained, .expired, .past, .future: 400
    case .token: 401
    case .unknown: 404
    case .repeated, .untrusted, .refused, .busy, .cancelled: 409
    case .large: 413
    case .rate: 429
    case .full, .absent, .register: 503
    case .timeout: 504
    }
  }
}
