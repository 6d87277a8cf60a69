/* Tests the numbers of performance counters that CPUID reports, on simulated machines that are described by tables. */
#include "tests.h"

#include <stdio.h>

struct leaf {
    unsigned number;
    struct picollo_cpuid registers;
};

#define INTEL(last) {0, {last, 0x756E6547, 0x6C65746E, 0x49656E69}}
#define AMD(last) {0, {last, 0x68747541, 0x444D4163, 0x69746E65}}
#define HYGON(last) {0, {last, 0x6F677948, 0x656E6975, 0x6E65476E}}
#define HYPERVISOR {1, {0, 0, 1u << 31, 0}}
#define EXTENDED(last) {0x80000000u, {last, 0, 0, 0}}
#define SIX_COUNTERS {0x80000001u, {0, 0, 1u << 23, 0}}

static const struct machine {
    const char *what;
    struct leaf leaves[6];
    unsigned fixed, programmable; /* both 0: not reported */
} machines[] = {
    {"Intel version 1 has no fixed counters", {INTEL(0xA), {0xA, {0x07280201, 0, 0, 0x603}}}, 0, 2},
    {"Intel version 4, Skylake", {INTEL(0x16), {0xA, {0x07300404, 0, 0, 0x603}}}, 3, 4},
    {"Intel version 5, Ice Lake and later", {INTEL(0x1B), {0xA, {0x08300805, 0, 0xF, 0x8604}}}, 4, 8},
    {"Intel version 5, fixed counters are reported only by their bits", {INTEL(0x1B), {0xA, {0x08300805, 0, 0x17, 0}}}, 4, 8},
    {"Intel version 5, fixed counters are reported by their number and their bits", {INTEL(0x1B), {0xA, {0x08300805, 0, 0x18, 0x8603}}}, 5, 8},
    {"Intel with more than sixteen fixed counters", {INTEL(0x1B), {0xA, {0x08300805, 0, 0, 0x8611}}}, 17, 8},
    {"Intel version 4, where ECX is reserved", {INTEL(0x16), {0xA, {0x07300404, 0, 0xFF, 0x603}}}, 3, 4},
    {"Intel, hidden by a hypervisor", {INTEL(0x16), HYPERVISOR, {0xA, {0, 0, 0, 0}}}, 0, 0},
    {"Intel under a hypervisor that shows the counters", {INTEL(0x16), HYPERVISOR, {0xA, {0x07300404, 0, 0, 0x603}}}, 3, 4},
    {"Intel without leaf 0xA", {INTEL(5), {0xA, {0x07300404, 0, 0, 0x603}}}, 0, 0},
    {"AMD with performance monitoring 2",
     {AMD(0x10), EXTENDED(0x80000028u), SIX_COUNTERS, {0x80000022u, {1, 0x00040106, 0, 0}}}, 0, 6},
    {"AMD with more than six counters",
     {AMD(0x10), EXTENDED(0x80000028u), SIX_COUNTERS, {0x80000022u, {1, 0x0000000C, 0, 0}}}, 0, 12},
    {"AMD with leaf 0x80000022 but without performance monitoring 2",
     {AMD(0x10), EXTENDED(0x80000028u), SIX_COUNTERS, {0x80000022u, {2, 0x0000000C, 0, 0}}}, 0, 6},
    {"AMD with 0x80000022 as the last leaf", {AMD(0x10), EXTENDED(0x80000022u), SIX_COUNTERS, {0x80000022u, {1, 0x0000000C, 0, 0}}}, 0, 12},
    {"AMD without extended leaves", {AMD(1), EXTENDED(0x80000000u)}, 0, 4},
    {"AMD with the core extension", {AMD(0xD), EXTENDED(0x8000001Fu), SIX_COUNTERS}, 0, 6},
    {"AMD before the core extension", {AMD(5), EXTENDED(0x80000018u)}, 0, 4},
    {"AMD, hidden by a hypervisor", {AMD(0xD), HYPERVISOR, EXTENDED(0x8000001Fu)}, 0, 0},
    {"AMD with leaf 0x80000022, hidden by a hypervisor",
     {AMD(0x10), HYPERVISOR, EXTENDED(0x80000028u), {0x80000022u, {0, 0, 0, 0}}}, 0, 0},
    {"AMD under a hypervisor that shows the counters", {AMD(0xD), HYPERVISOR, EXTENDED(0x8000001Fu), SIX_COUNTERS}, 0, 6},
    {"Hygon, like AMD", {HYGON(0xD), EXTENDED(0x8000001Fu), SIX_COUNTERS}, 0, 6},
    {"a CPU without CPUID reports nothing", {{0, {0, 0, 0, 0}}}, 0, 0},
};

static const struct machine *present;

static struct picollo_cpuid listed(unsigned leaf) {
    for (unsigned i = 0; i < sizeof present->leaves / sizeof *present->leaves; i++) {
        if (present->leaves[i].number == leaf)
            return present->leaves[i].registers;
    }
    return (struct picollo_cpuid){0, 0, 0, 0};
}

/* A leaf beyond the last of its range is garbage, as on Intel: it must not be read. */
static struct picollo_cpuid fake_cpuid(unsigned leaf) {
    unsigned first = leaf & 0x80000000u;
    if (leaf != first && leaf > listed(first).eax)
        return (struct picollo_cpuid){0x0A0A0A0B, 0x0B0B0B0B, 0x8C8C8C8C, 0x0D0D0D0D};
    return listed(leaf);
}

void test_pmu_counters(void) {
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        unsigned fixed = 99, programmable = 99;
        present = &machines[i];
        int is_known = picollo_pmu_counters_with(&fixed, &programmable, fake_cpuid);
        check(is_known == (present->fixed + present->programmable != 0) && fixed == present->fixed
                  && programmable == present->programmable,
              present->what);
    }
    unsigned fixed = 99, programmable = 99;
    int is_known = picollo_pmu_counters(&fixed, &programmable);
    check(is_known ? programmable > 0 && programmable < 99 && fixed < 99 : fixed == 0 && programmable == 0,
          "this CPU reports either some counters or none");
    printf("  this CPU reports %u fixed and %u programmable counters\n", fixed, programmable);
}
