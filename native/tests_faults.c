/*
 * The tests read pages with the functions that accept replacements of the two instructions and, on Linux x64, also with the
 * shipped functions, which use the real instructions. RDPMC faults in user mode if CR4.PCE is clear, and RDTSC faults after
 * prctl(PR_SET_TSC); the fault handler takes the results from the tests. No PMU is needed, and every test of pages runs in both ways.
 */
#define _GNU_SOURCE /* the registers of a signal's context */
#include "tests.h"

#include <stddef.h>
#include <stdio.h>

int is_faulting;
int (*step)(int number);

#if defined(__x86_64__) && defined(__linux__)
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static picollo_read_pmc pmc_of_tests;
static picollo_read_time time_of_tests;
static struct sigaction previous;

/* Both instructions have two bytes, and return their result in EDX and EAX. Any other fault crashes, as without this handler. */
static void on_fault(int signal, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)registers[REG_RIP];
    picollo_u64 result;
    if (info->si_code == SI_KERNEL && code[0] == 0x0F && code[1] == 0x33 && pmc_of_tests) {
        result = pmc_of_tests((unsigned)registers[REG_RCX]);
    } else if (info->si_code == SI_KERNEL && code[0] == 0x0F && code[1] == 0x31 && time_of_tests) {
        result = time_of_tests();
    } else {
        sigaction(signal, &previous, NULL);
        return;
    }
    registers[REG_RAX] = (greg_t)(result & 0xFFFFFFFF);
    registers[REG_RDX] = (greg_t)(result >> 32);
    registers[REG_RIP] += 2;
}

/* The trap flag: SIGTRAP after each instruction. */
enum { TF = 0x100 };

static int steps;

static void on_step(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    if (!step || !step(++steps))
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TF;
}

static inline void set_steps(int on) {
    unsigned long long flags = __builtin_ia32_readeflags_u64();
    if (on)
        steps = 0;
    __builtin_ia32_writeeflags_u64(on ? flags | TF : flags & ~(unsigned long long)TF);
}

/* Returns 0 if RDTSC cannot be made to fault. */
static int set_instructions(picollo_read_pmc pmc, picollo_read_time time) {
    pmc_of_tests = pmc;
    time_of_tests = time;
    return prctl(PR_SET_TSC, pmc || time ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0) == 0;
}

picollo_u64 read_pages(struct picollo_perf_counter *counters, int count, picollo_read_pmc pmc, picollo_read_time time) {
    if (!is_faulting)
        return picollo_perf_read_with(counters, count, pmc, time);
    set_instructions(pmc, time);
    set_steps(step != NULL);
    picollo_u64 read = time ? picollo_perf_read(counters, count) : picollo_perf_read_counts(counters, count);
    set_steps(0);
    set_instructions(NULL, NULL);
    return read;
}

int read_thread_time(const void *page, picollo_u64 *nanoseconds, picollo_read_time time) {
    if (!is_faulting)
        return picollo_perf_thread_time_with(page, nanoseconds, time);
    set_instructions(NULL, time);
    set_steps(step != NULL);
    int is_read = picollo_perf_thread_time(page, nanoseconds);
    set_steps(0);
    set_instructions(NULL, NULL);
    return is_read;
}

static unsigned number_given;
static int times_given;

static picollo_u64 give_pmc(unsigned number) {
    number_given = number;
    return 0x123456789ABCDEF0;
}

static picollo_u64 give_time(void) {
    times_given++;
    return 0xFEDCBA9876543210;
}

static picollo_u64 rdpmc(unsigned number) {
    unsigned low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    return ((picollo_u64)high << 32) | low;
}

static void write_to_nowhere(void) { __asm__ volatile("movl $1, 8" ::: "memory"); }
static void halt(void) { __asm__ volatile("hlt"); }
static void read_pmc_unexpectedly(void) {
    set_instructions(NULL, give_time);
    rdpmc(0);
}
static void read_time_unexpectedly(void) {
    set_instructions(give_pmc, NULL);
    __builtin_ia32_rdtsc();
}

/*
 * Runs an action in a child process, and returns the signal that ends it, or 0. The child writes no core file, has no sanitizer handler,
 * and ends even if our handler returns to the same instruction repeatedly.
 */
static int signal_that_ends(void (*action)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        alarm(10);
        previous = (struct sigaction){.sa_handler = SIG_DFL};
        action();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void execute_both(void) {
    set_instructions(give_pmc, give_time);
    rdpmc(0);
    __builtin_ia32_rdtsc();
}

/* Returns why the instructions cannot be made to fault, or NULL. Counter 0 exists in every PMU, so RDPMC does not fault if CR4.PCE is set. */
static const char *why_not(void) {
    if (signal_that_ends(execute_both))
        return "their faults are not reported as on Linux";
    if (!set_instructions(give_pmc, give_time))
        return "prctl(PR_SET_TSC) is refused";
    picollo_u64 pmc = rdpmc(0), time = __builtin_ia32_rdtsc();
    set_instructions(NULL, NULL);
    if (pmc != give_pmc(0))
        return "RDPMC does not fault (2 in /sys/bus/event_source/devices/cpu/rdpmc permits it to every process)";
    return time == give_time() ? NULL : "RDTSC does not fault";
}

static void test_other_faults_are_crashes(void) {
    check(signal_that_ends(write_to_nowhere) == SIGSEGV, "an invalid address crashes");
    check(signal_that_ends(halt) == SIGSEGV, "another privileged instruction crashes");
    check(signal_that_ends(read_pmc_unexpectedly) == SIGSEGV, "RDPMC without a result crashes");
    check(signal_that_ends(read_time_unexpectedly) == SIGSEGV, "RDTSC without a result crashes");
}

static void test_results_are_of_64_bits(void) {
    struct test_page page = {.index = 0xFFFFFFFF, .width = 64, .capabilities = RDPMC};
    struct picollo_perf_counter counter = {.page = &page};
    check(read_pages(&counter, 1, give_pmc, give_time) == 1 && counter.value == 0x123456789ABCDEF0, "both halves of RDPMC are read");
    check(number_given == 0xFFFFFFFE, "the number of the counter is in ECX");
    times_given = 0;
    set_instructions(NULL, give_time);
    picollo_u64 time = picollo_read_counter();
    set_instructions(NULL, NULL);
    check(time == 0xFEDCBA9876543210 && times_given == 1, "the CPU's time counter consists of both halves of RDTSC");
}

void test_by_faults(void (*tests)(void)) {
    struct sigaction on_segv = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct sigaction on_trap = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, previous_trap;
    sigaction(SIGSEGV, &on_segv, &previous);
    sigaction(SIGTRAP, &on_trap, &previous_trap);
    const char *reason = why_not();
    if (reason) {
        printf("  not run: the real instructions; %s\n", reason);
    } else {
        is_faulting = 1;
        way = ", with the real instructions";
        test_other_faults_are_crashes();
        test_results_are_of_64_bits();
        tests();
        way = "";
        is_faulting = 0;
    }
    sigaction(SIGSEGV, &previous, NULL);
    sigaction(SIGTRAP, &previous_trap, NULL);
}

#else

picollo_u64 read_pages(struct picollo_perf_counter *counters, int count, picollo_read_pmc pmc, picollo_read_time time) {
    return picollo_perf_read_with(counters, count, pmc, time);
}

int read_thread_time(const void *page, picollo_u64 *nanoseconds, picollo_read_time time) {
    return picollo_perf_thread_time_with(page, nanoseconds, time);
}

void test_by_faults(void (*tests)(void)) { (void)tests; }

#endif
