/* sched_setaffinity and madvise are not in POSIX. */
#define _GNU_SOURCE
#include "host/machine.h"

#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

uint32_t met_cpu_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

/* --- Memory --- */

enum { HUGE_PAGE = 2 << 20 };

/* The whole mapping: the huge pages, and one more so that they can begin at a multiple of their size. */
static size_t mapped_size(size_t bytes)
{
    return bytes < HUGE_PAGE ? bytes : (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

void *met_pages_new(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t size = mapped_size(bytes ? bytes : 1), slack = size < HUGE_PAGE ? 0 : HUGE_PAGE;
    char *begin = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return begin;
    size_t skip = (HUGE_PAGE - (uintptr_t)begin % HUGE_PAGE) % HUGE_PAGE;
    if (skip > 0)
        munmap(begin, skip);
    if (slack > skip)
        munmap(begin + skip + size, slack - skip);
    madvise(begin + skip, size, MADV_HUGEPAGE); /* a wish */
    return begin + skip;
}

void met_pages_free(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, mapped_size(bytes ? bytes : 1));
}

bool met_cache_flush(const void *at, size_t bytes)
{
#ifdef __SSE2__
    enum { CACHE_LINE = 64 };
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_ia32_clflush((const char *)at + i);
    if (bytes > 0)
        __builtin_ia32_clflush((const char *)at + bytes - 1);
    __builtin_ia32_mfence();
    return true;
#else
    (void)at;
    (void)bytes;
    return false;
#endif
}

/* --- Floating point --- */

const char *met_float_fault(void)
{
    /* volatile: computed when the program runs, by the unit that kernels use */
    volatile float least_normal = FLT_MIN, subnormal = 0x1p-140f, half = 0.5f, large = 0x1p100f;
    volatile float result = least_normal * half, operand = subnormal * large;
    if (fegetround() != FE_TONEAREST)
        return "rounding is not to nearest";
    float stored = result;
    uint32_t bits;
    memcpy(&bits, &stored, sizeof bits); /* comparing would take a subnormal for zero where operands are */
    if (operand == 0)
        return bits == 0 ? "subnormal operands are taken for zeros, and subnormal results flushed to zero"
                         : "subnormal operands are taken for zeros";
    return bits == 0 ? "subnormal results are flushed to zero" : NULL;
}

void met_underflow_clear(void)
{
    feclearexcept(FE_UNDERFLOW);
}

bool met_underflow_raised(void)
{
    return fetestexcept(FE_UNDERFLOW) != 0;
}

/* --- Time --- */

double met_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double real_seconds(void *context)
{
    (void)context;
    return met_seconds();
}

met_clock met_clock_real(void)
{
    return (met_clock){ real_seconds, NULL };
}
