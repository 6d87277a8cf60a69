#include "picollo_native.h"

typedef char picollo_u64_has_64_bits[sizeof(picollo_u64) == 8 ? 1 : -1];

int picollo_abi_version(void) { return PICOLLO_ABI_VERSION; }

#if defined(__x86_64__)

struct registers {
    unsigned eax, ebx, ecx, edx;
};

static struct registers cpuid(unsigned leaf) {
    struct registers r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(0u));
    return r;
}

/*
 * CPUID 0x80000007, EDX bit 8, "Invariant TSC" (Intel SDM 3B, 19.17.1; AMD APM 3, E.4.7). Leaf 0x80000000 says how far
 * the extended leaves go; beyond that Intel answers with another leaf's content, hence the check. A hypervisor that
 * cannot keep the counter's rate over a migration hides the bit, so the bit counts there as well.
 */
int picollo_has_invariant_counter(void) {
    const unsigned extended = 0x80000000u, power_management = 0x80000007u, invariant_tsc = 1u << 8;
    if (cpuid(extended).eax < power_management)
        return 0;
    return (cpuid(power_management).edx & invariant_tsc) != 0;
}

/*
 * Plain RDTSC. LFENCE;RDTSC and RDTSCP wait for all earlier instructions to complete, which gives a reading that no
 * earlier work can slip past, and costs more than a reading itself: a measured scope would cost a Stopwatch again.
 * Without the wait a reading may move by as much as the core reorders, some tens of nanoseconds at the worst; the call
 * and return around it keep the compiler from moving anything. The processor keeps two RDTSC of one thread in order
 * as far as the values are concerned, and the managed side takes a negative interval for 0 all the same.
 */
picollo_u64 picollo_read_counter(void) {
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return ((picollo_u64)high << 32) | low;
}

#elif defined(__aarch64__)

/* The generic timer runs at a constant rate by definition (Arm ARM, D12.1). */
int picollo_has_invariant_counter(void) { return 1; }

/* Without ISB before it, for the same reason as on x64. The kernel enables CNTVCT_EL0 for user code on all systems. */
picollo_u64 picollo_read_counter(void) {
    picollo_u64 value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

#else
#error "picollo_native knows x64 and arm64 only"
#endif

#if defined(_WIN32)
/* A DLL needs an entry point, and without a C run-time nobody else supplies one: there is nothing to set up. */
int __stdcall picollo_dll_entry(void *module, unsigned long reason, void *reserved);
int __stdcall picollo_dll_entry(void *module, unsigned long reason, void *reserved) {
    (void)module, (void)reason, (void)reserved;
    return 1;
}
#endif
