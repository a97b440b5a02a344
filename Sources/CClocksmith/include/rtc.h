/* The ioctl of linux/rtc.h, whose number is a macro that Swift cannot import. */
#ifndef CLOCKSMITH_RTC_H
#define CLOCKSMITH_RTC_H

#include <linux/rtc.h>
#include <sys/ioctl.h>

/* Reads what a real-time clock knows of its own state (RTC_VL_READ), and clears none of it.
 * Returns 0, or -1 with errno. */
static inline int clocksmith_rtc_flags(int descriptor, unsigned int *flags) {
  return ioctl(descriptor, RTC_VL_READ, flags);
}

#endif
