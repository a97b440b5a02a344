import Basics
import CLinux
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Sound

public final class Clocksmith {
  public struct Options {
    /// The configuration file, in place of those in /etc.
    public var configurationPath: String?
    /// A WAV file to play into, in place of the speaker.
    public var output: String?
    public var saysNow = false
    public var untrusted: UntrustedPolicy?

    public init() {}

    var settingsPath: String? {
      Configuration.settingsPath(besides: configurationPath)
    }
  }

  private let options: Options
  private let loop: EventLoop
  private let journal = Journal()
  private let notifier = Notifier()
  private var sources: [EventSource] = []
  private var timer: CalendarTimer?
  private var pulse: EventSource?
  private var illness = Outage()

  private var inUse: ConfigurationInUse
  private lazy var zoneWatch = ZoneWatch(loop) { [unowned self] in readZone() }
  private var controls: Controls?
  private let conductor: Conductor
  private var player: Player?
  private let reporter: Reporter
  private let clockWatch: ClockWatch
  private let store: StateStore
  private var bus: BusServer?

  private var substitute: ALSASink.Substitute?
  private var isStopping = false
  private var trimming: EventSource?

  /// Reads the configuration and the voice. The speaker may be connected later.
  public init(_ options: Options) throws(Fault) {
    self.options = options
    loop = try EventLoop()
    inUse = try ConfigurationInUse(options)
    let configuration = inUse.configuration
    store = StateStore(stateFolder, loop: loop, journal: journal)
    clockWatch = ClockWatch(
      rtc: configuration.rtc, greatestError: configuration.greatestError,
      rtcSet: store.state.rtcSet)
    let clockNotices = clockWatch.judge()
    conductor = Conductor(
      store.state.announcer(
        configuration.announcer, in: try configuration.currentZone(),
        trust: clockWatch.state.trust, boot: SystemClock.boot, at: SystemClock.now))
    reporter = Reporter(journal, conductor)
    for notice in clockNotices { journal.log(notice) }
    inUse.findTunes(of: conductor.announcer.reminders.alarms.compactMap(\.alarm))
    conductor.instruments = self
    store.maySync = { [unowned self] in !isPlaying }
  }

  public func run() throws(Fault) {
    player = try makePlayer()
    timer = try CalendarTimer(loop: loop) { [unowned self] in handle(.woke) }
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.whenSignalled(signal) { [unowned self] in stop() })
    }
    sources.append(try loop.whenSignalled(SIGHUP) { [unowned self] in reload() })
    // Survive the loss of standard error's reader.
    Glibc.signal(SIGPIPE, SIG_IGN)
    try zoneWatch.watch(besides: configuration.zone)

    journal.log(
      .started, .info,
      "started: zone \(announcer.zone.name), voice \(configuration.voice), "
        + "clock \(announcer.trust.rawValue)",
      [
        "ZONE": announcer.zone.name, "VOICE": configuration.voice,
        "TRUST": announcer.trust.rawValue, "SPEAKER": options.output ?? configuration.device,
      ])
    bus = BusServer(
      loop: loop, journal: journal,
      serve: { [unowned self] request throws(BusServer.Refusal) in try serve(request) },
      status: { [unowned self] in status })
    reporter.bus = bus
    bus?.start()
    if stateFolder == nil {
      journal.log(
        .stateNowhere, .notice,
        "what is set at run time will be lost at the end: \(Status.hasNoStateFolder)")
    }
    for notice in configuration.noticesOfOutdated { journal.log(notice) }
    if announcer.trust == .untrusted { journal.warnOfUntrustedClock(announcer.settings.untrusted) }
    if announcer.mute != .off {
      journal.log(announcer.reportOfMute.notice(composer, clockWatch.state))
    }
    takeControls()
    let isFirstStart = Self.isFirstStart()
    if options.saysNow {
      handle(.asked(speakerIsAwake: false))
    } else if isFirstStart {
      handle(.machineStarted)
    }
    notifier.ready(statusLine)
    tellFlaws()
    beat()
    try loop.run()
    // Only now, when nothing sounds: a disk may take any time.
    player = nil
    store.save()
    reporter.end()
  }

  /// True once since the machine started. Without a folder for that it is never true: somebody has
  /// started the program by hand, and sees that it runs.
  private static func isFirstStart() -> Bool {
    guard let runtimeFolder else { return false }
    let mark = open("\(runtimeFolder)/started", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard mark >= 0 else { return false }
    close(mark)
    return true
  }

  private func makePlayer() throws(Fault) -> Player {
    var file: WAVSink?
    if let output = options.output { file = try WAVSink(path: output) }
    let player = Player(loop: loop) { [unowned self, file] in
      // Look the device up each time: a reload may have changed it.
      if let file { return file }
      let speaker = configuration.speaker
      speaker.opened = { [unowned self] in logChange(of: $0) }
      return speaker
    }
    player.settings = configuration.playerSettings
    player.heard = { [unowned self] in
      reporter.failure = ""
      handle(.heard($0, $1))
    }
    player.ended = { [unowned self] sounding, outcome in
      handle(.ended(sounding, outcome))
      store.save()
      returnMemorySoon()
      if isStopping, !isPlaying { loop.exit() }
    }
    return player
  }

  /// What has sounded, or was read, leaves a megabyte of free memory behind. The player holds a part
  /// of it until its tick is over, and those who hear of it on the bus ask for more.
  private func returnMemorySoon() {
    trimming = try? loop.after(.milliseconds(500)) { [unowned self] in returnMemory() }
    trimming?.isServedLast()
  }

  /// But not while a speaker has to be fed.
  private func returnMemory() { if !isPlaying { malloc_trim(0) } }

  /// Logs that another card plays instead of the default, once for each change.
  private func logChange(of substitute: ALSASink.Substitute?) {
    guard substitute?.device != self.substitute?.device else { return }
    self.substitute = substitute
    journal.log(
      substitute?.notice ?? Notice(.speaker, .notice, "the default speaker is back"))
  }

  /// Opens the controls, which tell the state of the switch.
  private func takeControls() {
    let losses = controls?.losses ?? []
    controls = nil
    controls = Controls(
      loop: loop, configuration: configuration, journal: journal,
      isAwake: { [unowned self] in player?.isAwake ?? false },
      tell: { [unowned self] event in
        handle(event)
        if case .held = event { bus?.signal("Held", Record()) }
      })
    controls?.show(announcer.lamp, announcer.lights)
    let lost = controls?.losses.map(\.key) ?? []
    for (key, _) in losses where !lost.contains(key) {
      journal.log(
        key == "lamp" ? .lamp : .button, .notice, "the \(key)'s line was opened again")
    }
  }

  // MARK: Events in, effects out

  private var configuration: Configuration { inUse.configuration }

  private var composer: Composer { inUse.composer }

  private var announcer: Announcer { conductor.announcer }

  private func handle(_ event: Event) { conductor.handle(event) }

  // MARK: Requests

  private func serve(_ request: Request) throws(BusServer.Refusal) -> Record {
    let now = SystemClock.now.instant
    switch request {
    case .announce(let time, let instant):
      let ahead = announcer.rules.preparation
      if let instant, instant <= now || instant > now + ahead {
        let allowed = "allowed are instants of UTC within the next \(ahead.inWords)"
        throw instant <= now ? .refused(.past, allowed) : .badArgument(allowed)
      }
      return try answer(
        .asked(
          time.map { CivilTime($0) }, at: instant, speakerIsAwake: player?.isAwake ?? false))
    case .stop: return try answer(.stop(.byHand))
    case .interval(let order): return try answer(.interval(order))
    case .reminder(let order):
      if case .set(var plan, let replaced) = order, let name = plan.tune?.name {
        plan.tune = try tune(named: name)
        return try answer(.reminder(.set(plan, replaces: replaced)))
      }
      return try answer(.reminder(order))
    case .mute(let duration): return try answer(.mute(duration.map { .until(now + $0) } ?? .on))
    case .muteNext: return try answer(.mute(.next))
    case .unmute: return try answer(.mute(.off))
    case .volume(let decibels):
      let number = Int(exactly: decibels).map { "\($0)" } ?? "\(decibels)"
      return try set("speaker.volume", to: "\(number)dB")
    case .setting(let key, let value): return try set(key, to: value)
    case .settings(let key): return Record(Setting.list, configuration.allSettings(of: key))
    case .agenda(let from, let to):
      let start = from ?? now
      let end = to ?? start + .seconds(86_400)
      guard start <= end else { throw .badArgument("to: it is before 'from'") }
      return AgendaPart(of: announcer, composer, from: start, to: end, at: now).record
    }
  }

  private func tune(named name: String) throws(BusServer.Refusal) -> Tune {
    let tune: Tune
    do throws(Fault) {
      tune = try Sounds.tune(name, or: ["none"])
    } catch {
      throw .badArgument(BadValue(key: "tune", because: error.description).description)
    }
    do throws(Fault) {
      try inUse.add(tune)
      return tune
    } catch {
      throw .refused(.tune, error.description)
    }
  }

  private func answer(_ order: Event) throws(BusServer.Refusal) -> Record {
    let answer = conductor.answer(to: order)
    // Put the order on the disk before it is answered. While something sounds, or is about to, it
    // is only written to the file, which outlasts this program, and is synced later.
    store.save()
    switch answer {
    case .done: return Record()
    case .announcement(let announcement):
      return Record(Request.Keys.text, composer.words(of: announcement))
    case .number(let number): return Record(.number, number)
    case .interval(let isNew): return Record(Request.Keys.isNew, isNew)
    case .refused(let refusal):
      throw .refused(refusal)
    }
  }

  // MARK: The clock

  private func readZone() {
    do throws(Fault) {
      // Before it is read, so that no change is missed.
      try zoneWatch.watch(besides: configuration.zone)
      let zone = try configuration.currentZone()
      journal.log(.zone, .notice, "the zone is \(zone.name)", ["ZONE": zone.name])
      handle(.zoneChanged(zone))
    } catch {
      journal.log(.zoneFailed, .warning, error.description)
    }
  }

  // MARK: Settings

  private func set(_ key: String, to value: String?) throws(BusServer.Refusal) -> Record {
    let path = options.settingsPath ?? Configuration.settingsFile
    let change: (text: String, inUse: ConfigurationInUse)?
    do throws(Fault) {
      change = try inUse.changing(key, to: value, path: path)
    } catch {
      // Nobody knows the lines of a file that is not written.
      let isOfFile = error.operation.hasPrefix("\(path):")
      throw .badArgument(isOfFile ? error.detail : error.description)
    }
    guard let (text, new) = change else { return Record() }
    let known = configuration.announcer.alarms.map(\.name)
    for case let name? in new.configuration.announcer.alarms.map(\.name) where !known.contains(name)
    {
      if let taken = announcer.reminders.refusal(ofName: name, .alarm) {
        throw .refused(.order(taken))
      }
    }
    let isUnread = configuration.settingsFault != nil
    if let why = store.write(settings: text, wasUnread: isUnread) { throw .refused(.notSaved, why) }
    apply(new, new.configuration.notices(of: configuration))
    return Record()
  }

  // MARK: Being told

  private func stop() {
    guard !isStopping else { return loop.exit() }
    isStopping = true
    journal.log(.stopping, .info, "stopping")
    notifier.stopping()
    (timer, pulse) = (nil, nil)
    guard let player, player.isPlaying else { return loop.exit() }
    handle(.stop(.serviceEnds))
    // systemd must wait until the sounding that may finish is over.
    if let end = player.endsBy { notifier.needs(end - SystemClock.uptime) }
  }

  private func reload() {
    notifier.reloading()
    do throws(Fault) {
      let new = try ConfigurationInUse(options)
      let notice = Notice(.reloaded, .notice, "the configuration was read again")
      apply(new, [notice] + new.configuration.noticesOfOutdated)
    } catch {
      journal.log(.reloadFailed, .error, inUse.keep(despite: error))
    }
    notifier.ready(statusLine)
  }

  /// What a change of the configuration touches, in the order in which it takes effect.
  private enum Part: CaseIterable {
    case speaker, clock, zone, announcer
    /// After the announcer: its settings decide what the switch silences.
    case controls
    /// After the announcer, which may have alarms with other tunes.
    case flaws
  }

  /// - Parameter notices: of the reason. What is wrong with the new one is logged after them.
  private func apply(_ new: ConfigurationInUse, _ notices: [Notice]) {
    let before = configuration
    inUse = new
    let alarms = announcer.reminders.alarms.compactMap(\.alarm) + configuration.announcer.alarms
    // Before anything sounds by the new configuration.
    inUse.findTunes(of: alarms)
    for notice in notices { journal.log(notice) }
    for part in Part.allCases { change(part, from: before) }
    returnMemorySoon()
  }

  private func change(_ part: Part, from before: Configuration) {
    switch part {
    case .speaker:
      player?.settings = configuration.playerSettings
      player?.closeWhenIdle()
      if configuration.device != before.device { substitute = nil }
      if let substitute { journal.log(substitute.notice) }
    case .clock: clockWatch.use(configuration.rtc, greatestError: configuration.greatestError)
    case .zone: if configuration.zone != before.zone { readZone() }
    case .announcer: handle(.reloaded(configuration.announcer))
    case .controls: if !configuration.hasSameControls(as: before) { takeControls() }
    case .flaws: tellFlaws()
    }
  }

  private func tellFlaws() {
    for words in configuration.settingsFlaws { journal.log(.settingLeftOut, .warning, words) }
    let missing = composer.voice.filesMissing?.description
    for flaw in [configuration.flawOfZone, missing].compactMap({ $0 }) {
      journal.log(.neverSounds, .warning, flaw)
    }
    var told: Set<String> = []
    for alarm in announcer.reminders.alarms {
      guard let tune = alarm.alarm?.tune else { continue }
      switch inUse.tune(of: alarm) {
      case .success(let found)?:
        if tune.isMissing { handle(.tuneFound(found)) }
      case .failure(let fault)?:
        if told.insert(tune.name).inserted { log(alarm, lacksTune: fault) }
      case nil: break
      }
    }
  }

  private func log(_ alarm: Reminder, lacksTune fault: Fault) {
    journal.log(
      .alarmLacksTune, .warning, "\(alarm.title) rings with the signal: \(fault)",
      ["CAUSE": "alarm", "ALARM": String(alarm.number), "ALARM_NAME": alarm.name])
  }

  // MARK: Health

  /// As in `next 15:15:00, synchronised, switch on, plughw:CARD=DAC, last onset +0.1 ms`.
  private var statusLine: String {
    let device = options.output ?? configuration.device
    let now =
      announcer.reminders.all.first(where: \.isRinging).map { "\($0.title) rings" }
      ?? announcer.sounding.map { "sounding \($0.time.dateTime.timeOfDay)" }
      ?? "next \(announcer.outlook.occasion.timeOfDay)"
    return [
      now, announcer.trust.rawValue, announcer.switchState.inWords,
      substitute.map { "\($0.device) instead of \(device)" } ?? device,
      reporter.last?.onsetError.map { "last onset \($0.milliseconds)" },
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }

  private var status: Status {
    var status = Status(configuration, composer, announcer, clock: clockWatch.state)
    if let output = options.output { status.device = output }
    status.substitute = substitute?.device ?? ""
    status.last = reporter.last
    status.lastError = reporter.lastError
    status.stateError = store.trouble
    status.stateLoss = store.loss
    status.findProblems(configuration, others: problems)
    return status
  }

  /// What the status does not know, each with its key.
  private var problems: [(key: String, words: String)] {
    var found: [(key: String, words: String)] = []
    func add(_ key: String, _ words: String?) {
      if let words { found.append((key, words)) }
    }
    add("settings", inUse.fileFlaw)
    add("speaker", reporter.failure.isEmpty ? nil : reporter.failure)
    add("voice", composer.voice.filesMissing?.description)
    for alarm in announcer.reminders.alarms {
      guard case .failure(let fault)? = inUse.tune(of: alarm) else { continue }
      add("tune", "\(alarm.title) rings with the signal: \(fault)")
    }
    return found + (controls?.losses ?? [])
  }

  /// Checks the service, and tells systemd that it is alive, but only while it is.
  private func beat() {
    controls?.check()
    store.save()
    journal.tellLosses()
    // Synchronisation raises no event, but the journal and the status must tell of it.
    let basis = clockWatch.state.basis.kind
    if judgeClock() != announcer.trust { handle(.woke) }
    if clockWatch.state.basis.kind != basis { bus?.tellSoon() }
    let vitals = Vitals(
      wakeUp: timer?.armedFor, contactsAnswer: controls?.answer ?? false,
      lastTaken: player?.lastTaken)
    if let ailment = vitals.ailment(at: now) {
      if illness.begins() {
        journal.log(
          .ailing, .error, "not alive; restart it, unless systemd does: \(ailment)",
          ["REASON": ailment.rawValue])
      }
    } else {
      if illness.ends() { journal.log(.well, .notice, "the service is well again") }
      notifier.isAlive()
    }
    // What answers and files have taken.
    returnMemory()
    // A bus or a disk that comes back is found within a minute.
    let interval = min(Notifier.watchdogInterval.map { $0 / 2 } ?? .seconds(60), .seconds(60))
    pulse = try? loop.after(interval, accuracy: interval / 10) { [unowned self] in beat() }
    // After everything else that is due, so that it shows that the loop turns.
    pulse?.isServedLast()
  }
}

extension Clocksmith: Instruments {
  public var now: Now { SystemClock.now }

  private var isPlaying: Bool { player?.isPlaying ?? false }

  public func judgeClock() -> ClockTrust {
    for notice in clockWatch.judge(mayReadRTC: !isPlaying) { journal.log(notice) }
    return clockWatch.state.trust
  }

  public func play(_ sounding: Sounding) throws(Fault) {
    do throws(Fault) {
      try player?.play(sounding) { [composer] rate throws(Fault) in
        try composer.score(of: sounding, rate: rate)
      }
    } catch {
      // Without a flaw in the tune, the speaker is to blame.
      guard case .cue(let cue) = sounding, let flaw = composer.flaw(ofTuneOf: cue) else {
        throw error
      }
      let alarm = announcer.reminders.alarms.first { cue.source == .alarm($0.number) }
      if let alarm, let tune = alarm.alarm?.tune, inUse.lacks(tune, flaw) {
        log(alarm, lacksTune: flaw)
      }
      try player?.play(sounding) { [composer] rate throws(Fault) in
        try composer.score(inSignalsOf: cue, rate: rate)
      }
    }
  }

  public func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    player?.stop(soundings, reason)
  }

  public func wake(at instant: Instant) -> Bool { timer?.arm(at: instant) ?? true }

  public func report(_ report: Report) { reporter.report(report, composer, clockWatch.state) }

  public func rest() {
    store.keep {
      $0.update(from: announcer, boot: SystemClock.boot)
      $0.update(rtcSet: clockWatch.rtcSet)
    }
    controls?.show(announcer.lamp, announcer.lights)
    notifier.status(statusLine)
    bus?.tellChanges()
  }
}

extension EventLoop: Ticker {}

extension Configuration {
  /// The zone of the clock. From now on it is that of the process.
  public func currentZone() throws(Fault) -> SystemZone {
    if let zone { return try SystemZone(name: zone) }
    return try SystemZone.current()
  }
}
