import Basics

/// Carries the requests of a lane to its server.
protocol Carrier: AnyObject {
  /// How many requests the server takes at a time now. More than these wait here and have not left.
  var most: Int { get }

  /// - Throws: `Fault` if there is no memory for it.
  func send(_ request: Request) throws(Fault)

  /// False while no byte of the request can have left.
  func hasBegun(_ tag: Int64) -> Bool
}

/// How requests reach a server.
struct CarrierSettings: Hashable {
  /// A server of HTTP/2 over TLS, with its port if that is not 443. Nil if each request names its
  /// server, and any version of HTTP will do.
  var server: String?
  /// A file or a folder of certificates.
  var authorities: String
  var certificate: String?
  var key: String?
  /// How long a request may take. Standard Webhooks proposes 15 to 30 s.
  var patience = Duration.seconds(30)
  /// Limit of requests in flight.
  var most = 1
}
