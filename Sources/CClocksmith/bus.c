#include "clocksmith_bus.h"

#include <stddef.h>

static int on_call(sd_bus_message *message, void *userdata, sd_bus_error *error) {
  const struct clocksmith_bus_object *object = userdata;
  return object->call(object->context, message, error);
}

static int on_get(sd_bus *bus, const char *path, const char *interface, const char *property,
                  sd_bus_message *reply, void *userdata, sd_bus_error *error) {
  (void)bus, (void)path, (void)interface, (void)error;
  const struct clocksmith_bus_object *object = userdata;
  return object->get(object->context, property, reply);
}

static int on_set(sd_bus *bus, const char *path, const char *interface, const char *property,
                  sd_bus_message *value, void *userdata, sd_bus_error *error) {
  (void)bus, (void)path, (void)interface;
  const struct clocksmith_bus_object *object = userdata;
  return object->set(object->context, property, value, error);
}

/* Who may call is the bus's policy (org.clocksmith.Announcer1.conf): sd-bus's own check, which
 * would let only root call, is switched off by UNPRIVILEGED. */
#define METHOD(name, signature, in_names, result, out_names)                                \
  SD_BUS_METHOD_WITH_NAMES(name, signature, in_names, result, out_names, on_call,           \
                           SD_BUS_VTABLE_UNPRIVILEGED)
#define CHANGING(name, signature) \
  SD_BUS_PROPERTY(name, signature, on_get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
/* These change all the time and send no PropertiesChanged. */
#define FLOWING(name, signature) SD_BUS_PROPERTY(name, signature, on_get, 0, 0)

static const sd_bus_vtable vtable[] = {
    SD_BUS_VTABLE_START(0),
    METHOD("Announce", "", "", "s", SD_BUS_PARAM(text)),
    METHOD("AnnounceTime", "uu", SD_BUS_PARAM(hour) SD_BUS_PARAM(minute), "s", SD_BUS_PARAM(text)),
    METHOD("AnnounceAt", "ts", SD_BUS_PARAM(instant_usec) SD_BUS_PARAM(time), "s",
           SD_BUS_PARAM(text)),
    METHOD("Stop", "", "", "", ""),
    METHOD("Mute", "t", SD_BUS_PARAM(duration_usec), "", ""),
    METHOD("MuteNext", "", "", "", ""),
    METHOD("Unmute", "", "", "", ""),
    METHOD("StartTimer", "ts", SD_BUS_PARAM(length_usec) SD_BUS_PARAM(name), "u",
           SD_BUS_PARAM(number)),
    METHOD("AddToTimer", "st", SD_BUS_PARAM(timer) SD_BUS_PARAM(span_usec), "", ""),
    METHOD("PauseTimer", "s", SD_BUS_PARAM(timer), "", ""),
    METHOD("ResumeTimer", "s", SD_BUS_PARAM(timer), "", ""),
    METHOD("CancelTimer", "s", SD_BUS_PARAM(timer), "", ""),
    METHOD("TellTimer", "s", SD_BUS_PARAM(timer), "s", SD_BUS_PARAM(text)),
    METHOD("StartInterval", "tb", SD_BUS_PARAM(every_usec) SD_BUS_PARAM(replace), "b",
           SD_BUS_PARAM(is_new)),
    METHOD("StartRounds", "ttutubb",
           SD_BUS_PARAM(work_usec) SD_BUS_PARAM(rest_usec) SD_BUS_PARAM(rounds)
               SD_BUS_PARAM(prepare_usec) SD_BUS_PARAM(countdown) SD_BUS_PARAM(words)
               SD_BUS_PARAM(replace),
           "b", SD_BUS_PARAM(is_new)),
    METHOD("StopInterval", "", "", "", ""),
    METHOD("SetAlarm", "sssss",
           SD_BUS_PARAM(time) SD_BUS_PARAM(days) SD_BUS_PARAM(name) SD_BUS_PARAM(tune)
               SD_BUS_PARAM(rise),
           "u", SD_BUS_PARAM(number)),
    METHOD("SnoozeAlarm", "s", SD_BUS_PARAM(alarm), "", ""),
    METHOD("SnoozeAlarms", "", "", "", ""),
    METHOD("StopAlarm", "s", SD_BUS_PARAM(alarm), "", ""),
    METHOD("StopAlarms", "", "", "", ""),
    METHOD("SkipAlarm", "s", SD_BUS_PARAM(alarm), "u", SD_BUS_PARAM(number)),
    METHOD("CancelAlarm", "s", SD_BUS_PARAM(alarm), "", ""),

    CHANGING("Zone", "s"),
    CHANGING("Voice", "s"),
    CHANGING("Device", "s"),
    CHANGING("Substitute", "s"),
    SD_BUS_WRITABLE_PROPERTY(
        "Volume", "d", on_get, on_set, 0,
        SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE | SD_BUS_VTABLE_UNPRIVILEGED),
    CHANGING("NextOccasion", "t"),
    CHANGING("NextLocal", "s"),
    CHANGING("NextChime", "s"),
    CHANGING("NextText", "s"),
    CHANGING("NextSounds", "b"),
    CHANGING("NextReasonKey", "s"),
    CHANGING("NextReason", "s"),
    CHANGING("Muted", "b"),
    CHANGING("MutedBy", "s"),
    CHANGING("SoftwareMute", "s"),
    CHANGING("MutedUntil", "t"),
    CHANGING("Switch", "s"),
    CHANGING("SwitchError", "s"),
    CHANGING("Trust", "s"),
    CHANGING("ClockBasis", "s"),
    CHANGING("ClockIsUsed", "b"),
    FLOWING("ClockWords", "s"),
    FLOWING("ClockUncertainty", "d"),
    CHANGING("Playing", "s"),
    /* number, name, state, length, what is left of a paused one, UTC at zero; in microseconds */
    CHANGING("Timers", "a(ussttt)"),
    /* UTC at the start, the period or 0, work, rest, prepare, rounds, countdown, whether its phases are
     * said; none or one */
    CHANGING("Intervals", "a(tttttuub)"),
    /* number, name, time, days, tune, state, UTC of the next, origin, why it will be silent, how it
     * rises */
    CHANGING("Alarms", "a(ussssstsss)"),
    CHANGING("LastOnsetError", "x"),
    CHANGING("LastError", "s"),
    CHANGING("StateError", "s"),
    CHANGING("StateLoss", "s"),

    SD_BUS_SIGNAL_WITH_NAMES(
        "Announced", "tsx",
        SD_BUS_PARAM(instant_usec) SD_BUS_PARAM(text) SD_BUS_PARAM(onset_error_usec), 0),
    SD_BUS_SIGNAL_WITH_NAMES(
        "Skipped", "ttss",
        SD_BUS_PARAM(first_usec) SD_BUS_PARAM(last_usec) SD_BUS_PARAM(reason) SD_BUS_PARAM(words),
        0),
    SD_BUS_SIGNAL_WITH_NAMES(
        "Noticed", "sysa{ss}",
        SD_BUS_PARAM(event) SD_BUS_PARAM(priority) SD_BUS_PARAM(words) SD_BUS_PARAM(fields), 0),
    SD_BUS_VTABLE_END,
};

int clocksmith_bus_add(sd_bus *bus, sd_bus_slot **slot, struct clocksmith_bus_object *object) {
  return sd_bus_add_object_vtable(bus, slot, CLOCKSMITH_BUS_PATH, CLOCKSMITH_BUS_INTERFACE, vtable,
                                  object);
}
