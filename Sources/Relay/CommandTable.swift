import Basics
import Horology

/// The commands that a message may give: those of the clock, and the relay's own.
enum CommandTable {
  struct Entry: Sendable {
    /// The keys that it may hold, besides those of every command.
    let keys: [String]
    let action: @Sendable (Record) throws(BadValue) -> Order.Action
  }

  static var names: [String] { entries.keys.sorted() }

  static let entries: [String: Entry] = {
    var entries = Dictionary(
      uniqueKeysWithValues: Horology.Request.forms.map { ($0.name, Entry($0)) })
    entries["rounds"] = entries["interval"]
    entries["cancel"] = Entry(keys: [Order.id.name]) { record throws(BadValue) in
      .cancel(id: try record.value(Order.id))
    }
    entries["device_add"] = Entry(keys: Device.keys) { record throws(BadValue) in
      var device = try Device(token: record)
      try device.choose(record)
      return .register(device)
    }
    entries["device_remove"] = Entry(keys: [Device.token.name]) { record throws(BadValue) in
      .remove(token: try Device(token: record).token)
    }
    return entries
  }()

  /// Stands for every tune, for only the clock can find one. The network must not choose which files
  /// it opens, so a name is that of a file in its folder.
  fileprivate static func tune(_ name: String) throws(BadValue) -> Tune {
    guard !name.utf8.contains(UInt8(ascii: "/")), name.utf8.count < 256 else {
      throw BadValue(key: "tune", value: .text(name), allowed: "the name of a tune, not a path")
    }
    return .missing(name)
  }
}

extension CommandTable.Entry {
  fileprivate init(_ form: Horology.Request.Form) {
    self.init(keys: form.fields.map(\.key)) { record throws(BadValue) in
      _ = try form.request(record, tune: CommandTable.tune)
      return .call(AnnouncerCall(method: form.method, request: form.fields.isEmpty ? nil : record))
    }
  }
}
