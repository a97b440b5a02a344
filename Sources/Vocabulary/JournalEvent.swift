/// The kind of a journal entry: its `CLOCKSMITH_EVENT`, and its `MESSAGE_ID`, made with `systemd-id128
/// new`. Neither ever changes. Under the ID, systemd/clocksmith.catalog says what to do.
public enum JournalEvent: String, CaseIterable, Sendable {
  case started = "started 157eff0ea2fa48c4847900a2b1267de3"
  case stopping = "stopping fe3274aa03f444cf991a87d0f5970603"
  case reloaded = "reloaded f13a63bfb3b44fddb183ff45ff86dc0a"
  case setting = "setting 80e7a5c3746d4f9ea0c87867b1efca7f"
  case settingLeftOut = "setting_left_out 4c31151f964c4efdaf07e7062a9e16d2"
  case keyOutdated = "key_outdated f497a05ab22b4e478b55face4fb473cb"
  case zone = "zone 46bbc6a6d17a4935a607c74b609d38f6"
  case day = "day a1c8cc7219244070817e2d6a050ce239"
  case reloadFailed = "reload_failed 06a1726957514f46812f78220cda5453"
  case neverSounds = "never_sounds d9580a0a1af24578949717bf16632191"
  case zoneFailed = "zone_failed 59712a3f39c348bdad9a32af1233bbaa"
  case ailing = "ailing f3c4972b199444d083fc1e3763cde02a"
  case well = "well 47599a931b6b442cb326074de570860d"
  case wordsLost = "words_lost f7e9266307d043ce97e9e1c5577d44ab"

  case announced = "announced a30e9985b3d3468c8e2b1d022826ff09"
  case skipped = "skipped 0eb17a52870941b3b7986bb753d47b75"
  case refused = "refused c31a161f84924d13aa19de523e682b15"
  case retrying = "retrying dd9dd1dc59454f5e816aad42da823cf8"
  case cutOff = "cut_off d301dd3e3a3a4eb6aeaabf4bd5e6cb3a"

  case timer = "timer 2f4a75cf85a74e9b9b027909e2314867"
  case timerElapsed = "timer_elapsed 2579c1cc78da4357b3263337d1ffb4b2"
  case timerMissed = "timer_missed 4dfc9e4163b5429c8f2bcb632a5200c0"
  case timerUnheard = "timer_unheard 23b4283a09d74bc79b29480649d27941"
  case interval = "interval 576c2799738846978e77b31f5c71d321"
  case alarm = "alarm f78628138db140419f99d0ded9491b0a"
  case alarmRings = "alarm_rings dd01a975f3904336b6cc5edf1e4d77a5"
  case alarmMissed = "alarm_missed 6f063bf7fd304e22b99df0579c687d3a"
  case alarmLacksTune = "alarm_lacks_tune 59cb08be896b42dab5dbb792ab748997"

  case speaker = "speaker cce6775e6cb74f76b319d6063f6e9ecd"
  case speakerSubstituted = "speaker_substituted cd2b328894d94c72b38a1cd11656ebfd"

  case `switch` = "switch d28834c486634ce89afe1d3adaff3c49"
  case switchLost = "switch_lost 7c3015b47995484c8e6cf54dd8e48a65"
  case button = "button faeea4f4428f47c88c2765affea1e02f"
  case buttonLost = "button_lost 171f568074b14df1a936e16db650357e"
  case lamp = "lamp 9ffde06f894a434fb1e781ac8eb45562"
  case lampLost = "lamp_lost a27bfb717d434d3a8dcbd76b414fc6ac"

  case mute = "mute a0d83dcfe18d4ba78378e289063978b4"
  case bus = "bus 9ed5a5c2e2d242ceb5c35b2a2ed8a5ed"
  case state = "state bc5aa4f3a79a41aea5b6de9f783f8e90"
  case busMissing = "bus_missing 12c501700bfd4646a411c2b93950a4f3"
  case stateSetAside = "state_set_aside bf306229367049f18aad969b6e0ef371"
  case stateFailed = "state_failed 3944917f273144a9a5fabdc4dc4e2014"
  case stateNowhere = "state_nowhere ca7bd1d651ba403585615fed5b8f823e"

  case trust = "trust 1135082ca0e14212906aa67eaa238125"
  case clockSet = "clock_set 8fa48b4fcb3b459599a680ffc3cde463"
  case slept = "slept d6b3af9e207747e2b73bb72f273f138d"
  case rtc = "rtc 0865b4daf2f54fff90371baad7c048a7"
  case rtcInvalid = "rtc_invalid 73597d07c01a4202a3b0164b607dc308"
  case rtcWarning = "rtc_warning ff257c74130146c8af762ed7efd27a8b"
  case rtcMissing = "rtc_missing 1921570c620f4f719cdb45cb5b2df179"

  public var key: String { String(rawValue.prefix { $0 != " " }) }
  public var messageID: String { String(rawValue.suffix(32)) }

  /// Nil for an event of another version.
  public init?(key: String) {
    guard let event = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = event
  }

  /// The warnings whose cause is over with this event. Those that are still true are logged again.
  public var ends: Set<JournalEvent> {
    switch self {
    case .setting: [.settingLeftOut, .neverSounds, .speakerSubstituted, .alarmLacksTune]
    case .reloaded:
      [.reloadFailed, .settingLeftOut, .neverSounds, .speakerSubstituted, .alarmLacksTune]
    case .zone: [.zoneFailed]
    case .well: [.ailing]
    case .announced, .cutOff: [.retrying, .refused, .timerUnheard]
    // What is skipped in quiet hours says nothing of the speaker.
    case .skipped: [.retrying]
    case .speaker: [.speakerSubstituted]
    case .switch: [.switchLost]
    case .button: [.buttonLost]
    case .lamp: [.lampLost]
    case .bus: [.busMissing]
    case .state: [.stateSetAside, .stateFailed, .stateNowhere]
    case .trust: [.trust]
    case .rtc: [.rtcInvalid, .rtcWarning, .rtcMissing]
    default: []
    }
  }

  /// True if it tells of trouble with a part of the clock, or of its end.
  /// - Parameter fields: those of the notice.
  public func isTrouble(_ fields: [String: String]) -> Bool {
    switch self {
    case .speakerSubstituted, .speaker, .switchLost, .buttonLost, .button, .lampLost, .lamp,
      .rtcInvalid, .rtcMissing, .rtcWarning, .ailing, .well, .stateFailed, .stateSetAside, .state:
      true
    // Of these, only those that a device has caused.
    case .skipped, .cutOff: fields["REASON"] == "failed"
    case .timerUnheard: fields["DETAIL"] != nil
    default: false
    }
  }
}
