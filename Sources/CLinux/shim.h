#include <getopt.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
