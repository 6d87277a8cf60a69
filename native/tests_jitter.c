/*
 * Tests the loop that measures wake-up latencies with a simulated clock: what it stores, when it ends, and how it handles samples for
 * which there is no free slot. Also tests it with the real clock, if the system supports it.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests.h"

#include <stdio.h>
#include <time.h>

enum { START = 1000000, INTERVAL = 1000, SLOTS = 8 };

static picollo_u64 ring[1024];
static struct picollo_jitter jitter;
static picollo_u64 clock_time;

/* The script: the delay between the due time of sleep i (or now, if the due time has passed) and its end. Later sleeps have no delay. */
static const picollo_u64 *late_by;
static int script_length, sleeps, interruptions, refusal;

/* Called between each sleep and its sample: simulates the reader, or a thread that stops the loop. */
static void (*meanwhile)(void);

static picollo_u64 fake_now(void) { return clock_time; }

static int fake_sleep_until(picollo_u64 due) {
    if (interruptions > 0) {
        interruptions--;
        clock_time += 10;
        return 4;
    }
    if (refusal)
        return refusal;
    if (clock_time < due)
        clock_time = due;
    if (sleeps < script_length)
        clock_time += late_by[sleeps];
    sleeps++;
    if (meanwhile)
        meanwhile();
    return 0;
}

static void begin(const picollo_u64 *script, int length, picollo_u64 loops) {
    jitter = (struct picollo_jitter){.interval = INTERVAL, .loops = loops, .break_above = ~(picollo_u64)0, .samples = ring, .slot_count = 1024};
    for (unsigned i = 0; i < sizeof ring / sizeof *ring; i++)
        ring[i] = 0xDEAD;
    clock_time = START;
    late_by = script, script_length = length;
    sleeps = interruptions = refusal = 0;
    meanwhile = NULL;
}

static int run(void) { return picollo_jitter_run_with(&jitter, fake_sleep_until, fake_now); }

static int ring_is(const picollo_u64 *expected, unsigned count) {
    unsigned same = 0;
    for (unsigned i = 0; i < count; i++)
        same += ring[i] == expected[i];
    return jitter.head == count && same == count && ring[count] == 0xDEAD;
}

static void test_latencies(void) {
    const picollo_u64 script[] = {7, 0, 250, 999};
    begin(script, 4, 4);
    check(run() == PICOLLO_JITTER_DONE, "all loops are done");
    check(ring_is(script, 4), "each latency is the time since its due time, and all are stored");
    check(jitter.first_due == START + INTERVAL && jitter.lost == 0, "the first due time is one interval after the start");
    check(clock_time == START + 4 * INTERVAL + 999, "each due time is one interval after the previous one");
}

static void test_catching_up(void) {
    const picollo_u64 script[] = {3500, 20, 0, 0, 5};
    const picollo_u64 expected[] = {3500, 2520, 1520, 520, 5};
    begin(script, 5, 5);
    run();
    check(ring_is(expected, 5), "due times that passed in a long sleep are measured, each from its own due time");
}

static int early_sleep(picollo_u64 due) {
    clock_time = due - 1;
    return 0;
}

static void test_woken_early(void) {
    begin(NULL, 0, 1);
    picollo_jitter_run_with(&jitter, early_sleep, fake_now);
    check(ring[0] == 0, "a wake-up before its due time is not late");
}

static void test_interruptions(void) {
    const picollo_u64 script[] = {7, 8};
    begin(script, 2, 2);
    interruptions = 3;
    check(run() == 0 && ring_is(script, 2), "an interrupted sleep is continued");
}

static void test_a_refused_sleep(void) {
    begin(NULL, 0, 5);
    refusal = 38;
    check(run() == -38 && jitter.head == 0, "a system that refuses to sleep ends the loop");
}

static void test_a_break(void) {
    const picollo_u64 script[] = {100, 101, 5};
    begin(script, 3, 3);
    jitter.break_above = 100;
    check(run() == PICOLLO_JITTER_BROKEN && jitter.broke_at == 101, "the loop breaks at a latency above the limit, not at the limit");
    check(ring_is(script, 2), "the latency above the limit is the last sample");
}

static void stop_at_third(void) { jitter.stop = sleeps == 3; }

static void test_stop(void) {
    begin(NULL, 0, ~(picollo_u64)0);
    meanwhile = stop_at_third;
    check(run() == PICOLLO_JITTER_DONE && jitter.head == 3, "a loop that is stopped during a sleep stores that wake-up and ends");
}

static void read_at_eleventh(void) {
    if (sleeps == 11)
        jitter.tail = jitter.head;
}

static void test_lost_samples(void) {
    picollo_u64 script[14];
    for (int i = 0; i < 14; i++)
        script[i] = (picollo_u64)i + 1;
    begin(script, 14, 14);
    jitter.slot_count = SLOTS;
    meanwhile = read_at_eleventh;
    run();
    const picollo_u64 expected[] = {PICOLLO_JITTER_LOST | 2, 11, 12, 13, 14, 6, 7, 8};
    int same = 0;
    for (int i = 0; i < SLOTS; i++)
        same += ring[i] == expected[i];
    check(same == SLOTS && jitter.head == 13, "samples that arrive while the ring is full are counted at their position");
    check(jitter.lost == 0, "samples that were counted in the ring are not counted again");
}

static void one_slot_more(void) {
    if (sleeps == 10 || sleeps == 12)
        jitter.tail++;
}

static void test_a_count_and_a_sample_need_two_slots(void) {
    picollo_u64 script[14];
    for (int i = 0; i < 14; i++)
        script[i] = (picollo_u64)i + 1;
    begin(script, 14, 14);
    jitter.slot_count = SLOTS;
    meanwhile = one_slot_more;
    run();
    check(ring[0] == (PICOLLO_JITTER_LOST | 3) && ring[1] == 12 && jitter.head == 10, "one free slot is not enough for a count and a sample");
    check(jitter.lost == 2, "the last lost samples are reported separately");
}

static void test_the_system(void) {
    begin(NULL, 0, 50);
    jitter.interval = 100000;
    int result = picollo_jitter_run(&jitter);
#if defined(__linux__)
    int wrong = 0;
    for (int i = 0; i < 50; i++)
        wrong += ring[i] > 60000000000ULL;
    check(result == PICOLLO_JITTER_DONE && jitter.head == 50, "fifty wake-ups are measured on this system");
    check(wrong == 0, "no wake-up is a minute late");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    check((picollo_u64)now.tv_sec * 1000000000 + (picollo_u64)now.tv_nsec >= jitter.first_due + 49 * jitter.interval,
          "the loop sleeps until the last due time");
#else
    check(result == -38 && jitter.head == 0, "the result on an unsupported system is ENOSYS");
#endif
}

#if !defined(_WIN32)
#include <pthread.h>

enum { MANY = 200000 };

static int wrong_samples;
static picollo_u64 seen, counted_lost;
static volatile int writer_ended;

/* The latency of a sample is its number, so that the reader can check it. */
static int numbered_sleep(picollo_u64 due) {
    clock_time = due + sleeps++;
    return 0;
}

static void *read_all(void *unused) {
    picollo_u64 tail = 0;
    for (;;) {
        int is_last = __atomic_load_n(&writer_ended, __ATOMIC_ACQUIRE);
        picollo_u64 head = __atomic_load_n(&jitter.head, __ATOMIC_ACQUIRE);
        for (; tail != head; tail++) {
            picollo_u64 value = ring[tail & (jitter.slot_count - 1)];
            if (value & PICOLLO_JITTER_LOST) {
                counted_lost += value & ~PICOLLO_JITTER_LOST;
            } else {
                wrong_samples += value != seen + counted_lost;
                seen++;
            }
        }
        __atomic_store_n(&jitter.tail, tail, __ATOMIC_RELEASE);
        if (is_last)
            return unused;
    }
}

static void test_a_concurrent_reader(void) {
    pthread_t reader;
    begin(NULL, 0, MANY);
    jitter.slot_count = 64;
    wrong_samples = 0, seen = counted_lost = 0, writer_ended = 0;
    if (pthread_create(&reader, NULL, read_all, NULL) != 0) {
        printf("  not run: a reader concurrent with the loop, because no thread could be started\n");
        return;
    }
    picollo_jitter_run_with(&jitter, numbered_sleep, fake_now);
    __atomic_store_n(&writer_ended, 1, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    check(wrong_samples == 0, "a concurrent reader reads complete samples and knows the number of each");
    check(seen + counted_lost + jitter.lost == MANY, "samples that are not read are counted as lost");
}
#endif

void test_jitter(void) {
    test_latencies();
    test_catching_up();
    test_woken_early();
    test_interruptions();
    test_a_refused_sleep();
    test_a_break();
    test_stop();
    test_lost_samples();
    test_a_count_and_a_sample_need_two_slots();
    test_the_system();
#if !defined(_WIN32)
    test_a_concurrent_reader();
#endif
}
