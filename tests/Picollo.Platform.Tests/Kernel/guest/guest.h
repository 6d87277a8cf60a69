/*
 * Shared declarations of the checks in the guest. Each check is a function that prints its findings; the tests on the
 * host read the lines. The program is linked against the published native library.
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

/* Prints "  name=value" for the tests that read the log. */
void fact(const char *name, long long value);

/* Prints a message if `ok` is 0; the check has then failed. Prints at most a few messages per check. */
void expect(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* config1 of arm64: a 64-bit counter, and access from user code. x64 needs neither. */
enum { WIDE = 1, USER_ACCESS = 2 };

/* An event of the calling thread that counts only user mode. Its page is mapped before the first read. */
struct event {
    int file;
    volatile struct perf_event_mmap_page *page;
};

struct event open_event(unsigned type, unsigned long long config, unsigned long long config1);
struct event try_open(struct perf_event_attr *attributes); /* file is -1 and errno is set if it is refused */
void close_event(struct event *event);

/* The result of read(2). */
struct count {
    picollo_u64 value, enabled, running;
};
struct count ask_kernel(const struct event *event);

/* Reads a counter with the native library; returns 0 if the kernel must be called. */
int read_page(const struct event *event, struct picollo_perf_counter *counter);

/*
 * Reads the same count with the native library between two reads by the kernel. Returns 1 if the library could read it.
 * The count and its times are then expected to lie between those of the kernel.
 */
int bracketed_read(const struct event *event, const char *when);

/* Executes two instructions `rounds` times: SUBS and B.NE on arm64, DEC and JNZ on x64. */
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
void check_thread_time_with_others(void);
void check_no_thread_time(void);
void check_sampling(void);

#endif
