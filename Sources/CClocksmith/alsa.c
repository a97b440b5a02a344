#include "clocksmith.h"

#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* libasound's first two messages: what failed, and in which file. */
static char said[400];
static int messages;

static void keep(const char *file, int line, const char *function, int code, const char *format,
                 ...) {
  (void)file, (void)line, (void)function, (void)code;
  if (++messages > 2) return;
  size_t length = strlen(said);
  va_list arguments;
  va_start(arguments, format);
  if (length > 0) length += (size_t)snprintf(said + length, sizeof said - length, ", ");
  if (length < sizeof said) vsnprintf(said + length, sizeof said - length, format, arguments);
  va_end(arguments);
}

void clocksmith_silence_alsa(void) {
  snd_lib_error_set_handler(keep);
}

void clocksmith_alsa_forget(void) {
  messages = 0;
  said[0] = 0;
}

const char *clocksmith_alsa_said(void) {
  return said;
}
