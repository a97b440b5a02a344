import Basics
import Daemon

/// What is published over the network, for phones and programs.
extension RelayService {
  /// Publishes from now on to what the configuration has, and to nobody else.
  func startPush() {
    let push = configuration.push
    guard publisher != nil || !push.isEmpty else { return }
    if publisher == nil {
      publisher = Publisher(loop) { [unowned self] in journal.log($0, $1, $2, $3) }
    }
    var providers: [Provider] = []
    for made in push.providers(at: .now) {
      switch made {
      case .success(let provider): providers.append(provider)
      case .failure(let fault):
        journal.log(
          .providerLost, .error, "\(fault); nothing is published there until it is put right",
          ["DETAIL": fault.description])
      }
    }
    publisher?.use(providers, of: push.lanes)
  }

  /// A phone is to be told, or no more.
  func register(_ guest: WaitingRoom.Guest) {
    guard configuration.push.apns != nil, let publisher else {
      return refuse(guest, Rejection(.refused, "no [apns] is configured for this clock"))
    }
    do throws(Fault) {
      switch guest.order.call {
      case .device(let device): try publisher.register(device)
      case .forget(let token):
        guard try publisher.forget(token) else {
          return refuse(guest, Rejection(.unknown, "no device has this token"))
        }
      case .method, .volume, .cancel: return
      }
      tell(.command, "carried out \(guest.order.title)", guest)
      guest.answer?(.done)
    } catch {
      refuse(guest, Rejection(.refused, error.description))
    }
  }

  /// The announcer has told of something.
  func noticed(_ event: String, _ words: String, _ fields: [String: String]) {
    guard let publisher,
      let message = PushMessage(notice: event, words, fields, clock: topics.name, at: .now),
      // A device that comes and goes is told of now and then.
      publishBudgets[message.event.rawValue, default: LogBudget()].spend(at: Self.uptime) != nil
    else { return }
    publisher.publish(message)
  }
}

extension PushConfiguration {
  var lanes: [Lane] {
    (apns == nil ? [] : Device.Environment.allCases.map { .apns($0) })
      + ntfy.keys.sorted().map { .ntfy($0) } + webhooks.keys.sorted().map { .webhook($0) }
  }

  /// - Throws: `Fault` for the first provider that cannot be used.
  public func check() throws(Fault) {
    for made in providers(at: .now) { _ = try made.get() }
  }

  /// Every provider, or why it cannot be used.
  func providers(at now: UTCTime) -> [Result<any Provider, Fault>] {
    var made: [Result<any Provider, Fault>] = []
    if let apns {
      do throws(Fault) {
        // Both servers take the same token.
        let token = try apns.providerToken(at: now)
        for environment in Device.Environment.allCases {
          made.append(.success(APNsProvider(environment, apns, token)))
        }
      } catch {
        made.append(.failure(error))
      }
    }
    for (name, entry) in ntfy.sorted(by: { $0.key < $1.key }) {
      do throws(Fault) {
        made.append(.success(try NtfyProvider(name, entry)))
      } catch {
        made.append(.failure(error))
      }
    }
    for (name, entry) in webhooks.sorted(by: { $0.key < $1.key }) {
      do throws(Fault) {
        made.append(.success(try WebhookProvider(name, entry)))
      } catch {
        made.append(.failure(error))
      }
    }
    return made
  }
}
