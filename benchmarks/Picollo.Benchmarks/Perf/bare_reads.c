/*
 * What calls of the shim from managed code are held against: its own code in a loop of C. Compiled by the comparison
 * when it runs, as part of no library.
 *
 * Without a PMU, or behind a hypervisor that hides it, RDPMC is a fault: RDTSC stands in its place, which takes about
 * as long. The assembler takes the macro for the instruction, so that the shim's code is otherwise the very same.
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

/* Instructions that take no time: what is left is the protocol. */
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

/* The floor of any read: the instructions, of counters and of the time, and nothing else. */
void bench_instructions(struct picollo_perf_counter *counters, int count, int operations) {
    (void)counters;
    while (operations-- > 0)
        for (int i = 0; i < count; i++)
            read_pmc((unsigned)i);
}
