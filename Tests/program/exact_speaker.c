/* A speaker of which it is known to the nanosecond when it plays what: an ALSA PCM of type `exact`
 * whose converter is the machine's own clock, some parts in a million fast or slow if wanted.
 *
 * It fetches from its buffer as a card does, one frame at a time, and so what is taken back or
 * written over before its time is not heard; an empty buffer is an underrun. Whoever asks late
 * finds what was played by then, for the moment of each frame is reckoned from the first: a busy
 * machine tells nothing wrong here, unless it sleeps for the whole buffer, which is an underrun.
 *
 * With `behind`, a frame is heard so many milliseconds after it was fetched, as behind a sound server
 * that keeps a queue of its own; what is there cannot be taken back.
 *
 * What it plays is appended to a file: pieces of (nanoseconds of UTC at their first frame, size in
 * bytes, samples of two channels of float32), those of one stream without a gap.
 */
#define _GNU_SOURCE
#define PIC 1
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { RATE = 48000, CHANNELS = 2, FRAME = CHANNELS * 4 };

struct speaker {
  snd_pcm_ioplug_t io;
  int file;
  double rate;
  int is_running;
  int64_t started, started_utc;
  uint64_t played;
  snd_pcm_sframes_t behind;
};

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int append(struct speaker *speaker, const char *samples, uint64_t frames) {
  int64_t instant = speaker->started_utc + (int64_t)((speaker->played + speaker->behind) * 1e9 / speaker->rate);
  uint32_t size = frames * FRAME;
  struct iovec parts[] = {
      {&instant, sizeof instant}, {&size, sizeof size}, {(void *)samples, size}};
  ssize_t written = writev(speaker->file, parts, 3);
  return written == (ssize_t)(sizeof instant + sizeof size + size) ? 0 : -EIO;
}

/* Plays what is due by now; -EPIPE if less than that was there. */
static int play(struct speaker *speaker) {
  const snd_pcm_ioplug_t *io = &speaker->io;
  if (!speaker->is_running) return 0;
  uint64_t due = (now(CLOCK_MONOTONIC) - speaker->started) * speaker->rate / 1e9;
  uint64_t there = io->appl_ptr, last = due < there ? due : there;
  const char *buffer = snd_pcm_ioplug_mmap_areas((snd_pcm_ioplug_t *)io)[0].addr;
  while (speaker->played < last) {
    uint64_t place = speaker->played % io->buffer_size, count = last - speaker->played;
    if (count > io->buffer_size - place) count = io->buffer_size - place;
    if (append(speaker, buffer + place * FRAME, count) < 0) return -EIO;
    speaker->played += count;
  }
  return due < there ? 0 : -EPIPE;
}

/* The same moment by both clocks, unless the machine keeps us from it ten times. */
static void note_start(struct speaker *speaker) {
  int64_t best = INT64_MAX;
  for (int i = 0; i < 10 && best > 10000; i++) {
    int64_t before = now(CLOCK_MONOTONIC), utc = now(CLOCK_REALTIME);
    int64_t span = now(CLOCK_MONOTONIC) - before;
    if (span >= best) continue;
    best = span;
    speaker->started = before + span / 2;
    speaker->started_utc = utc;
  }
}

static int speaker_prepare(snd_pcm_ioplug_t *io) {
  struct speaker *speaker = io->private_data;
  speaker->played = 0;
  speaker->is_running = 0;
  return 0;
}

static int speaker_start(snd_pcm_ioplug_t *io) {
  struct speaker *speaker = io->private_data;
  note_start(speaker);
  speaker->is_running = 1;
  return 0;
}

static int speaker_stop(snd_pcm_ioplug_t *io) {
  struct speaker *speaker = io->private_data;
  play(speaker);
  speaker->is_running = 0;
  return 0;
}

static snd_pcm_sframes_t speaker_pointer(snd_pcm_ioplug_t *io) {
  struct speaker *speaker = io->private_data;
  int done = play(speaker);
  if (done < 0) {
    speaker->is_running = 0;
    return done;
  }
  return speaker->played % io->buffer_size;
}

static int speaker_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  struct speaker *speaker = io->private_data;
  *delay = (snd_pcm_sframes_t)(io->appl_ptr - speaker->played) + speaker->behind;
  return 0;
}

static int speaker_revents(
    snd_pcm_ioplug_t *io, struct pollfd *polled, unsigned count, unsigned short *events) {
  uint64_t times;
  (void)count;
  if (read(polled->fd, &times, sizeof times) < 0 && errno != EAGAIN) return -errno;
  *events = snd_pcm_avail_update(io->pcm) > 0 ? POLLOUT : 0;
  return 0;
}

static int speaker_close(snd_pcm_ioplug_t *io) {
  struct speaker *speaker = io->private_data;
  close(speaker->file);
  close(io->poll_fd);
  free(speaker);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .prepare = speaker_prepare,
    .start = speaker_start,
    .stop = speaker_stop,
    .pointer = speaker_pointer,
    .delay = speaker_delay,
    .poll_revents = speaker_revents,
    .close = speaker_close,
};

static int restrict_to_its_own(snd_pcm_ioplug_t *io) {
  const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED}, format[] = {SND_PCM_FORMAT_FLOAT_LE};
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
  if (!error) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
  const struct { int what; unsigned least, most; } ranges[] = {
      {SND_PCM_IOPLUG_HW_CHANNELS, CHANNELS, CHANNELS},
      {SND_PCM_IOPLUG_HW_RATE, RATE, RATE},
      {SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64 * FRAME, RATE * FRAME},
      {SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128 * FRAME, 2 * RATE * FRAME},
      {SND_PCM_IOPLUG_HW_PERIODS, 2, 1024},
  };
  for (unsigned i = 0; !error && i < sizeof ranges / sizeof *ranges; i++)
    error = snd_pcm_ioplug_set_param_minmax(
        io, ranges[i].what, ranges[i].least, ranges[i].most);
  return error;
}

SND_PCM_PLUGIN_DEFINE_FUNC(exact) {
  const char *path = NULL;
  long parts_per_million = 0, behind = 0;
  snd_config_iterator_t i, next;
  (void)root;
  snd_config_for_each(i, next, conf) {
    snd_config_t *entry = snd_config_iterator_entry(i);
    const char *id;
    if (snd_config_get_id(entry, &id) < 0) continue;
    if (!strcmp(id, "file")) snd_config_get_string(entry, &path);
    if (!strcmp(id, "parts_per_million")) snd_config_get_integer(entry, &parts_per_million);
    if (!strcmp(id, "behind")) snd_config_get_integer(entry, &behind);
  }
  if (!path) return -EINVAL;
  struct speaker *speaker = calloc(1, sizeof *speaker);
  if (!speaker) return -ENOMEM;
  speaker->rate = RATE * (1 + parts_per_million / 1e6);
  speaker->behind = behind * RATE / 1000;
  speaker->file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  struct itimerspec each = {{0, 5000000}, {0, 5000000}};
  speaker->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  speaker->io.version = SND_PCM_IOPLUG_VERSION;
  speaker->io.name = "an exact speaker";
  speaker->io.poll_events = POLLIN;
  speaker->io.mmap_rw = 1;
  speaker->io.callback = &callbacks;
  speaker->io.private_data = speaker;
  int error = speaker->file < 0 || timerfd_settime(speaker->io.poll_fd, 0, &each, NULL) < 0
      ? -EIO : snd_pcm_ioplug_create(&speaker->io, name, stream, mode);
  if (error < 0) {
    speaker_close(&speaker->io);
    return error;
  }
  if ((error = restrict_to_its_own(&speaker->io)) < 0) {
    /* It closes, which frees. */
    snd_pcm_ioplug_delete(&speaker->io);
    return error;
  }
  *pcmp = speaker->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(exact);
