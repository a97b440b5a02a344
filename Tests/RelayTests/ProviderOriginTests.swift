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
    try folder.write("authority", "one")
    let first = try origin()
    #expect(try origin() == first)
    let other = try origin { entry in entry.events = .all }
    #expect(other != first)
    try folder.write("token", "tk_house")
    #expect(try origin() != first)
    try folder.write("token", "tk_school")
    #expect(try origin() == first)
    try folder.write("authority", "another")
    #expect(try origin() != first)
  }
}
