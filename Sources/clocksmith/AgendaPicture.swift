import Basics
import Horology
import Service
import Studio

/// The picture of an agenda: a row for each day, and its hours across.
struct AgendaPicture {
  /// Of more days nobody would see anything.
  static let mostDays = 31

  private struct Day {
    let date: CivilDate
    let start: Int
    let end: Int
    let lines: [AgendaLine]

    var occasions: [AgendaLine] { lines.filter(\.isOccasion) }
    var others: [AgendaLine] { lines.filter { !$0.isOccasion } }

    /// Minutes of the day without an announcement: from each in quiet hours to the next one.
    var quiet: [(start: Int, end: Int)] {
      let occasions = occasions
      var stretches: [(start: Int, end: Int)] = []
      for (index, line) in occasions.enumerated() where line.isInQuietHours {
        // Where clocks are put back, the next one has an earlier time.
        let next = index + 1 < occasions.count ? occasions[index + 1].minute : end
        if let last = stretches.last, last.end == line.minute {
          stretches[stretches.count - 1].end = next
        } else {
          stretches.append((line.minute, next))
        }
      }
      return stretches.filter { $0.start < $0.end }
    }

    var name: String { "\(date.weekday.abbreviation) \(date)" }

    /// As in `mon 2026-11-23: 96 of 96 announcements sound; 07:00  alarm 1: rings`.
    var inWords: String {
      let sounding = occasions.filter(\.sounds).count
      let quiet = quiet.map { "\(clock($0.start))-\(clock($0.end))" }.joined(separator: ", ")
      let parts =
        ["\(sounding) of \(occasions.count) announcements sound"]
        + (quiet.isEmpty ? [] : ["no announcements \(quiet) (quiet hours)"]) + others.map(\.words)
      return "\(name): \(parts.joined(separator: "; "))."
    }

    private func clock(_ minute: Int) -> String {
      "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
    }
  }

  private let title: String
  private let days: [Day]

  /// - Parameter end: not included, and within `mostDays` of the start.
  init(_ lines: [AgendaLine], from start: CivilDateTime, to end: CivilDateTime, zone: String) {
    let times = [start, end].map { "\($0.date) \($0.timeOfDay.prefix(5))" }
    title = "What sounds from \(times[0]) to \(times[1]), \(zone)"
    let (first, last) = (CivilDate(text: start.date)!, CivilDate(text: end.date)!)
    let linesOfDays = Dictionary(grouping: lines) { $0.local?.date ?? "" }
    days = (first.dayNumber...max(first.dayNumber, last.dayNumber)).map { number in
      let date = CivilDate(dayNumber: number)
      return Day(
        date: date, start: date == first ? start.minuteOfDay : 0,
        end: date == last ? end.minuteOfDay : 24 * 60,
        lines: linesOfDays[date.description] ?? [])
    }.filter { $0.start < $0.end }
  }

  private static let (left, right, top, rowHeight) = (116.0, 1172.0, 84.0, 48.0)

  private func x(_ minute: Int) -> Double {
    Self.left + Double(minute) / (24 * 60) * (Self.right - Self.left)
  }

  var svg: String {
    let bottom = Self.top + Double(days.count) * Self.rowHeight
    let hours: [String] = stride(from: 0, through: 24, by: 2).flatMap { hour in
      [
        SVG.line("grid", x(hour * 60), Self.top - 12, x(hour * 60), bottom),
        SVG.text("\(hour):00", x(hour * 60), Self.top - 18, "middle"),
      ]
    }
    let legend: [String] = [
      ticks("bells", [520], 50, 20), SVG.text("bells", 530, 46),
      ticks("words", [590], 50, 12), SVG.text("words alone", 600, 46),
      ticks("silent", [700], 50, 5), SVG.text("silent", 710, 46),
      SVG.rectangle("quiet", 770, 34, width: 24, height: 16),
      SVG.text("no announcements (quiet hours)", 802, 46),
      mark("mark", 1018, 38), SVG.text("alarm, timer, interval", 1030, 46),
    ]
    let rows = days.enumerated().flatMap { row($1, at: Self.top + Double($0) * Self.rowHeight) }
    return SVG.document(
      width: 1200, height: Int(bottom) + 12, title: title,
      description: days.map(\.inWords).joined(separator: " "), style: Self.style,
      [SVG.text(title, Self.left, 24, "head")] + legend + hours + rows)
  }

  private static let style = """
    .day { fill: #eef3f8; } .quiet { fill: #c6c6cc; }
    .bells { stroke: #17436e; stroke-width: 2; } .words { stroke: #3f7cb8; stroke-width: 1.5; }
    .silent { stroke: #77777d; fill: #77777d; } .mark { fill: #c62828; }
    """

  private func row(_ day: Day, at top: Double) -> [String] {
    let base = top + 38
    func stretch(_ style: String, _ start: Int, _ end: Int) -> String {
      SVG.rectangle(style, x(start), base - 24, width: x(end) - x(start), height: 24)
    }
    func ticks(_ style: String, _ height: Int, _ isShown: (AgendaLine) -> Bool) -> String {
      self.ticks(style, day.occasions.filter(isShown).map { x($0.minute) }, base, height)
    }
    var lines = [SVG.text(day.name, Self.left - 8, base - 8, "end")]
    lines.append(stretch("day", day.start, day.end))
    lines += day.quiet.map { stretch("quiet", $0.start, $0.end) }
    lines += [
      ticks("silent", 5) { !$0.sounds && !$0.isInQuietHours },
      ticks("words", 12) { $0.sounds && !$0.hasChime },
      ticks("bells", 20) { $0.sounds && $0.hasChime },
    ]
    var free = 0.0
    for line in day.others {
      let x = x(line.minute)
      let title = "<title>\(SVG.escaped(line.words))</title>"
      lines.append("<g>\(title)\(mark(line.sounds ? "mark" : "silent", x, top + 2))</g>")
      guard x >= free else { continue }
      let label = "\(line.time) \(line.title ?? "")"
      lines.append(SVG.text(label, x + 7, top + 10))
      free = x + 14 + Double(label.count) * 7
    }
    return lines.filter { !$0.isEmpty }
  }

  /// A tick at each place, once where several have the same pixel; empty if there is none.
  private func ticks(_ style: String, _ places: [Double], _ base: Double, _ height: Int) -> String {
    var path = ""
    var last: Int?
    for place in places.map({ Int($0.rounded()) }) where place != last {
      path += "M\(place) \(Int(base))v-\(height)"
      last = place
    }
    return path.isEmpty ? "" : #"<path class="\#(style)" d="\#(path)"/>"#
  }

  private func mark(_ style: String, _ x: Double, _ top: Double) -> String {
    #"<path class="\#(style)" d="M\#(SVG.pixels(x - 4)) \#(SVG.pixels(top))h8l-4 8z"/>"#
  }
}

extension AgendaLine {
  fileprivate var minute: Int { local?.minuteOfDay ?? 0 }
}
