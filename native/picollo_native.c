#include "picollo_native.h"

_Static_assert(sizeof(picollo_u64) == 8, "64 bits");

int picollo_abi_version(void) { return PICOLLO_ABI_VERSION; }

#if defined(__x86_64__)

static struct picollo_cpuid cpuid(unsigned leaf) {
    struct picollo_cpuid r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(0u));
    return r;
}

/*
 * CPUID 0x80000007, EDX bit 8, "Invariant TSC" (Intel SDM 3B, 19.17.1; AMD APM 3, E.4.7). Leaf 0x80000000 returns the last
 * extended leaf. For later leaves Intel returns the content of another leaf, hence the check. A hypervisor that cannot
 * keep the counter's rate over a migration hides the bit, so the bit is valid there as well.
 */
int picollo_has_invariant_counter(void) {
    const unsigned extended = 0x80000000u, power_management = 0x80000007u, invariant_tsc = 1u << 8;
    if (cpuid(extended).eax < power_management)
        return 0;
    return (cpuid(power_management).edx & invariant_tsc) != 0;
}

/*
 * Plain RDTSC. LFENCE;RDTSC and RDTSCP wait for all earlier instructions to complete, so that no earlier work can move
 * past the reading, but the wait takes longer than the reading itself: a measured scope would cost as much as with Stopwatch.
 * Without the wait a reading may move by as much as the core reorders, at most tens of nanoseconds. The call
 * and return around it prevent the compiler from moving anything. The processor keeps the values of two RDTSC of one thread
 * in order, and the managed side treats a negative interval as 0 anyway.
 */
static inline picollo_u64 read_time(void) {
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return ((picollo_u64)high << 32) | low;
}

/* RDPMC is also used without a wait. All numbers in a page are valid for the instruction. */
static int can_read_pmc(unsigned number) {
    (void)number;
    return 1;
}

static picollo_u64 read_pmc(unsigned number) {
    unsigned low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    return ((picollo_u64)high << 32) | low;
}

#elif defined(__aarch64__)

/* The generic timer runs at a constant rate by definition (Arm ARM, D12.1). */
int picollo_has_invariant_counter(void) { return 1; }

/* No ISB before it, for the same reason as on x64. The kernel enables CNTVCT_EL0 for user code on all systems. */
static inline picollo_u64 read_time(void) {
    picollo_u64 value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

/* There is no CPUID, so this reports nothing. */
static struct picollo_cpuid cpuid(unsigned leaf) {
    (void)leaf;
    return (struct picollo_cpuid){0, 0, 0, 0};
}

/*
 * 31 is the cycle counter, 0 to 30 are the programmable ones (the kernel adds 1 for a page's index). This code has no
 * instruction for other counters.
 *
 * Each counter has its own instruction, which is selected by a jump. Rejected: PMSELR_EL0 and PMXEVCNTR_EL0. They are two instructions
 * with a register between them, which the kernel does not preserve over a thread switch, and they require another bit of
 * PMUSERENR_EL0.
 */
static int can_read_pmc(unsigned number) { return number <= 31; }

static picollo_u64 read_pmc(unsigned number) {
    picollo_u64 value = 0;
    switch (number) {
#define PMC(n)                                                                                                         \
    case n:                                                                                                            \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                                                  \
        break;
        PMC(0) PMC(1) PMC(2) PMC(3) PMC(4) PMC(5) PMC(6) PMC(7) PMC(8) PMC(9) PMC(10)
        PMC(11) PMC(12) PMC(13) PMC(14) PMC(15) PMC(16) PMC(17) PMC(18) PMC(19) PMC(20)
        PMC(21) PMC(22) PMC(23) PMC(24) PMC(25) PMC(26) PMC(27) PMC(28) PMC(29) PMC(30)
#undef PMC
    case 31:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
        break;
    }
    return value;
}

#else
#error "picollo_native supports only x64 and arm64"
#endif

picollo_u64 picollo_read_counter(void) { return read_time(); }

/*
 * The used part of struct perf_event_mmap_page of include/uapi/linux/perf_event.h; its layout is a stable interface of the
 * kernel. The kernel may write to a page while it is read, so every access is volatile.
 */
struct page {
    unsigned version, compat_version;
    unsigned lock;
    unsigned index;
    long long offset;
    picollo_u64 time_enabled, time_running;
    picollo_u64 capabilities;
    unsigned short pmc_width;
    unsigned short time_shift;
    unsigned time_mult;
    picollo_u64 time_offset;
    picollo_u64 time_zero;
    unsigned size, reserved;
    picollo_u64 time_cycles, time_mask;
};
_Static_assert(__builtin_offsetof(struct page, capabilities) == 40, "as in the kernel's header");
_Static_assert(__builtin_offsetof(struct page, time_mask) == 88, "as in the kernel's header");

/* Bits of page.capabilities. */
enum { CAP_USER_RDPMC = 1 << 2, CAP_USER_TIME = 1 << 3, CAP_USER_TIME_SHORT = 1 << 5 };

/* Replaces the page of a counter whose page is not mapped. From this page, nothing can be read. */
static const struct page no_page;

/*
 * The number of attempts to read a page that changes in the meantime. A change is a thread switch, an ioctl or a read
 * of another thread. These take microseconds, whereas a reading takes nanoseconds, so the second attempt usually succeeds. Further
 * attempts fail only if the writer was stopped inside its change (its virtual CPU is not scheduled). In this case, it is enough to try
 * for a few hundred nanoseconds, because read(2) waits for the writer.
 */
enum { TRIES = 32 };

/*
 * Orders a reading of the lock before or after the readings of the page's fields: no instruction on x64, DMB ISHLD on
 * arm64. The kernel itself changes a page on the CPU of its thread, for which a compiler barrier would be sufficient, but
 * an ioctl from another thread changes it on the CPU of that thread. A counter instruction needs no other barrier: a change on this
 * CPU happens in an interrupt, before which all older instructions are complete, and after which all younger ones are executed again.
 */
static inline void barrier(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

/*
 * Returns the time since the last change of the page, in ns; 0 if `cycles` was read before that change, or on a CPU whose counter
 * is a few cycles behind. A counter of fewer than 64 bits appears to be ahead by nearly a full wrap in this case (the kernel supports
 * this only for arm64's timer, which has at least 56 bits; half a wrap is longer than a machine runs).
 *
 * The kernel's header computes the formula with a quotient and a remainder, to stay within 64 bits. The 128-bit product has the same
 * value at any shift, and takes one multiplication.
 */
static inline picollo_u64 since_update(const volatile struct page *page, picollo_u64 capabilities, picollo_u64 cycles) {
    __extension__ typedef unsigned __int128 u128;
    picollo_u64 delta;
    if (capabilities & CAP_USER_TIME_SHORT) {
        picollo_u64 before = page->time_cycles, mask = page->time_mask, ticks = (cycles - before) & mask;
        if (ticks > mask >> 1)
            return 0;
        cycles = before + ticks;
    }
    delta = page->time_offset + (picollo_u64)((u128)cycles * page->time_mult >> (page->time_shift & 63));
    return (long long)delta < 0 ? 0 : delta;
}

/* Sign-extends the lowest bits of the counter, because the kernel starts a counter below 0, so that it overflows in time. */
static inline long long sign_extend(picollo_u64 counter, unsigned width) {
    unsigned unused = (64 - width) & 63;
    return (long long)(counter << unused) >> unused;
}

/*
 * Follows the protocol of the kernel's header for one counter after another. Values that are read before the second check of
 * the lock may be garbage. They are used in calculations (in which no operand is out of range for C or for the instruction), and
 * discarded if the check fails.
 *
 * The times are always extended to the current time, not only if they differ as in the header's example: for an event that is
 * multiplexed later, the difference of two readings would start at its last switch, and the scaling would be wrong.
 * The time is read once for all counters, because reading it takes as long as reading a counter. From the second counter on it
 * is read before the lock, and is older than the page if the page changes in between: see since_update. Without `time`, both
 * times are those of the page, and only their difference is current: both increase equally while the event is on a counter.
 *
 * Rejected: one check of all locks, all counters, and a second check of all locks (2026-11-24, AMD EPYC of family 26,
 * four counters, no times). It is correct, because a page whose lock is even and unchanged is consistent, regardless of the
 * time between the checks. But it keeps the locks in memory and repeats everything if one page changed: 233 to 271
 * instructions instead of 204, and 8.9 to 11.4 ns instead of 6.4 with instructions that take no time. With RDTSC instead of
 * RDPMC, all variants take 42.4 ns, which is the time of four RDTSC instructions: the other instructions overlap with them.
 */
SHARED_BODY picollo_u64 read_counters(struct picollo_perf_counter *counters, int count, picollo_read_pmc pmc,
                                      picollo_read_time time) {
    picollo_u64 read = 0, cycles = 0;
    int has_cycles = 0;
    if (count > PICOLLO_PERF_MAX_COUNTERS)
        count = PICOLLO_PERF_MAX_COUNTERS;
    for (int i = 0; i < count; i++) {
        const volatile struct page *page = counters[i].page ? counters[i].page : &no_page;
        for (int tries = TRIES; tries > 0; tries--, has_cycles = 0) {
            unsigned lock = page->lock;
            barrier();
            picollo_u64 capabilities = page->capabilities;
            unsigned index = page->index;
            picollo_u64 value = 0, enabled = 0, running = 0;
            int readable = index != 0 && (capabilities & CAP_USER_RDPMC) && can_read_pmc(index - 1);
            if (readable) {
                value = (picollo_u64)page->offset + (picollo_u64)sign_extend(pmc(index - 1), page->pmc_width);
                enabled = page->time_enabled;
                running = page->time_running;
                if (time && (capabilities & CAP_USER_TIME)) {
                    if (!has_cycles)
                        cycles = time();
                    has_cycles = 1;
                    picollo_u64 delta = since_update(page, capabilities, cycles);
                    enabled += delta;
                    running += delta;
                }
            }
            barrier();
            if (page->lock != lock || (lock & 1))
                continue;
            if (readable) {
                counters[i].value = value;
                counters[i].enabled = enabled;
                counters[i].running = running;
                read |= (picollo_u64)1 << i;
            }
            break;
        }
    }
    return read;
}

picollo_u64 picollo_perf_read(struct picollo_perf_counter *counters, int count) {
    return read_counters(counters, count, read_pmc, read_time);
}

picollo_u64 picollo_perf_read_counts(struct picollo_perf_counter *counters, int count) {
    return read_counters(counters, count, read_pmc, 0);
}

picollo_u64 picollo_perf_read_with(struct picollo_perf_counter *counters, int count, picollo_read_pmc pmc,
                                   picollo_read_time time) {
    return read_counters(counters, count, pmc, time);
}

SHARED_BODY int thread_time(const volatile struct page *page, picollo_u64 *nanoseconds, picollo_read_time time) {
    for (int tries = TRIES; tries > 0; tries--) {
        unsigned lock = page->lock;
        barrier();
        picollo_u64 capabilities = page->capabilities, now = page->time_running;
        if (capabilities & CAP_USER_TIME)
            now += since_update(page, capabilities, time());
        barrier();
        if (page->lock != lock || (lock & 1))
            continue;
        if (!(capabilities & CAP_USER_TIME))
            return 0;
        *nanoseconds = now;
        return 1;
    }
    return 0;
}

int picollo_perf_thread_time(const void *page, picollo_u64 *nanoseconds) {
    return thread_time(page, nanoseconds, read_time);
}

int picollo_perf_thread_time_with(const void *page, picollo_u64 *nanoseconds, picollo_read_time time) {
    return thread_time(page, nanoseconds, time);
}

/* Intel SDM 3B, 20.2: leaf 0xA, and the fixed counters by their number or their bits. Version 0 is "no counters". */
static int intel_counters(struct picollo_cpuid leaf, unsigned *fixed, unsigned *programmable) {
    unsigned version = leaf.eax & 0xFF, bits = 0;
    if (version == 0)
        return 0;
    if (version >= 2)
        bits = (1u << (leaf.edx & 31)) - 1;
    if (version >= 5)
        bits |= leaf.ecx;
    *programmable = leaf.eax >> 8 & 0xFF;
    for (*fixed = 0; bits != 0; bits &= bits - 1)
        ++*fixed;
    return 1;
}

/*
 * AMD APM 3, E.4: since performance monitoring version 2, leaf 0x80000022 contains the number. Before that version, CPUs with the core
 * extension (leaf 0x80000001, ECX bit 23) have six counters. All other x64 CPUs have four, which no bit reports. Hypervisors hide the
 * counters by hiding these bits, so under a hypervisor a missing bit means no counters.
 */
static unsigned amd_counters(picollo_read_cpuid read) {
    const unsigned counts = 0x80000022u, features = 0x80000001u, six = 1u << 23, hypervisor = 1u << 31;
    unsigned last = read(0x80000000u).eax;
    if (last >= counts) {
        struct picollo_cpuid leaf = read(counts);
        if (leaf.eax & 1)
            return leaf.ebx & 15;
    }
    if (last >= features && (read(features).ecx & six))
        return 6;
    return read(1).ecx & hypervisor ? 0 : 4;
}

/* The vendor name in leaf 0: EBX, EDX, ECX. Hygon CPUs are an AMD design. */
static int is_amd(struct picollo_cpuid leaf) {
    return (leaf.ebx == 0x68747541 && leaf.edx == 0x69746E65 && leaf.ecx == 0x444D4163) || /* AuthenticAMD */
           (leaf.ebx == 0x6F677948 && leaf.edx == 0x6E65476E && leaf.ecx == 0x656E6975);   /* HygonGenuine */
}

int picollo_pmu_counters_with(unsigned *fixed, unsigned *programmable, picollo_read_cpuid read) {
    struct picollo_cpuid first = read(0);
    *fixed = *programmable = 0;
    if (is_amd(first)) {
        *programmable = amd_counters(read);
        return *programmable != 0;
    }
    return first.eax >= 0xA && intel_counters(read(0xA), fixed, programmable);
}

int picollo_pmu_counters(unsigned *fixed, unsigned *programmable) {
    return picollo_pmu_counters_with(fixed, programmable, cpuid);
}

#if defined(_WIN32)
/* A DLL needs an entry point, which the C run-time usually provides. There is nothing to initialize. */
int __stdcall picollo_dll_entry(void *module, unsigned long reason, void *reserved);
int __stdcall picollo_dll_entry(void *module, unsigned long reason, void *reserved) {
    (void)module, (void)reason, (void)reserved;
    return 1;
}
#endif
