/// The announcer on the system bus, as docs/dbus.md describes it.
public enum AnnouncerBus {
  public static let name = "org.clocksmith.Announcer1"
  public static let path = "/org/clocksmith/Announcer1"
  public static let interface = "org.clocksmith.Announcer1"
}
