import Basics
import Horology
import Sound

/// A part of the agenda: what is to sound from an instant on, or will be silent, and why, if the clock
/// is trusted and the switch is on.
public struct AgendaPart: Sendable {
  public private(set) var lines: [AgendaLine] = []
  /// The lines are complete up to this instant, which is not included.
  public private(set) var until: Instant = Instant(seconds: 0)
  /// What the switch silences now; nil if it silences nothing.
  public private(set) var silencedBySwitch: SwitchScope?
  /// What may sound now although the clock is not trusted; nil if it is trusted.
  public private(set) var untrusted: UntrustedPolicy?

  /// The number of lines after which an answer of the service ends, once all of an instant are
  /// there. The service has one thread: so many take it 2 to 3.5 ms on a PC, whatever is set.
  public static let most = 100

  public init(
    of announcer: Announcer, _ composer: Composer,
    from start: Instant, to end: Instant, at now: Instant, most: Int = Self.most
  ) {
    let zone = announcer.zone
    let settings = announcer.settings
    // By the minute of the day.
    var lengths: [Int: Duration] = [:]
    var occasions = Agenda(settings, zone: zone, from: start, mute: (announcer.mute, at: now)) {
      announcement in
      let (time, programme) = (announcement.time, announcement.programme)
      // Words alone never last until the next occasion, which is at least a minute away.
      guard let last = programme.blows.last else { return settings.longestPhrase }
      if let length = lengths[time.minuteOfDay] { return length }
      // A fault in composing is reported when the announcement is to be played.
      let length = (try? composer.length(of: time, programme)) ?? last.offset
      lengths[time.minuteOfDay] = length
      return length
    }
    var appointments = Appointments(
      of: announcer.reminders, announcer.interval,
      in: zone, from: start)
    var (occasion, appointment) = (occasions.next(), appointments.next())
    until = end
    var last = start
    while true {
      let next = [occasion?.occasion.instant, appointment?.instant].compactMap { $0 }.min()
      guard let next, next < end else { break }
      // A record has instants to the microsecond.
      if lines.count >= most, last.microseconds < next.microseconds {
        until = next
        break
      }
      last = next
      // List the chime before a ring at the same instant.
      if let first = occasion, first.occasion.instant == next {
        lines.append(AgendaLine(first, composer))
        occasion = occasions.next()
      } else if let first = appointment {
        lines.append(AgendaLine(first, composer, in: zone))
        appointment = appointments.next()
      }
    }
    silencedBySwitch = announcer.isSilencedBySwitch ? announcer.settings.silences : nil
    untrusted = announcer.trust == .untrusted ? announcer.settings.untrusted : nil
  }

  // MARK: As a record

  private static let fields: [Field<Self>] = [
    Field(.records("lines", \.record, AgendaLine.init), \.lines),
    Field(.instant("until"), \.until),
    Field(.choice("switch_silences"), \.silencedBySwitch),
    Field(.choice("untrusted"), \.untrusted),
  ]

  var record: Record { Record(self, Self.fields) }

  init(_ record: Record) throws(BadValue) {
    try record.fill(&self, Self.fields)
  }
}
