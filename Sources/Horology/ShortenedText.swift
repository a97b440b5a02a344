extension StringProtocol {
  /// What an error quotes of a text: at most its first 40 characters.
  public var shortened: String {
    count <= 40 ? String(self) : "\(prefix(40))..."
  }
}
