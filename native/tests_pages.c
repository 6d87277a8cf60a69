/*
 * Tests reading counters from pages that do not change: the arithmetic, and the selection of the counters that are read. The tests
 * create the pages and the results of the instructions.
 */
#include "tests.h"

#include <stdio.h>
#include <string.h>

static picollo_u64 pmc_value, time_value;
static int pmc_reads, time_reads;
static unsigned pmc_number;

static picollo_u64 fake_pmc(unsigned number) {
    pmc_reads++;
    pmc_number = number;
    return pmc_value;
}

static picollo_u64 fake_time(void) {
    time_reads++;
    return time_value;
}

static picollo_u64 read_all(struct picollo_perf_counter *counters, int count) {
    pmc_reads = time_reads = 0;
    return read_pages(counters, count, fake_pmc, fake_time);
}

static struct picollo_perf_counter counter_on(const struct test_page *page) {
    return (struct picollo_perf_counter){.page = page, .value = 1, .enabled = 2, .running = 3};
}

/* An event on programmable counter 2; the page already has a count of 1000. */
static const struct test_page on_counter = {
    .lock = 6, .index = 3, .offset = 1000, .enabled = 700, .running = 500, .capabilities = RDPMC, .width = 48};

static void test_a_counter_is_offset_and_pmc(void) {
    struct picollo_perf_counter counter = counter_on(&on_counter);
    pmc_value = 234;
    check(read_all(&counter, 1) == 1, "a readable counter is read");
    check(counter.value == 1234, "the page's offset and the CPU's counter are added");
    check(counter.enabled == 700 && counter.running == 500, "the times are copied from the page");
    check(pmc_number == 2, "the counter's number is the page's index minus 1");
    check(pmc_reads == 1 && time_reads == 0, "a read executes one counter instruction, and does not read the time if the page does not need it");
}

/* Extends the sign with a subtraction, whereas the library shifts. */
static picollo_u64 with_sign(picollo_u64 bits, unsigned width) {
    picollo_u64 sign = (picollo_u64)1 << (width - 1);
    return (bits & (sign - 1)) - (bits & sign);
}

static void test_sign_extension(void) {
    picollo_u64 seed = 88172645463325252ULL;
    int wrong = 0;
    for (unsigned width = 1; width <= 64; width++) {
        picollo_u64 all = ~(picollo_u64)0 >> (64 - width), sign = (picollo_u64)1 << (width - 1);
        picollo_u64 bits[] = {0, 1, sign - 1, sign, all, all - 1, next_random(&seed), next_random(&seed)};
        for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
            struct test_page page = on_counter;
            struct picollo_perf_counter counter = counter_on(&page);
            page.width = (unsigned short)width;
            page.offset = i & 1 ? 5000 : next_random(&seed);
            pmc_value = bits[i] & all;
            wrong += read_all(&counter, 1) != 1;
            wrong += counter.value != page.offset + with_sign(pmc_value, width);
            /* Bits above the width, which some hypervisors leave set, are not part of the counter. */
            pmc_value |= next_random(&seed) & ~all;
            wrong += read_all(&counter, 1) != 1;
            wrong += counter.value != page.offset + with_sign(pmc_value & all, width);
        }
    }
    check(wrong == 0, "counters of 1 to 64 bits keep their sign");
}

static void test_a_count_that_began_below_zero(void) {
    struct test_page page = on_counter;
    struct picollo_perf_counter counter = counter_on(&page);
    page.offset = 0x7FFFFFFFFFFFULL; /* the value on x64 just after a counter was set to -(2^47 - 1) */
    pmc_value = 0x800000000001ULL + 41;
    check(read_all(&counter, 1) == 1 && counter.value == 41, "the offset and a negative counter add up to a small count");
}

static int is_untouched(const struct picollo_perf_counter *counter) {
    return counter->value == 1 && counter->enabled == 2 && counter->running == 3;
}

static void test_what_is_not_read(void) {
    struct {
        const char *what;
        struct test_page page;
    } cases[] = {{"an event that is not on a counter (index 0) is not read", on_counter},
                 {"without cap_user_rdpmc nothing is read", on_counter},
                 {"the deprecated bit is not cap_user_rdpmc", on_counter},
                 {"a page whose lock remains odd is not read", on_counter}};
    cases[0].page.index = 0;
    cases[1].page.capabilities = TIME;
    cases[2].page.capabilities = 3;
    cases[3].page.lock = 7;
    for (int i = 0; i < 4; i++) {
        struct picollo_perf_counter counter = counter_on(&cases[i].page);
        check(read_all(&counter, 1) == 0 && is_untouched(&counter), cases[i].what);
        check(i == 3 || pmc_reads == 0, "no counter instruction is executed for a counter that is not read");
    }
    struct picollo_perf_counter counter = counter_on(NULL);
    check(read_all(&counter, 1) == 0 && is_untouched(&counter), "a counter without a page is not read");
#if defined(__aarch64__)
    struct test_page page = on_counter;
    page.index = 33;
    counter = counter_on(&page);
    check(read_all(&counter, 1) == 0 && pmc_reads == 0, "a counter without an instruction is not read");
    page.index = 32;
    check(read_all(&counter, 1) == 1 && pmc_number == 31, "the cycle counter is number 31");
#else
    struct test_page page = on_counter;
    page.index = (1u << 30) + 2;
    counter = counter_on(&page);
    check(read_all(&counter, 1) == 1 && pmc_number == (1u << 30) + 1, "fixed counters have numbers from bit 30");
#endif
}

static void test_several_counters(void) {
    static struct test_page pages[66];
    static struct picollo_perf_counter counters[66];
    int wrong = 0;
    for (int i = 0; i < 66; i++) {
        pages[i] = on_counter;
        pages[i].offset = (picollo_u64)i * 10;
        pages[i].index = i % 3 ? 1 : 0;
        counters[i] = counter_on(&pages[i]);
    }
    pmc_value = 5;
    picollo_u64 read = read_all(counters, 64);
    for (int i = 0; i < 64; i++) {
        wrong += (read >> i & 1) != (i % 3 != 0);
        wrong += i % 3 ? counters[i].value != (picollo_u64)i * 10 + 5 : !is_untouched(&counters[i]);
    }
    check(wrong == 0, "of 64 counters, the readable ones are read, with their bits set");
    check(read_all(counters, 66) == read && is_untouched(&counters[64]) && is_untouched(&counters[65]),
          "of more than 64 counters, the first 64 are read");
    check(read_all(counters, 2) == 2, "of two counters, both are checked");
    check(read_all(counters, 0) == 0 && read_all(counters, -1) == 0 && pmc_reads == 0, "without counters, nothing is read");
}

/* Returns the shifted product of 64 and 32 bits, computed in limbs of 32 bits, unlike in the library and the header. */
static picollo_u64 scaled(picollo_u64 cycles, unsigned mult, unsigned shift) {
    picollo_u64 low = (cycles & 0xFFFFFFFF) * mult, high = (cycles >> 32) * mult + (low >> 32);
    low &= 0xFFFFFFFF;
    if (shift == 0)
        return (high << 32) | low;
    if (shift < 32)
        return (high << (32 - shift)) + (low >> shift);
    return high >> (shift - 32);
}

/* Computes the formula of include/uapi/linux/perf_event.h, which is correct up to a shift of 32. */
static picollo_u64 scaled_as_documented(picollo_u64 cycles, unsigned mult, unsigned shift) {
    picollo_u64 quot = cycles >> shift, rem = cycles & (((picollo_u64)1 << shift) - 1);
    return quot * mult + ((rem * mult) >> shift);
}

static void test_time_scaling(void) {
    picollo_u64 seed = 362436069362436069ULL;
    int wrong = 0;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int i = 0; i < 200; i++) {
            const picollo_u64 extremes[] = {0, 1, ~(picollo_u64)0, (picollo_u64)1 << 63, 0xFFFFFFFF, (picollo_u64)1 << 32};
            const unsigned mults[] = {0, 1, 0xFFFFFFFF, 0x80000000};
            struct test_page page = on_counter;
            struct picollo_perf_counter counter = counter_on(&page);
            picollo_u64 delta;
            time_value = i < 24 ? extremes[i % 6] : next_random(&seed) >> (i & 63);
            page.mult = i < 24 ? mults[i / 6] : (unsigned)next_random(&seed);
            page.shift = (unsigned short)shift;
            page.capabilities = RDPMC | TIME;
            delta = scaled(time_value, page.mult, shift);
            if (shift <= 32)
                wrong += delta != scaled_as_documented(time_value, page.mult, shift);
            /* The offset of the page reduces the time to the time since its last change. */
            page.time_offset = 12345 - delta;
            wrong += read_all(&counter, 1) != 1;
            wrong += counter.enabled != 700 + 12345 || counter.running != 500 + 12345;
        }
    }
    check(wrong == 0, "at every shift, the time is scaled as in 128 bits, and as documented if the documented formula is correct");
}

static void test_times_are_extended_to_now(void) {
    struct test_page page = on_counter;
    struct picollo_perf_counter counter = counter_on(&page);
    page.capabilities = RDPMC | TIME;
    page.enabled = page.running = 500;
    page.mult = 3, page.shift = 1, page.time_offset = (picollo_u64)-30;
    time_value = 100;
    check(read_all(&counter, 1) == 1 && counter.enabled == 620 && counter.running == 620,
          "both times are extended, whether equal or not");
    time_value = 20;
    check(read_all(&counter, 1) == 1 && counter.enabled == 500, "at the time of the change, nothing is added");
    time_value = 10;
    check(read_all(&counter, 1) == 1 && counter.enabled == 500 && counter.running == 500,
          "a time before the change adds nothing");
}

static void test_short_clock(void) {
    const picollo_u64 mask = ((picollo_u64)1 << 56) - 1;
    struct test_page page = on_counter;
    struct picollo_perf_counter counter = counter_on(&page);
    page.capabilities = RDPMC | TIME | SHORT;
    page.mult = 1 << 4, page.mask = mask;
    /* The clock has wrapped three times and is 100 ticks before its next wrap. */
    page.cycles = ((picollo_u64)4 << 56) - 100;
    page.time_offset = 0 - page.cycles * 16;
    time_value = mask - 99 + 50;
    check(read_all(&counter, 1) == 1 && counter.enabled == 700 + 50 * 16, "time_cycles includes the wraps of the clock");
    time_value = 150;
    check(read_all(&counter, 1) == 1 && counter.enabled == 700 + 250 * 16, "a clock that wraps after the change continues");
    time_value = mask - 100;
    check(read_all(&counter, 1) == 1 && counter.enabled == 700, "a tick before the change adds nothing, not a wrap");
    page.capabilities = RDPMC | TIME;
    page.time_offset = 0 - (mask - 99) * 16;
    time_value = mask - 99 + 50;
    check(read_all(&counter, 1) == 1 && counter.enabled == 700 + 50 * 16, "a 64-bit clock does not use time_cycles");
}

static void test_time_is_read_once(void) {
    struct test_page page = on_counter, other = on_counter;
    struct picollo_perf_counter counters[] = {counter_on(&other), counter_on(&page), counter_on(&page)};
    page.capabilities = RDPMC | TIME;
    page.mult = 1;
    time_value = 9;
    check(read_all(counters, 3) == 7 && time_reads == 1, "one reading of the time is used for all counters");
    check(counters[0].enabled == 700 && counters[1].enabled == 709 && counters[2].enabled == 709,
          "the time is added only to counters whose pages use it");
}

/* Four counters; the third was off for 200 ns, and the time is 9 ns after the last update of the pages. */
static void test_counts_without_the_time(void) {
    struct test_page pages[4];
    struct picollo_perf_counter counters[4];
    int wrong = 0;
    for (unsigned i = 0; i < 4; i++) {
        pages[i] = on_counter;
        pages[i].index = i + 1;
        pages[i].offset = 1000 * (i + 1);
        pages[i].enabled = i == 2 ? 700 : 500;
        pages[i].capabilities = RDPMC | TIME;
        pages[i].mult = 1;
        counters[i] = counter_on(&pages[i]);
    }
    pmc_value = ((picollo_u64)1 << 48) - 3; /* -3 */
    time_value = 9;
    pmc_reads = time_reads = 0;
    check(read_pages(counters, 4, fake_pmc, NULL) == 15, "four counters are read without the time");
    check(pmc_reads == 4 && time_reads == 0, "reading four counters without the time executes four instructions");
    for (unsigned i = 0; i < 4; i++)
        wrong += counters[i].value != 1000 * i + 997 || counters[i].enabled != pages[i].enabled || counters[i].running != 500;
    check(wrong == 0, "without the time, the counts keep their sign, and the times are copied from the pages");

    wrong = 0;
    check(read_all(counters, 4) == 15 && pmc_reads == 4 && time_reads == 1, "reading four counters with the time executes one more instruction");
    for (unsigned i = 0; i < 4; i++)
        wrong += counters[i].value != 1000 * i + 997 || counters[i].enabled != pages[i].enabled + 9 || counters[i].running != 509;
    check(wrong == 0, "the times of the multiplexed counter and of the other counters are extended");

    pages[2].index = 0;
    counters[2] = counter_on(&pages[2]);
    check(read_pages(counters, 4, fake_pmc, NULL) == 11 && is_untouched(&counters[2]),
          "without the time, an event that is not on a counter is not read");
}

static void test_thread_time(void) {
    struct test_page page = {.lock = 2, .running = 1000, .enabled = 5000, .capabilities = TIME, .mult = 2, .time_offset = 1};
    picollo_u64 nanoseconds = 77;
    time_value = 20;
    check(read_thread_time(&page, &nanoseconds, fake_time) == 1 && nanoseconds == 1041,
          "a thread's time is the time of the page, extended to now; it needs no counter");
    nanoseconds = 77;
    page.capabilities = RDPMC;
    check(read_thread_time(&page, &nanoseconds, fake_time) == 0 && nanoseconds == 77,
          "no thread time if the page does not provide it");
    page.capabilities = TIME, page.lock = 3;
    check(read_thread_time(&page, &nanoseconds, fake_time) == 0 && nanoseconds == 77,
          "no thread time from a page whose lock remains odd");
}

/* The shipped functions with the real time: a second reading is later than the first. */
static void test_the_real_instructions(void) {
    struct test_page page = {.capabilities = TIME, .mult = 1};
    picollo_u64 before = picollo_read_counter() & (~(picollo_u64)0 >> 1), now = 0;
    check(picollo_perf_thread_time(&page, &now) == 1, "the time of the page is read with the real instruction");
    check(now >= before, "the time of the page is not earlier than a previous reading of the counter");
    struct picollo_perf_counter counter = counter_on(&page);
    check(picollo_perf_read(&counter, 1) == 0 && is_untouched(&counter), "a page without an index is not read");
    check(picollo_perf_read_counts(&counter, 1) == 0 && is_untouched(&counter), "without the time, a page without an index is not read");
}

void test_pages(void) {
    test_a_counter_is_offset_and_pmc();
    test_sign_extension();
    test_a_count_that_began_below_zero();
    test_what_is_not_read();
    test_several_counters();
    test_time_scaling();
    test_times_are_extended_to_now();
    test_short_clock();
    test_time_is_read_once();
    test_counts_without_the_time();
    test_thread_time();
    test_the_real_instructions();
}
