import Glibc
import Testing

@testable import Relay

@Suite struct TLSAdviceTests {
  @Test(
    "an alert of the broker is told with what to do",
    arguments: [
      ("tlsv13 alert certificate required", "set 'certificate' and 'key'"),
      ("sslv3 alert handshake failure", "set 'certificate' and 'key'"),
      ("ssl/tls alert handshake failure", "set 'certificate' and 'key'"),
      ("tlsv1 alert unknown ca", "does not accept the certificate of this clock"),
      ("sslv3 alert certificate expired", "does not accept the certificate of this clock"),
      ("wrong version number", "does not speak TLS on this port"),
    ])
  func alerts(_ reason: String, _ words: String) {
    let advice = TLSContext.advice(on: reason)
    #expect(strstr(advice, words) != nil, "\(advice)")
    #expect(advice.hasPrefix("; "))
  }

  @Test("of other reasons nothing is guessed") func others() {
    #expect(TLSContext.advice(on: "unexpected eof while reading").isEmpty)
  }
}
