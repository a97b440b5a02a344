/* The C that Swift cannot say: variadic callbacks and macros of the libraries. */
#ifndef CLOCKSMITH_H
#define CLOCKSMITH_H

#include "clocksmith_bus.h"
#include "clocksmith_gpio.h"
#include "rtc.h"

#include <stdbool.h>

/* Keeps libasound from writing its own lines to standard error; what failed is in the code that
 * each call returns. */
void clocksmith_silence_alsa(void);

/* What it would have written since clocksmith_alsa_forget: its first messages, or nothing. */
const char *clocksmith_alsa_said(void);
void clocksmith_alsa_forget(void);

#define CLOCKSMITH_MOST_SOCKETS 64

/* Sockets that were open at some moment. */
struct clocksmith_sockets {
  int count;
  int descriptors[CLOCKSMITH_MOST_SOCKETS];
  unsigned long inodes[CLOCKSMITH_MOST_SOCKETS];
};

/* The sockets that are open now, but the others, which may be NULL. */
void clocksmith_sockets_find(struct clocksmith_sockets *sockets,
                             const struct clocksmith_sockets *others);

/* From now on, if clocksmith_patience_end is not called in time, sockets are shut down: of `only`,
 * or if that is NULL all but the others. Uses SIGALRM, and one span at a time. */
void clocksmith_patience_begin(const struct clocksmith_sockets *only,
                               const struct clocksmith_sockets *others, int milliseconds);

/* True if it came too late. */
bool clocksmith_patience_end(void);

#endif
