/*
 * Reading counters from pages that change in the meantime: at given points, as an interrupt does, and by another thread
 * that never stops.
 */
#include "tests.h"

#include <stdio.h>

static struct test_page page;
static int changes_left, reads;

/* A complete change of the page in the middle of a reading: the effect of a thread switch. */
static void change(void) {
    volatile struct test_page *shared = &page;
    reads++;
    if (changes_left == 0)
        return;
    changes_left--;
    shared->lock += 2;
    shared->offset += 1000000;
    shared->enabled += 10000;
    shared->running += 10000;
}

static picollo_u64 pmc_after_change(unsigned number) {
    (void)number;
    change();
    return 1;
}

static picollo_u64 plain_time(void) { return 5; }

static picollo_u64 time_since_reset(void) { return (picollo_u64)reads; }

static picollo_u64 time_after_change(void) {
    change();
    return 5;
}

static void reset(int changes) {
    page = (struct test_page){.index = 1, .width = 48, .capabilities = RDPMC | TIME, .mult = 1};
    changes_left = changes;
    reads = 0;
}

static void test_a_change_in_the_middle(void) {
    struct picollo_perf_counter counter = {.page = &page};
    reset(1);
    check(read_pages(&counter, 1, pmc_after_change, plain_time) == 1, "a page that changed once is read again");
    check(counter.value == 1000001 && counter.enabled == 10005 && counter.running == 10005 && reads == 2,
          "all results of a page that changed once are from the second reading");
    reset(1);
    check(read_pages(&counter, 1, pmc_after_change, time_since_reset) == 1 && counter.enabled == 10002,
          "the time of a page that changed once is from the second reading");

    picollo_u64 nanoseconds = 0;
    reset(1);
    check(read_thread_time(&page, &nanoseconds, time_after_change) == 1 && nanoseconds == 10005 && reads == 2,
          "the thread's time of a page that changed once is read again");
}

static void test_a_page_that_keeps_changing(void) {
    struct picollo_perf_counter counter = {.page = &page, .value = 42};
    picollo_u64 nanoseconds = 42;
    reset(1000000);
    check(read_pages(&counter, 1, pmc_after_change, plain_time) == 0 && counter.value == 42,
          "a page that keeps changing is not read");
    check(reads > 2 && reads < 1000, "reading a page that keeps changing ends after a few attempts");
    reset(1000000);
    check(read_thread_time(&page, &nanoseconds, time_after_change) == 0 && nanoseconds == 42 && reads > 2
              && reads < 1000,
          "reading the thread's time of a page that keeps changing ends after a few attempts");
}

/* Only the third of four pages changes while it is read, either once or at each attempt. */
static picollo_u64 pmc_that_changes_the_third(unsigned number) {
    if (number == 2)
        change();
    return number;
}

static void test_one_of_four_that_changes(void) {
    for (int with_time = 0; with_time < 2; with_time++) {
        picollo_read_time time = with_time ? plain_time : NULL;
        picollo_u64 extension = with_time ? 5 : 0;
        struct test_page still = {.offset = 10, .width = 48, .capabilities = RDPMC | TIME, .mult = 1}, others[4];
        struct picollo_perf_counter counters[4];
        int wrong = 0;
        reset(1);
        page.index = 3;
        for (unsigned i = 0; i < 4; i++) {
            others[i] = still;
            others[i].index = i + 1;
            counters[i] = (struct picollo_perf_counter){.page = i == 2 ? &page : &others[i], .value = 42};
        }
        check(read_pages(counters, 4, pmc_that_changes_the_third, time) == 15 && reads == 2,
              "of four pages, the changed one is read again");
        check(counters[2].value == 1000002 && counters[2].enabled == 10000 + extension
                  && counters[2].running == 10000 + extension,
              "of four pages, all results of the changed one are from the second reading");
        for (unsigned i = 0; i < 4; i++)
            wrong += i != 2 && (counters[i].value != 10 + i || counters[i].enabled != extension);
        check(wrong == 0, "of four pages, the results of the three unchanged ones are correct");

        reset(1000000);
        page.index = 3;
        counters[2].value = 42;
        check(read_pages(counters, 4, pmc_that_changes_the_third, time) == 11 && counters[2].value == 42,
              "of four pages, the one that keeps changing is not read, and the others are read");
    }
}

/* The second page changes after the time was read for the first one, so the time of the page is later than the reading. */
static struct test_page second;

static picollo_u64 pmc_that_changes_the_second(unsigned number) {
    if (number == 0) {
        ((volatile struct test_page *)&second)->lock += 2;
        ((volatile struct test_page *)&second)->enabled = 3000;
        ((volatile struct test_page *)&second)->running = 2000;
        ((volatile struct test_page *)&second)->cycles = 1000;
        ((volatile struct test_page *)&second)->time_offset = (picollo_u64)-1000;
    }
    return number;
}

static void test_a_page_newer_than_the_time(void) {
    for (int is_short = 0; is_short <= 1; is_short++) {
        struct test_page first = {.index = 1, .width = 48, .capabilities = RDPMC | TIME, .mult = 1};
        struct picollo_perf_counter counters[] = {{.page = &first}, {.page = &second}};
        second = first;
        second.index = 2;
        second.mask = ~(picollo_u64)0 >> 8;
        second.capabilities |= is_short ? SHORT : 0;
        check(read_pages(counters, 2, pmc_that_changes_the_second, plain_time) == 3, "a page newer than the time is read");
        check(counters[1].enabled == 3000 && counters[1].running == 2000, "a page newer than the time has its own times");
    }
}

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#include <time.h>

/*
 * Each state of the shared page is a function of one number, so that a reading that mixes two states is detected: for
 * the number n, the value is 4096 n, enabled is 8 n and running is 10 n, each from several fields that change with n. For a
 * multiple of 5 the event is not on a counter.
 */
static struct test_page shared;

static const picollo_u64 raw_pmc = 0x8123800081238001ULL, fixed_time = 1000000;
static unsigned largest_number;

static picollo_u64 raw(unsigned number) {
    if (number > largest_number)
        largest_number = number;
    return raw_pmc << (number & 3);
}

static picollo_u64 frozen_time(void) { return fixed_time; }

static picollo_u64 extended(picollo_u64 bits, unsigned width) {
    picollo_u64 sign = (picollo_u64)1 << (width - 1);
    return (bits & (sign - 1)) - (bits & sign);
}

/* A change has two parts, with the lock odd between them. */
static void start_change(picollo_u64 n) {
    static const unsigned short widths[] = {32, 40, 48, 64};
    volatile struct test_page *page = &shared;
    unsigned index = (unsigned)n % 5;
    page->lock++;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    page->index = index;
    page->width = widths[n >> 3 & 3];
    page->offset = 4096 * n - (index ? extended(raw_pmc << (index - 1), page->width) : 0);
}

static void end_change(picollo_u64 n) {
    volatile struct test_page *page = &shared;
    page->enabled = n;
    page->running = 3 * n;
    page->mult = (unsigned)n & 0xFFFF;
    page->time_offset = 7 * n - fixed_time * page->mult;
    __atomic_store_n(&shared.lock, page->lock + 1, __ATOMIC_RELEASE);
}

static int is_state(const struct picollo_perf_counter *counter, picollo_u64 n, int with_time) {
    return counter->value == 4096 * n && counter->enabled == (with_time ? 8 * n : n) && counter->running == (with_time ? 10 * n : 3 * n)
           && n % 5 != 0;
}

static picollo_u64 number;
static int start_at, end_at, phase, steps_of_reading;

static int change_at_step(int at) {
    steps_of_reading = at;
    if (at == start_at)
        start_change(number + 1), phase = 1;
    if (at == end_at)
        end_change(number + 1), phase = 2;
    return phase < 2;
}

enum { COUNTS, COUNTS_AND_TIMES, THREAD_TIME, KINDS };

/* Reads the page of `number` while it changes to the page of the next number. The change starts after one instruction, and ends after a
   later one. */
static int read_in_change(int kind, struct picollo_perf_counter *counter, int start, int length) {
    int read;
    shared = (struct test_page){.capabilities = RDPMC | TIME};
    start_change(number), end_change(number);
    start_at = start, end_at = start + length, phase = 0;
    step = change_at_step;
    if (kind == THREAD_TIME)
        read = read_thread_time(&shared, &counter->running, frozen_time);
    else
        read = read_pages(counter, 1, raw, kind == COUNTS ? NULL : frozen_time) == 1;
    step = NULL;
    return read;
}

static int is_reading_of(picollo_u64 n, int kind, const struct picollo_perf_counter *counter) {
    return kind == THREAD_TIME ? counter->running == 10 * n : is_state(counter, n, kind == COUNTS_AND_TIMES);
}

/* Changes the page at every instruction of the reading. The reading has the state before or after the change. */
static void test_a_change_at_each_instruction(void) {
    /* The event remains, moves to another counter of another width, leaves its counter, and returns. */
    static const picollo_u64 numbers[] = {1, 7, 4, 5};
    static const int lengths[] = {0, 12};
    largest_number = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        struct picollo_perf_counter counter = {.page = &shared};
        int wrong = 0, before = 0, after = 0, not_read = 0;
        number = 1;
        check(read_in_change(kind, &counter, -100, 0) && is_reading_of(1, kind, &counter), "a page without a change is read while single-stepping");
        /* A step takes microseconds, and the number of steps is the square of the number of instructions. In unoptimized code, the page
           therefore changes at only 20 points. */
        const int stride = steps_of_reading < 140 ? 1 : steps_of_reading / 20;
        for (unsigned i = 0; i < 8; i++) {
            number = numbers[i / 2];
            phase = 2;
            for (int start = 1; phase != 0; start += stride) {
                counter = (struct picollo_perf_counter){.page = &shared};
                int read = read_in_change(kind, &counter, start, lengths[i % 2]);
                int is_before = read && is_reading_of(number, kind, &counter), is_after = read && is_reading_of(number + 1, kind, &counter);
                int is_absent = !read && kind != THREAD_TIME && (number % 5 == 0 || (number + 1) % 5 == 0);
                wrong += !is_before && !is_after && !is_absent;
                before += is_before, after += is_after, not_read += is_absent;
            }
        }
        check(wrong == 0, "a change at any instruction is seen completely or not at all");
        check(before > 20 && after > 20 && (not_read > 20 || kind == THREAD_TIME),
              "many readings have the state before the change, many the state after it, and many find no counter");
    }
    check(largest_number == 3, "the instruction is never executed for an event without a counter");
}

static int stop;

static void *writer(void *unused) {
    for (picollo_u64 n = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
        start_change(n);
        end_change(n);
        /* Leaves time for readings: the kernel changes a page thousands of times per second, this thread millions of times. */
        for (volatile int i = 0; i < (int)(n & 255); i++) {
        }
    }
    return unused;
}

void test_a_thread_that_changes_pages(void) {
    enum { WANTED = 50000, SECONDS = 5 };
    struct picollo_perf_counter counters[3] = {{.page = &shared}, {.page = &shared}, {.page = &shared}};
    picollo_u64 last = 0;
    int torn = 0, back = 0, seen = 0;
    time_t deadline = time(NULL) + SECONDS;
    pthread_t thread;
    shared = (struct test_page){.capabilities = RDPMC | TIME, .width = 48};
    if (pthread_create(&thread, NULL, writer, NULL) != 0) {
        check(0, "a second thread is started");
        return;
    }
    while (seen < WANTED && time(NULL) < deadline) {
        picollo_u64 nanoseconds;
        for (int with_time = 1; with_time >= 0; with_time--) {
            picollo_u64 read = picollo_perf_read_with(counters, 3, raw, with_time ? frozen_time : NULL);
            for (int i = 0; i < 3; i++) {
                if (!(read >> i & 1))
                    continue;
                picollo_u64 n = counters[i].value / 4096;
                torn += !is_state(&counters[i], n, with_time);
                back += n < last;
                seen += n != last;
                last = n;
            }
        }
        if (picollo_perf_thread_time_with(&shared, &nanoseconds, frozen_time)) {
            torn += nanoseconds % 10 != 0;
            back += nanoseconds / 10 < last;
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    /* On two CPUs, WANTED readings take a second. On a shared CPU, there is one for each time slice of the writer. */
    check(seen >= 20, "readings succeed while a writer never stops");
    check(torn == 0, "no reading mixes two states of the page");
    check(back == 0, "no reading is older than the one before");
}
#else
/* Only Linux has pages that the kernel or another thread writes. */
static void test_a_change_at_each_instruction(void) {}
void test_a_thread_that_changes_pages(void) {}
#endif

void test_pages_that_change(void) {
    test_a_change_in_the_middle();
    test_a_page_that_keeps_changing();
    test_one_of_four_that_changes();
    test_a_page_newer_than_the_time();
    if (is_faulting)
        test_a_change_at_each_instruction();
}
