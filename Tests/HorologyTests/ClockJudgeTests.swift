import Horology
import TestSupport
import Testing

@Suite struct ClockJudgeTests {
  /// A machine with an RTC. A test lets it run, sets its clock and unplugs its RTC.
  private struct Machine {
    var judge = ClockJudge()
    /// What the machine's clock shows. The RTC goes by `truth` instead.
    private(set) var now = Now("2026-12-01T10:00:00", running: .seconds(30))
    private(set) var truth = Instant("2026-12-01T10:00:00")
    var maximumError = KernelClock.unbounded
    var timesyncd: Instant?
    /// How far the RTC is ahead of `truth`; nil without an RTC.
    var rtcAhead: Duration?
    var name = "ds3231"
    var answer: RTCReading.Answer?
    var flags: RTCFlags?
    private(set) var reports: [ClockJudge.Report] = []

    /// Starts the service again: the judge is new.
    mutating func restart(rtcSet: Instant? = nil) {
      judge = ClockJudge(greatestError: judge.greatestError, rtcSet: rtcSet)
    }

    /// Lets it run for some days, with a look each hour.
    /// - Returns: the reports of them all.
    mutating func run(days: Int) -> [ClockJudge.Report] {
      var all: [ClockJudge.Report] = []
      for _ in 0..<days * 24 {
        look(after: .seconds(3600))
        all += reports
      }
      return all
    }

    /// Lets it run, sets its clock, and looks.
    mutating func look(after span: Duration = .zero, setBy step: Duration = .zero) {
      now = now.later(by: span).set(by: step)
      truth = truth + span
      let kernel = KernelClock(maximumError: maximumError, timesyncd: timesyncd)
      reports = []
      if judge.isReadingDue(at: now) {
        reports += judge.judge(reading, kernel: kernel, at: now)
      }
      reports += judge.judge(kernel, at: now)
    }

    private var reading: RTCReading? {
      guard let rtcAhead else { return nil }
      let shown = Instant(seconds: (truth + rtcAhead).seconds)
      return RTCReading(
        name: name, moment: now, answer: answer ?? .time(shown), flags: flags)
    }

    var basis: ClockState.Basis { judge.state.basis }
    var trust: ClockTrust { judge.state.trust }
    var uncertainty: Duration? { judge.state.uncertainty }
  }

  /// A machine that has looked twice, so it knows that its RTC runs.
  private func machine(rtcAhead: Duration?, _ change: (inout Machine) -> Void = { _ in }) -> Machine
  {
    var machine = Machine()
    machine.rtcAhead = rtcAhead
    change(&machine)
    machine.look()
    machine.look(after: .seconds(5))
    return machine
  }

  @Test(
    "a disciplined clock is synchronised, and without an RTC another is untrusted",
    .rule("trust-basis"))
  func disciplined() {
    let machine = machine(rtcAhead: nil) { $0.maximumError = .milliseconds(12) }
    #expect(machine.trust == .synchronised)
    #expect(machine.uncertainty == .milliseconds(12))
    let other = self.machine(rtcAhead: nil)
    #expect((other.basis, other.uncertainty) == (.noRTC, nil))
  }

  @Test("once synchronised it holds over, off by more the longer", .rule("trust-basis"))
  func holdover() {
    var machine = machine(rtcAhead: nil) { $0.maximumError = .milliseconds(12) }
    machine.maximumError = KernelClock.unbounded
    machine.look(after: .seconds(10_000))
    #expect(machine.basis == .synchronisedEarlier(ago: .seconds(10_000)))
    #expect(machine.uncertainty == .milliseconds(600 + 150))
  }

  @Test(
    "what timesyncd did earlier in this boot counts, and what is older does not",
    .rule("trust-basis"))
  func timesyncd() {
    var machine = machine(rtcAhead: nil) { $0.timesyncd = $0.now.instant }
    machine.look(after: .seconds(995))
    #expect(machine.basis == .synchronisedEarlier(ago: .seconds(1000)))
    #expect(machine.uncertainty == .milliseconds(600 + 15))
    for wrong in ["2026-12-01T09:00:00", "2026-12-01T11:00:00"] {
      machine.timesyncd = Instant(wrong)
      machine.look()
      #expect(machine.trust == .untrusted)
    }
  }

  @Test(
    "a clock that was set by hand holds over no longer, until it is set right again",
    .rule("hand-without-rtc"))
  func setByHand() {
    var machine = machine(rtcAhead: nil) { $0.maximumError = .milliseconds(1) }
    machine.maximumError = KernelClock.unbounded
    machine.look(after: .seconds(60), setBy: .seconds(3600))
    #expect(machine.basis == .wasSet(by: .seconds(3600)))
    machine.look(setBy: .seconds(-3600))
    #expect(machine.trust == .holdover)
  }

  @Test("a clock that agrees with a valid RTC holds over from the start", .rule("trust-basis"))
  func agrees() {
    var machine = machine(rtcAhead: .zero)
    #expect(machine.basis == .agreesWithRTC("ds3231"))
    // 1 s, and 5 ppm of the 5 s since it was first read.
    #expect(machine.uncertainty == .microseconds(1_000_025))
    machine.look(after: .seconds(9_995))
    #expect(machine.uncertainty == .milliseconds(1050))
  }

  @Test(
    "the RTC that is set an instant after the clock is believed at the second look",
    .rule("set-by-hand"))
  func setWithRTC() {
    var machine = machine(rtcAhead: .zero)
    machine.look(after: .seconds(600), setBy: .seconds(4500))
    #expect(machine.trust == .untrusted)
    machine.rtcAhead = .seconds(4500)
    // An occasion 10 s after the step is decided 5 s after it. The second look comes before that.
    machine.look(after: .milliseconds(4990))
    #expect(machine.trust == .holdover)
  }

  @Test("an RTC that is far from the clock does not vouch for it, until it is set right")
  func setLater() {
    var machine = machine(rtcAhead: .seconds(3600))
    guard case .differs("ds3231", let lead) = machine.basis else {
      Issue.record("\(machine.basis)")
      return
    }
    #expect((lead + .seconds(3600)).magnitude <= .milliseconds(500))
    machine.rtcAhead = .zero
    machine.look(after: .seconds(60))
    #expect(machine.trust == .holdover)
  }

  @Test(
    "holdover ends when the clock may be off by too much, and that is told before",
    .rule("holdover-ends", "holdover-soon", "holdover-days"))
  func heldTooLong() {
    var machine = machine(rtcAhead: nil) { $0.maximumError = .zero }
    machine.maximumError = KernelClock.unbounded
    let ends = machine.now.instant + .seconds(1_960_000)
    #expect(machine.run(days: 19).isEmpty)
    let reports = machine.run(days: 4)
    guard case .endsSoon(let end)? = reports.first, reports.count == 1 else {
      Issue.record("\(reports)")
      return
    }
    // The hour in which 15 ppm have become 29.4 s.
    #expect((ends - end).magnitude < .seconds(3700))
    guard case .heldTooLong(let error) = machine.basis else {
      Issue.record("\(machine.basis)")
      return
    }
    #expect(error > .seconds(30) && error < .seconds(31))
    #expect((machine.trust, machine.judge.state.ends) == (.untrusted, nil))
    machine.maximumError = .zero
    machine.look()
    #expect(machine.trust == .synchronised)
  }

  @Test(
    "with an RTC it ends by the drift of that", .rule("holdover-days"),
    arguments: [("ds3231", 67), ("pcf8523", 11)])
  func heldTooLongByRTC(name: String, days: Int) {
    var machine = machine(rtcAhead: .zero) { $0.name = name }
    _ = machine.run(days: days)
    #expect(machine.trust == .holdover)
    #expect(machine.run(days: 1).isEmpty, "that it ends soon is told once")
    #expect(machine.trust == .untrusted)
  }

  @Test("how far the clock has drifted from the RTC is added", .rule("holdover-drift"))
  func drift() {
    var machine = machine(rtcAhead: .zero)
    machine.look(after: .seconds(10 * 86_400))
    machine.rtcAhead = .seconds(-5)
    machine.look(after: .seconds(3600))
    #expect(machine.basis == .agreesWithRTC("ds3231"))
    // 5 s as an RTC shows it that counts whole seconds, half a second, and 5 ppm of ten days.
    #expect((machine.uncertainty! - .milliseconds(9838)).magnitude < .milliseconds(520))
  }

  @Test("the age of an RTC outlasts a restart of the machine", .rule("holdover-count"))
  func ageOfRTC() {
    var machine = machine(rtcAhead: .zero) { $0.maximumError = .zero }
    let set = machine.judge.rtcSet
    #expect(set == machine.now.instant)
    machine.maximumError = KernelClock.unbounded
    machine.restart(rtcSet: set)
    machine.look(after: .seconds(60 * 86_400))
    #expect(machine.basis == .agreesWithRTC("ds3231"))
    #expect((machine.uncertainty! - .milliseconds(26_920)).magnitude < .milliseconds(5))
    machine.look(after: .seconds(10 * 86_400))
    #expect(machine.trust == .untrusted)
    machine.restart()
    machine.look()
    #expect(machine.trust == .holdover, "nothing is known of its age")
  }

  @Test(
    "set by hand together with its RTC it is trusted anew; set by its RTC it is not",
    .rule("set-by-hand"))
  func setByHandAtLast() {
    var machine = machine(rtcAhead: .zero)
    _ = machine.run(days: 68)
    #expect(machine.trust == .untrusted)
    machine.look(setBy: .milliseconds(600))
    #expect(machine.trust == .untrusted)
    machine.look(setBy: .seconds(20))
    machine.rtcAhead = .seconds(20)
    machine.look(after: .seconds(5))
    #expect(machine.trust == .holdover)
    #expect(machine.uncertainty! < .seconds(2))
  }

  @Test("no error is too great for an owner who sets the clock by hand", .rule("holdover-ends"))
  func neverEnds() {
    var machine = machine(rtcAhead: .zero) { $0.judge.greatestError = nil }
    #expect(machine.run(days: 400).isEmpty)
    #expect((machine.trust, machine.judge.state.ends) == (.holdover, nil))
  }

  @Test("a low battery is told again when the RTC is valid again, and its end is told")
  func lowBatteryIsToldAgain() {
    var machine = Machine()
    machine.rtcAhead = .zero
    for (answer, flags, reports) in [
      (nil, .backupLow, [.rtcValid("ds3231"), .rtcBatteryLow("ds3231")]),
      (.notValid, .backupLow, [.rtcInvalid("ds3231", .notValid)]),
      (nil, .backupLow, [.rtcValid("ds3231"), .rtcBatteryLow("ds3231")]),
      (nil, nil, [.rtcValid("ds3231")]),
    ] as [(RTCReading.Answer?, RTCFlags?, [ClockJudge.Report])] {
      (machine.answer, machine.flags) = (answer, flags)
      for reports in [reports, []] {
        machine.look(after: .seconds(3600))
        #expect(machine.reports == reports)
      }
    }
  }

  @Test("each change of the RTC is reported once") func reportsOnce() {
    var machine = Machine()
    machine.rtcAhead = .zero
    for (answer, flags, report) in [
      (nil, nil, .rtcValid("ds3231")), (nil, .backupLow, .rtcBatteryLow("ds3231")),
      (.notValid, .backupLow, .rtcInvalid("ds3231", .notValid)),
      (nil, [], .rtcValid("ds3231")),
    ] as [(RTCReading.Answer?, RTCFlags?, ClockJudge.Report)] {
      (machine.answer, machine.flags) = (answer, flags)
      for reports in [[report], []] {
        machine.look(after: .seconds(3600))
        #expect(machine.reports == reports)
      }
    }
  }

  @Test(
    "one that is as far from the synchronised clock as a zone from UTC is told",
    arguments: [
      (7200, true), (-18_000, true), (20_705, true), (50_400, true), (7215, false), (51_300, false),
      (8, false),
    ])
  func zoneAway(seconds: Int64, isTold: Bool) {
    var machine = Machine()
    machine.rtcAhead = .seconds(seconds)
    machine.maximumError = .milliseconds(10)
    machine.look()
    let report = ClockJudge.Report.rtcInvalid("ds3231", .localTime)
    #expect(machine.reports == [isTold ? report : .rtcValid("ds3231")])
  }

  @Test("one that has stopped is found out at the second look, and vouches for nothing")
  func stops() {
    let machine = machine(rtcAhead: .zero) { $0.answer = .time(Instant("2026-12-01T10:00:00")) }
    #expect(machine.trust == .untrusted)
    #expect(
      machine.reports
        == [.rtcInvalid("ds3231", .stopped(at: Instant("2026-12-01T10:00:00")))])
  }
}
