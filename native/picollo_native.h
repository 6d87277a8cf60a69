/*
 * The native part of Picollo: functions that managed code cannot implement. Each is a leaf function of a few instructions.
 *
 * The library is freestanding: it has no C library, no start-up code and no undefined symbols. One Linux library therefore supports
 * glibc and musl.
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

/* The PICOLLO_ABI_VERSION with which this library was built. */
PICOLLO_API int picollo_abi_version(void);

/* ---- The CPU's time counter ---------------------------------------------------------------------------------- */

/* 1 if the counter below has one constant rate, regardless of the core's frequency and sleep states; otherwise 0. */
PICOLLO_API int picollo_has_invariant_counter(void);

/* The CPU's time counter: the time-stamp counter on x64, CNTVCT_EL0 on arm64. Calibration determines its unit. */
PICOLLO_API picollo_u64 picollo_read_counter(void);

/* ---- perf_event counters, read in user space ------------------------------------------------------------------
 *
 * The library has the same functions on every system, but only Linux has pages to pass to them.
 *
 * A page is the first one that mmap(2) maps for a perf_event descriptor. The caller must be the monitored thread:
 * the counter instruction reads the counter of the current CPU, regardless of the thread whose event uses it, and on arm64 it is an
 * illegal instruction in a process without such events. A page must remain mapped, and its descriptor open, until the call returns.
 */

/* A counter and the result of its last read. Shared with managed code: four fields of 8 bytes (on 64-bit systems). */
struct picollo_perf_counter {
    const void *page;    /* 0 if the page is not mapped; the counter is then never read */
    picollo_u64 value;   /* the count; the sum of the page's offset and the CPU's counter wraps at 64 bits */
    picollo_u64 enabled; /* the time for which the event was enabled, in ns */
    picollo_u64 running; /* the part of this time for which the event was on a counter of a CPU, in ns. Both times are current if the
                            page provides the time (see below); otherwise, they are those of its last update: the last thread
                            switch, or a change of the event */
};

#define PICOLLO_PERF_MAX_COUNTERS 64

/* Replacements for the two instructions: one reads the counter with a number (the index of a page - 1), the other reads the CPU's time
   counter. */
typedef picollo_u64 (*picollo_read_pmc)(unsigned number);
typedef picollo_u64 (*picollo_read_time)(void);

/*
 * Reads counters, but at most the first 64. Bit i of the result is set if counter i was read. If the bit is clear, use
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

/* picollo_perf_read with replaced instructions, or picollo_perf_read_counts if read_time is 0. */
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

/* A replacement for CPUID with ECX = 0. */
struct picollo_cpuid {
    unsigned eax, ebx, ecx, edx;
};
typedef struct picollo_cpuid (*picollo_read_cpuid)(unsigned leaf);

/*
 * The numbers of fixed and programmable performance counters of this CPU, from CPUID. Returns 1; or 0, with both numbers 0, if
 * CPUID reports none, because a hypervisor hides them or the architecture has no CPUID (on arm64, use sysfs).
 * Under a hypervisor, each CPUID takes a few microseconds, so call the function only once.
 */
PICOLLO_API int picollo_pmu_counters(unsigned *fixed, unsigned *programmable);
PICOLLO_API int picollo_pmu_counters_with(unsigned *fixed, unsigned *programmable, picollo_read_cpuid read_cpuid);

/* ---- Wake-up latency ------------------------------------------------------------------------------------------
 *
 * Wake-up i, counted from 0, is due at first_due + i * interval, regardless of the previous wake-ups: a late wake-up does not delay
 * later ones, and none is skipped. All times are nanoseconds of CLOCK_MONOTONIC.
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
    picollo_u64 break_above; /* the loop ends at a latency above this; all bits set for no limit */
    picollo_u64 *samples;    /* the ring */
    picollo_u64 slot_count;  /* the size of the ring: at least 2, a power of two */
    /* Results of the loop. */
    picollo_u64 first_due; /* valid once head is not 0, or the loop has ended */
    picollo_u64 broke_at;  /* the latency that was above break_above */
    picollo_u64 lost;      /* the number of samples at the end for which there was no free slot; valid once the loop has ended */

    picollo_u64 head; /* slots written by the loop since the start; stored with release after the content of the slots */
    picollo_u64 to_line_2[7];
    picollo_u64 tail; /* slots read by the reader since the start; stored with release when they may be overwritten */
    picollo_u64 stop; /* any thread may set it to a value other than 0, and the loop then ends at its next wake-up */
    picollo_u64 to_line_3[6];
};

enum {
    PICOLLO_JITTER_DONE = 0,   /* all loops are done, or the loop was stopped */
    PICOLLO_JITTER_BROKEN = 1, /* a latency was above break_above; it is the last sample */
};

/*
 * Sleeps and measures until the measurement is complete. A negative result is the negated error number of a system call that failed,
 * or of ENOSYS (-38) if the system is not Linux.
 *
 * The function blocks for the duration of the measurement, so managed code makes the GC transition once, and no garbage collection
 * stops the loop. It accesses only *jitter, the ring, a few stack words and its code, and makes only two system calls per wake-up.
 */
PICOLLO_API int picollo_jitter_run(struct picollo_jitter *jitter);

/* Replacements for the two calls: one reads the clock; the other sleeps until the clock reaches `due`, and returns 0 or an error number.
   If it returns EINTR (4) after a signal, it is called again. */
typedef picollo_u64 (*picollo_now)(void);
typedef int (*picollo_sleep_until)(picollo_u64 due);
PICOLLO_API int picollo_jitter_run_with(struct picollo_jitter *jitter, picollo_sleep_until sleep_until, picollo_now now);

/* For the library's own sources: marks the shared body of an entry point and its ..._with function, so that each gets its own copy
   with inlined instructions. */
#define SHARED_BODY static inline __attribute__((always_inline))

#endif
