import Basics
import Devices
import Horology
import Service
import Sound

/// One line of the agenda, in words and as JSON.
struct AgendaLine {
  let words: String
  let json: String

  /// - Throws: `Fault` if the voice has no text for it.
  init(_ outlook: Outlook, _ composer: Composer) throws(Fault) {
    let civil = outlook.occasion.civil
    let text = outlook.speaks ? try composer.text(of: civil) : ""
    let line = Self.line(
      at: outlook.occasion.instant, civil, text, outlook.tune, strikes: outlook.strikes,
      outlook.refusal)
    line.set("cause", "occasion")
    json = line.text
    words = Self.words(
      civil, nil, [outlook.tune?.inWords(at: civil) ?? "", text], outlook.refusal)
  }

  /// - Parameter isNumbered: true if the number that the service gave it is known.
  init(_ appointment: Appointment, _ composer: Composer, isNumbered: Bool) {
    let civil = appointment.civil
    let title: String
    var name: String?
    var number: Int?
    var tune: Tune?
    var signal: Signal? = .ring
    var rise: String?
    var (cause, text, what) = ("", "", "rings")
    switch appointment.cause {
    case .alarm(let alarm):
      (cause, title, name, number) = ("alarm", alarm.title, alarm.name, alarm.number)
      text = (try? composer.text(of: civil)) ?? ""
      if let plan = alarm.plan.tune {
        // The service tells only the name of a tune.
        if plan.isMissing, (try? Sounds.tune(plan.name)) == nil {
          what = "rings with the signal, for its tune \(plan.name) cannot be used"
        } else {
          (tune, signal, what) = (plan, nil, plan.name)
        }
      }
      rise = alarm.plan.rise?.description
    case .timer(let timer):
      (cause, title, name, number) = ("timer", timer.title, timer.name, timer.number)
      text = composer.saysTimers ? composer.text(of: timer.phrases) ?? "" : ""
    case .interval(let interval, let cue):
      (cause, title, signal) = ("interval", interval.title, cue.signal)
      what = cue.signal == .end ? "the end" : "the next signal (\(cue.signal.rawValue))"
    }
    let line = Self.line(
      at: appointment.instant, civil, text, tune, strikes: 0, appointment.refusal)
    line.set("cause", cause)
    line.set("name", name)
    line.set("number", isNumbered ? number : nil)
    line.set("signal", signal?.rawValue)
    line.set("rise", rise)
    json = line.text
    let rising = rise.map { "rise \($0)" } ?? ""
    words = Self.words(civil, title, [what, rising, text], appointment.refusal)
  }

  /// The keys that every line has.
  private static func line(
    at instant: Instant, _ civil: CivilTime, _ text: String, _ tune: Tune?, strikes: Int,
    _ refusal: SkipReason?
  ) -> JSONLine {
    let line = JSONLine()
    line.set("instant", instant.utcText())
    line.set("local", civil.description)
    line.set("text", text)
    line.set("chime", tune?.name ?? "none")
    line.set("strikes", strikes)
    line.set("sounds", refusal == nil)
    line.set("reason", refusal?.description)
    return line
  }

  /// As in `sat 2026-11-21T12:00:00+00:00  westminster and 12 blows, twelve P M`.
  private static func words(
    _ civil: CivilTime, _ title: String?, _ heard: [String], _ refusal: SkipReason?
  ) -> String {
    let heard = heard.filter { $0 != "" }.joined(separator: ", ")
    let what = [title, refusal.map { "silent: \($0)" } ?? heard].compactMap { $0 }
    return "\(civil.weekday.abbreviation) \(civil)  \(what.joined(separator: ": "))"
  }
}
