import Basics
import Horology

/// An alarm as it is saved for the next start.
extension Alarm {
  /// The alarms of a person, and as many of the configuration.
  private static let mostSaved = 2 * Alarms.most

  var saved: JSONLine {
    let line = JSONLine()
    line.set("number", number)
    if let name { line.set("name", name) }
    if let lostName { line.set("lost_name", lostName) }
    if origin != .person { line.set("origin", origin.rawValue) }
    line.set("time", plan.times.time.description)
    line.set("days", plan.times.days.description)
    if let tune = plan.tune { line.set("tune", tune.name) }
    if let rise = plan.rise {
      line.set("rise_db", exactly: rise.decibels)
      line.set("rise_usec", Int(rise.length.nanoseconds / 1000))
    }
    switch state {
    case .waiting(let next, let from):
      if let next { line.set("next_usec", next.savedMicroseconds) }
      if let from { line.set("from", from) }
    case .ringing(let ring, let since):
      line.set("ring_usec", ring.savedMicroseconds)
      line.set("ringing", since)
    case .snoozing(let ring, let until):
      line.set("ring_usec", ring.savedMicroseconds)
      line.set("snoozing", until)
    }
    if let promised { line.set("promised_usec", promised.savedMicroseconds) }
    if let acknowledged { line.set("acknowledged_usec", acknowledged.savedMicroseconds) }
    return line
  }

  /// - Parameter tune: finds a tune by its name; nil if it is missing. Then the signal rings: a
  ///   silent alarm is worse than one that sounds different.
  /// - Throws: `Fault` for alarms that could not have been saved.
  static func all(
    in objects: [JSONObject], path: String, tune: (String) -> Tune?
  ) throws(Fault) -> [Alarm] {
    var alarms: [Alarm] = []
    for object in objects { alarms.append(try Alarm(object, tune: tune)) }
    let names = alarms.compactMap(\.name)
    guard Set(alarms.map(\.number)).count == alarms.count, Set(names).count == names.count else {
      throw Fault(path, "it has two alarms of one name or number")
    }
    return alarms
  }

  private init(_ object: JSONObject, tune: (String) -> Tune?) throws(Fault) {
    guard let number = try object.integer("number"), (1...Int64(Self.mostSaved)).contains(number)
    else { throw Fault(object.path, "an alarm in it lacks its number") }
    let title = "alarm \(number)"
    let lostName = try object.text("lost_name").flatMap { Self.flaw(ofName: $0) == nil ? $0 : nil }
    self.init(
      number: Int(number), try AlarmPlan(object, title, tune: tune),
      from: try object.choice("origin", of: title) ?? .person, state: try State(object, title),
      promised: try object.instant("promised_usec"),
      acknowledged: try object.instant("acknowledged_usec"), lostName: lostName)
  }
}

extension AlarmPlan {
  /// - Parameter title: the title of the alarm, for an error.
  fileprivate init(
    _ object: JSONObject, _ title: String, tune: (String) -> Tune?
  ) throws(Fault) {
    let path = object.path
    guard let time = try object.text("time"), let days = try object.text("days") else {
      throw Fault(path, "\(title) in it lacks its time or its days")
    }
    do throws(AlarmRefusal) {
      self.init(
        AlarmTimes(time: try TimeOfDay(text: time), days: try AlarmDays(text: days)))
    } catch {
      throw Fault(path, "\(title) in it: \(error)")
    }
    // Keep the alarm without a name that an earlier version allowed and this one does not.
    name = try object.text("name").flatMap { Alarm.flaw(ofName: $0) == nil ? $0 : nil }
    self.tune = try object.text("tune").map { tune($0) ?? .missing($0) }
    switch (try object.number("rise_db"), try object.microseconds("rise_usec")) {
    case (nil, nil): break
    case (let decibels?, let length?):
      guard let rise = AlarmRise(from: decibels, over: .microseconds(length)) else {
        throw Fault(
          path, "\(title) in it rises from \(decibels) dB over \(length) us, which is none")
      }
      self.rise = rise
    default: throw Fault(path, "\(title) in it lacks rise_db or rise_usec")
    }
  }
}

extension Alarm.State {
  fileprivate init(_ object: JSONObject, _ title: String) throws(Fault) {
    let next = try object.instant("next_usec")
    let ring = try object.instant("ring_usec")
    let from = try object.moment("from")
    switch (ring, try object.moment("ringing"), try object.moment("snoozing")) {
    case (nil, nil, nil): self = .waiting(next: next, from: from)
    case (let ring?, let since?, nil) where next == nil && from == nil:
      self = .ringing(ring: ring, since: since)
    case (let ring?, nil, let until?) where next == nil && from == nil:
      self = .snoozing(ring: ring, until: until)
    default: throw Fault(object.path, "\(title) in it does not wait, ring or snooze")
    }
  }
}

extension JSONObject {
  fileprivate func instant(_ key: String) throws(Fault) -> Instant? {
    try microseconds(key).map { Instant(nanoseconds: $0 * 1000) }
  }

  fileprivate func choice<Choice: RawRepresentable<String>>(
    _ key: String, of title: String
  ) throws(Fault) -> Choice? {
    guard let text = try text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw Fault(path, "\(key) '\(text.shortened)' of \(title) in it is not known")
    }
    return choice
  }
}
