/*
 * The native part of Picollo: functions that managed code cannot implement, each a leaf of a few instructions.
 *
 * Freestanding: no C library, no start-up code, no other symbol. One Linux library therefore supports glibc and musl.
 * Every function may be called from any thread, never blocks, and returns within nanoseconds, so that managed code
 * may call it without a GC transition. Exceptions: picollo_jitter_run sleeps, and the functions named ..._with call
 * back. The latter are for tests, and managed code that passes managed functions to them must make the transition.
 */
#ifndef PICOLLO_NATIVE_H
#define PICOLLO_NATIVE_H

/* uint64_t without a header, because some cross-compilers have no headers. */
typedef unsigned long long picollo_u64;

#if defined(_WIN32)
#define PICOLLO_API __declspec(dllexport)
#else
#define PICOLLO_API __attribute__((visibility("default")))
#endif

/* Incremented whenever a function changes or is removed; managed code rejects a library of another version. */
#define PICOLLO_ABI_VERSION 3

/* PICOLLO_ABI_VERSION as this library was built. */
PICOLLO_API int picollo_abi_version(void);

/* ---- The CPU's time counter ---------------------------------------------------------------------------------- */

/* 1 if the counter below has one constant rate, regardless of the core's frequency and sleep states; otherwise 0. */
PICOLLO_API int picollo_has_invariant_counter(void);

/* The CPU's time counter: the time-stamp counter on x64, CNTVCT_EL0 on arm64. Calibration determines its unit. */
PICOLLO_API picollo_u64 picollo_read_counter(void);

/* ---- perf_event counters, read in user space ------------------------------------------------------------------
 *
 * The library of every system has the same functions; only Linux has pages to pass to them.
 *
 * A page is the first one that mmap(2) maps for a perf_event descriptor. The caller must be the monitored thread:
 * the counter instruction reads the current CPU, regardless of whose events count there, and on arm64 it is an illegal
 * instruction in a process without such events. A page must remain mapped, and its descriptor open, until the call returns.
 */

/* A counter with the result of the last read. Shared with managed code: four fields of 8 bytes (on 64-bit systems). */
struct picollo_perf_counter {
    const void *page;    /* 0: not mapped, never read */
    picollo_u64 value;   /* the count; the sum of the page's offset and the CPU's counter wraps at 64 bits */
    picollo_u64 enabled; /* the ns for which the event was enabled */
    picollo_u64 running; /* the ns of these for which it was on a CPU's counter; both times are current if the page
                            provides the time (see below), otherwise those of its last update: the last switch, or
                            a change of the event */
};

#define PICOLLO_PERF_MAX_COUNTERS 64

/* Replacements of the two instructions: read the counter of a number (a page's index - 1), read the CPU's time counter. */
typedef picollo_u64 (*picollo_read_pmc)(unsigned number);
typedef picollo_u64 (*picollo_read_time)(void);

/*
 * Reads the first 64 of the given counters. Bit i of the result is set if counter i was read. If it is clear, use
 * read(2), which always works. A counter cannot be read if the event is not on a counter now (multiplexed, disabled, or a
 * software event: index 0), if the kernel does not permit user code to read it (cap_user_rdpmc), or if the page kept changing.
 * The other fields of such a counter are unchanged or undefined.
 */
PICOLLO_API picollo_u64 picollo_perf_read(struct picollo_perf_counter *counters, int count);

/*
 * Reads the counters without the time: `enabled` and `running` are those of the page's last update. Their difference, the time
 * for which the event was enabled but not on a counter, is current. If it is equal in two readings, the event was on a counter
 * whenever it was enabled between them, and the difference of the values needs no scaling.
 */
PICOLLO_API picollo_u64 picollo_perf_read_counts(struct picollo_perf_counter *counters, int count);

/* picollo_perf_read with other instructions, or picollo_perf_read_counts if read_time is 0. */
PICOLLO_API picollo_u64 picollo_perf_read_with(struct picollo_perf_counter *counters, int count,
                                               picollo_read_pmc read_pmc, picollo_read_time read_time);

/*
 * The CPU time of the calling thread in ns since the event was enabled, from the page of one of its enabled software events.
 * Returns 0 and does not change *nanoseconds if the page does not provide the time (no cap_user_time) or kept changing;
 * otherwise returns 1. The time of each switch to the thread is not included (a few microseconds per switch).
 */
PICOLLO_API int picollo_perf_thread_time(const void *page, picollo_u64 *nanoseconds);
PICOLLO_API int picollo_perf_thread_time_with(const void *page, picollo_u64 *nanoseconds, picollo_read_time read_time);

/* ---- Counters reported by CPUID ------------------------------------------------------------------------------ */

/* A replacement of CPUID with ECX = 0. */
struct picollo_cpuid {
    unsigned eax, ebx, ecx, edx;
};
typedef struct picollo_cpuid (*picollo_read_cpuid)(unsigned leaf);

/*
 * The numbers of fixed and programmable performance counters of this CPU, from CPUID. Returns 0, with both numbers 0, if
 * CPUID reports none: a hypervisor hides them, or the architecture has no CPUID (arm64: use sysfs). Otherwise returns 1.
 * Under a hypervisor each CPUID takes a few microseconds, so call it once.
 */
PICOLLO_API int picollo_pmu_counters(unsigned *fixed, unsigned *programmable);
PICOLLO_API int picollo_pmu_counters_with(unsigned *fixed, unsigned *programmable, picollo_read_cpuid read_cpuid);

/* ---- Wake-up latency ------------------------------------------------------------------------------------------
 *
 * Wake-up i, counted from 0, is due at first_due + i * interval, regardless of the previous wake-ups: late ones are made up for,
 * none is skipped. All times are nanoseconds of CLOCK_MONOTONIC.
 *
 * The samples go through a ring from the loop, the only writer, to one reader. A slot contains a latency or, with the
 * highest bit set, the number of samples that were lost because the reader had left no free slot. So the reader always
 * knows the wake-up of a latency.
 */
#define PICOLLO_JITTER_LOST ((picollo_u64)1 << 63)

/* Shared with managed code. Fields that different threads write are in separate cache lines. */
struct picollo_jitter {
    /* Set before the loop starts, and not changed until it has ended. */
    picollo_u64 interval;
    picollo_u64 loops;       /* the number of wake-ups, at least 1; all bits set for no end */
    picollo_u64 break_above; /* ends at a latency above this; all bits set for never */
    picollo_u64 *samples;    /* the ring */
    picollo_u64 slot_count;  /* the size of the ring: at least 2, a power of two */
    /* Results of the loop. */
    picollo_u64 first_due; /* valid once head is not 0, or the loop has ended */
    picollo_u64 broke_at;  /* the latency that was above break_above */
    picollo_u64 lost;      /* the number of last samples for which there was no free slot: valid once the loop has ended */

    picollo_u64 head; /* slots written by the loop since the start. Stored with release after their content */
    picollo_u64 to_line_2[7];
    picollo_u64 tail; /* slots read by the reader since the start. Stored with release when they may be overwritten */
    picollo_u64 stop; /* any thread may set it to a value other than 0: the loop ends at its next wake-up */
    picollo_u64 to_line_3[6];
};

enum {
    PICOLLO_JITTER_DONE = 0,   /* all loops are done, or the loop was stopped */
    PICOLLO_JITTER_BROKEN = 1, /* a latency was above break_above; it is the last sample */
};

/*
 * Sleeps and measures until it is done. A negative result is a negated error number of the system: a call was refused, or
 * ENOSYS (-38) if the system is not Linux.
 *
 * It blocks for the duration of the measurement, so managed code makes the GC transition, once, and no collection stops the loop.
 * It accesses only *jitter, the ring, a few stack words and its code, and makes only two system calls per wake-up.
 */
PICOLLO_API int picollo_jitter_run(struct picollo_jitter *jitter);

/* Replacements of the two calls: read the clock; sleep until it reaches `due`, and return an error number or 0 (EINTR, 4,
   after a signal: the function is called again). */
typedef picollo_u64 (*picollo_now)(void);
typedef int (*picollo_sleep_until)(picollo_u64 due);
PICOLLO_API int picollo_jitter_run_with(struct picollo_jitter *jitter, picollo_sleep_until sleep_until, picollo_now now);

/* For the library's own sources: the body of every entry point that has a ..._with function, so that each gets its own copy
   with inlined instructions. */
#define SHARED_BODY static inline __attribute__((always_inline))

#endif
