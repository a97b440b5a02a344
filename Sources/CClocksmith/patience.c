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

/* Copies: another thread may still run the handler after the call has returned. */
static struct clocksmith_sockets spared, ended;
static volatile sig_atomic_t ends_all, is_on, has_run_out;

static bool holds(const struct clocksmith_sockets *sockets, int descriptor, unsigned long inode) {
  for (int index = 0; index < sockets->count; index++)
    if (sockets->descriptors[index] == descriptor && sockets->inodes[index] == inode) return true;
  return false;
}

void clocksmith_sockets_find(struct clocksmith_sockets *sockets,
                             const struct clocksmith_sockets *others) {
  sockets->count = 0;
  for (int descriptor = 0; descriptor < MOST_DESCRIPTORS; descriptor++) {
    struct stat status;
    if (fstat(descriptor, &status) < 0 || !S_ISSOCK(status.st_mode)) continue;
    if (others && holds(others, descriptor, status.st_ino)) continue;
    if (sockets->count == CLOCKSMITH_MOST_SOCKETS) return;
    sockets->descriptors[sockets->count] = descriptor;
    sockets->inodes[sockets->count++] = status.st_ino;
  }
}

static void run_out(int signal) {
  (void)signal;
  if (!is_on) return;
  int saved = errno;
  has_run_out = 1;
  struct clocksmith_sockets there;
  clocksmith_sockets_find(&there, &spared);
  for (int index = 0; index < there.count; index++)
    if (ends_all || holds(&ended, there.descriptors[index], there.inodes[index]))
      shutdown(there.descriptors[index], SHUT_RDWR);
  errno = saved;
}

void clocksmith_patience_begin(const struct clocksmith_sockets *only,
                               const struct clocksmith_sockets *others, int milliseconds) {
  static const struct clocksmith_sockets none;
  ended = only ? *only : none;
  spared = others ? *others : none;
  ends_all = !only;
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
  return has_run_out;
}
