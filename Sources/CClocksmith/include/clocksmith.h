/* The C that Swift cannot write: macros of libraries, variadic callbacks, a signal handler, and one
 * interface to libgpiod 1 and 2. */
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

/* Finds the open sockets, except those in `others` (NULL: all). */
void clocksmith_sockets_find(struct clocksmith_sockets *sockets,
                             const struct clocksmith_sockets *others);

/* Starts a time limit. Once it has passed, sockets are shut down until clocksmith_patience_end:
 * those in `only` or, if it is NULL, all except `others`. Uses SIGALRM; one limit at a time. */
void clocksmith_patience_begin(const struct clocksmith_sockets *only,
                               const struct clocksmith_sockets *others, int milliseconds);

/* Ends the time limit. Returns true if it had passed. */
bool clocksmith_patience_end(void);

#endif
