#include "clocksmith_gpio.h"

#include <dirent.h>
#include <errno.h>
#include <gpiod.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The chips of /dev by their names; a symbolic link is a second name of one. */
static int is_chip(const struct dirent *entry) {
  return strncmp(entry->d_name, "gpiochip", 8) == 0 && entry->d_type != DT_LNK;
}

static int visit_chip(const char *path, void (*visit)(const struct clocksmith_line_info *, void *),
                      void *context);

int clocksmith_gpio_visit(void (*visit)(const struct clocksmith_line_info *, void *),
                          void *context) {
  struct dirent **entries;
  int count = scandir("/dev", &entries, is_chip, alphasort);
  if (count < 0) return -errno;
  int opened = 0, failure = 0;
  for (int index = 0; index < count; index++) {
    char path[CLOCKSMITH_PATH_LENGTH];
    snprintf(path, sizeof path, "/dev/%s", entries[index]->d_name);
    int code = visit_chip(path, visit, context);
    if (code == 0) opened++;
    else failure = code;
    free(entries[index]);
  }
  free(entries);
  return opened == 0 && failure ? failure : opened;
}

static bool has_edges(int descriptor) {
  struct pollfd request = {.fd = descriptor, .events = POLLIN};
  return poll(&request, 1, 0) > 0;
}

/* libgpiod's headers have no version number. Only version 1 defines this macro. */
#ifdef GPIOD_LINE_BULK_MAX_LINES

struct clocksmith_line {
  struct gpiod_chip *chip;
  struct gpiod_line *line;
};

static int visit_chip(const char *path, void (*visit)(const struct clocksmith_line_info *, void *),
                      void *context) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  for (unsigned int offset = 0; offset < gpiod_chip_num_lines(chip); offset++) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    if (!line) continue;
    const char *holder = gpiod_line_consumer(line);
    struct clocksmith_line_info info = {
        path, gpiod_chip_label(chip), offset, gpiod_line_name(line),
        gpiod_line_is_used(line) ? (holder ? holder : "the kernel") : NULL};
    visit(&info, context);
  }
  gpiod_chip_close(chip);
  return 0;
}

static int open_line(struct clocksmith_line **result, const char *chip_path, unsigned int offset,
                     int type, int flags) {
  struct clocksmith_line *opened = calloc(1, sizeof *opened);
  struct gpiod_line_request_config config = {CLOCKSMITH_CONSUMER, type, flags};
  opened->chip = gpiod_chip_open(chip_path);
  if (opened->chip) opened->line = gpiod_chip_get_line(opened->chip, offset);
  if (!opened->line || gpiod_line_request(opened->line, &config, 0) != 0) {
    int code = -errno;
    clocksmith_line_close(opened);
    return code;
  }
  *result = opened;
  return 0;
}

int clocksmith_line_open_input(struct clocksmith_line **line, const char *chip_path,
                               unsigned int offset, bool active_low) {
  int flags = GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP |
              (active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0);
  return open_line(line, chip_path, offset, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES, flags);
}

int clocksmith_line_open_output(struct clocksmith_line **line, const char *chip_path,
                                unsigned int offset, bool active_low) {
  return open_line(line, chip_path, offset, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
                   active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0);
}

void clocksmith_line_close(struct clocksmith_line *line) {
  /* The chip releases its lines. */
  if (line->chip) gpiod_chip_close(line->chip);
  free(line);
}

int clocksmith_line_descriptor(struct clocksmith_line *line) {
  return gpiod_line_event_get_fd(line->line);
}

int clocksmith_line_get(struct clocksmith_line *line) {
  int value = gpiod_line_get_value(line->line);
  return value < 0 ? -errno : value;
}

int clocksmith_line_set(struct clocksmith_line *line, bool active) {
  return gpiod_line_set_value(line->line, active) < 0 ? -errno : 0;
}

int clocksmith_line_read_edges(struct clocksmith_line *line, struct clocksmith_edge *edges,
                               unsigned int most) {
  struct gpiod_line_event events[16];
  if (!has_edges(clocksmith_line_descriptor(line))) return 0;
  int count = gpiod_line_event_read_multiple(line->line, events, most < 16 ? most : 16);
  if (count < 0) return -errno;
  for (int index = 0; index < count; index++) {
    edges[index].nanoseconds =
        (int64_t)events[index].ts.tv_sec * 1000000000 + events[index].ts.tv_nsec;
    edges[index].active = events[index].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  }
  return count;
}

#else

struct clocksmith_line {
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *events;
  unsigned int offset;
};

static int visit_chip(const char *path, void (*visit)(const struct clocksmith_line_info *, void *),
                      void *context) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  struct gpiod_chip_info *about = gpiod_chip_get_info(chip);
  size_t lines = about ? gpiod_chip_info_get_num_lines(about) : 0;
  for (unsigned int offset = 0; offset < lines; offset++) {
    struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, offset);
    if (!line) continue;
    const char *holder = gpiod_line_info_get_consumer(line);
    struct clocksmith_line_info info = {
        path, gpiod_chip_info_get_label(about), offset, gpiod_line_info_get_name(line),
        gpiod_line_info_is_used(line) ? (holder ? holder : "the kernel") : NULL};
    visit(&info, context);
    gpiod_line_info_free(line);
  }
  if (about) gpiod_chip_info_free(about);
  gpiod_chip_close(chip);
  return 0;
}

/* Frees the settings. */
static int open_line(struct clocksmith_line **result, const char *chip_path, unsigned int offset,
                     struct gpiod_line_settings *settings) {
  struct clocksmith_line *opened = calloc(1, sizeof *opened);
  opened->offset = offset;
  opened->events = gpiod_edge_event_buffer_new(64);
  struct gpiod_request_config *config = gpiod_request_config_new();
  gpiod_request_config_set_consumer(config, CLOCKSMITH_CONSUMER);
  struct gpiod_line_config *lines = gpiod_line_config_new();
  gpiod_line_config_add_line_settings(lines, &offset, 1, settings);
  struct gpiod_chip *chip = gpiod_chip_open(chip_path);
  if (chip) opened->request = gpiod_chip_request_lines(chip, config, lines);
  int code = opened->request ? 0 : -errno;
  if (chip) gpiod_chip_close(chip);
  gpiod_line_config_free(lines);
  gpiod_request_config_free(config);
  gpiod_line_settings_free(settings);
  if (code == 0) *result = opened;
  else clocksmith_line_close(opened);
  return code;
}

int clocksmith_line_open_input(struct clocksmith_line **line, const char *chip_path,
                               unsigned int offset, bool active_low) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
  gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
  gpiod_line_settings_set_active_low(settings, active_low);
  gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
  return open_line(line, chip_path, offset, settings);
}

int clocksmith_line_open_output(struct clocksmith_line **line, const char *chip_path,
                                unsigned int offset, bool active_low) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  gpiod_line_settings_set_active_low(settings, active_low);
  gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
  return open_line(line, chip_path, offset, settings);
}

void clocksmith_line_close(struct clocksmith_line *line) {
  if (line->request) gpiod_line_request_release(line->request);
  if (line->events) gpiod_edge_event_buffer_free(line->events);
  free(line);
}

int clocksmith_line_descriptor(struct clocksmith_line *line) {
  return gpiod_line_request_get_fd(line->request);
}

int clocksmith_line_get(struct clocksmith_line *line) {
  enum gpiod_line_value value = gpiod_line_request_get_value(line->request, line->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? -errno : value == GPIOD_LINE_VALUE_ACTIVE;
}

int clocksmith_line_set(struct clocksmith_line *line, bool active) {
  enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(line->request, line->offset, value) < 0 ? -errno : 0;
}

int clocksmith_line_read_edges(struct clocksmith_line *line, struct clocksmith_edge *edges,
                               unsigned int most) {
  if (!has_edges(clocksmith_line_descriptor(line))) return 0;
  int count = gpiod_line_request_read_edge_events(line->request, line->events, most);
  if (count < 0) return -errno;
  for (int index = 0; index < count; index++) {
    struct gpiod_edge_event *event =
        gpiod_edge_event_buffer_get_event(line->events, (unsigned long)index);
    edges[index].nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    edges[index].active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
  return count;
}

#endif
