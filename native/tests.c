/*
 * Tests of the native library, linked against the shipped file. This file has the tests of the time counter. The program prints the
 * number of checks, and exits with 1 after a failure. test.sh checks the properties of the library file (no dependency, no undefined
 * symbol).
 */
#include "tests.h"

#include <stdio.h>
#include <string.h>

const char *way = "";
static int passed, failed;

void check(int ok, const char *what) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("  FAILED: %s%s\n", what, way);
    }
}

/* A few dozen nanoseconds of work that the compiler cannot drop. */
static void work(void) {
    for (volatile int i = 0; i < 50; i++) {
    }
}

static void test_versions(void) {
    check(picollo_abi_version() == PICOLLO_ABI_VERSION, "the library has the version of the header");
}

static void test_invariant_flag(void) {
    int first = picollo_has_invariant_counter();
    check(first == 0 || first == 1, "the invariant flag is 0 or 1");
    check(picollo_has_invariant_counter() == first, "the invariant flag does not change");
#if defined(__aarch64__)
    check(first == 1, "the arm64 counter is invariant");
#endif
}

/* The scheduler may move this thread between readings, so a decrease would mean that the counters of the CPUs are not synchronized. */
static void test_monotone_reads(void) {
    enum { READS = 1000000 };
    int back = 0, forward = 0;
    picollo_u64 previous = picollo_read_counter();
    for (int i = 0; i < READS; i++) {
        picollo_u64 now = picollo_read_counter();
        back += now < previous;
        forward += now > previous;
        previous = now;
    }
    check(back == 0, "a million readings never decrease");
    check(forward > 0, "the counter increases");
}

/* Reads the counter in another way than the library, on x64 with the compiler's intrinsic, so that both cannot lose the same half. */
static picollo_u64 counter_here(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    picollo_u64 value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
}

/* Readings are unordered, and an emulator may read its counter at each call. A tolerance of about a second is far below either half. */
static void test_reads_all_bits(void) {
    const picollo_u64 slack = (picollo_u64)1 << 30;
    picollo_u64 here = counter_here();
    picollo_u64 taken = picollo_read_counter();
    check(taken - here < slack || here - taken < slack, "the reading has all 64 bits of the counter");
}

static void test_work_advances_the_counter(void) {
    picollo_u64 start = picollo_read_counter();
    for (int i = 0; i < 100000; i++)
        work();
    picollo_u64 taken = picollo_read_counter() - start;
    check(taken > 1000, "milliseconds of work take thousands of ticks");
    check(taken < ((picollo_u64)1 << 48), "milliseconds of work do not take days");
}

#if defined(__x86_64__) && defined(__linux__)
/* The kernel reads the same CPUID bit, and sets both "nonstop_tsc" and "constant_tsc" from it. */
static void test_agrees_with_the_kernel(void) {
    static char line[16384];
    int found = 0, constant = 0, nonstop = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, "flags", 5) == 0) {
            found = 1;
            constant = strstr(line, " constant_tsc") != NULL;
            nonstop = strstr(line, " nonstop_tsc") != NULL;
        }
    }
    if (file)
        fclose(file);
    if (!found) {
        printf("  not run: the comparison with /proc/cpuinfo, which has no flags here\n");
        return;
    }
    check(picollo_has_invariant_counter() == (constant && nonstop), "CPUID agrees with /proc/cpuinfo");
}
#endif

static void test_reading(void) {
    test_pages();
    test_pages_that_change();
}

int main(void) {
    /* Line-buffered, so that a crash does not lose output. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    test_versions();
    test_invariant_flag();
    test_monotone_reads();
    test_reads_all_bits();
    test_work_advances_the_counter();
#if defined(__x86_64__) && defined(__linux__)
    test_agrees_with_the_kernel();
#endif
    test_reading();
    test_by_faults(test_reading);
    test_a_thread_that_changes_pages();
    test_pmu_counters();
    test_jitter();
    printf("  %d checks passed, %d failed\n", passed, failed);
    return failed != 0;
}
