import Basics

/// Announces the clock to Home Assistant: one message for the device and all its entities (MQTT
/// discovery by device, as of homeassistant 2024.12).
struct Discovery {
  let topics: Topics
  let version: String

  /// One JSON object on a line.
  var payload: String {
    let line = JSONLine()
    line.set("dev", device)
    line.set("o", origin)
    line.set("availability_topic", topics.availability)
    line.set("state_topic", topics.state)
    line.set("command_topic", topics.command)
    let components = JSONLine()
    for entity in Self.entities { components.set(entity.key, entity.line(topics)) }
    line.set("cmps", components)
    return line.text
  }

  private var device: JSONLine {
    let line = JSONLine()
    line.set("ids", [topics.objectID])
    line.set("name", topics.name)
    line.set("mf", "clocksmith")
    line.set("mdl", "talking clock")
    line.set("sw", version)
    return line
  }

  private var origin: JSONLine {
    let line = JSONLine()
    line.set("name", "clocksmith-relay")
    line.set("sw", version)
    return line
  }

  /// A value that Home Assistant shows, or an action that it offers.
  private struct Entity {
    let key: String
    let platform: String
    let name: String
    let icon: String
    /// The template that takes its state from the clock's state; nil if it has none.
    var value: String?
    /// The template that takes its attributes from the clock's state; nil if it has none.
    var attributes: String?
    /// Its other keys with text values.
    var options: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var choices: [String] = []
    /// The events that it tells; empty if it has a state.
    var events: [String] = []

    func line(_ topics: Topics) -> JSONLine {
      let line = JSONLine()
      line.set("p", platform)
      line.set("unique_id", "\(topics.objectID)_\(key)")
      line.set("name", name)
      line.set("icon", icon)
      // For each entity: Home Assistant 2026.2 takes the topics from the root, but not `qos`.
      line.set("qos", 1)
      if let value { line.set("value_template", "{{ \(value) }}") }
      if let attributes {
        line.set("json_attributes_topic", topics.state)
        line.set("json_attributes_template", "{{ \(attributes) | tojson }}")
      }
      for (key, text) in options.sorted(by: { $0.key < $1.key }) { line.set(key, text) }
      for (key, number) in numbers.sorted(by: { $0.key < $1.key }) { line.set(key, number) }
      if !choices.isEmpty { line.set("options", choices) }
      if !events.isEmpty {
        line.set("state_topic", topics.event)
        line.set("event_types", events)
      }
      return line
    }
  }
}

extension Discovery {
  /// For entities that people do not look at first.
  private static let diagnostic = ["entity_category": "diagnostic"]

  /// Home Assistant does not record attributes of more than 16,384 bytes.
  private static let mostListed = 20

  private static let entities: [Entity] = [
    Entity(
      key: "next", platform: "sensor", name: "Next announcement", icon: "mdi:clock-outline",
      value: "value_json.next.at", attributes: "value_json.next",
      options: ["device_class": "timestamp"]),
    Entity(
      key: "playing", platform: "sensor", name: "Playing", icon: "mdi:bullhorn-outline",
      value: "value_json.playing or 'nothing'"),
    Entity(
      key: "mute", platform: "switch", name: "Mute", icon: "mdi:volume-off",
      value: "'OFF' if value_json.software_mute == 'off' else 'ON'",
      options: [
        "payload_on": #"{"command":"mute"}"#, "payload_off": #"{"command":"unmute"}"#,
        "state_on": "ON", "state_off": "OFF",
      ]),
    Entity(
      key: "muted_by", platform: "sensor", name: "Muted by", icon: "mdi:volume-mute",
      value: "value_json.muted_by or 'nobody'",
      options: ["device_class": "enum"], choices: ["nobody", "switch", "person", "next"]),
    Entity(
      key: "switch", platform: "sensor", name: "Ringer switch", icon: "mdi:toggle-switch-outline",
      value: "value_json.switch", options: diagnostic.merging(["device_class": "enum"]) { $1 },
      choices: ["absent", "on", "off", "lost"]),
    Entity(
      key: "trust", platform: "sensor", name: "Clock trust", icon: "mdi:clock-check-outline",
      value: "value_json.trust", options: diagnostic.merging(["device_class": "enum"]) { $1 },
      choices: ["synchronised", "holdover", "untrusted"]),
    Entity(
      key: "problem", platform: "binary_sensor", name: "Problem", icon: "mdi:alert-outline",
      value: "'ON' if value_json.problems else 'OFF'",
      attributes: "{'problems': value_json.problems, 'last_error': value_json.last_error}",
      options: diagnostic.merging(["device_class": "problem"]) { $1 }),
    Entity(
      key: "volume", platform: "number", name: "Volume", icon: "mdi:volume-high",
      value: "value_json.volume_db",
      options: [
        "unit_of_measurement": "dB", "mode": "slider",
        "command_template": #"{"command":"volume","decibels":{{ value }}}"#,
      ],
      numbers: ["min": -60, "max": 0, "step": 0.5]),
    Entity(
      key: "announce", platform: "button", name: "Say the time", icon: "mdi:bullhorn",
      options: ["payload_press": #"{"command":"announce"}"#]),
    Entity(
      key: "stop", platform: "button", name: "Stop", icon: "mdi:stop",
      options: ["payload_press": #"{"command":"stop"}"#]),
    Entity(
      key: "snooze", platform: "button", name: "Snooze", icon: "mdi:alarm-snooze",
      options: ["payload_press": #"{"command":"alarm_snooze"}"#]),
    Entity(
      key: "last", platform: "sensor", name: "Last announcement", icon: "mdi:history",
      value: "value_json.last.at", attributes: "value_json.last",
      options: ["device_class": "timestamp"]),
    Entity(
      key: "onset_error", platform: "sensor", name: "Onset error", icon: "mdi:timer-alert-outline",
      value: "value_json.last.onset_error_ms",
      options: diagnostic.merging([
        "device_class": "duration", "unit_of_measurement": "ms", "state_class": "measurement",
      ]) { $1 }),
    Entity(
      key: "timer", platform: "sensor", name: "Timer ends", icon: "mdi:timer-sand",
      value: "value_json.timer_ends",
      attributes: "{'timers': value_json.timers[:\(mostListed)], "
        + "'timer_count': value_json.timers | count, 'intervals': value_json.intervals}",
      options: ["device_class": "timestamp"]),
    Entity(
      key: "alarm", platform: "sensor", name: "Next alarm", icon: "mdi:alarm",
      value: "value_json.alarm_rings",
      attributes: "{'alarms': value_json.alarms[:\(mostListed)], "
        + "'alarm_count': value_json.alarms | count}",
      options: ["device_class": "timestamp"]),
    Entity(
      key: "ring", platform: "event", name: "Ring", icon: "mdi:bell-ring-outline",
      events: RingEvent.types),
  ]
}
