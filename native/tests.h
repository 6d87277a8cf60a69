/* Declarations shared by the test files of the native library. */
#ifndef PICOLLO_TESTS_H
#define PICOLLO_TESTS_H

#include "picollo_native.h"

void check(int ok, const char *what);

/* Describes how the tests currently run. Appended to failure messages. */
extern const char *way;

void test_by_faults(void (*tests)(void));
void test_jitter(void);
void test_pages(void);
void test_pages_that_change(void);
void test_a_thread_that_changes_pages(void);
void test_pmu_counters(void);

/* Call picollo_perf_read (picollo_perf_read_counts if time is NULL) and picollo_perf_thread_time with given results of the instructions. */
picollo_u64 read_pages(struct picollo_perf_counter *counters, int count, picollo_read_pmc pmc, picollo_read_time time);
int read_thread_time(const void *page, picollo_u64 *nanoseconds, picollo_read_time time);

/* 1 while these functions execute the real instructions, which then fault. */
extern int is_faulting;

/* If set, it is called after each instruction of these two functions, with the instruction's number from 1, until it returns 0. */
extern int (*step)(int number);

/* Returns pseudo-random numbers that are the same in every run. */
static inline picollo_u64 next_random(picollo_u64 *state) {
    picollo_u64 x = *state;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return *state = x;
}

/*
 * The page that the tests write. It is a second description of the kernel's layout, and is compared with the kernel's header if
 * the header is available.
 */
struct test_page {
    unsigned version, compat_version, lock, index;
    picollo_u64 offset, enabled, running, capabilities;
    unsigned short width, shift;
    unsigned mult;
    picollo_u64 time_offset, time_zero;
    unsigned size, reserved;
    picollo_u64 cycles, mask;
};
enum { RDPMC = 4, TIME = 8, SHORT = 32 };

#if defined(__linux__)
#include <linux/perf_event.h>
#include <stddef.h>
#define SAME(ours, kernels)                                                                                            \
    _Static_assert(offsetof(struct test_page, ours) == offsetof(struct perf_event_mmap_page, kernels), #kernels)
SAME(lock, lock);
SAME(index, index);
SAME(offset, offset);
SAME(enabled, time_enabled);
SAME(running, time_running);
SAME(capabilities, capabilities);
SAME(width, pmc_width);
SAME(shift, time_shift);
SAME(mult, time_mult);
SAME(time_offset, time_offset);
SAME(cycles, time_cycles);
SAME(mask, time_mask);
#undef SAME
#endif

#endif
