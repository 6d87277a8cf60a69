#include "picollo_native.h"

/*
 * The loop uses CLOCK_MONOTONIC for both calls, and calls the kernel directly, because there is no C library here. The vDSO would save
 * 0.1 us per latency, which does not justify the code that finds the clock in it.
 */
#if defined(__linux__)

enum { SYSTEM_CLOCK_MONOTONIC = 1, SYSTEM_TIMER_ABSTIME = 1, NANOSECONDS = 1000000000 };

#if defined(__x86_64__)
enum { CLOCK_GETTIME = 228, CLOCK_NANOSLEEP = 230 };

static inline long system_call(long number, long a, long b, const void *c, void *d) {
    long result;
    register void *r10 __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}
#else
enum { CLOCK_GETTIME = 113, CLOCK_NANOSLEEP = 115 };

static inline long system_call(long number, long a, long b, const void *c, void *d) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register const void *x2 __asm__("x2") = c;
    register void *x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#endif

static picollo_u64 monotonic_now(void) {
    long time[2] = {0, 0};
    system_call(CLOCK_GETTIME, SYSTEM_CLOCK_MONOTONIC, (long)time, 0, 0);
    return (picollo_u64)time[0] * NANOSECONDS + (picollo_u64)time[1];
}

/* The time is absolute, so that an interrupted sleep can simply be repeated, and a sleep whose time has passed returns immediately. */
static int monotonic_sleep_until(picollo_u64 due) {
    long time[2] = {(long)(due / NANOSECONDS), (long)(due % NANOSECONDS)};
    return (int)-system_call(CLOCK_NANOSLEEP, SYSTEM_CLOCK_MONOTONIC, SYSTEM_TIMER_ABSTIME, time, 0);
}

#endif

_Static_assert(__builtin_offsetof(struct picollo_jitter, head) == 64, "a separate cache line");
_Static_assert(__builtin_offsetof(struct picollo_jitter, tail) == 128, "a separate cache line");
_Static_assert(sizeof(struct picollo_jitter) == 192, "as in managed code");

/*
 * Head and tail never decrease; their difference is the number of slots in use, which never exceeds the size. A count of
 * lost samples also takes a slot, so two slots must be free before the first sample after a loss can be stored.
 */
SHARED_BODY int jitter_run(struct picollo_jitter *jitter, picollo_sleep_until sleep_until, picollo_now now) {
    enum { INTERRUPTED = 4 };
    picollo_u64 *samples = jitter->samples, slot_count = jitter->slot_count, mask = slot_count - 1, head = jitter->head, lost = 0;
    picollo_u64 due = now() + jitter->interval;
    int result = PICOLLO_JITTER_DONE;
    jitter->first_due = due;
    for (picollo_u64 left = jitter->loops; left > 0; left--, due += jitter->interval) {
        int error;
        while ((error = sleep_until(due)) == INTERRUPTED) {
        }
        if (error != 0) {
            result = -error;
            break;
        }

        picollo_u64 woken = now(), latency = woken > due ? woken - due : 0;
        picollo_u64 available = slot_count - (head - __atomic_load_n(&jitter->tail, __ATOMIC_ACQUIRE));
        if (available < 1 + (picollo_u64)(lost > 0)) {
            lost++;
        } else {
            if (lost > 0) {
                samples[head++ & mask] = lost | PICOLLO_JITTER_LOST;
                lost = 0;
            }
            samples[head++ & mask] = latency & ~PICOLLO_JITTER_LOST;
            __atomic_store_n(&jitter->head, head, __ATOMIC_RELEASE);
        }

        if (latency > jitter->break_above) {
            jitter->broke_at = latency;
            result = PICOLLO_JITTER_BROKEN;
            break;
        }
        if (__atomic_load_n(&jitter->stop, __ATOMIC_RELAXED) != 0)
            break;
    }

    jitter->lost = lost;
    return result;
}

int picollo_jitter_run_with(struct picollo_jitter *jitter, picollo_sleep_until sleep_until, picollo_now now) {
    return jitter_run(jitter, sleep_until, now);
}

int picollo_jitter_run(struct picollo_jitter *jitter) {
#if defined(__linux__)
    return jitter_run(jitter, monotonic_sleep_until, monotonic_now);
#else
    (void)jitter;
    return -38;
#endif
}
