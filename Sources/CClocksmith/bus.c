#include "clocksmith_bus.h"

#include <errno.h>
#include <stdlib.h>

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

static sd_bus_vtable entry(const struct clocksmith_bus_member *member) {
  switch (member->kind) {
  case CLOCKSMITH_BUS_METHOD:
    /* Who may call is the bus's policy (org.clocksmith.Announcer1.conf): sd-bus's own check, which
     * would let only root call, is switched off by UNPRIVILEGED. */
    return (sd_bus_vtable)SD_BUS_METHOD(member->name, member->takes, member->gives, on_call,
                                        SD_BUS_VTABLE_UNPRIVILEGED);
  case CLOCKSMITH_BUS_PROPERTY:
    return (sd_bus_vtable)SD_BUS_PROPERTY(member->name, member->takes, on_get, 0,
                                          SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE);
  case CLOCKSMITH_BUS_FLOWING:
    return (sd_bus_vtable)SD_BUS_PROPERTY(member->name, member->takes, on_get, 0, 0);
  default:
    return (sd_bus_vtable)SD_BUS_SIGNAL(member->name, member->takes, 0);
  }
}

int clocksmith_bus_add(sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface,
                       struct clocksmith_bus_object *object,
                       const struct clocksmith_bus_member *members, size_t count) {
  /* sd-bus uses the table as long as the object is on the bus. There is one interface, so the table
   * is made once and kept. */
  static sd_bus_vtable *vtable;
  if (!vtable) {
    vtable = calloc(count + 2, sizeof *vtable);
    if (!vtable) return -ENOMEM;
    vtable[0] = (sd_bus_vtable)SD_BUS_VTABLE_START(0);
    for (size_t index = 0; index < count; index++) vtable[index + 1] = entry(&members[index]);
    vtable[count + 1] = (sd_bus_vtable)SD_BUS_VTABLE_END;
  }
  return sd_bus_add_object_vtable(bus, slot, path, interface, vtable, object);
}
