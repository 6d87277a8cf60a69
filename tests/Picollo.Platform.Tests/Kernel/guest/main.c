/* guest <check>...: runs the specified checks and prints "PASS <check>" or "FAIL <check>" after the messages of each. */
#include "guest.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static const struct {
    const char *name;
    void (*run)(void);
} checks[] = {
    {"counts", check_counts},
    {"reads", check_reads},
    {"wrap", check_wrap},
    {"multiplexing", check_multiplexing},
    {"migration", check_migration},
    {"toggling", check_toggling},
    {"widths", check_widths},
    {"stale-page", check_stale_page},
    {"closed-event", check_closed_event},
    {"no-user-access", check_no_user_access},
    {"no-pmu", check_no_pmu},
    {"paranoid-3", check_paranoid_3},
    {"paranoid-2", check_paranoid_2},
    {"paranoid-1", check_paranoid_1},
    {"thread-time", check_thread_time},
    {"thread-time-with-others", check_thread_time_with_others},
    {"no-thread-time", check_no_thread_time},
    {"sampling", check_sampling},
};

static int failures;

void fact(const char *name, long long value) { printf("  %s=%lld\n", name, value); }

void expect(int ok, const char *format, ...) {
    va_list arguments;
    if (ok || __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) >= 5)
        return;
    va_start(arguments, format);
    printf("  ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

struct event try_open(struct perf_event_attr *attributes) {
    struct event event = {-1, NULL};
    attributes->size = sizeof *attributes;
    attributes->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    event.file = (int)syscall(SYS_perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event.file < 0)
        return event;
    event.page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, event.file, 0);
    if (event.page == MAP_FAILED) {
        printf("FAIL: mmap: %s\n", strerror(errno));
        exit(1);
    }
    return event;
}

struct event open_event(unsigned type, unsigned long long config, unsigned long long config1) {
    struct perf_event_attr attributes = {.type = type, .config = config, .config1 = config1, .exclude_kernel = 1};
    struct event event = try_open(&attributes);
    if (event.file < 0) {
        printf("FAIL: perf_event_open(%u, %llu, %llu): %s\n", type, config, config1, strerror(errno));
        exit(1);
    }
    return event;
}

void close_event(struct event *event) {
    munmap((void *)event->page, (size_t)getpagesize());
    close(event->file);
}

struct count ask_kernel(const struct event *event) {
    struct count count = {0, 0, 0};
    expect(read(event->file, &count, sizeof count) == sizeof count, "read(2): %s", strerror(errno));
    return count;
}

int read_page(const struct event *event, struct picollo_perf_counter *counter) {
    *counter = (struct picollo_perf_counter){.page = (const void *)event->page};
    return picollo_perf_read(counter, 1) == 1;
}

int bracketed_read(const struct event *event, const char *when) {
    struct picollo_perf_counter counter;
    struct count before = ask_kernel(event);
    int was_read = read_page(event, &counter);
    struct count after = ask_kernel(event);
    if (!was_read)
        return 0;
    expect(before.value <= counter.value && counter.value <= after.value, "%s: %llu is not within %llu and %llu", when,
           counter.value, before.value, after.value);
    /* The kernel rounds the clock of the page and its own differently, by less than a microsecond. */
    expect(before.enabled <= counter.enabled + 1000 && counter.enabled <= after.enabled + 1000,
           "%s: enabled %llu is not within %llu and %llu", when, counter.enabled, before.enabled, after.enabled);
    expect(before.running <= counter.running + 1000 && counter.running <= after.running + 1000,
           "%s: running %llu is not within %llu and %llu", when, counter.running, before.running, after.running);
    return 1;
}

void __attribute__((noinline)) spin(unsigned long rounds) {
    if (rounds == 0)
        return;
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(rounds) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(rounds) : : "cc");
#endif
}

static int run(const char *name) {
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(checks[i].name, name) != 0)
            continue;
        failures = 0;
        checks[i].run();
        printf("%s %s\n", failures ? "FAIL" : "PASS", name);
        return failures != 0;
    }
    printf("FAIL %s: there is no such check\n", name);
    return 1;
}

int main(int count, char **names) {
    int failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < count; i++)
        failed += run(names[i]);
    return failed != 0;
}
