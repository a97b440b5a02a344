#include <getopt.h>
#include <malloc.h>
#include <netdb.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

/* getaddrinfo_a(3), which <netdb.h> has for _GNU_SOURCE only, and that a module cannot define: it
 * has been like this since glibc 2.2.3. */
#ifndef __USE_GNU
#define GAI_NOWAIT 1
#define EAI_INPROGRESS (-100)
#define EAI_NOTCANCELED (-102)
struct gaicb {
  const char *ar_name;
  const char *ar_service;
  const struct addrinfo *ar_request;
  struct addrinfo *ar_result;
  int ar_return;
  int ar_reserved[5];
};
int getaddrinfo_a(int mode, struct gaicb *list[], int count, struct sigevent *notification);
int gai_error(struct gaicb *request);
int gai_cancel(struct gaicb *request);
#endif
