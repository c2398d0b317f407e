/* Routines that do what no routine should, for tests/unit/test_library.c and test_foreign_ends.c. With MET_EXITS the library ends the process when it
 * is loaded, with MET_FLUSHES it sets flush-to-zero as -ffast-math does. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

float crashes(long n, const float *a)
{
    (void)n;
    (void)a;
    return *(volatile float *)8;
}

float hangs(long n, const float *a)
{
    (void)a;
    while (n > 0)
        pause();
    return 0;
}

float exits(long n, const float *a)
{
    (void)n;
    (void)a;
    exit(7);
}

float complains(long n, const float *a)
{
    (void)n;
    (void)a;
    fprintf(stderr, "the operand\033 is wrong\nreally\n");
    abort();
}

/* Closes what it was given, and stays. */
float closes(long n, const float *a)
{
    (void)a;
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    while (n > 0)
        pause();
    return 0;
}

/* Leaves a process behind that holds the file that $MET_TEST_HELD names open. */
float leaves(long n, const float *a)
{
    int held = open(getenv("MET_TEST_HELD"), O_WRONLY);
    if (fork() == 0)
        while (n > 0)
            pause();
    close(held);
    return *(volatile float *)8 + a[0];
}

/* Answers in our place. */
float babbles(long n, const float *a)
{
    unsigned char bytes[4000];
    (void)a;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0x1b;
    for (int fd = 3; fd < 64; fd++)
        n += write(fd, bytes, sizeof bytes);
    return (float)n;
}

/* Goes on printing for as long as anybody lets it. */
float prints(long n, const float *a)
{
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 100000; i++)
        printf("0123456789012345678901234567890123456789\n");
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

float plain(long n, const float *a)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

#if defined __SSE2__
float flushes_later(long n, const float *a)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
    return plain(n, a);
}
#endif

#ifdef MET_EXITS
__attribute__((constructor)) static void leave(void) { exit(5); }
#endif
#if defined MET_FLUSHES && defined __SSE2__
__attribute__((constructor)) static void flush(void) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); }
#endif
