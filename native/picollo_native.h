/*
 * The native part of Picollo: what managed code cannot do itself, each a leaf of a few instructions.
 *
 * Freestanding: no C library, no start-up code, no other symbol. One Linux library therefore serves glibc and musl.
 * Every function is safe to call from any thread, never blocks, and returns within nanoseconds, so that managed code
 * may call it without a GC transition; except where it says otherwise (picollo_jitter_run sleeps), and except those named
 * ..._with, which call back: they are for tests, and managed code that gives them managed functions must make the transition.
 */
#ifndef PICOLLO_NATIVE_H
#define PICOLLO_NATIVE_H

/* uint64_t without a header: some cross-compilers come without any. */
typedef unsigned long long picollo_u64;

#if defined(_WIN32)
#define PICOLLO_API __declspec(dllexport)
#else
#define PICOLLO_API __attribute__((visibility("default")))
#endif

/* Raised whenever a function changes or goes away; managed code refuses a library of another version. */
#define PICOLLO_ABI_VERSION 3

/* PICOLLO_ABI_VERSION as this library was built. */
PICOLLO_API int picollo_abi_version(void);

/* ---- The CPU's time counter ---------------------------------------------------------------------------------- */

/* 1 where the counter below ticks at one constant rate, whatever the core's clock and sleep states do; else 0. */
PICOLLO_API int picollo_has_invariant_counter(void);

/* The CPU's time counter: the time-stamp counter on x64, CNTVCT_EL0 on arm64. Its unit is found by calibration. */
PICOLLO_API picollo_u64 picollo_read_counter(void);

/* ---- perf_event counters, read in user space ------------------------------------------------------------------
 *
 * The functions are the same in the library of every system; only Linux has pages to give them.
 *
 * A page is the first one that mmap(2) gives for a perf_event descriptor. The caller is the monitored thread itself:
 * the counter instruction reads the CPU that it runs on, whosever events count there, and on arm64 it is an illegal
 * instruction in a process without such events. A page stays mapped, and its descriptor open, until the call returns.
 */

/* A counter, and what the last read found. Shared with managed code: four fields of 8 bytes (on 64-bit systems). */
struct picollo_perf_counter {
    const void *page;    /* 0: not mapped, and so never read */
    picollo_u64 value;   /* the count; sums of the page's offset and the CPU's counter wrap as 64-bit numbers do */
    picollo_u64 enabled; /* ns that the event was enabled, and of those ... */
    picollo_u64 running; /* ... ns that it was on a CPU's counter; both as of now where the page offers the time (see
                            below), else as of its last update: the last switch, or a change to the event */
};

#define PICOLLO_PERF_MAX_COUNTERS 64

/* Replacements of the two instructions: the counter of that number (a page's index - 1), the CPU's time counter. */
typedef picollo_u64 (*picollo_read_pmc)(unsigned number);
typedef picollo_u64 (*picollo_read_time)(void);

/*
 * Reads the first 64 of the counters given. Bit i of the result is set where counter i was read. A clear bit means:
 * ask read(2), which always knows. So it is where the event is on no counter now (multiplexed, disabled, a software
 * event: index 0), where the kernel does not let user code read (cap_user_rdpmc), and where the page kept changing.
 * What is in the other fields then is as it was, or of no meaning.
 */
PICOLLO_API picollo_u64 picollo_perf_read(struct picollo_perf_counter *counters, int count);

/*
 * The same without reading the time: `enabled` and `running` are as of the page's last update. Their difference, the time
 * that the event was enabled and on no counter, is as of now. If it is equal in two readings, the event was on a counter all
 * the time that it was enabled between them, and the difference of the values needs no scaling.
 */
PICOLLO_API picollo_u64 picollo_perf_read_counts(struct picollo_perf_counter *counters, int count);

/* picollo_perf_read with other instructions, and picollo_perf_read_counts where read_time is 0. */
PICOLLO_API picollo_u64 picollo_perf_read_with(struct picollo_perf_counter *counters, int count,
                                               picollo_read_pmc read_pmc, picollo_read_time read_time);

/*
 * CPU time in ns, since the event was enabled, of the calling thread, from the page of an enabled software event of
 * its own. Returns 0 and leaves *nanoseconds alone where the page does not offer it (no cap_user_time) or kept
 * changing; else 1. It goes without the time that each switch to the thread takes (some microseconds a switch).
 */
PICOLLO_API int picollo_perf_thread_time(const void *page, picollo_u64 *nanoseconds);
PICOLLO_API int picollo_perf_thread_time_with(const void *page, picollo_u64 *nanoseconds, picollo_read_time read_time);

/* ---- What the CPU says of its counters ------------------------------------------------------------------------ */

/* A replacement of CPUID with ECX = 0. */
struct picollo_cpuid {
    unsigned eax, ebx, ecx, edx;
};
typedef struct picollo_cpuid (*picollo_read_cpuid)(unsigned leaf);

/*
 * The numbers of fixed and programmable performance counters of this CPU, by CPUID. Returns 0, and both are 0, where
 * it tells of none: a hypervisor hides them, or the architecture has no CPUID (arm64: ask sysfs). Else 1. Under a
 * hypervisor each CPUID costs some microseconds: to be called once.
 */
PICOLLO_API int picollo_pmu_counters(unsigned *fixed, unsigned *programmable);
PICOLLO_API int picollo_pmu_counters_with(unsigned *fixed, unsigned *programmable, picollo_read_cpuid read_cpuid);

/* ---- Wake-up latency ------------------------------------------------------------------------------------------
 *
 * Wake-up i, counted from 0, is due at first_due + i * interval, whatever became of those before: late ones are caught up,
 * none is skipped. All times are nanoseconds of CLOCK_MONOTONIC.
 *
 * The samples go through a ring from the loop, the only writer, to one reader. A place holds a latency, or, with the
 * highest bit set, how many samples were lost there because the reader had left no place free: so the reader always knows
 * which wake-up a latency belongs to.
 */
#define PICOLLO_JITTER_LOST ((picollo_u64)1 << 63)

/* Shared with managed code. What two threads write stands in cache lines of its own. */
struct picollo_jitter {
    /* Set by who starts the loop, and left alone until it has ended. */
    picollo_u64 interval;
    picollo_u64 loops;       /* how many wake-ups, 1 or more; all bits set for no end */
    picollo_u64 break_above; /* ends at a latency above; all bits set for never */
    picollo_u64 *samples;    /* the ring */
    picollo_u64 places;      /* of the ring: 2 or more, a power of two */
    /* Told by the loop. */
    picollo_u64 first_due; /* valid once head is not 0, or the loop has ended */
    picollo_u64 broke_at;  /* the latency that was above */
    picollo_u64 lost;      /* of the last wake-ups, with no place after them to say so: valid once the loop has ended */

    picollo_u64 head; /* the loop's: places written since the start. Released after what is in them */
    picollo_u64 to_line_2[7];
    picollo_u64 tail; /* the reader's: places read since the start. Released when they may be written again */
    picollo_u64 stop; /* set to anything but 0 by anybody: the loop ends at its next wake-up */
    picollo_u64 to_line_3[6];
};

enum {
    PICOLLO_JITTER_DONE = 0,   /* all loops, or stopped */
    PICOLLO_JITTER_BROKEN = 1, /* a latency was above break_above; it is the last sample */
};

/*
 * Sleeps and measures until it is done. Less than 0 is an error number of the system, negated: its call was refused, and
 * ENOSYS (-38) where the system is not Linux.
 *
 * It blocks, for as long as it measures: managed code makes the GC transition, once, and no collection stops the loop then.
 * It touches *jitter, the ring, its own few stack words and code, and makes two system calls a wake-up, no more.
 */
PICOLLO_API int picollo_jitter_run(struct picollo_jitter *jitter);

/* Replacements of the two calls: the clock; and to sleep until it shows `due`, which gives an error number or 0 (EINTR, 4,
   where a signal came: it is called again). */
typedef picollo_u64 (*picollo_now)(void);
typedef int (*picollo_sleep_until)(picollo_u64 due);
PICOLLO_API int picollo_jitter_run_with(struct picollo_jitter *jitter, picollo_sleep_until sleep_until, picollo_now now);

/* For the library's own sources: part of every entry point that has a ..._with, so that each gets its own copy with the
   instructions inside. */
#define SHARED_BODY static inline __attribute__((always_inline))

#endif
