/// The path of a voice or a tune in the configuration. It must mean the same in each folder: the
/// service runs in another one than `check` does.
public enum FullPath {
  /// Why a value is not the same everywhere, with the remedy; nil for a full path, and for a name.
  public static func flaw(of value: String) -> String? {
    guard value.contains("/"), !value.hasPrefix("/") else { return nil }
    return "this path depends on the folder in which the clock starts; write the full path, which "
      + "begins with /"
  }
}
