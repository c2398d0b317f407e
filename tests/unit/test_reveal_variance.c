/* The tree of a variance, whose terms cannot be set one by one: each is the square of what a number is off its mean, which moves with
 * all of them. Numbers that add up to 0 have a mean of exactly 0. Four of them, two that are large and two that the squares of the
 * large ones almost swallow, show how four terms meet: the fifteen trees of four leaves have different answers, which the
 * interpreter gives. A binary tree is what its triples of leaves are, and each is in one of the fours that are asked. */
#include "kernel_folds.h"

#include <stdio.h>

#include "eval/settled.h"

#include "on_compiler.h"

enum { ROWS_AT_ONCE = 24 * 9, TERMS = 37, VARIANCE = 3, SHAPES = 15, LEAVES = 4 };

/* Squares have 24 bits at most, so that products that are rounded and those that are fused are the same; in units of the last
 * place of the larger squares the small ones are between 1/8 and 2. */
static const double fours[][LEAVES] = {
    { 2897, -2897, 0.53125, -0.53125 }, { 2897, -2897, 0.671875, -0.671875 }, { 2897, -2897, 0.8125, -0.8125 },
    { 2897, -2897, 0.96875, -0.96875 }, { 2897, -2897, 1.21875, -1.21875 }, { 2899, -2898, -0.28125, -0.71875 },
    { 2899, -2898, -0.375, -0.625 },    { 2899, -2898, 0.25, -1.25 },       { 2899, -2897, -0.8125, -1.1875 },
};
enum { FOURS = sizeof fours / sizeof *fours, INPUTS = 24 * FOURS };

/* Input number i: which of the four numbers stands at each of four places. */
static void input_of(size_t i, double *ret_values)
{
    size_t order[LEAVES] = { 0, 1, 2, 3 }, rest = i % 24;
    for (size_t k = LEAVES; k > 1; k--) {
        size_t other = rest % k, moved = order[k - 1];
        rest /= k;
        order[k - 1] = order[other];
        order[other] = moved;
    }
    for (size_t k = 0; k < LEAVES; k++)
        ret_values[k] = fours[i / 24][order[k]];
}

/* The trees of four leaves, to which all others are added one by one. */
static const char *const shapes[SHAPES] = {
    "(((0 1) 2) 3)", "(((0 1) 3) 2)", "(((0 2) 1) 3)", "(((0 2) 3) 1)", "(((0 3) 1) 2)", "(((0 3) 2) 1)", "(((1 2) 0) 3)", "(((1 2) 3) 0)",
    "(((1 3) 0) 2)", "(((1 3) 2) 0)", "(((2 3) 0) 1)", "(((2 3) 1) 0)", "((0 1) (2 3))", "((0 2) (1 3))", "((0 3) (1 2))",
};

static const met_bracketing *whole_shape(size_t shape)
{
    met_text text = met_text_new(session->arena);
    for (uint32_t leaf = LEAVES; leaf < TERMS; leaf++)
        met_text_char(&text, '(');
    met_text_put(&text, shapes[shape]);
    for (uint32_t leaf = LEAVES; leaf < TERMS; leaf++)
        met_text_format(&text, " %u)", (unsigned)leaf);
    return met_bracketing_parse(session->arena, met_str_of(met_text_done(&text)));
}

typedef struct variance {
    const met_program *program;
    met_execution *execution;
    const met_bracketing *declared;
    const met_bracketing *wholes[SHAPES];
    double answers[SHAPES][INPUTS][LEAVES];
    bool asked[SHAPES][INPUTS]; /* inputs that together tell the shape from all others */
} variance;

static met_tensor *zeros(const met_circuit *circuit, met_edge_id id)
{
    uint64_t shape[MET_RANK_LIMIT];
    const met_edge *edge = &circuit->edges[id.id];
    for (uint32_t p = 0; p < edge->rank; p++)
        assert_true(met_circuit_size(circuit, edge->axes[p], &shape[p]));
    return met_tensor_new(session, "f32", edge->rank, shape);
}

/* x, a gain of 1 and a bias of 0. */
static void name_arrays(const met_circuit *circuit, met_named_tensor *ret_ins)
{
    const met_edge_id ids[] = { circuit->inputs[0], circuit->parameters[0], circuit->parameters[1] };
    for (size_t k = 0; k < 3; k++)
        ret_ins[k] = (met_named_tensor){ met_sym_text(session, circuit->edges[ids[k].id].name), zeros(circuit, ids[k]) };
    for (size_t i = 0; i < TERMS; i++)
        ret_ins[1].tensor->values[i] = 1;
}

/* What the interpreter gives if the variance has each of the shapes. */
static void compute_answers(variance *v)
{
    const met_circuit *circuit = v->program->plan->circuit;
    met_named_tensor ins[3];
    name_arrays(circuit, ins);
    met_tree *trees = MET_NEW_ARRAY(session->arena, met_tree, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        trees[n] = declared_record(v->program, n) ? *declared_record(v->program, n) : met_tree_sequential(MET_F32);
    for (size_t i = 0; i < INPUTS; i++)
        input_of(i, ins[0].tensor->values + i * TERMS);
    for (size_t s = 0; s < SHAPES; s++) {
        v->wholes[s] = whole_shape(s);
        trees[VARIANCE] = met_tree_sequential(MET_F32);
        trees[VARIANCE].written = v->wholes[s];
        const met_eval_result *result = met_eval_settled(circuit, &v->program->plan->point, trees, &(met_eval_options){ 0 }, 3, ins, NULL);
        if (!result)
            fail_msg("%s", met_session_diagnostics_text(session));
        for (size_t i = 0; i < INPUTS; i++)
            memcpy(v->answers[s][i], result->arrays[0].tensor->values + i * TERMS, sizeof v->answers[s][i]);
    }
}

static bool tells_apart(const variance *v, size_t input, size_t a, size_t b)
{
    return memcmp(v->answers[a][input], v->answers[b][input], sizeof v->answers[a][input]) != 0;
}

/* Inputs that tell each shape from all others, each time the one that tells it from the most that are left. */
static void choose_inputs(variance *v)
{
    for (size_t s = 0; s < SHAPES; s++) {
        bool known[SHAPES] = { false };
        known[s] = true;
        for (size_t round = 0; round < SHAPES; round++) {
            size_t best = 0, most = 0;
            for (size_t i = 0; i < INPUTS; i++) {
                size_t told = 0;
                for (size_t other = 0; other < SHAPES; other++)
                    told += !known[other] && tells_apart(v, i, s, other);
                best = told > most ? i : best;
                most = told > most ? told : most;
            }
            for (size_t other = 0; other < SHAPES && most; other++)
                known[other] = known[other] || tells_apart(v, best, s, other);
            v->asked[s][best] = v->asked[s][best] || most;
        }
        for (size_t other = 0; other < SHAPES; other++)
            if (!known[other])
                fail_msg("no input tells %s from %s", shapes[s], shapes[other]);
    }
}

/* Whether a and b meet before c. */
static bool meet_first(const met_bracketing *tree, uint32_t a, uint32_t b, uint32_t c)
{
    return met_bracketing_meeting(session->arena, tree, a, b) < met_bracketing_meeting(session->arena, tree, a, c);
}

static size_t declared_shape(const variance *v, const uint32_t *leaves)
{
    for (size_t s = 0; s < SHAPES; s++) {
        bool same = true;
        for (uint32_t a = 0; a < LEAVES && same; a++)
            for (uint32_t b = 0; b < LEAVES && same; b++)
                for (uint32_t c = 0; c < LEAVES && same; c++)
                    same = a == b || b == c || a == c ||
                           meet_first(v->wholes[s], a, b, c) == meet_first(v->declared, leaves[a], leaves[b], leaves[c]);
        if (same)
            return s;
    }
    fail_msg("no shape");
    return 0;
}

/* --- Asking the kernel: a row is one input at four leaves --- */

typedef struct question {
    uint32_t leaves[LEAVES];
    size_t shape, input;
} question;

/* Whether the answers are those of the shapes. */
static bool ask(const variance *v, size_t count, const question *questions)
{
    const met_circuit *circuit = v->program->plan->circuit;
    size_t bytes;
    float *x = met_execution_array(v->execution, circuit->inputs[0], &bytes);
    memset(x, 0, bytes);
    for (size_t r = 0; r < count; r++) {
        double values[LEAVES];
        input_of(questions[r].input, values);
        for (size_t k = 0; k < LEAVES; k++)
            x[r * TERMS + questions[r].leaves[k]] = (float)values[k];
    }
    assert_true(met_execution_run(v->execution));
    const float *y = met_execution_array(v->execution, circuit->outputs[0], &bytes);
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < LEAVES; k++)
            if ((double)y[r * TERMS + questions[r].leaves[k]] != v->answers[questions[r].shape][questions[r].input][k])
                return false;
    return true;
}

/* Every three leaves, with a fourth one. */
static bool ask_all(const variance *v)
{
    bool good = true;
    question questions[ROWS_AT_ONCE];
    size_t count = 0;
    for (uint32_t i = 0; i < TERMS; i++)
        for (uint32_t j = i + 1; j < TERMS; j++)
            for (uint32_t k = j + 1; k < TERMS; k++) {
                uint32_t l = (i + j + k) % TERMS;
                while (l == i || l == j || l == k)
                    l = (l + 1) % TERMS;
                question q = { { i, j, k, l }, 0, 0 };
                q.shape = declared_shape(v, q.leaves);
                for (q.input = 0; q.input < INPUTS; q.input++) {
                    if (!v->asked[q.shape][q.input])
                        continue;
                    questions[count++] = q;
                    if (count == ROWS_AT_ONCE) {
                        good = ask(v, count, questions) && good;
                        count = 0;
                    }
                }
            }
    return ask(v, count, questions) && good;
}

/* Whether the variance is the declared one, with a text in the kernel replaced, if there is one. */
static bool is_declared(const char *hardware, const char *from, const char *to)
{
    char sizes[32];
    snprintf(sizes, sizeof sizes, "n=%d,m=%d", ROWS_AT_ONCE, TERMS);
    fold_circuit c = { .program = "x: n m\nlayernorm[m](x)", .set = sizes, .dtype = MET_F32 };
    variance *v = MET_NEW(session->arena, variance);
    *v = (variance){ .program = fold_program(session, &c, hardware, MET_PLANNER_FUSED) };
    v->declared = met_bracketing_of(session->arena, declared_record(v->program, VARIANCE), TERMS);
    compute_answers(v);
    choose_inputs(v);
    const met_program *run = from ? broken_program(session, v->program, from, to, "variance") : v->program;
    v->execution = met_execution_new(session, run, compiler, NULL);
    assert_non_null(v->execution);
    size_t bytes;
    float *gain = met_execution_array(v->execution, v->program->plan->circuit->parameters[0], &bytes);
    for (size_t i = 0; i < TERMS; i++)
        gain[i] = 1;
    bool same = ask_all(v);
    met_execution_free(v->execution);
    return same;
}

static void best_class(void **state)
{
    (void)state;
    assert_true(is_declared(met_cpu_class(session, "cpu"), NULL, NULL));
}

static void plain_class(void **state)
{
    (void)state;
    assert_true(is_declared("cpu-scalar", NULL, NULL));
}

/* The sums of both folds are in another order, which the mean does not show. */
static void another_order(void **state)
{
    (void)state;
    assert_false(is_declared("cpu-scalar", "a.at[l] = a.at[l] + a.at[l + half];", "a.at[l] = a.at[2 * l] + a.at[2 * l + 1];"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(best_class), cmocka_unit_test(plain_class), cmocka_unit_test(another_order) };
    return cmocka_run_group_tests_name("reveal_variance", tests, setup, teardown);
}
