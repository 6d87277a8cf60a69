/* Compares a thread's CPU time from the page of a software event with the kernel's own clock. */
#include "guest.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

static long long nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

struct tolerance {
    long long still;      /* the tolerance at any time, in ns */
    long long per_switch; /* the additional ns behind for each switch */
    long long percent;    /* the additional percentage of the time ahead */
};

/*
 * Alternates work and sleep. The page's time falls behind the clock by the time of each switch, because the kernel
 * switches the events in after it takes the thread's time, and out before. It gets ahead by the time of interrupts if
 * the kernel excludes them from its clock (CONFIG_IRQ_TIME_ACCOUNTING). It never decreases.
 */
static void follow_the_clock(const struct tolerance *tolerance, const char *who) {
    struct event event = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
    picollo_u64 now = 0, last = 0;
    expect(event.page->cap_user_time, "the page does not provide the time");
    expect(picollo_perf_thread_time((const void *)event.page, &now), "the time cannot be read");
    /* The clock's value when the time of the page was 0. The last of ten readings is used, because by then all code is in memory. */
    long long begin = 0, worst_ahead = 0, worst_behind = 0;
    for (int i = 0; i < 10; i++) {
        begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        picollo_perf_thread_time((const void *)event.page, &now);
        begin -= (long long)now;
    }
    long switches_before = switches(), switched = 0;
    for (int i = 0; i < 2000; i++) {
        spin(20000);
        if (i % 20 == 0) {
            struct timespec pause = {0, 200000};
            nanosleep(&pause, NULL);
        }
        long long before = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        int was_read = picollo_perf_thread_time((const void *)event.page, &now);
        long long after = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        switched = switches() - switches_before;
        expect(was_read && now >= last, "%s: the time changed from %llu to %llu", who, last, now);
        last = now;
        long long ahead = (long long)now - after, behind = before - (long long)now;
        worst_ahead = ahead > worst_ahead ? ahead : worst_ahead;
        worst_behind = behind > worst_behind ? behind : worst_behind;
        expect(ahead <= tolerance->still + (long long)now * tolerance->percent / 100,
               "%s: the time is %lld ns ahead", who, ahead);
        expect(behind <= tolerance->still + switched * tolerance->per_switch,
               "%s: the time is %lld ns behind after %ld switches", who, behind, switched);
    }
    expect(last > 1000000, "%s: only %llu ns passed", who, last);
    printf("  %s: %llu ns, %ld switches, at most %lld ns ahead, %lld ns behind\n", who, last, switched, worst_ahead,
           worst_behind);
    close_event(&event);
}

/* Runs on one CPU on which every instruction takes the same time, so a switch takes a few microseconds. */
void check_thread_time(void) {
    static const struct tolerance tolerance = {20000, 15000, 0};
    follow_the_clock(&tolerance, "alone");
}

/* The host can stop one of two emulated CPUs for any time, including in an interrupt and within a switch. */
static void *follow(void *name) {
    static const struct tolerance tolerance = {50000000, 1000000, 10};
    follow_the_clock(&tolerance, name);
    return NULL;
}

void check_thread_time_with_others(void) {
    pthread_t threads[3];
    char names[3][8] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++)
        expect(pthread_create(&threads[i], NULL, follow, names[i]) == 0, "thread %d was not started", i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

void check_no_thread_time(void) {
    struct event event = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
    picollo_u64 now = 42;
    expect(!event.page->cap_user_time, "the page provides the time");
    expect(!picollo_perf_thread_time((const void *)event.page, &now) && now == 42, "a time was read");
    close_event(&event);
}
