/*
 * The native part of Picollo: what managed code cannot do itself, each a leaf of a few instructions.
 *
 * Freestanding: no C library, no start-up code, no other symbol. One Linux library therefore serves glibc and musl.
 * Every function is safe to call from any thread, never blocks, and returns within nanoseconds, so that managed code
 * may call it without a GC transition.
 */
#ifndef PICOLLO_NATIVE_H
#define PICOLLO_NATIVE_H

/* uint64_t without a header: some cross-compilers come without any. */
typedef unsigned long long picollo_u64;

#if defined(_WIN32)
#define PICOLLO_API __declspec(dllexport)
#else
#define PICOLLO_API __attribute__((visibility("default")))
#endif

/* Raised whenever a function changes or goes away; managed code refuses a library of another version. */
#define PICOLLO_ABI_VERSION 1

/* PICOLLO_ABI_VERSION as this library was built. */
PICOLLO_API int picollo_abi_version(void);

/* 1 where the counter below ticks at one constant rate, whatever the core's clock and sleep states do; else 0. */
PICOLLO_API int picollo_has_invariant_counter(void);

/* The CPU's time counter: the time-stamp counter on x64, CNTVCT_EL0 on arm64. Its unit is found by calibration. */
PICOLLO_API picollo_u64 picollo_read_counter(void);

#endif
