import Basics
import CClocksmith
import CSystemd
import Daemon
import Devices
@preconcurrency import Glibc
import Horology

/// org.clocksmith.Announcer1 on the system bus: serves requests and signals changes.
///
/// The bus policy decides who may call which method. Without a bus the service goes on. It tries to
/// connect again after a second, then less and less often, and with each `check()`.
final class BusServer {
  /// A call, read and checked.
  enum Request {
    /// Says this time, or the time now if nil; at this instant, or at once if nil.
    case announce(CivilTime?, at: Instant? = nil)
    case stop
    case muteFor(Duration)
    case mute(SoftwareMute)
    /// In dB.
    case volume(Double)
    case timer(TimerOrder)
    case alarm(AlarmOrder)
  }

  /// The reply to a call.
  enum Answer {
    case done
    /// The words that will be said.
    case text(String)
    /// The number of a timer or an alarm.
    case number(Int)
    case flag(Bool)
  }

  /// An error and its D-Bus name.
  struct Refusal: Error {
    let name: String
    let words: String

    static func badArgument(_ words: String) -> Refusal {
      Refusal(name: SD_BUS_ERROR_INVALID_ARGS, words: words)
    }

    /// The time that is meant has passed, or is too near to be met.
    static func past(_ words: String) -> Refusal {
      Refusal(name: "org.clocksmith.Error.Past", words: words)
    }

    static func refused(_ words: String) -> Refusal {
      Refusal(name: "org.clocksmith.Error.Refused", words: words)
    }
  }

  /// The parts of the service that the bus server needs.
  struct Service {
    /// Carries out a request.
    let serve: (Request) -> Result<Answer, Refusal>
    /// Every property as it is now.
    let properties: () -> [String: BusValue]
  }

  /// How long the bus may take to answer the request for the name.
  private static let patience = Duration.seconds(5)
  /// How long after the first failure it tries again. Each later try takes twice as long.
  private static let firstRetry = Duration.seconds(1)
  /// Past this the pulse, which calls `check()`, is about as soon.
  private static let longestRetry = Duration.seconds(32)

  private let loop: EventLoop
  private let journal: Journal
  private let service: Service
  private var bus: SystemBus?
  /// Runs until the bus has answered the request for the name.
  private var waiting: EventSource?
  /// Runs until the next try to connect.
  private var retry: EventSource?
  private var retryDelay = firstRetry
  /// Runs until the changes are told.
  private var telling: EventSource?
  private let object: UnsafeMutablePointer<clocksmith_bus_object>
  /// The hash of each property as it was last told to the bus.
  private var told: [String: Int] = [:]
  private var complaint: String?

  init(loop: EventLoop, journal: Journal, service: Service) {
    self.loop = loop
    self.journal = journal
    self.service = service
    object = .allocate(capacity: 1)
    object.initialize(
      to: clocksmith_bus_object(
        context: Unmanaged.passUnretained(self).toOpaque(),
        call: { context, call, error in BusServer.from(context).answer(call!, error) },
        get: { context, name, reply in BusServer.from(context).append(name!, to: reply!) },
        set: { context, name, value, error in
          BusServer.from(context).set(name!, value!, error)
        }))
  }

  deinit {
    close()
    object.deallocate()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusServer {
    Unmanaged<BusServer>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: The connection

  /// Connects, if it is not connected.
  func check() {
    guard bus == nil else { return }
    retry = nil
    do throws(Fault) {
      try connect()
    } catch {
      close()
      complain(error.description)
    }
  }

  private func connect() throws(Fault) {
    let bus = try SystemBus(loop, isLast: true) { [unowned self] in
      lose("the system bus has gone")
    }
    self.bus = bus
    try bus.keep("offer \(CLOCKSMITH_BUS_INTERFACE)") {
      clocksmith_bus_add(bus.pointer, &$0, object)
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try bus.keep("ask for the name \(CLOCKSMITH_BUS_NAME)") {
      sd_bus_request_name_async(
        bus.pointer, &$0, CLOCKSMITH_BUS_NAME, 0,
        { reply, context, _ in
          BusServer.from(context).named(reply!)
          return 0
        }, context)
    }
    waiting = try loop.after(Self.patience) { [unowned self] in
      lose("the system bus does not answer")
    }
    told = service.properties().mapValues(\.hashValue)
  }

  private func named(_ reply: OpaquePointer) {
    waiting = nil
    var owner: UInt32 = 0
    if let error = sd_bus_message_get_error(reply) {
      let words = error.pointee.message.map { String(cString: $0) } ?? "no reason is given"
      return lose(
        "the system bus refuses the name \(CLOCKSMITH_BUS_NAME): \(words)",
        Self.unreachable + "; without the installed package this is normal")
    }
    // 1 is DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER of the D-Bus specification.
    guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &owner) > 0, owner == 1 else {
      return lose(
        "another program has the name \(CLOCKSMITH_BUS_NAME) on the system bus",
        "if that is a second clocksmith, both speak: 'busctl status \(CLOCKSMITH_BUS_NAME)' shows "
          + "which program it is; stop one of the two")
    }
    if complaint != nil { journal.log(.bus, .notice, "the system bus is back") }
    complaint = nil
    retryDelay = Self.firstRetry
  }

  private func lose(_ why: String, _ consequence: String = unreachable) {
    close()
    complain(why, consequence)
  }

  private static let unreachable =
    "the clock still speaks, but commands such as 'clocksmith alarm' cannot reach it"

  private func complain(_ why: String, _ consequence: String = unreachable) {
    if complaint == nil { journal.log(.busMissing, .warning, "\(why); \(consequence)") }
    complaint = why
    trySoon()
  }

  private func trySoon() {
    guard retryDelay <= Self.longestRetry else { return }
    retry = try? loop.after(retryDelay, accuracy: retryDelay / 10) { [unowned self] in check() }
    retry?.isServedLast()
    retryDelay = retryDelay * 2
  }

  private func close() {
    waiting = nil
    retry = nil
    telling = nil
    bus?.close()
    bus = nil
  }

  // MARK: Telling

  /// Emits PropertiesChanged for all changed properties except `Status.flowing`.
  func tellChanges() {
    guard let bus else { return }
    let now = service.properties().mapValues(\.hashValue)
    let changed = now.keys.filter { now[$0] != told[$0] && !Status.flowing.contains($0) }.sorted()
    told = now
    guard !changed.isEmpty else { return }
    var names = changed.map { strdup($0) }
    names.append(nil)
    defer { for name in names { free(name) } }
    sd_bus_emit_properties_changed_strv(
      bus.pointer, CLOCKSMITH_BUS_PATH, CLOCKSMITH_BUS_INTERFACE, &names)
  }

  /// Emits PropertiesChanged once everything else that is due has been served.
  func tellSoon() {
    guard bus != nil, telling == nil else { return }
    telling = try? loop.after(.zero) { [unowned self] in
      telling = nil
      tellChanges()
    }
    telling?.isServedLast()
  }

  func signal(_ name: String, _ values: [BusValue]) {
    guard let bus else { return }
    let message = try? BusMessage {
      sd_bus_message_new_signal(
        bus.pointer, &$0, CLOCKSMITH_BUS_PATH, CLOCKSMITH_BUS_INTERFACE, name)
    }
    guard let message else { return }
    for value in values { BusWriter.append(value, to: message.pointer) }
    sd_bus_send(bus.pointer, message.pointer, nil)
  }

  // MARK: Being asked

  private func answer(
    _ call: OpaquePointer, _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    do {
      let request = try request(call)
      let answer = try service.serve(request).get()
      let reply = try BusMessage { sd_bus_message_new_method_return(call, &$0) }
      switch answer {
      case .done: break
      case .text(let text): BusWriter.append(.text(text), to: reply.pointer)
      case .flag(let flag): BusWriter.append(.flag(flag), to: reply.pointer)
      case .number(let number): BusWriter.append(.small(UInt32(number)), to: reply.pointer)
      }
      return sd_bus_send(nil, reply.pointer, nil)
    } catch let refusal as Refusal {
      return sd_bus_error_set(error, refusal.name, refusal.words)
    } catch {
      return -EIO
    }
  }

  /// Reads a call. sd-bus has checked its signature.
  private func request(_ call: OpaquePointer) throws(Refusal) -> Request {
    let member = sd_bus_message_get_member(call).map { String(cString: $0) } ?? ""
    if let order = BusReader.timerOrder(member, call) { return .timer(order) }
    if let order = try BusReader.alarmOrder(member, call) { return .alarm(order) }
    switch member {
    case "Announce": return .announce(nil)
    case "AnnounceTime":
      guard let hour = BusReader.uint32(call), let minute = BusReader.uint32(call),
        let time = CivilTime(hour: hour, minute: minute)
      else { throw .badArgument("no time of day: allowed are hours 0 to 23 and minutes 0 to 59") }
      return .announce(time)
    case "AnnounceAt": return try announcement(call)
    case "Stop": return .stop
    case "Mute":
      guard let microseconds = BusReader.unsigned(call),
        microseconds <= UInt64(SoftwareMute.longest.nanoseconds / 1000)
      else {
        throw .badArgument(
          "too long: allowed are 1 microsecond to \(SoftwareMute.longest.inWords), and 0 for "
            + "until Unmute")
      }
      return microseconds == 0 ? .mute(.on) : .muteFor(.microseconds(Int64(microseconds)))
    case "MuteNext": return .mute(.next)
    case "Unmute": return .mute(.off)
    default: throw .badArgument("\(member) with these arguments is not known")
    }
  }

  private func announcement(_ call: OpaquePointer) throws(Refusal) -> Request {
    guard let microseconds = BusReader.unsigned(call), let text = BusReader.text(call) else {
      throw .badArgument("an instant and a text are wanted")
    }
    let instant = Instant(microseconds: microseconds)
    let now = SystemClock.now.instant
    let allowed = "allowed are instants of UTC within the next \(Announcer.preparation.inWords)"
    guard now < instant else { throw .past(allowed) }
    guard instant <= now + Announcer.preparation else { throw .badArgument(allowed) }
    guard !text.isEmpty else { return .announce(nil, at: instant) }
    guard let time = try? TimeOfDay(text: text) else {
      throw .badArgument("no time of day: write HH:MM, or nothing for the time at that instant")
    }
    return .announce(CivilTime(hour: time.hour, minute: time.minute), at: instant)
  }

  private func append(_ name: UnsafePointer<CChar>, to reply: OpaquePointer) -> Int32 {
    guard let value = service.properties()[String(cString: name)] else { return -ENODATA }
    return BusWriter.append(value, to: reply)
  }

  private func set(
    _ name: UnsafePointer<CChar>, _ value: OpaquePointer,
    _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    guard let decibels = BusReader.number(value), VolumeRange.decibels.contains(decibels) else {
      return sd_bus_error_set(
        error, SD_BUS_ERROR_INVALID_ARGS,
        "\(String(cString: name)): allowed is \(VolumeRange.words)")
    }
    _ = service.serve(.volume(decibels))
    return 1
  }
}
