import Basics
import Daemon
import Horology

extension Tally.Day {
  /// As in `2026-11-21: 96 occasions sounded; the largest error was +0.1 ms; the clock synchronised
  /// 24 h`.
  var notice: Notice {
    Notice(.day, .info, "\(date): \(parts.joined(separator: "; "))", fields)
  }

  private var parts: [String] {
    var parts = ["\(sounded) occasion\(sounded == 1 ? "" : "s") sounded"]
    if skippedInAll > 0 {
      let reasons = skipped.sorted { $0.key < $1.key }.map {
        "\($0.value) \($0.key.split(separator: "_").joined(separator: " "))"
      }
      parts.append("\(skippedInAll) skipped (\(reasons.joined(separator: ", ")))")
    }
    for (count, words) in [
      (answered, "asked for the time"), (cutOff, "cut off"),
      (failures, "the speaker or a sound failed"), (underruns, "it ran dry"),
      (switchLosses, "the switch was lost"),
      (clockSteps, "the clock was set"),
    ] where count > 0 {
      parts.append("\(words) \(count == 1 ? "once" : "\(count) times")")
    }
    if let worstError { parts.append("the largest error was \(worstError.milliseconds)") }
    let clock = ClockTrust.allCases.compactMap { trust in
      trusts[trust].flatMap { $0 < .seconds(1) ? nil : "\(trust.rawValue) \($0.inWords)" }
    }
    return parts + (clock.isEmpty ? [] : ["the clock \(clock.joined(separator: ", "))"])
  }

  private var fields: [String: String?] {
    var fields: [String: String?] = [
      "DAY": date, "SOUNDED": String(sounded), "SKIPPED": String(skippedInAll),
      "ANSWERED": String(answered), "CUT_OFF": String(cutOff),
      "WORST_ERROR_USEC": worstError?.inMicroseconds, "UNDERRUNS": String(underruns),
      "FAILURES": String(failures), "SWITCH_LOSSES": String(switchLosses),
      "CLOCK_STEPS": String(clockSteps),
    ]
    for (reason, count) in skipped { fields["SKIPPED_\(reason.uppercased())"] = String(count) }
    for (trust, span) in trusts {
      fields["\(trust.rawValue.uppercased())_SEC"] = String(span.nanoseconds / 1_000_000_000)
    }
    return fields
  }
}

extension Ailment {
  /// - Parameter isWatched: true if systemd restarts a service that shows no sign of life.
  func notice(isWatched: Bool) -> Notice {
    let consequence = isWatched ? ", and systemd will restart it" : "; restart it"
    return Notice(.ailing, .error, "not alive\(consequence): \(self)", ["REASON": key])
  }
}
