/* Several levels, rates, formats and exponents against known values. */
#include "cost_known.h"

#include "cost/levels.h"
#include "cost/relax.h"

static void two_level(context *c)
{
    uint64_t n = whole(c, "n");
    const met_cost_problem *p = make_matmul(&c->maker, c->arena, n, n, n, 1, whole(c, "s"));
    met_cost_level levels[2] = { { whole(c, "M1"), real(c, "w1") }, { whole(c, "M2"), real(c, "w2") } };
    met_cost_solution solutions[2];
    double cost = met_cost_solve_levels(c->arena, p, 2, levels, (met_cost_nesting){ .powers = true }, solutions);
    assert_true(solutions[0].feasible && solutions[0].proven);
    expect(c, "cost", cost);
    expect(c, "H1", (double)solutions[0].traffic);
    expect(c, "H2", (double)solutions[1].traffic);
    double tile[4] = { (double)solutions[0].tile[0], (double)solutions[0].tile[1], (double)solutions[1].tile[0], (double)solutions[1].tile[1] };
    expect_list(c, "tile", 4, tile);
}

static void level_times(context *c)
{
    uint64_t n = whole(c, "n");
    const met_value *levels = field(c->in, "levels");
    double traffic[8], seconds[8], compute = 2 * pow((double)n, 3) / real(c, "peak");
    for (size_t l = 0; l < levels->items.count; l++) {
        traffic[l] = matmul_form(c, n, n, n, number_field(levels->items.at[l], "M"));
        seconds[l] = traffic[l] * real(c, "bytes_per_value") / number_field(levels->items.at[l], "bandwidth");
    }
    met_cost_time time = met_cost_time_of((uint32_t)levels->items.count, seconds, compute);
    expect_list(c, "H", levels->items.count, traffic);
    expect_list(c, "seconds", levels->items.count, seconds);
    expect(c, "compute", compute);
    expect(c, "time", time.overlapped);
    expect(c, "serial", time.serial);
}

static void virtual_level(context *c)
{
    uint64_t n = whole(c, "n");
    double capacity = met_cost_virtual_capacity(real(c, "M"), whole(c, "children"));
    expect(c, "effective_M", capacity);
    /* the children hold the outputs, and slices are only relayed: of the residents the output's tile remains */
    make_matmul(&c->maker, c->arena, n, n, n, 1, 1);
    c->maker.residents[0] = c->maker.residents[2];
    c->maker.p.resident_count = 1;
    met_cost_relaxed relaxed;
    assert_true(met_cost_relax(&c->maker.p, capacity, true, &relaxed));
    expect(c, "H", relaxed.traffic);
    assert_int_equal(relaxed.clamped, field(c->out, "clamped")->boolean);
}

static void cross(context *c)
{
    const met_value *rates = field(c->in, "r_x"), *want = field(c->out, "coefficient");
    double most = -INFINITY;
    met_str best = { 0 };
    for (size_t i = 0; i < rates->entries.count; i++) {
        double units = 0;
        assert_true(met_read_double(rates->entries.at[i].key, &units));
        double got = met_cost_exchange(real(c, "r_h"), rates->entries.at[i].value->number, real(c, "beta"), units);
        const char *key = met_arena_text(c->arena, rates->entries.at[i].key.at, rates->entries.at[i].key.length);
        expect_near(c, "coefficient", got, field(want, key)->number, 0);
        if (got > most) {
            most = got;
            best = rates->entries.at[i].key;
        }
    }
    assert_true(met_str_equal(best, string_field(c->out, "best")));
}

static void quant(context *c)
{
    const met_value *factors = field(c->in, "factors");
    double ratio[8];
    for (size_t i = 0; i < factors->items.count; i++)
        ratio[i] = met_cost_requantized(factors->items.at[i]->number, real(c, "beta"));
    expect_list(c, "ratio", factors->items.count, ratio);
}

static void intensity(context *c)
{
    double peak = real(c, "peak"), rate = real(c, "values_per_second");
    double capacity = met_value_get(c->in, "M") ? real(c, "M") : (double)INFINITY;
    double streamed = met_value_get(c->in, "b") ? real(c, "b") : (double)INFINITY;
    expect(c, "min_M", met_cost_least_capacity(peak, rate, streamed));
    expect(c, "min_b", met_cost_least_stream(peak, rate, capacity));
}

static void exponent(context *c)
{
    const met_value *arrays = field(c->in, "arrays");
    char letters[27] = { 0 };
    met_loops sets[16] = { 0 };
    for (size_t a = 0; a < arrays->entries.count; a++) {
        met_str text = arrays->entries.at[a].value->string;
        for (size_t i = 0; i < text.length; i++) {
            if (!strchr(letters, text.at[i]))
                letters[strlen(letters)] = text.at[i];
            sets[a] |= (met_loops)1 << (strchr(letters, text.at[i]) - letters);
        }
    }
    met_ratio sigma;
    assert_true(met_cost_edge_cover(c->arena, (uint32_t)strlen(letters), (uint32_t)arrays->entries.count, sets, &sigma));
    expect(c, "sigma", met_ratio_number(sigma));
    expect(c, "beta", met_ratio_number(met_ratio_sub(sigma, met_ratio_of(1, 1))));
}

static void occupancy(context *c)
{
    const met_value *list = field(c->in, "resources");
    met_cost_resource resources[8];
    double each[8];
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        resources[i] = (met_cost_resource){ number_field(item, "capacity"), number_field(item, "per_block"), number_field(item, "per_group") };
        each[i] = (double)met_cost_groups_held(&resources[i]);
    }
    expect_list(c, "each", list->items.count, each);
    expect(c, "groups", (double)met_cost_occupancy((uint32_t)list->items.count, resources));
}

static void split(context *c)
{
    uint64_t words = whole(c, "rows") * (whole(c, "d") + 2);
    expect(c, "state_words", (double)words);
    expect(c, "extra", (double)met_cost_split(words, whole(c, "splits")));
}

static void footprint(context *c)
{
    expect(c, "extent", (double)met_cost_extent(whole(c, "g"), whole(c, "w"), whole(c, "stride"), whole(c, "dilation")));
}

static const cost_kind kinds[] = {
    { "two_level", two_level }, { "level_times", level_times }, { "virtual_level", virtual_level },
    { "cross", cross }, { "quant", quant }, { "intensity", intensity }, { "exponent", exponent },
    { "occupancy", occupancy }, { "split", split }, { "footprint", footprint },
};

static void known_values(void **state)
{
    (void)state;
    run_kinds(kinds, sizeof kinds / sizeof *kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
