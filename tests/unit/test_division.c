/* Where divisions stand in settled circuits: which move, what that leaves behind, and that it changes nothing over the
 * reals. */
#include <stdio.h>

#include "circuits.h"

#include "budget/term.h"
#include "eval/settled.h"
#include "ir/check.h"
#include "ir/json.h"
#include "number/encode.h"
#include "support/random.h"

#include "on_session.h"

static const met_circuit *settle(const met_circuit *circuit, met_dtype dtype, met_division division)
{
    met_point point = met_point_of(dtype);
    point.division = division;
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    if (!settled || !met_circuit_check(settled))
        fail_msg("%s", met_session_diagnostics_text(session));
    return settled;
}

/* Every program divides, and reads something of all the sizes below. `deferred`: it moves when asked; `standard`: also
 * when nobody asks. The inputs are to be positive. */
static const struct {
    const char *program;
    bool deferred, standard;
} programs[] = {
    { "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'", true, true },
    { "'q h d, x h d -> h q x' @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'", true, true },
    { "'q h d, x h d -> h q x' @ l2norm[x] @ 'h q x, x h d -> q h d'", true, true },
    { "'q h d, x h d -> h q x' @ l1norm[x](eps=1e-3) @ 'h q x, x h d -> q h d'", true, true },
    { "'q h d, x h d -> h q x' @ maxnorm[x] @ 'h q x, x h d -> q h d'", true, true },
    { "x: q x, v: x d\ny = rmsnorm[x](x)\nz = 'q x, x d -> q d'(y, v)", true, false },
    { "x: q x, v: x d\ny = rmsnorm[x](x, gain=no)\nz = 'q x, x d -> q d'(y, v)", true, false },
    /* on the way: maps that keep the factor */
    { "x: q x, v: x d\ny = cast(softmax[x](x), format=bf16)\nz = 'q x, x d -> q d'(y, cast(v, format=bf16))", true, true },
    { "x: q x, v: x d, g: x\ny = mul['q x, x -> q x'](scale(softmax[x](x), 2), g)\nz = 'q x, x d -> q d'(y, v)", true, true },
    { "x: q x, v: x d\ny = mask.causal[q x](softmax[x](x))\nz = 'q x, x d -> q d'(y, v)", true, true },
    { "x: q x, v: x d\ny = view[x q <- q, x](softmax[x](x))\nz = 'x q, x d -> d q'(y, v)", true, true },
    { "x: q x, v: x d\ny = neg(softmax[x](x))\nz = neg('q x, x d -> q d'(y, v))", true, true },
    /* several readers, several divisors, sums that are no einsum */
    { "x: q x, v: x d\nw = softmax[x](x)\ny = 'q x, x d -> q d'(w, v)\nz = 'q x, x d, x d -> d q'(w, v, v)\n-> y, z", true, true },
    { "x: q x, v: d x\nz = 'q x, d x -> q d'(softmax[x](x), softmax[x](v))", true, true },
    { "x: q x\nz = sum[x](l2norm[x](x))", true, true },
    { "x: q x, v: x d\nz = fold['q x, x d -> q d'](softmax[x](x), v, { a*exp(b) })", true, true },
    /* written out: moves only when asked */
    { "x: q x, v: x d\nz = 'q x, x d -> q d'(div['q x, q -> q x'](x, sum[x](x)), v)", true, false },
    { "x: q x, v: x d\ny = map['q x, q -> q x'](x, sum[x](x), { a*recip(b) })\nz = 'q x, x d -> q d'(y, v)", true, false },
    { "x: q x, v: x d\ny = map['q x, q -> q x'](x, sum[x](x), { rsqrt(b)*a })\nz = 'q x, x d -> q d'(y, v)", true, false },
    { "x: q x, v: x d\ny = map['q x, q, q -> q x'](x, sum[x](x), max[x](x), { a/(b*(c + 1)) })\nz = 'q x, x d -> q d'(y, v)", true, false },
    /* what cannot: kept results, other readers, other axes, sums within the formula, nothing to fold */
    { "x: q x\nz = softmax[x](x)", false, false },
    { "x: q x, v: x d\nw = softmax[x](x)\nz = 'q x, x d -> q d'(w, v)\n-> w, z", false, false },
    { "x: q x, v: x d\nw = softmax[x](x)\nz = 'q x, x d -> q d'(w, v)\ny = exp(w)\n-> y, z", false, false },
    { "x: q x, v: q d\nz = 'q x, q d -> x d'(softmax[x](x), v)", false, false },
    { "x: q x, v: x d\nw = softmax[x](x)\nz = 'q x, q x, x d -> q d'(w, w, v)", false, false },
    { "x: q x, v: x d\nz = 'q x, x d -> q d'(layernorm[x](x), v)", false, false },
    { "x: q x\nz = max[x](softmax[x](x))", false, false },
    { "x: q x, v: x d\nz = 'q x, x d -> q d'(softmax[q x; q](x), v)", false, false },
    /* a contraction's result over what is not made of it stands behind that contraction */
    { "x: q x, v: x d, w: d x\ny = div['q d, q -> q d']('q x, x d -> q d'(x, v), sum[x](x))\nz = 'q d, d x -> q x'(y, w)", false, false },
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static bool moved(const met_circuit *settled)
{
    for (uint32_t e = 0; e < settled->edge_count; e++)
        if (strstr(met_sym_text(settled->session, settled->edges[e].name), "_undivided"))
            return true;
    return false;
}

static void which_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        const met_circuit *circuit = circuit_of(session, programs[i].program, "");
        if (moved(settle(circuit, MET_F64, MET_DIVISION_EAGER)) ||
            moved(settle(circuit, MET_F64, MET_DIVISION_DEFERRED)) != programs[i].deferred ||
            moved(settle(circuit, MET_F64, MET_DIVISION_DEFAULT)) != programs[i].standard)
            fail_msg("%s", programs[i].program);
    }
}

static void settling_again_changes_nothing(void **state)
{
    (void)state;
    static const met_dtype dtypes[] = { MET_F64, MET_BF16 };
    for (size_t i = 0; i < PROGRAMS + 100; i++) {
        char text[8192];
        if (i >= PROGRAMS)
            random_equations(i, 14, text, sizeof text);
        const char *program = i < PROGRAMS ? programs[i].program : text;
        const met_circuit *circuit = circuit_of(session, program, "");
        for (int k = 0; k < 6; k++) {
            met_division division = (met_division)(k % 3);
            const met_circuit *once = settle(circuit, dtypes[k / 3], division);
            const char *a = met_circuit_json(once), *b = met_circuit_json(settle(once, dtypes[k / 3], division));
            if (strcmp(a, b) != 0)
                fail_msg("%s\n%s\n%s", program, a, b);
        }
    }
}

/* Positive numbers for all inputs and parameters. Returns how many arrays. */
static uint32_t positive_arrays(const met_circuit *circuit, met_named_tensor *ins)
{
    uint32_t count = circuit->input_count + circuit->parameter_count;
    for (uint32_t k = 0; k < count; k++) {
        met_edge_id id = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        const met_edge *edge = &circuit->edges[id.id];
        uint64_t shape[8];
        for (uint32_t p = 0; p < edge->rank; p++)
            assert_true(met_circuit_size(circuit, edge->axes[p], &shape[p]));
        met_tensor *tensor = met_tensor_new(session, "f64", edge->rank, shape);
        assert_true(met_fill("normal", 11, k, 0, tensor->count, tensor->values));
        for (size_t e = 0; e < tensor->count; e++)
            tensor->values[e] = 0.125 + fabs(tensor->values[e]);
        ins[k] = (met_named_tensor){ met_sym_text(session, edge->name), tensor };
    }
    return count;
}

/* With positive terms a sum of n of them, its terms and what is done to it are off by at most γ(n + c) of itself, c counting
 * the other roundings on the way of one term. The two circuits share everything before the division. Where the weights are
 * stored in bf16, each is off by at most 2^-8 of itself at either place. */
static void equal_over_the_reals(void **state)
{
    (void)state;
    enum { X = 37, OTHERS = 8 };
    for (size_t i = 0; i < PROGRAMS; i++) {
        const char *program = programs[i].program;
        const met_circuit *circuit = circuit_of(session, program, "");
        circuit = met_circuit_bind(circuit, circuit->axis_count == 2 ? "q=5,x=37" : strstr(program, "h") ? "q=5,x=37,h=2,d=3"
                                                                                                          : "q=5,x=37,d=3");
        if (!circuit)
            fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
        met_named_tensor ins[8];
        uint32_t count = positive_arrays(circuit, ins);
        double tolerance = 2 * met_budget_gamma((X + OTHERS) * 0x1p-53) + (strstr(program, "bf16") ? 0x1p-7 : 0);
        met_eval_options eager = { .division = "eager" }, deferred = { .division = "deferred" };
        const met_eval_result *a = run_with(circuit, &eager, count, ins), *b = run_with(circuit, &deferred, count, ins);
        for (size_t k = 0; k < a->output_count; k++) {
            const met_tensor *before = a->arrays[k].tensor, *after = b->arrays[k].tensor;
            for (size_t e = 0; e < before->count; e++)
                if (!(fabs(before->values[e] - after->values[e]) <= tolerance * fabs(before->values[e])))
                    fail_msg("%s: %.17g and %.17g", program, before->values[e], after->values[e]);
        }
    }
}

/* A row in which nothing is live is 0 at either place, also where the divisor of an empty row is 0. */
static void empty_rows(void **state)
{
    (void)state;
    static const char *const norms[] = { "softmax", "l1norm", "l2norm", "maxnorm", "rmsnorm" };
    static const char *const places[] = { "eager", "deferred" };
    for (int i = 0; i < 5; i++) {
        char program[200];
        snprintf(program, sizeof program,
                 "x: q x, v: x\ny = %s[x](mask[q x](x, keep={ i_q + i_x >= 3 }))\nz = 'q x, x -> q'(y, v)", norms[i]);
        for (int d = 0; d < 2; d++) {
            met_eval_options options = { .division = places[d], .fill = "ones" };
            const met_tensor *z = run_with(circuit_of(session, program, "q=3,x=3"), &options, 0, NULL)->arrays[0].tensor;
            assert_true(z->values[0] == 0 && z->values[1] > 0 && z->values[2] > 0);
        }
    }
}

/* In bf16 the weights that meet v are rounded where they are stored, before they are divided; the sum is not rounded
 * before it is. */
static void formats_stay(void **state)
{
    (void)state;
    enum { N = 50 };
    double p[N], v[N];
    assert_true(met_fill("normal", 3, 0, 0, N, p) && met_fill("normal", 4, 0, 0, N, v));
    const met_circuit *circuit = circuit_of(session, "x: n, v: n\ny = l1norm[n](exp(x))\nz = 'n, n -> '(y, v)", "n=50");
    met_eval_options options = { .dtype = "bf16", .tree = "sequential" };
    const met_tensor *z = run_flat(circuit, &options, 2, (const double *[]){ p, v })->arrays[0].tensor;
    const met_circuit *weights = circuit_of(session, "x: n\nexp(x)", "n=50");
    const double *e = run_flat(weights, &options, 1, (const double *[]){ p })->arrays[0].tensor->values;
    float sum = 0, mix = 0;
    for (int i = 0; i < N; i++) {
        sum += (float)e[i];
        mix = fmaf((float)met_round(MET_BF16, e[i]), (float)met_round(MET_BF16, v[i]), mix);
    }
    assert_true(z->values[0] == met_round(MET_BF16, (double)(mix / sum)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(which_move, setup, teardown),
        cmocka_unit_test_setup_teardown(settling_again_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_over_the_reals, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(formats_stay, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
