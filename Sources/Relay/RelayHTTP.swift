import Basics
import Daemon
import Horology

extension RelayService {
  /// Opens the door for apps with the current configuration and its files, or closes it.
  func openDoor() {
    doorTimer = nil
    guard let http = configuration.http else {
      phones = nil
      return closeDoor()
    }
    do throws(Fault) {
      let settings = try HTTPDoor.Settings(http)
      if let door, door.settings == settings { return }
      closeDoor()
      usePhones(http)
      door = try HTTPDoor(
        loop, settings,
        .init(
          state: { [unowned self] in stateForApps },
          carryOut: { [unowned self] in handleRequest($0, $1, $2, $3) },
          refused: { [unowned self] in reject($0, $1) }, phones: phones))
      if http.face != .no, !http.listen.isLoopback {
        avahi = Avahi(loop, port: http.listen.port, usesTLS: http.usesTLS)
      }
      _ = doorOutage.ends()
      journal.log(.http, .info, "apps are served at \(http.url)")
      if let complaint = settings.identity?.complaint {
        journal.log(
          .httpLost, .warning, "\(complaint); apps refuse it", ["DETAIL": complaint.description])
      }
    } catch {
      closeDoor()
      if doorOutage.begins() {
        journal.log(
          .httpLost, .error, "\(error); apps are not served until that is put right",
          ["DETAIL": error.description])
      }
      doorTimer = try? loop.after(doorOutage.nextWait()) { [unowned self] in openDoor() }
    }
  }

  func closeDoor() {
    doorTimer = nil
    door?.close()
    (door, avahi) = (nil, nil)
  }

  /// What they wait for outlasts another opening of the door.
  private func usePhones(_ http: HTTPConfiguration) {
    if http.face == .no {
      phones = nil
    } else if let phones {
      phones.http = http
    } else {
      phones = Phones(loop, journal, http)
    }
  }

  private var stateForApps: Result<String, Rejection> {
    if let why = announcer.absence {
      .failure(Rejection(.absent, why))
    } else {
      .success(state ?? "{}")
    }
  }

  /// Carries out an app's command as if it came from the broker.
  private func handleRequest(
    _ path: String, _ body: [UInt8], _ known: [(key: String, text: String)],
    _ answer: @escaping (CommandOutcome) -> Void
  ) {
    do throws(Rejection) {
      let order = try reader.read(
        body, at: .now, clockIsUsed: announcer.state.clockIsUsed, with: known)
      carryOut(ReceivedCommand(order: order, topic: path, answer: answer))
    } catch {
      reject(error, path)
      answer(.refused(error))
    }
  }
}
