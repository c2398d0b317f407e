/* Plans where some groups were measured: what was not must not win because the model is hopeful. */
#include <math.h>

#include "lowerings.h"

typedef struct store {
    uint32_t count; /* nodes of the groups that were measured */
    double seconds;
} store;

static bool measured(void *context, uint32_t count, const met_node_id *nodes, double *ret_seconds)
{
    const store *s = context;
    (void)nodes;
    if (count == s->count)
        *ret_seconds = s->seconds;
    return count == s->count;
}

/* Of one node each, or of the first two and the last two. */
static void two_rules(bench *b, store *s)
{
    *b = bench_of(chain, "n=4,m=8");
    put_singles(b);
    put_rule(&b->rules, "front", 30, "{ op = \"neg\" }, { op = \"exp\" }", "");
    put_rule(&b->rules, "back", 20, "{ op = \"abs\" }, { op = \"sqrt\" }", "");
    lower(b, MET_LOWER_EXACT);
    b->pricing.measured = measured;
    b->pricing.context = s;
}

/* A pair takes 5 us where the model says about 1: nobody measured single nodes, of which the model says the same. */
static void unmeasured_groups_take_what_the_family_does(void **state)
{
    (void)state;
    store s = { 2, 5e-6 };
    bench b;
    two_rules(&b, &s);
    expect_plan(&b, MET_LOWER_EXACT, "front:0,1 back:2,3");
    const met_lowering *lowering = lower(&b, MET_LOWER_EXACT);
    assert_true(lowering->price.seconds == 1e-5 && lowering->price.measured && !lowering->price.calibrated);
    /* its nodes one by one: in the same scale, so that the laxity is of one kind */
    assert_true(lowering->groups[0].parts.calibrated && !lowering->groups[0].parts.measured);
    met_session_free(b.session);
}

/* Single nodes are measured to be slow; then pairs are expected to be as much slower, and still save a launch. */
static void scales_go_both_ways(void **state)
{
    (void)state;
    store s = { 1, 7e-6 };
    bench b;
    two_rules(&b, &s);
    expect_plan(&b, MET_LOWER_EXACT, "front:0,1 back:2,3");
    const met_lowering *lowering = lower(&b, MET_LOWER_EXACT);
    double modelled = 0;
    for (uint32_t g = 0; g < 2; g++) {
        const met_price *price = &lowering->groups[g].price;
        assert_true(price->calibrated && !price->measured);
        /* all four nodes move alike, so that what the model says of each is the half of both */
        double single = lowering->groups[g].parts.modelled_s / 2;
        assert_true(fabs(price->seconds - 7e-6 * price->modelled_s / single) <= 4 * 0x1p-53 * price->seconds);
        modelled += price->modelled_s;
    }
    assert_true(lowering->price.modelled_s == modelled && lowering->proven);
    met_session_free(b.session);
}

static void without_evidence_nothing_changes(void **state)
{
    (void)state;
    store s = { 4, 1 };
    bench b;
    two_rules(&b, &s);
    const met_lowering *lowering = lower(&b, MET_LOWER_EXACT);
    assert_true(!lowering->price.calibrated && lowering->price.seconds == lowering->price.modelled_s);
    met_session_free(b.session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmeasured_groups_take_what_the_family_does),
        cmocka_unit_test(scales_go_both_ways),
        cmocka_unit_test(without_evidence_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
