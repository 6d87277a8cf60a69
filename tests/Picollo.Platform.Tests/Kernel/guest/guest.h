/*
 * What the checks in the guest share. Each check is a function that says what it found; the tests on the host read the
 * lines. The program is linked against the shim as it is shipped.
 */
#ifndef PICOLLO_GUEST_H
#define PICOLLO_GUEST_H

#define _GNU_SOURCE
#include "picollo_native.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Prints "  name=value": for whoever reads the log. */
void fact(const char *name, long long value);

/* Says what went wrong where `ok` is 0, and the check has failed. At most a few times a check. */
void expect(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* arm64's config1: what kernel and user code may read of the event. x64 asks for nothing. */
enum { WIDE = 1, USER_ACCESS = 2 };

/* An event of the calling thread, in user mode only, with its page mapped before anybody reads it. */
struct event {
    int file;
    volatile struct perf_event_mmap_page *page;
};

struct event open_event(unsigned type, unsigned long long config, unsigned long long config1);
struct event try_open(struct perf_event_attr *attributes); /* file -1 and errno where it is refused */
void close_event(struct event *event);

/* What read(2) says. */
struct count {
    picollo_u64 value, enabled, running;
};
struct count ask_kernel(const struct event *event);

/* One counter by the shim; 0 where the kernel must be asked. */
int read_page(const struct event *event, struct picollo_perf_counter *counter);

/*
 * The same count by the shim, between two by the kernel. Returns 1 if the shim could read it; it is then expected to lie
 * between the two, as are its times.
 */
int bracketed_read(const struct event *event, const char *when);

/* `rounds` times two instructions: SUBS and B.NE on arm64, DEC and JNZ on x64. */
void spin(unsigned long rounds);

/* The checks; see main.c. */
void check_counts(void);
void check_reads(void);
void check_wrap(void);
void check_multiplexing(void);
void check_migration(void);
void check_toggling(void);
void check_widths(void);
void check_stale_page(void);
void check_closed_event(void);
void check_no_user_access(void);
void check_no_pmu(void);
void check_paranoid_3(void);
void check_paranoid_2(void);
void check_paranoid_1(void);
void check_thread_time(void);
void check_thread_time_beside_others(void);
void check_no_thread_time(void);
void check_sampling(void);

#endif
