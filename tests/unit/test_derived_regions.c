/* What derivation finds on classes that nothing here realizes: without the rule `attention`, the exact planner makes attention
 * one kernel all the same, if its tiles fit what one unit of the device has. */
#include "models.h"

#include "host/model.h"
#include "lkb/lkb.h"
#include "met/plan.h"
#include "plan/lowering.h"

/* --- The blueprint, changed --- */

static char *text_of(met_session *session, const char *path)
{
    char whole[1024];
    const char *bytes;
    size_t length;
    snprintf(whole, sizeof whole, MET_ROOT_DIR "/kernels/%s", path);
    assert_true(met_file_read(session, whole, SIZE_MAX / 2, &bytes, &length));
    return memcpy(met_arena_alloc(session->arena, length + 1, 1), bytes, length);
}

static const char *replaced(met_session *session, const char *text, const char *what, const char *by)
{
    met_text out = met_text_new(session->arena);
    const char *at = strstr(text, what);
    assert_non_null(at);
    for (; at; at = strstr(text, what)) {
        met_text_bytes(&out, text, (size_t)(at - text));
        met_text_put(&out, by);
        text = at + strlen(what);
    }
    met_text_put(&out, text);
    return met_text_done(&out);
}

/* Without the table that begins with `begin`. */
static const char *without(met_session *session, const char *text, const char *begin)
{
    const char *from = strstr(text, begin), *to = from ? strstr(from + strlen(begin), "[[rule]]") : NULL;
    assert_true(from && to);
    met_text out = met_text_new(session->arena);
    met_text_bytes(&out, text, (size_t)(from - text));
    met_text_put(&out, to);
    return met_text_done(&out);
}

typedef struct change {
    bool no_rule;  /* hopper removes `attention` */
    bool small;    /* 100 bytes of shared memory a unit */
    bool no_families; /* none takes what derivation finds */
} change;

static const met_value *parsed(met_session *session, const char *name, const char *text)
{
    const met_value *value = met_toml_read(session, met_session_add_source(session, name, text, strlen(text)));
    assert_non_null(value);
    return value;
}

static const met_lkb *blueprint(met_session *session, change how)
{
    const char *families = text_of(session, "KERNEL_FAMILIES.toml"), *hopper_families = text_of(session, "classes/hopper/KERNEL_FAMILIES.toml");
    const char *rules = text_of(session, "classes/hopper/FUSIONS.toml"), *devices = text_of(session, "DEVICES.toml");
    if (how.no_rule) {
        rules = without(session, rules, "[[rule]]\nid = \"attention\"");
        rules = replaced(session, rules, "remove = [", "remove = [\"attention\", ");
    }
    if (how.small)
        devices = replaced(session, devices, "capacity_bytes = 30818304", "capacity_bytes = 13200");
    if (how.no_families) {
        families = replaced(session, families, "\nderived = ", "\n# ");
        hopper_families = replaced(session, hopper_families, "\nderived = ", "\n# ");
    }
    met_lkb_overlay hopper = { .class_id = "hopper", .families = parsed(session, "hopper families", hopper_families),
                               .fusions = parsed(session, "hopper rules", rules) };
    met_lkb_sources sources = {
        .families = parsed(session, "families", families),
        .fusions = parsed(session, "rules", text_of(session, "FUSIONS.toml")),
        .hardware = parsed(session, "hardware", text_of(session, "HARDWARE.toml")),
        .devices = parsed(session, "devices", devices),
        .units = parsed(session, "units", text_of(session, "MATRIX_UNITS.toml")),
        .precision = parsed(session, "precision", text_of(session, "PRECISION.toml")),
        .overlay_count = 1,
        .overlays = &hopper,
    };
    const met_lkb *lkb = met_lkb_read(session, &sources);
    if (!lkb)
        fail_msg("%s", met_session_diagnostics_text(session));
    return lkb;
}

/* --- Plans --- */

static const met_lowering *plan(met_session *session, const char *mode, change how, const char **ret_report)
{
    met_model_request model = { .name = "llama-3.1-8b", .mode = mode, .layers = "1" };
    met_plan_request request = { .planner = "exact", .hardware = "h200-sxm", .mode = mode };
    const met_lkb *lkb = blueprint(session, how);
    met_circuit *circuit = met_model_load(session, &model);
    circuit = circuit ? met_plan_bind(circuit, &request) : NULL;
    const met_lowering *lowering = circuit ? met_plan_circuit(circuit, lkb, &request) : NULL;
    if (!lowering)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_null(met_lowering_check(lowering));
    *ret_report = met_lowering_report(lowering, &request);
    return lowering;
}

/* The group that has a softmax. */
static const met_lowering_group *attention_of(const met_lowering *lowering)
{
    for (uint32_t n = 0; n < lowering->circuit->node_count; n++)
        if (lowering->circuit->nodes[n].op->id == MET_OP_softmax)
            return &lowering->groups[lowering->group_of[n]];
    fail_msg("the model has no attention");
    return NULL;
}

static uint32_t count_op(const met_lowering *lowering, const met_lowering_group *group, met_op_id op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->node_count; i++)
        count += lowering->circuit->nodes[group->nodes[i].id].op->id == op;
    return count;
}

static void attention_is_found_without_its_rule(void **state)
{
    (void)state;
    static const char *const modes[] = { "prefill", "decode" };
    for (size_t m = 0; m < 2; m++) {
        met_session *session = met_session_new();
        const char *report;
        const met_lowering *lowering = plan(session, modes[m], (change){ .no_rule = true }, &report);
        const met_lowering_group *found = attention_of(lowering);
        assert_int_equal(found->source, MET_GROUP_DERIVED);
        assert_int_equal(count_op(lowering, found, MET_OP_einsum), 2);
        assert_string_equal(found->family->id, "attention");
        assert_string_equal(found->kernels.names[0], found->family->derived);
        assert_int_equal(found->tag, MET_TAG_BIT_IDENTICAL);
        assert_string_not_equal(found->record, "undeclared"); /* the family says how its kernels add */
        assert_non_null(strstr(report, "matches and derived regions"));
        /* no dearer than with the rule, for whatever the rule covers is a region as well */
        const met_lowering *ruled = plan(session, modes[m], (change){ 0 }, &report);
        assert_true(lowering->proven && ruled->proven);
        assert_true(lowering->price.seconds <= ruled->price.seconds * (1 + 1e-9));
        met_session_free(session);
    }
}

static void tiles_must_fit_a_unit(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const char *report;
    const met_lowering *lowering = plan(session, "prefill", (change){ .no_rule = true, .small = true }, &report);
    assert_true(count_op(lowering, attention_of(lowering), MET_OP_einsum) < 2);
    met_session_free(session);
}

static void a_class_may_take_none(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const char *report;
    const met_lowering *lowering = plan(session, "prefill", (change){ .no_rule = true, .no_families = true }, &report);
    assert_int_equal(attention_of(lowering)->source, MET_GROUP_RULE);
    assert_non_null(strstr(report, "no plan of matches takes less"));
    assert_null(strstr(report, "derived regions"));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_is_found_without_its_rule),
        cmocka_unit_test(tiles_must_fit_a_unit),
        cmocka_unit_test(a_class_may_take_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
