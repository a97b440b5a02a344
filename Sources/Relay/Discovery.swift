import Basics
import Vocabulary

/// Announces the clock to Home Assistant: one message for the device and all its entities (MQTT
/// discovery by device, as of homeassistant 2024.12).
enum Discovery {
  /// - Parameters:
  ///   - alarms: each has a switch; its name, or nil, by its number.
  ///   - gone: the numbers of alarms that had one.
  static func payload(_ topics: Topics, alarms: [Int: String?], gone: Set<Int>) -> String {
    var components = Record()
    let switches = alarms.sorted { $0.key < $1.key }.map(ofAlarm)
    for entity in entities + switches { components[entity.key] = .record(entity.record(topics)) }
    // Home Assistant removes what has its platform alone.
    for number in gone.sorted() {
      components[key(ofAlarm: number)] = .record(Record(["p": .text("switch")]))
    }
    let device = Record([
      "ids": .list([.text(topics.objectID)]), "name": .text(topics.name), "mf": .text("clocksmith"),
      "mdl": .text("talking clock"), "sw": .text(version),
    ])
    return Record([
      "dev": .record(device),
      "o": .record(Record(["name": .text("clocksmith-relay"), "sw": .text(version)])),
      "availability_topic": .text(topics.availability), "state_topic": .text(topics.state),
      "command_topic": .text(topics.command), "cmps": .record(components),
    ]).json
  }

  /// A value that Home Assistant shows, or an action that it offers.
  private struct Entity {
    let key: String
    let platform: String
    let name: String
    let icon: String
    var value: String?
    var attributes: String?
    /// Where its state and its attributes come from.
    var topic: @Sendable (Topics) -> String = \.state
    var isDiagnostic = false
    var more = Record()

    func record(_ topics: Topics) -> Record {
      var record = Record([
        "p": .text(platform), "unique_id": .text("\(topics.objectID)_\(key)"), "name": .text(name),
        "icon": .text(icon),
        // For each entity: Home Assistant 2026.2 takes the topics from the root, but not `qos`.
        "qos": .integer(1), "value_template": value.map { .text("{{ \($0) }}") },
        "json_attributes_topic": attributes.map { _ in .text(topic(topics)) },
        "json_attributes_template": attributes.map { .text("{{ \($0) | tojson }}") },
        "entity_category": isDiagnostic ? .text("diagnostic") : nil,
        "state_topic": topic(topics) == topics.state ? nil : .text(topic(topics)),
      ])
      for (key, value) in more.fields { record[key] = value }
      return record
    }
  }
}

extension Discovery {
  private static let timestamp = Record(["device_class": .text("timestamp")])

  private static func key(ofAlarm number: Int) -> String { "alarm_\(number)" }

  private static func ofAlarm(_ number: Int, _ name: String?) -> Entity {
    let alarm = "value_json.get('alarms', []) | selectattr('number', 'eq', \(number))"
    return Entity(
      key: key(ofAlarm: number), platform: "switch", name: "Alarm \(name ?? "\(number)")",
      icon: "mdi:alarm",
      value: "'ON' if (\(alarm) | map(attribute='on') | first | default(true)) else 'OFF'",
      more: turns(
        on: #"{"command":"alarm_on","alarm":\#(number)}"#,
        off: #"{"command":"alarm_off","alarm":\#(number)}"#))
  }

  private static func turns(on: String, off: String) -> Record {
    Record([
      "payload_on": .text(on), "payload_off": .text(off), "state_on": .text("ON"),
      "state_off": .text("OFF"),
    ])
  }

  private static func press(_ command: String) -> Record {
    Record(["payload_press": .text(#"{"command":"\#(command)"}"#)])
  }

  private static func choice(of choices: String...) -> Record {
    Record(["device_class": .text("enum"), "options": .list(choices.map { .text($0) })])
  }

  /// The notices of timers and alarms that MQTT tells as events.
  static let rings = [JournalEvent.timerElapsed, .timerMissed, .alarmRings, .alarmMissed]

  /// Home Assistant does not record attributes of more than 16,384 bytes.
  private static let mostListed = 20

  private static let entities: [Entity] = [
    Entity(
      key: "next", platform: "sensor", name: "Next announcement", icon: "mdi:clock-outline",
      value: "value_json.get('next', {}).get('at')", attributes: "value_json.get('next', {})",
      more: timestamp),
    Entity(
      key: "playing", platform: "sensor", name: "Playing", icon: "mdi:bullhorn-outline",
      value: "value_json.get('playing') or 'nothing'"),
    Entity(
      key: "mute", platform: "switch", name: "Mute", icon: "mdi:volume-off",
      value: "'OFF' if value_json.get('software_mute', 'off') == 'off' else 'ON'",
      more: turns(on: #"{"command":"mute"}"#, off: #"{"command":"unmute"}"#)),
    Entity(
      key: "muted_by", platform: "sensor", name: "Muted by", icon: "mdi:volume-mute",
      value: "value_json.get('muted_by') or 'nobody'",
      more: choice(of: "nobody", "switch", "person", "next")),
    Entity(
      key: "switch", platform: "sensor", name: "Ringer switch", icon: "mdi:toggle-switch-outline",
      value: "value_json.get('switch')", isDiagnostic: true,
      more: choice(of: "absent", "on", "off", "lost")),
    Entity(
      key: "trust", platform: "sensor", name: "Clock trust", icon: "mdi:clock-check-outline",
      value: "value_json.get('trust')", isDiagnostic: true,
      more: choice(of: "synchronised", "holdover", "untrusted")),
    Entity(
      key: "problem", platform: "binary_sensor", name: "Problem", icon: "mdi:alert-outline",
      value: "'ON' if value_json.get('problems') else 'OFF'",
      attributes: "{'problems': value_json.get('problems', []), "
        + "'last_error': value_json.get('last_error')}",
      isDiagnostic: true, more: Record(["device_class": .text("problem")])),
    Entity(
      key: "volume", platform: "number", name: "Volume", icon: "mdi:volume-high",
      value: "value_json.get('volume_db')",
      more: Record([
        "unit_of_measurement": .text("dB"), "mode": .text("slider"),
        "command_template": .text(#"{"command":"volume","volume_db":{{ value }}}"#),
        "min": .integer(-60), "max": .integer(0), "step": .real(0.5),
      ])),
    Entity(
      key: "announce", platform: "button", name: "Say the time", icon: "mdi:bullhorn",
      more: press("announce")),
    Entity(
      key: "stop", platform: "button", name: "Stop", icon: "mdi:stop",
      more: press("stop")),
    Entity(
      key: "snooze", platform: "button", name: "Snooze", icon: "mdi:alarm-snooze",
      more: press("alarm_snooze")),
    Entity(
      key: "last", platform: "sensor", name: "Last announcement", icon: "mdi:history",
      value: "value_json.get('last', {}).get('at')", attributes: "value_json.get('last', {})",
      more: timestamp),
    Entity(
      key: "onset_error", platform: "sensor", name: "Onset error", icon: "mdi:timer-alert-outline",
      value: "value_json.get('last', {}).get('onset_error_ms')",
      isDiagnostic: true,
      more: Record([
        "device_class": .text("duration"), "unit_of_measurement": .text("ms"),
        "state_class": .text("measurement"),
      ])),
    Entity(
      key: "timer", platform: "sensor", name: "Timer ends", icon: "mdi:timer-sand",
      value: "value_json.get('timer_ends')",
      attributes: "{'timers': value_json.get('timers', [])[:\(mostListed)], "
        + "'timer_count': value_json.get('timers', []) | count, "
        + "'intervals': value_json.get('intervals', [])}",
      more: timestamp),
    Entity(
      key: "alarm", platform: "sensor", name: "Next alarm", icon: "mdi:alarm",
      value: "value_json.get('alarm_rings')",
      attributes: "{'alarms': value_json.get('alarms', [])[:\(mostListed)], "
        + "'alarm_count': value_json.get('alarms', []) | count}",
      more: timestamp),
    Entity(
      key: "answer", platform: "sensor", name: "Last command",
      icon: "mdi:message-reply-text-outline",
      value: "(value_json.get('error') or value_json.get('status'))[:255]",
      attributes: "value_json",
      topic: \.answer, isDiagnostic: true),
    Entity(
      key: "ring", platform: "event", name: "Ring", icon: "mdi:bell-ring-outline", topic: \.event,
      more: Record(["event_types": .list(rings.map { .text($0.key) })])),
  ]
}
