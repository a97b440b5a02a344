"""Fake GPIO lines for a switch: one with a name, or those of a Pi's header."""

import os
import subprocess

import pytest

from c_library import shared_library
from program import PROGRAM

# Preloaded before libgpiod 1. Each byte written to the pipe is an edge: 1 to active, 0 back. Of a
# header only line LINE is wired to the pipe. Somebody else has it if the environment says HOLDER.
LIBRARY = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct event { struct timespec at; int type; };
struct line { int descriptor, level; };
static struct line lines[28];

int scandir(const char *folder, struct dirent ***entries,
            int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) {
  struct dirent *chip = calloc(1, sizeof *chip);
  chip->d_type = DT_CHR;
  strcpy(chip->d_name, "gpiochip0");
  *entries = malloc(sizeof **entries);
  **entries = chip;
  return 1;
}
void *gpiod_chip_open(const char *path) { return lines; }
unsigned gpiod_chip_num_lines(void *chip) { return LINE == 0 ? 1 : 28; }
void *gpiod_chip_get_line(void *chip, unsigned offset) { return lines + offset; }
const char *gpiod_chip_label(void *chip) { return LABEL; }
void gpiod_chip_close(void *chip) {}
const char *gpiod_line_consumer(void *line) { return getenv("HOLDER"); }
const char *gpiod_line_name(void *line) { return LINE == 0 ? "SWITCH" : 0; }
_Bool gpiod_line_is_used(struct line *line) { return line == lines + LINE && getenv("HOLDER"); }
int gpiod_line_request(struct line *line, const void *configuration, int value) {
  line->descriptor = line == lines + LINE
    ? open(PIPE, O_RDWR | O_NONBLOCK | O_CLOEXEC) : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return line->descriptor < 0 ? -1 : 0;
}
int gpiod_line_event_get_fd(struct line *line) { return line->descriptor; }
int gpiod_line_get_value(struct line *line) { return line->level; }
int gpiod_line_event_read_multiple(struct line *line, struct event *events, unsigned most) {
  char byte;
  if (read(line->descriptor, &byte, 1) != 1) return -1;
  line->level = byte == '1';
  clock_gettime(CLOCK_MONOTONIC, &events->at);
  events->type = line->level ? 1 : 2;
  return 1;
}
"""


class PretendedLine:
    """The line `SWITCH` or, with its number, one of a header; and the environment in which it exists."""

    def __init__(self, folder, number=0):
        linked = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=True)
        if "libgpiod.so.2 " not in linked.stdout:
            pytest.skip("only a line of libgpiod 1 can be pretended")
        self._pipe = folder / "line"
        self._away = folder / "line away"
        os.mkfifo(self._pipe)
        label = "pinctrl-bcm2835" if number else "pretended"
        library = shared_library(
            folder / "line.so", LIBRARY, f'-DPIPE="{self._pipe}"', f'-DLABEL="{label}"', f"-DLINE={number}")
        self.environment = {"LD_PRELOAD": str(library)}

    def take_away(self):
        """From now on it cannot be opened."""
        self._pipe.rename(self._away)

    def put_back(self):
        self._away.rename(self._pipe)

    def put(self, is_active):
        self._pipe.write_text("1" if is_active else "0", encoding="ascii")
