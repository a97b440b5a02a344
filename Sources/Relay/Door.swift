import Basics
import Daemon
import Horology

/// Keeps the door for apps open, as the configuration says, and what it needs each time it is opened.
final class Door {
  private unowned let service: RelayService
  /// Nil while it is closed.
  private(set) var opened: HTTPDoor?
  private(set) var notices = RecentNotices()
  private var outage = Outage(longest: .seconds(10))
  private var retry: EventSource?
  private var certificateWatches: [EventSource] = []

  init(_ service: RelayService) { self.service = service }

  /// Opens it with the current configuration and its files, or closes it.
  func open() {
    guard let http = service.configuration.http else { return close() }
    do throws(Fault) {
      let settings = try HTTPDoor.Settings(http)
      if let opened, opened.settings == settings { return }
      close()
      opened = try HTTPDoor(service, settings)
      _ = outage.ends()
      service.journal.log(.http, .info, "apps are served at \(http.url)")
      watchCertificate(of: http)
    } catch {
      close()
      if outage.begins() {
        service.journal.log(
          .httpLost, .error, "\(error); apps are not served until that is put right",
          ["DETAIL": error.description])
      }
      retry = try? service.loop.after(outage.nextWait()) { [unowned self] in open() }
    }
  }

  /// A renewed certificate is served at once, and one that ends soon is told of each day.
  private func watchCertificate(of http: HTTPConfiguration) {
    guard let certificate = http.certificate, let key = http.key else { return }
    let loop = service.loop
    func renew() {
      // One of two files may be the old one still, or half written.
      if (try? HTTPDoor.Settings(http)) != nil { open() }
    }
    certificateWatches = [certificate, key].compactMap { try? loop.whenReplaced($0, renew) }
    func logDates() {
      guard let complaint = try? TLSIdentity.complaint(of: certificate) else { return }
      service.journal.log(
        .httpLost, .warning, "\(complaint)", ["DETAIL": complaint.description])
    }
    logDates()
    let timer = try? loop.every(.seconds(86_400)) {
      renew()
      logDates()
    }
    certificateWatches += [timer].compactMap { $0 }
  }

  func close() {
    certificateWatches = []
    retry = nil
    opened?.close()
    opened = nil
  }

  func show(notice: Record) {
    guard service.configuration.http != nil else { return }
    let json = notices.add(notice, at: .now)
    opened?.streams.send(notice: json)
  }
}

/// The clock's notices of the last day.
struct RecentNotices {
  private static let most = 300
  private static let age = Duration.seconds(86_400)

  private var notices: [(at: Instant, json: String)] = []

  /// - Returns: the notice as JSON.
  mutating func add(_ notice: Record, at now: Instant) -> String {
    let json = Record(["at": .text(now.rfc3339)]).merging(notice).json
    notices = notices.suffix(Self.most - 1) + [(now, json)]
    return json
  }

  /// As in `{"notices": [...]}`, the oldest first.
  func json(at now: Instant) -> String {
    let recent = notices.filter { now - $0.at < Self.age }.map(\.json)
    return "{\"notices\":[\(recent.joined(separator: ","))]}"
  }
}
