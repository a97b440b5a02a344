#include "clocksmith_bus.h"

#include <stdlib.h>

static sd_bus_vtable entry(const struct clocksmith_bus_member *member,
                           sd_bus_message_handler_t call, sd_bus_property_get_t get) {
  switch (member->kind) {
  case CLOCKSMITH_BUS_METHOD:
    /* Who may call is the bus's policy (org.clocksmith.Announcer1.conf): sd-bus's own check, which
     * would let only root call, is switched off by UNPRIVILEGED. */
    return (sd_bus_vtable)SD_BUS_METHOD(member->name, member->takes, member->gives, call,
                                        SD_BUS_VTABLE_UNPRIVILEGED);
  case CLOCKSMITH_BUS_PROPERTY:
    return (sd_bus_vtable)SD_BUS_PROPERTY(member->name, member->takes, get, 0,
                                          SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE);
  case CLOCKSMITH_BUS_FLOWING:
    return (sd_bus_vtable)SD_BUS_PROPERTY(member->name, member->takes, get, 0, 0);
  default:
    return (sd_bus_vtable)SD_BUS_SIGNAL(member->name, member->takes, 0);
  }
}

int clocksmith_bus_add(sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface,
                       const struct clocksmith_bus_member *members, size_t count,
                       sd_bus_message_handler_t call, sd_bus_property_get_t get, void *context) {
  /* sd-bus uses the table as long as the object is on the bus. There is one interface, so the table
   * is made once and kept. */
  static sd_bus_vtable *vtable;
  if (!vtable) {
    vtable = calloc(count + 2, sizeof *vtable);
    vtable[0] = (sd_bus_vtable)SD_BUS_VTABLE_START(0);
    for (size_t index = 0; index < count; index++)
      vtable[index + 1] = entry(&members[index], call, get);
    vtable[count + 1] = (sd_bus_vtable)SD_BUS_VTABLE_END;
  }
  return sd_bus_add_object_vtable(bus, slot, path, interface, vtable, context);
}
