/*
 * The baseline for calls of the native library from managed code: the code of the library in a C loop. The comparison
 * compiles this file when it runs. It is not part of a package.
 *
 * Without a PMU, or under a hypervisor that hides it, RDPMC faults. RDTSC replaces it, and takes about the same time.
 * The assembler macro has the name of the instruction, so the rest of the library's code is unchanged.
 */
#if defined(__x86_64__)
__asm__(".macro rdpmc\n\trdtsc\n.endm");
#endif

#include "../../../native/picollo_native.c"

PICOLLO_API void bench_read(struct picollo_perf_counter *counters, int count, int operations);
PICOLLO_API void bench_read_with(struct picollo_perf_counter *counters, int count, int operations);
PICOLLO_API picollo_u64 bench_read_nothing_with(struct picollo_perf_counter *counters, int count);
PICOLLO_API picollo_u64 bench_read_nothing_counts_with(struct picollo_perf_counter *counters, int count);
PICOLLO_API void bench_instructions(struct picollo_perf_counter *counters, int count, int operations);

void bench_read(struct picollo_perf_counter *counters, int count, int operations) {
    while (operations-- > 0)
        read_counters(counters, count, read_pmc, read_time);
}

/* Instructions that take no time, so that only the protocol is measured. */
static picollo_u64 no_pmc(unsigned number) { return number; }
static picollo_u64 no_time(void) { return 0; }

void bench_read_with(struct picollo_perf_counter *counters, int count, int operations) {
    while (operations-- > 0)
        read_counters(counters, count, no_pmc, no_time);
}

picollo_u64 bench_read_nothing_with(struct picollo_perf_counter *counters, int count) {
    return read_counters(counters, count, no_pmc, no_time);
}

picollo_u64 bench_read_nothing_counts_with(struct picollo_perf_counter *counters, int count) {
    return read_counters(counters, count, no_pmc, 0);
}

/* The lower bound for a read: only the instructions, for the counters and the time. */
void bench_instructions(struct picollo_perf_counter *counters, int count, int operations) {
    (void)counters;
    while (operations-- > 0)
        for (int i = 0; i < count; i++)
            read_pmc((unsigned)i);
}
