#include "clocksmith.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

/* The libraries of sound servers may wait forever for an answer, but give up when their connection
 * ends. So a signal handler ends it by shutdown(2), which is async-signal-safe (POSIX). A plugin
 * that waits for the reader of a pipe is ended by the signal itself (EINTR). */

#define MOST_DESCRIPTORS 256

/* By descriptor, the inodes of sockets; 0 for none: those that were open before the device was
 * opened, and those of the device. */
static ino_t spared[MOST_DESCRIPTORS], of_device[MOST_DESCRIPTORS];
static volatile sig_atomic_t is_on, is_opening, has_run_out;

/* The inode of an open socket; 0 if the descriptor is none. */
static ino_t socket_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

static bool is_of_device(int descriptor, ino_t inode) {
  return inode && (is_opening ? inode != spared[descriptor] : inode == of_device[descriptor]);
}

static void run_out(int signal) {
  (void)signal;
  /* Another thread may run this after the end. */
  if (!is_on) return;
  int saved = errno;
  has_run_out = 1;
  for (int descriptor = 0; descriptor < MOST_DESCRIPTORS; descriptor++) {
    if (is_of_device(descriptor, socket_of(descriptor))) shutdown(descriptor, SHUT_RDWR);
  }
  errno = saved;
}

void clocksmith_patience_begin(int milliseconds, bool opens) {
  for (int descriptor = 0; opens && descriptor < MOST_DESCRIPTORS; descriptor++)
    spared[descriptor] = socket_of(descriptor);
  is_opening = opens;
  has_run_out = 0;
  is_on = 1;
  /* Without SA_RESTART: what waits for no socket, but for the reader of a pipe, ends with EINTR. */
  struct sigaction action = {.sa_handler = run_out};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {
      /* A library that connects anew is hung up on anew. */
      .it_interval = {.tv_usec = 250000},
      .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000},
  };
  setitimer(ITIMER_REAL, &timer, NULL);
}

bool clocksmith_patience_end(void) {
  is_on = 0;
  struct itimerval off = {0};
  setitimer(ITIMER_REAL, &off, NULL);
  for (int descriptor = 0; is_opening && descriptor < MOST_DESCRIPTORS; descriptor++) {
    ino_t inode = socket_of(descriptor);
    of_device[descriptor] = is_of_device(descriptor, inode) ? inode : 0;
  }
  return has_run_out;
}
