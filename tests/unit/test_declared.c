/* What families declare: which of a group's kernels answers for an op, and for which operands the tree of its unit holds. Families
 * and units are made up. */
#include <stdio.h>

#include "circuits.h"

#include "ir/settle_trace.h"
#include "parity/operands.h"

#define NAMES(...) { sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]){ __VA_ARGS__ } }

static const met_family_op linear = { .op = MET_OP_linear }, softmax = { .op = MET_OP_softmax };
static const char *const trees[] = { "t" };

/* In the order of how well they answer for `linear`. */
static const met_family families[] = {
    { .id = "none", .op_count = 1, .ops = &softmax, .kernels = NAMES("none"), .trees = trees },
    { .id = "beside", .op_count = 1, .ops = &linear, .core = NAMES("softmax"), .kernels = NAMES("beside"), .trees = trees },
    { .id = "any", .op_count = 1, .ops = &linear, .kernels = NAMES("any"), .trees = trees },
    { .id = "core", .op_count = 1, .ops = &linear, .core = NAMES("linear"), .kernels = NAMES("core", "again"),
      .trees = (const char *const[]){ "t", "undeclared" } },
};

enum { FAMILIES = sizeof families / sizeof *families };

static met_declared declared_by(const char *first, const char *second)
{
    const met_family *all[FAMILIES];
    for (size_t f = 0; f < FAMILIES; f++)
        all[f] = &families[f];
    met_lkb_tree tree = { .id = "t" };
    met_lkb known = { .tree_count = 1, .trees = &tree };
    met_hardware hardware = { .family_count = FAMILIES, .families = all };
    met_lowering_group group = { .kernels = NAMES("unknown", first, second) };
    met_declared found = met_declared_in(&known, &hardware, &group, "linear");
    assert_true((found.tree != NULL) == (strcmp(found.kernel, "again") != 0));
    return found;
}

static void best_kernel_answers(void **state)
{
    (void)state;
    for (size_t a = 0; a < FAMILIES; a++) {
        for (size_t b = 0; b < FAMILIES; b++) {
            met_declared found = declared_by(families[a].id, families[b].id);
            size_t best = a > b ? a : b;
            assert_ptr_equal(found.family, &families[best]);
            assert_int_equal(found.beside, best < 2);
        }
    }
    /* of two that answer alike, the first */
    assert_string_equal(declared_by("core", "again").kernel, "core");
    assert_string_equal(declared_by("again", "core").kernel, "again");
}

/* --- Operands --- */

static const met_name_list half = NAMES("bf16"), halves = NAMES("bf16", "f16");

static const met_pipeline_step steps[] = {
    { MET_OP_linear, "weight", "f16->bf16" }, { MET_OP_einsum, "weight", "f16->bf16" }, { MET_OP_einsum, "weight", "f32->f64" },
    { MET_OP_linear, "in", "f32" },           { MET_OP_linear, "act", "bf16" },         { MET_OP_einsum, "in", "f32" },
};

/* Why the unit of these inputs refuses the product (or sum) of such arrays; "" if it does not. */
static const char *refused(met_session *session, met_op_id op, met_name_list inputs, const char *a, const char *b)
{
    char text[96];
    snprintf(text, sizeof text, *b ? "a: %s[n k]\nb: %s[m k]\ny = einsum['n k, m k -> n m'](a, b) : f32" : "a: %s[n k]\ny = sum[k](a)", a, b);
    met_point point = met_point_of(MET_F32);
    const met_settled *settled = met_settled_new(circuit_of(session, text, *b ? "n=2,m=2,k=3" : "n=2,k=3"), &point);
    assert_true(settled && settled->circuit->node_count == 1);
    met_lkb_unit unit = { .id = "u", .inputs = inputs };
    met_lkb known = { .unit_count = 1, .units = &unit };
    met_lkb_tree tree = { .id = "t", .unit = "u", .tree = met_tree_sequential(MET_F32) };
    tree.tree.node = MET_NODE_MATRIX;
    met_family family = { .step_count = sizeof steps / sizeof *steps, .steps = steps };
    met_declared declared = { .kernel = "k", .family = &family, .tree = &tree };
    const char *why = met_operands_refused(&known, settled->circuit, 0, op, &declared);
    return why ? why : "";
}

static void unit_takes_its_formats(void **state)
{
    (void)state;
    static const struct {
        met_op_id op;
        bool both;
        const char *a, *b, *why;
    } cases[] = {
        { MET_OP_linear, false, "bf16", "bf16", "" },
        { MET_OP_linear, false, "bf16", "f16", "" }, /* a weight that the family converts */
        { MET_OP_linear, false, "f32", "bf16", "" }, /* what comes in, and becomes what acts */
        { MET_OP_einsum, false, "bf16", "f16", "" },
        { MET_OP_einsum, false, "f32", "bf16", "an operand is f32, and the unit takes bf16" }, /* into f64, or nothing */
        { MET_OP_softmax, false, "bf16", "f16", "an operand is f16, and the unit takes bf16" },
        { MET_OP_linear, true, "bf16", "f16", "the operands are of two formats" },
        { MET_OP_linear, true, "f16", "f16", "" },
        { MET_OP_linear, false, "f64", "bf16", "an operand is f64, and the declared tree's sums are f32" },
        { MET_OP_linear, false, "bf16", "", "the tree is of products, and this is a sum of single terms" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        assert_string_equal(refused(session, cases[i].op, cases[i].both ? halves : half, cases[i].a, cases[i].b), cases[i].why);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(best_kernel_answers), cmocka_unit_test(unit_takes_its_formats) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
