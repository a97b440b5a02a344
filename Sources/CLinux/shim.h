#include <getopt.h>
#include <malloc.h>
#include <netdb.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>

/* strptime(3), which <time.h> has for _XOPEN_SOURCE only. */
char *strptime(const char *text, const char *form, struct tm *time);
