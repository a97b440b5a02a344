import TestSupport
import Testing

@testable import Relay

@Suite struct ProviderOriginTests {
  private let folder = TemporaryFolder()

  private func origin(_ change: (inout PushConfiguration.Ntfy) -> Void = { _ in }) throws
    -> ProviderOrigin
  {
    var entry = PushConfiguration.Ntfy()
    entry.tokenFile = "\(folder.path)/token"
    entry.authority = "\(folder.path)/authority"
    change(&entry)
    return try NtfyProvider("phone", entry).origin
  }

  @Test("a provider is the same until its section, its secret or a certificate changes")
  func same() throws {
    try folder.write("token", "tk_school")
    try folder.write("authority", Self.authority)
    let first = try origin()
    #expect(try origin() == first)
    let other = try origin { entry in entry.events = .all }
    #expect(other != first)
    try folder.write("token", "tk_house")
    #expect(try origin() != first)
    try folder.write("token", "tk_school")
    #expect(try origin() == first)
    try folder.write("authority", Self.authority + "\n")
    #expect(try origin() != first)
  }

  /// Of nobody: made for this test with `openssl req -x509 -newkey ec`.
  private static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBjDCCATGgAwIBAgIUMMgI3RAsCE6zdkjX6EHZNM1AxxQwCgYIKoZIzj0EAwIw
    GjEYMBYGA1UEAwwPY2xvY2tzbWl0aCB0ZXN0MCAXDTI2MTEyNDA0NDI1OVoYDzIx
    MjYxMDMxMDQ0MjU5WjAaMRgwFgYDVQQDDA9jbG9ja3NtaXRoIHRlc3QwWTATBgcq
    hkjOPQIBBggqhkjOPQMBBwNCAAQ44i6QlxS/JwBj/ueVMYhdcjpC40C/qe+5IquG
    Ai0ngUhHhhFFbY98w3DPpbU0cGeYDokQo5fxblHaRpERhqX0o1MwUTAdBgNVHQ4E
    FgQUATbaNWsAtU08WVQfPS7hbsrkhQMwHwYDVR0jBBgwFoAUATbaNWsAtU08WVQf
    PS7hbsrkhQMwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA8NZQ
    /8SfMDtkNfBMTE/MhWdykGsdT9cDyh9MYTHLPQgCIQCIQ0UjKnhnNSVx41Y/ZH+r
    /gGqpnmzNdf/TyT/j6yeYQ==
    -----END CERTIFICATE-----

    """
}
