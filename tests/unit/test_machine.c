/* Threads, memory and the state of floating point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <float.h>
#include <stdatomic.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "host/cpu.h"
#include "host/machine.h"

enum { MEMBERS = 5 };

typedef struct tally {
    atomic_uint calls[MEMBERS];
    volatile float tiny;
    bool raised[MEMBERS];
} tally;

static void count(void *context, uint32_t member)
{
    tally *all = context;
    atomic_fetch_add(&all->calls[member], 1);
}

static void every_member_works_once_a_round(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    for (uint32_t members = 1; members <= MEMBERS; members++) {
        tally all = { 0 };
        met_team *team = met_team_new(session, members, false);
        assert_non_null(team);
        assert_int_equal(met_team_count(team), members);
        for (unsigned round = 1; round <= 500; round++) {
            met_team_run(team, count, &all);
            for (uint32_t t = 0; t < MEMBERS; t++) /* all of them are done when it returns */
                assert_int_equal(atomic_load(&all.calls[t]), t < members ? round : 0);
        }
        met_team_free(team);
    }
    met_session_free(session);
}

static void pinned_teams(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    tally all = { 0 };
    uint32_t cpus = met_cpu_count(), members = cpus < MEMBERS ? cpus : MEMBERS;
    met_team *team = met_team_new(session, members, true);
    assert_non_null(team);
    met_team_run(team, count, &all);
    met_team_free(team);
    assert_int_equal(met_cpu_count(), cpus); /* the caller is free again */
    assert_null(met_team_new(session, cpus + 1, true));
    assert_null(met_team_new(session, MET_TEAM_LIMIT + 1, false));
    assert_int_equal(met_session_error_count(session), 2);
    met_session_free(session);
}

/* Member 1 alone computes something tiny; each asks for its own flag. */
static void underflow_on_one(void *context, uint32_t member)
{
    tally *all = context;
    met_underflow_clear();
    volatile float x = member == 1 ? all->tiny : 1;
    volatile float y = x * x;
    (void)y;
    all->raised[member] = met_underflow_raised();
}

static void flags_are_of_threads(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    tally all = { .tiny = 1e-30f };
    met_team *team = met_team_new(session, 3, false);
    for (int round = 0; round < 3; round++) {
        met_team_run(team, underflow_on_one, &all);
        assert_false(all.raised[0]);
        assert_true(all.raised[1]);
        assert_false(all.raised[2]);
    }
    met_team_free(team);
    volatile float half = 0.5f, exact = FLT_MIN * half; /* subnormal but exact: nothing is lost */
    (void)exact;
    met_underflow_clear();
    exact = FLT_MIN * half;
    assert_false(met_underflow_raised());
    met_session_free(session);
}

static void faults_of_floating_point(void **state)
{
    (void)state;
    assert_null(met_float_fault());
    fesetround(FE_UPWARD);
    assert_non_null(met_float_fault());
    fesetround(FE_TONEAREST);
#if defined(__SSE__)
    static const unsigned flags[] = { 0x8000 /* results */, 0x0040 /* operands */ };
    unsigned before = _mm_getcsr();
    for (int k = 0; k < 2; k++) {
        _mm_setcsr(before | flags[k]);
        const char *fault = met_float_fault();
        _mm_setcsr(before);
        assert_non_null(fault);
        assert_non_null(strstr(fault, k == 0 ? "results" : "operands"));
    }
#endif
    assert_null(met_float_fault());
}

static void pages(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 4096, 100000, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 10 << 20 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *at = met_pages_new(sizes[i]);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 64, 0);
        for (size_t k = 0; k < sizes[i]; k += 1000)
            assert_int_equal(at[k], 0);
        if (sizes[i] > 0)
            at[0] = at[sizes[i] - 1] = 1;
        met_pages_free(at, sizes[i]);
    }
    assert_null(met_pages_new(SIZE_MAX));
    assert_null(met_pages_new(SIZE_MAX / 4));
}

static void features(void **state)
{
    (void)state;
    static const char x86[] = "processor\t: 0\nvendor_id\t: x\nflags\t\t: fpu sse2 avx2 fma\nbugs\t\t: avx512f\n\nprocessor\t: 1\n";
    static const char arm[] = "processor\t: 0\nFeatures\t: fp asimd bf16\n";
    static const struct {
        const char *cpuinfo, *features, *missing;
    } cases[] = {
        { x86, "", NULL },           { x86, "avx2 fma", NULL },  { x86, "fma", NULL },  { x86, "avx2 avx512f", "avx512f" },
        { x86, "avx", "avx" },       { x86, "avx22", "avx22" },  { arm, "bf16", NULL }, { arm, " asimd  fp ", NULL },
        { arm, "avx2 fma", "avx2" }, { "", "", NULL },           { "", "a", "a" },      { "flags", "flags", "flags" },
        { "flags:", "f", "f" },      { "x: a\nflags: b", "a", "a" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *missing = NULL;
        size_t length = 0;
        bool has = met_cpu_features(cases[k].cpuinfo, cases[k].features, &missing, &length);
        assert_true(has == !cases[k].missing);
        if (!has)
            assert_true(length == strlen(cases[k].missing) && memcmp(missing, cases[k].missing, length) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_works_once_a_round), cmocka_unit_test(pinned_teams), cmocka_unit_test(flags_are_of_threads),
        cmocka_unit_test(faults_of_floating_point),        cmocka_unit_test(pages),
        cmocka_unit_test(features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
