/* What groups of a plan share with kernels that exist: every class of the definition, on families made by hand. */
#include "audited.h"

#include "audit/promotion.h"

#include "on_session.h"

/* --- A family `project` of linear maps, with one parameter of each kind that matters --- */

static const met_family_op linear[] = { { .op = MET_OP_linear } };
static const met_family_param params[] = {
    { .name = "in", .kind = MET_PARAM_COMPILE, .extract = MET_EXTRACT_IN_DIM },
    { .name = "rows", .kind = MET_PARAM_RUNTIME, .extract = MET_EXTRACT_DIM, .argument = "n" },
    { .name = "gain", .kind = MET_PARAM_POLICY, .extract = MET_EXTRACT_SETTING, .argument = "gain", .absent = "no" },
};
static const char *const trees[] = { "undeclared" };

static met_family_point point(const char *in, const char *gain, met_point_how how)
{
    const char **values = met_arena_alloc(session->arena, 3, sizeof *values);
    values[0] = in;
    values[2] = gain;
    return (met_family_point){ .values = values, .how = how };
}

static met_family family_of(const char *id, const char *kernel, uint32_t point_count, const met_family_point *points)
{
    const char **kernels = met_arena_alloc(session->arena, 1, sizeof *kernels);
    kernels[0] = kernel;
    return (met_family){ .id = id, .op_count = 1, .ops = linear, .kernels = { 1, kernels }, .trees = trees, .param_count = 3,
                         .params = params, .point_count = point_count, .points = points };
}

typedef struct world {
    met_lkb lkb;
    met_hardware hardware;
    const met_family *families[2];
    met_rule rule;
    const met_rule *rules[1];
    met_lowering *lowering;
    met_lowering_group *groups;
    met_venn_facts facts;
} world;

static const met_op_id linear_op[] = { MET_OP_linear };
static const char *const served[] = { "project", "project_twin" }, *const decode[] = { "decode" };
static const met_rule_element element = { .op_count = 1, .ops = linear_op };

/* linear 8 -> 16, silu, linear 16 -> 8 */
static world *world_of(uint32_t family_count, const met_family *a, const met_family *b)
{
    world *w = met_arena_alloc(session->arena, 1, sizeof *w);
    const met_circuit *circuit = circuit_of(session, "x: n m\nlinear[f -> m](silu(linear[m -> f](x, @wg)), @wd)",
                                            "n=3,m=8,f=16");
    w->lkb = (met_lkb){ .session = session };
    w->families[0] = a;
    w->families[1] = b;
    w->rule = (met_rule){ .id = "linear", .element_count = 1, .elements = &element, .kernels = { 2, served },
                          .rows_min = 1, .rows_max = 4 };
    w->rules[0] = &w->rule;
    w->hardware = (met_hardware){ .id = "toy", .family_count = family_count, .families = w->families, .rule_count = 1,
                                  .rules = w->rules };
    w->lowering = singles_of(circuit, &w->hardware, &w->groups);
    w->facts = (met_venn_facts){ .lkb = &w->lkb, .hardware = &w->hardware };
    return w;
}

static met_sharing first(const world *w)
{
    return met_venn_new(w->lowering, &w->facts)->sites[0].sharing;
}

/* --- Classes --- */

static bool at_three(void *context, const met_family *family, const char *const *values, uint64_t rows)
{
    (void)context;
    return !strcmp(family->id, "project") && !strcmp(values[0], "8") && rows == 3;
}

static void shared(void **state)
{
    (void)state;
    met_family_point points[] = { point("8", "no", MET_HOW_INSTANTIATION) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    assert_int_equal(first(w), MET_SHARED_UNMEASURED);
    w->facts.evidence = at_three;
    assert_int_equal(first(w), MET_SHARED_UNMEASURED); /* evidence is for other rows */
    w->lowering->rows = 3;
    assert_int_equal(first(w), MET_SHARED);
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    assert_int_equal(venn->sites[2].sharing, MET_PARAMETERIZATION); /* the second linear contracts 16 */
    assert_int_equal(venn->sites[2].difference_count, 1);
}

static void novel(void **state)
{
    (void)state;
    met_family_point points[] = { point("8", "no", MET_HOW_INSTANTIATION) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    assert_int_equal(venn->sites[1].sharing, MET_NOVEL); /* silu: no family has it */
    assert_null(venn->sites[1].family);
    w->lowering->rows = 5; /* beyond the rows of every rule */
    assert_int_equal(first(w), MET_NOVEL);
    w->lowering->rows = 1;
    w->rule.modes = (met_name_list){ 1, decode };
    assert_int_equal(first(w), MET_NOVEL);
    w->rule.modes.count = 0;
    w->hardware.absence_count = 2; /* a kernel that the class lacks serves nobody */
    w->hardware.absences = (met_absence[]){ { .kernel = "project", .reason = "none" }, { .kernel = "project_twin", .reason = "none" } };
    assert_int_equal(first(w), MET_NOVEL);
}

static void policy(void **state)
{
    (void)state;
    met_family_point points[] = { point("8", "yes", MET_HOW_INSTANTIATION) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    assert_int_equal(first(w), MET_POLICY_VARIANT);
    w->facts.settings = (met_setting[]){ { "gain", "yes" } };
    w->facts.setting_count = 1;
    assert_int_equal(first(w), MET_SHARED_UNMEASURED);
}

static void both_kinds_differ(void **state)
{
    (void)state;
    met_family_point points[] = { point("16", "yes", MET_HOW_INSTANTIATION) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    assert_int_equal(first(w), MET_PARAMETERIZATION); /* not all differences are policies */
}

static met_run_point run_of(const char *in, const char *gain)
{
    met_family_point p = point(in, gain, MET_HOW_INSTANTIATION);
    return (met_run_point){ "model", "project", 3, p.values };
}

/* The point that a model runs is compared with, before what is only declared; and a copy shares no text. */
static void run_points(void **state)
{
    (void)state;
    met_family_point points[] = { point("8", "no", MET_HOW_COPY) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    assert_int_equal(first(w), MET_SHARED_UNMEASURED); /* nothing is run: the declared point is equal */
    met_run_point runs[] = { run_of("16", "yes"), run_of("16", "no"), run_of("4", "no") };
    w->facts.runs = runs;
    w->facts.run_count = 3;
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    assert_int_equal(venn->sites[0].sharing, MET_PARAMETERIZATION);
    assert_int_equal(venn->sites[0].difference_count, 1);
    assert_ptr_equal(venn->sites[0].nearest, runs[1].values); /* the first of the nearest */
    assert_string_equal(venn->sites[0].model, "model");
    points[0].how = MET_HOW_BRANCH; /* realised by the same text after all */
    assert_int_equal(first(w), MET_SHARED_UNMEASURED);
    points[0].how = MET_HOW_COPY;
    runs[0] = run_of("8", "no"); /* equal, whatever realises it */
    assert_int_equal(first(w), MET_SHARED_UNMEASURED);
}

static void ties(void **state)
{
    (void)state;
    met_family_point a[] = { point("16", "yes", MET_HOW_INSTANTIATION) }, b[] = { point("16", "no", MET_HOW_INSTANTIATION) };
    met_family one = family_of("project", "project", 1, a), two = family_of("twin", "project_twin", 1, b);
    world *w = world_of(2, &one, &two);
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    assert_ptr_equal(venn->sites[0].family, &two); /* fewer differences */
    b[0] = point("16", "yes", MET_HOW_INSTANTIATION);
    venn = met_venn_new(w->lowering, &w->facts);
    assert_ptr_equal(venn->sites[0].family, &one); /* all alike: file order */
    met_run_point runs[] = { { "model", "twin", 3, b[0].values } };
    w->facts.runs = runs;
    w->facts.run_count = 1;
    venn = met_venn_new(w->lowering, &w->facts);
    assert_ptr_equal(venn->sites[0].family, &two); /* run before bare */
    a[0] = point("8", "yes", MET_HOW_INSTANTIATION);
    venn = met_venn_new(w->lowering, &w->facts);
    assert_ptr_equal(venn->sites[0].family, &one); /* the class comes first of all: a policy variant */
}

static void shares(void **state)
{
    (void)state;
    met_device device = { .id = "toy" };
    met_family_point points[] = { point("8", "no", MET_HOW_INSTANTIATION) };
    met_family family = family_of("project", "project", 1, points);
    world *w = world_of(1, &family, NULL);
    w->facts.evidence = at_three;
    w->lowering->rows = 3;
    w->lowering->device = &device;
    w->lowering->price.seconds = 8;
    static const double seconds[] = { 5, 1, 2 };
    for (int g = 0; g < 3; g++) {
        w->groups[g].price.seconds = seconds[g];
        w->groups[g].source = MET_GROUP_RULE;
    }
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    assert_true(venn->coverage == 0.875); /* without silu, an eighth */
    assert_true(venn->measured == 0.625);
    w->groups[2].source = MET_GROUP_PLACEHOLDER;
    assert_true(met_venn_new(w->lowering, &w->facts)->coverage == 0.625);
}

/* --- Promotion --- */

static void promotions(void **state)
{
    (void)state;
    uint32_t count;
    met_device device = { .id = "toy" };
    met_family_point a[] = { point("2", "no", MET_HOW_COPY), point("4", "no", MET_HOW_COPY) },
                     b[] = { point("2", "yes", MET_HOW_COPY) };
    met_family one = family_of("copied", "elsewhere", 2, a), two = family_of("project", "project", 1, b);
    world *w = world_of(2, &one, &two);
    w->lowering->device = &device;
    w->lowering->price.seconds = 4;
    w->groups[0].price.seconds = 1;
    w->groups[2].price.seconds = 3;
    const met_venn *venn = met_venn_new(w->lowering, &w->facts);
    met_model_venn models[] = { { "first", venn }, { "second", venn } };
    const met_promotion *list = met_promotions(&w->lkb, &w->hardware, 2, models, &count);
    assert_int_equal(count, 3);
    assert_ptr_equal(list[0].family, &one);
    assert_int_equal(list[0].copies, 2);
    assert_ptr_equal(list[1].family, &two); /* one copy is no reason */
    assert_string_equal(list[1].values[0], "16");
    assert_true(list[1].share == 0.75);
    assert_string_equal(list[1].model, "first");
    assert_string_equal(list[2].values[0], "8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shared, setup, teardown),
        cmocka_unit_test_setup_teardown(novel, setup, teardown),
        cmocka_unit_test_setup_teardown(policy, setup, teardown),
        cmocka_unit_test_setup_teardown(both_kinds_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(run_points, setup, teardown),
        cmocka_unit_test_setup_teardown(ties, setup, teardown),
        cmocka_unit_test_setup_teardown(shares, setup, teardown),
        cmocka_unit_test_setup_teardown(promotions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
