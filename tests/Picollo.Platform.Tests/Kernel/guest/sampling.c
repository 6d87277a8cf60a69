/* Samples the cycles of a PMU with the attributes of Picollo.Profiling. The work has known proportions, and one thread starts later. */
#include "guest.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum { PAGES = 64, FUNCTION_BYTES = 64, HEAD = 1024, TAIL = 1032 };

/* Each function has its own loop, so that the sampled instruction identifies it. */
#define WORK(name, rounds)                                                                                                     \
    static void __attribute__((noinline, aligned(FUNCTION_BYTES))) name(void) {                                                \
        unsigned long left = rounds;                                                                                           \
        __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(left) : : "cc");                                                \
    }

#if defined(__aarch64__)
WORK(sixty, 600000)
WORK(thirty, 300000)
WORK(ten, 100000)
WORK(of_thread, 1000000)

static void *run_thread(void *unused) {
    for (int i = 0; i < 300; i++)
        of_thread();
    return unused;
}

static int is_in(unsigned long long address, void (*function)(void)) {
    return address - (unsigned long long)function < FUNCTION_BYTES;
}

void check_sampling(void) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = PERF_ATTR_SIZE_VER5,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .sample_freq = 999,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IDENTIFIER,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .comm = 1,
        .freq = 1,
        .task = 1,
        .watermark = 1,
        .sample_id_all = 1,
        .mmap2 = 1,
        .comm_exec = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    printf("  sampling-attributes=");
    for (unsigned i = 0; i < PERF_ATTR_SIZE_VER5; i++)
        printf("%02X", ((unsigned char *)&attributes)[i]);
    printf("\n");

    int file = (int)syscall(SYS_perf_event_open, &attributes, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
    expect(file >= 0, "perf_event_open: %s", strerror(errno));
    size_t page = (size_t)getpagesize(), length = PAGES * page;
    unsigned char *ring = mmap(NULL, page + length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    expect(ring != MAP_FAILED, "mmap: %s", strerror(errno));
    if (file < 0 || ring == MAP_FAILED)
        return;

    pthread_t thread;
    for (int i = 0; i < 300; i++)
        sixty(), thirty(), ten();
    expect(pthread_create(&thread, NULL, run_thread, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    close(file);

    long long samples = 0, lost = 0, in_sixty = 0, in_thirty = 0, in_ten = 0, in_thread = 0, other_thread = 0;
    unsigned long long head = __atomic_load_n((unsigned long long *)(ring + HEAD), __ATOMIC_ACQUIRE);
    for (unsigned long long at = 0; at < head;) {
        unsigned char record[4096];
        struct perf_event_header header;
        for (unsigned i = 0; i < sizeof header; i++)
            ((unsigned char *)&header)[i] = ring[page + (at + i) % length];
        for (unsigned i = 0; i < header.size && i < sizeof record; i++)
            record[i] = ring[page + (at + i) % length];
        at += header.size;
        if (header.type == PERF_RECORD_LOST)
            lost++;
        if (header.type != PERF_RECORD_SAMPLE)
            continue;
        unsigned long long *fields = (unsigned long long *)(record + sizeof header); /* id, pid and tid, time, nr, ips */
        unsigned long long address = fields[3] > 1 ? fields[5] : 0;                  /* after PERF_CONTEXT_USER */
        samples++;
        other_thread += (fields[1] >> 32) != (unsigned long long)getpid();
        in_sixty += is_in(address, sixty);
        in_thirty += is_in(address, thirty);
        in_ten += is_in(address, ten);
        in_thread += is_in(address, of_thread);
    }
    munmap(ring, page + length);
    fact("sampling-samples", samples);
    fact("sampling-lost", lost);
    fact("sampling-sixty", in_sixty);
    fact("sampling-thirty", in_thirty);
    fact("sampling-ten", in_ten);
    fact("sampling-thread", in_thread);
    fact("sampling-other-thread", other_thread);
}
#else
void check_sampling(void) { expect(0, "there is no PMU to sample"); }
#endif
