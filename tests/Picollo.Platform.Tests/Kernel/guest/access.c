/* Checks what a machine or its settings can refuse, and two pitfalls of the kernel. */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static sigjmp_buf after_fault;

static void on_fault(int signal) { siglongjmp(after_fault, signal); }

/* Executes the instruction itself; returns 0, or the signal that it caused. */
static int read_directly(void) {
    struct sigaction action = {.sa_handler = on_fault};
    int signal;
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    signal = sigsetjmp(after_fault, 1);
    if (signal == 0) {
#if defined(__aarch64__)
        picollo_u64 value;
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
#else
        unsigned low, high;
        __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
#endif
    }
    return signal;
}

static struct perf_event_attr hardware(unsigned long long config, unsigned long long config1) {
    return (struct perf_event_attr){
        .type = PERF_TYPE_HARDWARE, .config = config, .config1 = config1, .exclude_kernel = 1};
}

static void set(const char *name, const char *value) {
    FILE *file = fopen(name, "w");
    expect(file && fputs(value, file) > 0 && fclose(file) == 0, "%s cannot be set", name);
}

/* If kernel.perf_user_access is 0, the page still has cap_user_rdpmc, and only its index shows it. */
void check_no_user_access(void) {
    set("/proc/sys/kernel/perf_user_access", "0");
    struct event event = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, WIDE | USER_ACCESS);
    struct picollo_perf_counter counter;
    fact("cap_user_rdpmc", event.page->cap_user_rdpmc);
    expect(event.page->index == 0, "the index is %u", event.page->index);
    expect(!read_page(&event, &counter), "the counter was read");
    picollo_u64 before = ask_kernel(&event).value;
    spin(1000);
    expect(ask_kernel(&event).value > before, "the kernel's count does not change");
    expect(read_directly() == SIGILL, "the instruction is not refused");
    close_event(&event);
    set("/proc/sys/kernel/perf_user_access", "1");
}

void check_no_pmu(void) {
    unsigned fixed, programmable;
    for (unsigned long long config = 0; config < PERF_COUNT_HW_MAX; config++) {
        struct perf_event_attr attributes = hardware(config, 0);
        struct event event = try_open(&attributes);
        expect(event.file < 0 && errno == ENOENT, "hardware event %llu: %s", config,
               event.file < 0 ? strerror(errno) : "opened");
    }
    expect(read_directly() != 0, "the instruction works");
    expect(picollo_pmu_counters(&fixed, &programmable) == 0, "CPUID reports %u and %u counters", fixed, programmable);
    struct event event = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0);
    struct picollo_perf_counter counter;
    expect(!read_page(&event, &counter), "a software event was read");
    expect(ask_kernel(&event).value > 0, "a software event does not change");
    close_event(&event);
}

/*
 * The page of a 32-bit event can be wrong by 2^32 if read(2) was called before mmap(2), or after a reset, until the event is
 * disabled and enabled again. The check prints as a fact whether this kernel does this. It expects that the methods of Picollo are
 * correct, and that no other error occurs.
 */
void check_stale_page(void) {
    const long long wrap = 1LL << 32;
    for (int reset = 0; reset <= 1; reset++) {
        struct perf_event_attr attributes = hardware(PERF_COUNT_HW_CPU_CYCLES, USER_ACCESS);
        struct event event = {-1, NULL};
        struct picollo_perf_counter counter;
        struct count count;
        attributes.size = sizeof attributes;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        event.file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
        expect(event.file >= 0, "perf_event_open: %s", strerror(errno));
        if (reset)
            event.page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, event.file, 0);
        count = ask_kernel(&event);
        if (reset)
            ioctl(event.file, PERF_EVENT_IOC_RESET, 0);
        else
            event.page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, event.file, 0);
        int was_read = read_page(&event, &counter);
        count = ask_kernel(&event);
        long long off = was_read ? (long long)(count.value - counter.value) : 0;
        fact(reset ? "wraps-off-after-reset" : "wraps-off-after-early-read", (off + (off < 0 ? -wrap : wrap) / 2) / wrap);
        off -= (off + (off < 0 ? -wrap : wrap) / 2) / wrap * wrap;
        expect(off >= 0 && off < 100000000, "after whole wraps of the counter, the page is still off by %lld", off);
        ioctl(event.file, PERF_EVENT_IOC_DISABLE, 0);
        ioctl(event.file, PERF_EVENT_IOC_ENABLE, 0);
        expect(bracketed_read(&event, "after the event was disabled and enabled"), "the event cannot be read after it was disabled and enabled");
        close_event(&event);
    }
    struct event first_mapped = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, USER_ACCESS);
    struct event wide = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, WIDE | USER_ACCESS);
    expect(bracketed_read(&first_mapped, "mapped before it is read"), "an event that is mapped before it is read cannot be read");
    expect(bracketed_read(&wide, "64 bits"), "a 64-bit event cannot be read");
    close_event(&first_mapped), close_event(&wide);
}

/* The kernel may allow the thread to read the counters for some time after the last such event is closed. */
void check_closed_event(void) {
    struct event event = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, WIDE | USER_ACCESS);
    expect(read_directly() == 0, "the instruction is refused while an event is open");
    close_event(&event);
    int signal = read_directly();
    fact("signal-after-close", signal);
    expect(signal == 0 || signal == SIGILL, "the instruction caused signal %d", signal);
}

/* Opens a cycles event as an ordinary user. Returns the error number, or 0. */
static int open_as_user(int exclude_kernel) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct perf_event_attr attributes = hardware(PERF_COUNT_HW_CPU_CYCLES, WIDE | USER_ACCESS);
        attributes.exclude_kernel = exclude_kernel != 0;
        if (setgid(1000) != 0 || setuid(1000) != 0)
            _exit(255);
        struct event event = try_open(&attributes);
        if (event.file < 0)
            _exit(errno);
        spin(100000);
        _exit(bracketed_read(&event, "as an ordinary user") ? 0 : 254);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 253;
}

static void check_paranoid(const char *level, int user_mode, int both_modes) {
    set("/proc/sys/kernel/perf_event_paranoid", level);
    int found = open_as_user(1);
    expect(found == user_mode, "counting user mode returns %d (%s)", found, strerror(found));
    found = open_as_user(0);
    expect(found == both_modes, "counting both modes returns %d (%s)", found, strerror(found));
}

void check_paranoid_3(void) { check_paranoid("3", EACCES, EACCES); }
void check_paranoid_2(void) { check_paranoid("2", 0, EACCES); }
void check_paranoid_1(void) { check_paranoid("1", 0, 0); }
