/* Checks hardware counters that are read in user space, on a CPU that supports it: an emulated arm64 CPU. */
#include "guest.h"

#include <pthread.h>

static struct event instructions(unsigned long long config1) {
    return open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, config1);
}

static struct event cycles(unsigned long long config1) {
    return open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, config1);
}

/* Returns the count of the native library for a loop of two instructions per round. */
static picollo_u64 counted(const struct event *event, unsigned long rounds) {
    struct picollo_perf_counter before, after;
    expect(read_page(event, &before), "the counter could not be read before %lu rounds", rounds);
    spin(rounds);
    expect(read_page(event, &after), "the counter could not be read after %lu rounds", rounds);
    return after.value - before.value;
}

/* The emulator executes instructions one by one, so two readings differ by exactly the instructions between them. */
void check_counts(void) {
    struct event event = instructions(WIDE | USER_ACCESS);
    counted(&event, 1); /* the first call resolves the library's function */
    picollo_u64 one = counted(&event, 1), million = counted(&event, 1000000);
    fact("instructions-of-a-reading", (long long)one);
    expect(one > 2 && one < 1000, "a reading takes %llu instructions", one);
    expect(million - one == 2 * 999999, "999,999 additional rounds took %llu additional instructions instead of 1,999,998", million - one);
    for (int i = 0; i < 10; i++) {
        picollo_u64 again = counted(&event, 1000000);
        expect(again == million, "a repetition counted %llu, not %llu", again, million);
    }

    /* Several counters at once. */
    struct event more[] = {instructions(WIDE | USER_ACCESS), cycles(WIDE | USER_ACCESS)};
    struct picollo_perf_counter before[3], after[3];
    for (int i = 0; i < 3; i++)
        before[i].page = after[i].page = (const void *)(i == 0 ? event : more[i - 1]).page;
    expect(picollo_perf_read(before, 3) == 7, "three counters could not be read in one call");
    spin(1000000);
    expect(picollo_perf_read(after, 3) == 7, "three counters could not be read again in one call");
    for (int i = 0; i < 2; i++) {
        picollo_u64 count = after[i].value - before[i].value;
        expect(count >= 2000000 && count < 2001000, "counter %d of three counted %llu", i, count);
    }
    expect(after[2].value > before[2].value, "no cycle passed");
    expect(after[0].running > before[0].running && after[0].enabled > before[0].enabled, "no time passed");

    /* Without the times, the counts are later, and the time for which an event had no counter is unchanged. */
    struct picollo_perf_counter counts[3] = {after[0], after[1], after[2]};
    expect(picollo_perf_read_counts(counts, 3) == 7, "three counters could not be read without the time");
    for (int i = 0; i < 3; i++) {
        picollo_u64 off = counts[i].enabled - counts[i].running, off_before = after[i].enabled - after[i].running;
        expect(counts[i].value > after[i].value, "counter %d of three does not count", i);
        expect(off == off_before, "the time without counter %d of three changed to %llu ns; it was %llu ns before", i, off, off_before);
    }
    close_event(&event), close_event(&more[0]), close_event(&more[1]);
}

void check_reads(void) {
    struct event events[] = {instructions(WIDE | USER_ACCESS), cycles(WIDE | USER_ACCESS), instructions(USER_ACCESS),
                             cycles(USER_ACCESS)};
    int was_read = 0;
    for (int i = 0; i < 2000; i++) {
        was_read += bracketed_read(&events[i & 3], "among 2,000 readings");
        spin((unsigned long)i % 1000);
        if (i % 16 == 0)
            sched_yield();
    }
    expect(was_read == 2000, "%d of 2,000 were read in user space", was_read);
    for (int i = 0; i < 4; i++)
        close_event(&events[i]);
}

/*
 * Checks a 32-bit counter that wraps: at each overflow, the kernel adds its count to the page. The first cycles event uses the
 * cycle counter, of whose 64 bits the kernel uses 32. The second one uses a counter that has only 32 bits on older CPUs.
 */
void check_wrap(void) {
    struct event first = cycles(USER_ACCESS), event = cycles(USER_ACCESS);
    struct picollo_perf_counter counter = {.value = 0};
    int was_read = 0, readings = 0;
    expect(event.page->pmc_width == 32, "the counter has %u bits", event.page->pmc_width);
    expect(first.page->index == 32 && event.page->index < 32, "the events are on %u and %u", first.page->index,
           event.page->index);
    while (counter.value < 5000000000ULL && readings < 100000) {
        spin(100000);
        readings++;
        was_read += bracketed_read(&event, "over a wrap");
        bracketed_read(&first, "over a wrap of the cycle counter");
        if (!read_page(&event, &counter))
            counter.value = ask_kernel(&event).value;
    }
    fact("readings", readings);
    expect(counter.value >= 5000000000ULL, "the counter stopped at %llu", counter.value);
    expect(was_read > readings / 2, "%d of %d were read in user space", was_read, readings);
    close_event(&event), close_event(&first);
}

/* Opens more events than the CPU has counters. The events take turns, and an event that has no counter must be read by the kernel. */
void check_multiplexing(void) {
    enum { EVENTS = 12 };
    struct event events[EVENTS];
    int on = 0, off = 0;
    for (int i = 0; i < EVENTS; i++)
        events[i] = instructions(WIDE | USER_ACCESS);
    for (int i = 0; i < 2400; i++) {
        int was_read = bracketed_read(&events[i % EVENTS], "taking turns");
        on += was_read, off += !was_read;
        spin(5000);
    }
    fact("read-in-user-space", on);
    fact("left-to-the-kernel", off);
    expect(on > 0 && off > 0, "%d were on a counter and %d were not", on, off);
    struct count count = ask_kernel(&events[0]);
    expect(count.running < count.enabled, "the event ran all the time");
    for (int i = 0; i < EVENTS; i++)
        close_event(&events[i]);
}

enum { THREADS = 3, MOVES = 300 };

static void *move_between_cpus(void *number) {
    struct event event = instructions(WIDE | USER_ACCESS);
    long was_read = 0;
    picollo_u64 last = 0;
    for (int i = 0; i < MOVES; i++) {
        cpu_set_t cpu;
        CPU_ZERO(&cpu);
        CPU_SET((i + (int)(long)number) & 1, &cpu);
        expect(sched_setaffinity(0, sizeof cpu, &cpu) == 0, "sched_setaffinity: %s", strerror(errno));
        was_read += bracketed_read(&event, "between moves");
        picollo_u64 value = ask_kernel(&event).value;
        expect(value > last, "the count decreased");
        last = value;
        spin(20000);
    }
    close_event(&event);
    return (void *)was_read;
}

void check_migration(void) {
    pthread_t threads[THREADS];
    long was_read = 0;
    expect(sysconf(_SC_NPROCESSORS_ONLN) == 2, "there are not two CPUs");
    for (long i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, move_between_cpus, (void *)i) == 0, "thread %ld was not started", i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        was_read += (long)result;
    }
    fact("read-in-user-space", was_read);
    expect(was_read > THREADS * MOVES / 2, "%ld of %d were read in user space", was_read, THREADS * MOVES);
}

void check_toggling(void) {
    struct event event = instructions(WIDE | USER_ACCESS);
    struct picollo_perf_counter counter;
    for (int i = 0; i < 200; i++) {
        expect(bracketed_read(&event, "enabled"), "an enabled event could not be read");
        ioctl(event.file, PERF_EVENT_IOC_DISABLE, 0);
        struct count stopped = ask_kernel(&event);
        expect(event.page->index == 0, "a disabled event has index %u", event.page->index);
        expect(!read_page(&event, &counter), "a disabled event was read");
        spin(1000);
        struct count later = ask_kernel(&event);
        expect(later.value == stopped.value && later.enabled == stopped.enabled, "a disabled event continued");
        ioctl(event.file, PERF_EVENT_IOC_ENABLE, 0);
    }
    close_event(&event);
}

/* CPUs without long counters refuse 64 bits for all events except cycles, which have a separate 64-bit counter. */
void check_widths(void) {
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .config1 = WIDE | USER_ACCESS, .exclude_kernel = 1};
    struct event wide = try_open(&attributes);
    expect(wide.file < 0 && errno == EOPNOTSUPP, "64 bits of instructions: %s", wide.file < 0 ? strerror(errno) : "opened");
    struct event narrow = instructions(USER_ACCESS), long_cycles = cycles(WIDE | USER_ACCESS);
    for (int i = 0; i < 200; i++) {
        expect(bracketed_read(&narrow, "32 bits"), "32 bits of instructions were not read");
        expect(bracketed_read(&long_cycles, "cycles"), "64 bits of cycles were not read");
        spin(1000);
    }
    picollo_u64 one = counted(&narrow, 1), million = counted(&narrow, 1000000);
    expect(million - one == 2 * 999999, "999,999 additional rounds took %llu additional instructions instead of 1,999,998", million - one);
    expect(narrow.page->pmc_width == 32, "instructions have %u bits", narrow.page->pmc_width);
    expect(long_cycles.page->pmc_width == 64, "cycles have %u bits", long_cycles.page->pmc_width);
    close_event(&narrow), close_event(&long_cycles);
}
