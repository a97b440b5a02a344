/// The path of a voice or a tune in the configuration. It must mean the same in each folder: the
/// service runs in another one than `check` does.
public enum WholePath {
  /// Why a value is not the same everywhere, with the remedy; nil for a whole path, and for a name.
  public static func flaw(of value: String) -> String? {
    guard value.contains("/"), !value.hasPrefix("/") else { return nil }
    return "where that is depends on the folder in which the clock is started; write the whole "
      + "path, which begins with /"
  }
}
