import Devices
import Horology
import Service

let statusCommand = Subcommand(
  name: "status", operands: "", mostOperands: 0,
  summary: "show the time, what sounds next, and how the clock is",
  details: """
    Shows what a service with this configuration sees now: the time, the next occasion, how far
    the clock is to be trusted, and the speaker.
    """,
  options: [
    Option(name: "json", argument: nil, help: "one JSON object"),
    configOption,
  ]
) { arguments in
  let configuration = try Configuration.load(path: arguments["config"])
  let composer = try configuration.composer()
  let settings = configuration.announcer
  let zone = try SystemZone.current()
  let now = SystemClock.now
  let watch = ClockWatch(rtc: configuration.rtc)
  _ = watch.look()
  let clock = watch.state
  let local = zone.civil(at: now.instant)
  let next = Schedule(interval: settings.interval, zone: zone).next(after: now.instant)
  let text = settings.speaks(at: next.civil) ? try composer.text(of: next.civil) : ""
  let refusal = settings.refusal(at: next.civil, trust: clock.trust, ringer: .absent)
  if arguments.has("json") {
    let line = JSONLine()
    line.set("instant", now.instant.utcText())
    line.set("local", local.description)
    line.set("zone", zone.name)
    line.set("next_instant", next.instant.utcText())
    line.set("next_local", next.civil.description)
    line.set("next_text", text)
    line.set("next_sounds", refusal == nil)
    line.set("next_reason", refusal?.description)
    line.set("trust", clock.trust.rawValue)
    line.set("clock_basis", clock.basis.key)
    line.set("clock_uncertainty_seconds", clock.uncertainty?.inSeconds)
    line.set("rtc", watch.rtc?.reading.name)
    line.set("rtc_valid", watch.rtc?.isValid)
    line.set("speaker", configuration.device)
    line.set("voice", configuration.voice)
    try say(line.text)
  } else {
    let wait = (next.instant - now.instant).inWords
    let what = refusal.map { "silent: \($0)" } ?? "\"\(text)\""
    let face = "\(local.weekday.abbreviation) \(local.dateTime)"
    try say("now      \(face) \(zone.name) (UTC\(local.offsetText))")
    try say("next     \(next.civil.dateTime.timeOfDay), in \(wait): \(what)")
    try say("clock    \(clock.words)")
    try say("speaker  \(configuration.device)")
    try say("voice    \(configuration.voice), \(composer.voice.description)")
  }
  return ExitStatus.done
}

extension ClockState.Basis {
  /// For programs: it does not change.
  fileprivate var key: String {
    switch self {
    case .disciplined: "disciplined"
    case .synchronisedEarlier: "synchronised_earlier"
    case .setFromRTC: "set_from_rtc"
    case .agreesWithRTC: "agrees_with_rtc"
    case .nothing: "nothing"
    }
  }
}
