/// The announcer on the system bus, as docs/dbus.md describes it.
public enum AnnouncerBus {
  public static let name = "org.clocksmith.Announcer1"
  public static let path = "/org/clocksmith/Announcer1"
  public static let interface = "org.clocksmith.Announcer1"

  /// What to match, as sd_bus_add_match(3): its signals, and those of the bus that tell when it comes
  /// or goes, which its own do not.
  public static let matches = [
    "type='signal',sender='\(name)',path='\(path)'",
    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'",
  ]
}
