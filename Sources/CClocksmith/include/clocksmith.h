/* The C that Swift cannot say: variadic callbacks and macros of the libraries. */
#ifndef CLOCKSMITH_H
#define CLOCKSMITH_H

#include "clocksmith_bus.h"
#include "clocksmith_gpio.h"
#include "rtc.h"

/* Keeps libasound from writing its own lines to standard error; what failed is in the code that
 * each call returns. */
void clocksmith_silence_alsa(void);

#endif
