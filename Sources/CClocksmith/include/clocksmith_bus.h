/* org.clocksmith.Announcer1 as sd-bus wants it described: the table is built by macros that Swift
 * cannot import. Every member comes to one of two functions, which look at its name. */
#ifndef CLOCKSMITH_BUS_H
#define CLOCKSMITH_BUS_H

#include <systemd/sd-bus.h>

enum clocksmith_bus_kind {
  CLOCKSMITH_BUS_METHOD,
  CLOCKSMITH_BUS_PROPERTY,
  /* A property that changes all the time and sends no PropertiesChanged. */
  CLOCKSMITH_BUS_FLOWING,
  CLOCKSMITH_BUS_SIGNAL,
};

/* `takes` is the type of a method's arguments, of a property or of a signal; `gives` is the type of
 * a method's answer. */
struct clocksmith_bus_member {
  enum clocksmith_bus_kind kind;
  const char *name, *takes, *gives;
};

/* Puts an object with these members on the bus. `call` answers every method, and `get` appends the
 * value of every property. The members and functions are the same each time, and their texts are kept. */
int clocksmith_bus_add(sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface,
                       const struct clocksmith_bus_member *members, size_t count,
                       sd_bus_message_handler_t call, sd_bus_property_get_t get, void *context);

#endif
