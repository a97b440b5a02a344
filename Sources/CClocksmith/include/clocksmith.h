/* The C that Swift cannot write: macros of libraries, variadic callbacks, a signal handler, and one
 * interface to libgpiod 1 and 2. */
#ifndef CLOCKSMITH_H
#define CLOCKSMITH_H

#include "clocksmith_bus.h"
#include "clocksmith_gpio.h"

#include <linux/rtc.h>
#include <stdbool.h>

/* The ioctl that reads what a real-time clock knows of its own state, and clears none of it. */
static const unsigned long clocksmith_rtc_read_flags = RTC_VL_READ;

/* Keeps libasound from writing its own lines to standard error; what failed is in the code that
 * each call returns. */
void clocksmith_silence_alsa(void);

/* Starts a time limit. Once it has passed, the sockets of the device are shut down, until
 * clocksmith_patience_end: those that have come since the limit began if it `opens` the device, or else
 * those that came during the last limit that did. Uses SIGALRM; one limit at a time. */
void clocksmith_patience_begin(int milliseconds, bool opens);

/* Ends the time limit. Returns true if it had passed. */
bool clocksmith_patience_end(void);

#endif
