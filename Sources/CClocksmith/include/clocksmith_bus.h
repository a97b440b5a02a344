/* org.clocksmith.Announcer1 as sd-bus wants it described: the table is built by macros that Swift
 * cannot import. Every member comes to one of three functions, which look at its name. */
#ifndef CLOCKSMITH_BUS_H
#define CLOCKSMITH_BUS_H

#include <systemd/sd-bus.h>

/* Who answers. Each returns 0 or more, or -errno with or without `error` set. */
struct clocksmith_bus_object {
  void *context;
  /* Answers a call of a method. */
  int (*call)(void *context, sd_bus_message *call, sd_bus_error *error);
  /* Appends the value of a property. */
  int (*get)(void *context, const char *property, sd_bus_message *reply);
};

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

/* Puts the object with these members on the bus. `object` is used until `*slot` is released. The
 * members are the same in every call, and their texts are kept. */
int clocksmith_bus_add(sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface,
                       struct clocksmith_bus_object *object,
                       const struct clocksmith_bus_member *members, size_t count);

#endif
