/* GPIO lines over libgpiod 1 and 2, whichever the system has: one interface, two bodies.
 * What fails returns -errno. */
#ifndef CLOCKSMITH_GPIO_H
#define CLOCKSMITH_GPIO_H

#include <stdbool.h>
#include <stdint.h>

/* As whom this program takes lines. */
#define CLOCKSMITH_CONSUMER "clocksmith"

/* A chip's path is at most this long, with its end. */
#define CLOCKSMITH_PATH_LENGTH 280

/* A line of a chip, as the kernel has it now. The texts are good until the visitor returns. */
struct clocksmith_line_info {
  const char *chip_path;
  const char *chip_label;
  unsigned int offset;
  const char *name;     /* NULL where it has none. */
  const char *consumer; /* Who has taken it; NULL if nobody has. */
};

/* Calls visit for every line of every chip, chip by chip.
 * Returns how many chips were opened, 0 if there are none; -errno if none of them can be opened. */
int clocksmith_gpio_visit(void (*visit)(const struct clocksmith_line_info *line, void *context),
                          void *context);

/* A line that has been taken. */
struct clocksmith_line;

/* Requests an input line with both edges, pulled up.
 * -EBUSY if somebody has it; -ENODEV or -ENXIO if its chip is gone, or cannot tell of edges. */
int clocksmith_line_open_input(struct clocksmith_line **line, const char *chip_path,
                               unsigned int offset, bool active_low);

/* Takes a line to be driven, inactive at first. */
int clocksmith_line_open_output(struct clocksmith_line **line, const char *chip_path,
                                unsigned int offset, bool active_low);

void clocksmith_line_close(struct clocksmith_line *line);

/* A descriptor that is readable when there are edges, and in error when the chip is gone. */
int clocksmith_line_descriptor(struct clocksmith_line *line);

/* 1 if it is active, else 0. */
int clocksmith_line_get(struct clocksmith_line *line);

int clocksmith_line_set(struct clocksmith_line *line, bool active);

struct clocksmith_edge {
  int64_t nanoseconds; /* CLOCK_MONOTONIC. */
  bool active;
};

/* Reads up to `most` waiting edges without blocking. Returns their number; -ENODEV if the chip is
 * gone. */
int clocksmith_line_read_edges(struct clocksmith_line *line, struct clocksmith_edge *edges,
                               unsigned int most);

#endif
