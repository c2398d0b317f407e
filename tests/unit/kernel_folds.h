/* Folds of generated kernels, each with a way to probe it: circuits, and where in their arrays the terms of a fold stand. */
#ifndef MET_TEST_KERNEL_FOLDS_H
#define MET_TEST_KERNEL_FOLDS_H

#include "circuits.h"

#include "host/cpu.h"
#include "kernel_probe.h"
#include "ir/primitive.h"
#include "number/bracketing.h"
#include "number/tree_compare.h"

/* The node that is a recurrence. */
enum { SCAN = -2 };

typedef struct fold_row {
    int node;         /* of the settled circuit, or SCAN; what is also probed by it */
    int also;         /* another node, or −1 */
    kernel_fold fold;
} fold_row;

typedef struct fold_circuit {
    const char *program, *set;
    met_dtype dtype;
    met_dot dot;
    const char *tiles;
    fold_row rows[4];
    size_t count;
    int unprobed; /* node of a fold that no input shows by itself, or −1 */
} fold_circuit;

#define LINE(array, first, step) { true, array, first, step, NULL }
#define DOT(length, line_a, line_b, out) \
    { .kind = MET_PROBE_DOT, .n = length, .a = line_a, .b = line_b, .element = out }

#define A_ROW(r) LINE(0, (r) * 45, 1)
#define B_COLUMN(f) LINE(1, f, 35)
#define GEMM "a: q d, b: d f\n'q d, d f -> q f'(a, b)", "q=5,d=45,f=35"
#define ROWS(op) "x: n m\n" op, "n=3,m=53"
#define STREAM "q: s d, k: x d, v: x e\n'q x, x e -> q e'(softmax[x]('q d, x d -> q x'(q, k)), v)", "s=3,d=4,x=53,e=5"
#define CAUSAL "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'", \
    "q=40,x=40,h=2,d=1"
#define MLP "x: n m, g: m f, u: m f, o: f m\n" \
    "'n f, f m -> n m'(mul(silu('n m, m f -> n f'(x, g)), 'n m, m f -> n f'(x, u)), o)", "n=3,m=45,f=35"

#define SSM "h: g r p s, x: n g r p, dt: n g r, e: n g s, f: n g s\n" \
    "y, last = ssm['g r p s, n g r p, n g r, g r, n g s, n g s, g r -> n g r p, g r p s'](h, x, dt, @a, e, f, @d)\n-> y"
#define DELTA "h: k v, q: n k, e: n k, x: n v, a: n, b: n\n" \
    "y, last = delta_rule['k v, n k, n k, n v, n, n -> n v, k v'](h, q, e, x, a, b)\n-> y"
#define CONV "h: j e, x: n e\ny, last = causal_conv['j e, n e, e j -> n e, j e'](h, x, @w)\n-> y"

static const fold_circuit fold_circuits[] = {
    { "a: d, b: d\n'd, d -> '(a, b)", "d=45", MET_F32, 0, NULL,
      { { 0, -1, DOT(45, LINE(0, 0, 1), LINE(1, 0, 1), 0) } }, 1, -1 },
    { "a: q d, b: d\n'q d, d -> q'(a, b)", "d=45,q=3", MET_F32, 0, NULL,
      { { 0, -1, DOT(45, LINE(0, 90, 1), LINE(1, 0, 1), 2) } }, 1, -1 },
    { GEMM, MET_F32, 0, NULL,
      { { 0, -1, DOT(45, A_ROW(0), B_COLUMN(0), 0) }, { 0, -1, DOT(45, A_ROW(4), B_COLUMN(34), 4 * 35 + 34) } }, 2, -1 },
    { GEMM, MET_F32, 0, "q=2,f=16,d=7", { { 0, -1, DOT(45, A_ROW(3), B_COLUMN(17), 3 * 35 + 17) } }, 1, -1 },
    { GEMM, MET_BF16, 0, NULL, { { 0, -1, DOT(45, A_ROW(1), B_COLUMN(33), 35 + 33) } }, 1, -1 },
    /* An even number: the zeros that fill up a pair turn −0 into +0, which a tree of the terms has no word for. */
    { "a: q d, b: d f\n'q d, d f -> q f'(a, b)", "q=5,d=46,f=35", MET_BF16, MET_DOT_PAIRS, NULL,
      { { 0, -1, DOT(46, LINE(0, 46, 1), B_COLUMN(33), 35 + 33) } }, 1, -1 },
    { "a: n q d, b: n d f\n'n q d, n d f -> n q f'(a, b)", "n=2,q=5,d=45,f=19", MET_F32, 0, NULL,
      { { 0, -1, DOT(45, LINE(0, 225 + 2 * 45, 1), LINE(1, 45 * 19 + 18, 19), 5 * 19 + 2 * 19 + 18) } }, 1, -1 },
    { "x: n m, i: i32[n b], w: v f m\nexpert['n m, n b, v f m -> n b f'](x, i, w)", "n=3,m=45,b=2,v=4,f=19", MET_F32, 0, NULL,
      { { 0, -1, DOT(45, LINE(0, 45, 1), LINE(2, 3 * 45, 1), 2 * 19 + 3) } }, 1, -1 },
    { ROWS("sum[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SUM, .n = 53, .a = LINE(0, 53, 1), .element = 1 } } }, 1, -1 },
    { ROWS("sum[n m](x)"), MET_F32, 0, NULL, { { 0, -1, { .kind = MET_PROBE_SUM, .n = 159, .a = LINE(0, 0, 1) } } }, 1, -1 },
    { ROWS("mean[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SUM, .n = 53, .a = LINE(0, 53, 1), .element = 1, .scaled = true } } }, 1, -1 },
    { ROWS("l1norm[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SQUARES, .square = true, .n = 53, .a = LINE(0, 53, 1), .element = 53,
                   .answer = ANSWER_LARGEST } } }, 1, -1 },
    { ROWS("l2norm[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SQUARES, .n = 53, .a = LINE(0, 53, 1), .element = 53, .answer = ANSWER_LARGEST } } },
      1, -1 },
    { ROWS("rmsnorm[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SQUARES, .n = 53, .a = LINE(0, 53, 1), .element = 53, .answer = ANSWER_LARGEST,
                   .fill = { 0, 1 } } } }, 1, -1 },
    /* The variance's terms all move when the mean does, so that none can be set by itself. */
    { ROWS("layernorm[m](x)"), MET_F32, 0, NULL,
      { { 0, -1, { .kind = MET_PROBE_SUM, .n = 53, .a = LINE(0, 53, 1), .element = 53, .answer = ANSWER_AT_ZERO,
                   .scaled = true, .scale = 0x1p-70, .fill = { 0, 1, 0 } } } }, 1, 3 },
    { ROWS("softmax[m](x)"), MET_F32, 0, NULL,
      { { 5, -1, { .kind = MET_PROBE_EXPONENTIALS, .n = 53, .a = LINE(0, 53, 1), .element = 53, .answer = ANSWER_LARGEST } } },
      1, -1 },
    { ROWS("logsumexp[m](x)"), MET_F32, 0, NULL,
      { { 5, -1, { .kind = MET_PROBE_EXPONENTIALS, .n = 53, .a = LINE(0, 53, 1), .element = 1 } } }, 1, -1 },
    { STREAM, MET_F32, 0, NULL,
      { /* a score, beside which all others are 0, and a value that only its weight picks */
        { 0, -1, { .kind = MET_PROBE_DOT, .n = 4, .a = LINE(0, 0, 1), .b = LINE(1, 0, 1), .scaled = true,
                   .answer = ANSWER_CHANGE, .one = LINE(2, 0, 0) } },
        { 6, -1, { .kind = MET_PROBE_EXPONENTIALS, .n = 53, .a = LINE(1, 0, 4), .largest = LINE(2, 0, 5),
                   .fill = { 1, 0, 0 } } },
        { 7, -1, { .kind = MET_PROBE_SUM, .n = 53, .a = LINE(2, 1, 5), .element = 1, .scaled = true } } }, 3, -1 },
    { CAUSAL, MET_F32, 0, NULL,
      { { 8, -1, { .kind = MET_PROBE_EXPONENTIALS, .n = 31, .a = LINE(1, 0, 2), .largest = LINE(2, 0, 2), .element = 60,
                   .fill = { 1, 0, 0 } } },
        { 9, -1, { .kind = MET_PROBE_SUM, .n = 31, .a = LINE(2, 1, 2), .element = 61, .scaled = true } } }, 2, 0 },
    { MLP, MET_F32, 0, NULL,
      { /* the gate's sum and the other one are the same number: silu(s)·s is 0 if and only if s is */
        { 0, 2, { .kind = MET_PROBE_DOT, .n = 45, .a = LINE(0, 0, 1), .b = LINE(1, 0, 35), .b_too = LINE(2, 0, 35),
                  .scaled = true, .fill = { 0, 0, 0, 1 } } },
        { 4, -1, { .kind = MET_PROBE_SUM, .n = 35, .a = LINE(3, 7, 45), .element = 7, .scaled = true,
                   .fill = { 1, 1, 1, 0 } } } }, 2, -1 },
    /* Recurrences: one step, in which the state decays by 1 and nothing is added, and what is read of it. */
    { SSM, "n=1,g=2,r=2,p=3,s=37", MET_F32, 0, NULL,
      { { SCAN, -1, DOT(37, LINE(0, 37, 1), LINE(4, 0, 1), 1) } }, 1, -1 },
    { CONV, "n=1,j=21,e=3", MET_F32, 0, NULL, { { 1, -1, DOT(20, LINE(0, 3 + 2, 3), LINE(2, 42, 1), 2) } }, 1, -1 },
    { DELTA, "n=1,k=38,v=3", MET_F32, 0, NULL,
      { { SCAN, -1, { .kind = MET_PROBE_DOT, .n = 38, .a = LINE(0, 2, 3), .b = LINE(1, 0, 1), .element = 2, .fill = { [4] = 1 } } },
        /* what is recalled, in the last element of the state: it is 0 before, takes off what is recalled, and is all that is read.
         * Only the shape: large terms overflow in the other elements. */
        { SCAN, -1, { .kind = MET_PROBE_DOT, .n = 37, .a = LINE(0, 2, 3), .b = LINE(2, 0, 1), .one = LINE(1, 37, 0), .element = 2, .scaled = true,
                      .fill = { [2] = 1, [4] = 1, [5] = -1 } } } }, 2, -1 },
};

/* --- Programs --- */

static inline const met_program *fold_program(met_session *session, const fold_circuit *c, const char *hardware, met_planner planner)
{
    met_point point = met_point_of(c->dtype);
    point.dot = c->dot;
    const met_circuit *settled = met_circuit_settle(circuit_of(session, c->program, c->set), &point);
    const met_class *class = met_class_find(hardware);
    met_realize_request request = { class, &point };
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = settled ? met_plan_make(settled, &point, planner, &options) : NULL;
    const met_program *program = plan ? met_realize(plan, class, &(met_realize_options){ .tiles = c->tiles }) : NULL;
    if (!program)
        fail_msg("%s\n%s", c->program, met_session_diagnostics_text(session));
    return program;
}

static inline bool is_scan(const met_circuit *circuit, uint32_t node)
{
    return circuit->nodes[node].op->form == MET_FORM_SCAN;
}

/* Whether a recurrence sums over its state: it has an index that its first result lacks. */
static inline bool scan_sums(const met_node *node)
{
    uint64_t kept = 0;
    for (uint32_t p = 0; p < node->out_access[0].rank; p++)
        for (uint32_t t = 0; t < node->out_access[0].at[p].term_count; t++)
            kept |= (uint64_t)1 << node->out_access[0].at[p].terms[t].index;
    return kept != ((uint64_t)1 << node->index_count) - 1;
}

/* The declared record of a node's fold; NULL if there is none or any tree gives its bits. */
static inline const met_tree *declared_record(const met_program *program, uint32_t node)
{
    const met_circuit *circuit = program->plan->circuit;
    if (is_scan(circuit, node)) { /* one by one, products fused, whatever the plan (ir/primitive.h) */
        met_tree *tree = MET_NEW(circuit->arena, met_tree);
        *tree = met_tree_sequential(MET_F32);
        return scan_sums(&circuit->nodes[node]) ? tree : NULL;
    }
    for (uint32_t l = 0; l < program->launch_count; l++)
        for (uint32_t r = 0; r < program->launches[l].record_count; r++)
            if (program->launches[l].records[r].node.id == node &&
                !met_monoid_is_exact(met_node_primitive(circuit, &circuit->nodes[node]).monoid))
                return &program->launches[l].records[r].tree;
    return NULL;
}

/* What comparing says of a revealed record and the declared one, for terms of the probe's format. Powers of two do not show where
 * no base moves. */
static inline met_comparison compare_records(met_arena *arena, const met_revealed *got, const met_tree *declared,
                                             const met_black_box *probe)
{
    met_tree plain = *declared;
    plain.rescale = MET_RESCALE_NONE;
    met_operands operands = { .dtype = probe->input, .sum = probe->kind != MET_PROBE_DOT };
    return met_tree_compare_operands(arena, &plain, &got->tree, probe->n, operands);
}

/* Whether a revealed record is the declared one: all of it, or the shape where no more can be told. */
static inline bool record_agrees(met_arena *arena, const met_revealed *got, const met_tree *declared, const met_black_box *probe)
{
    if (got->verdict != MET_REVEAL_TREE)
        return false;
    if (got->tree.undeclared)
        return met_bracketing_same(arena, met_bracketing_of(arena, declared, probe->n), got->tree.written);
    return compare_records(arena, got, declared, probe).verdict == MET_VERDICT_SAME;
}

/* --- Programs that are broken on purpose --- */

/* The text with every `from` replaced; how often is added to *ret_times. */
static inline const char *replaced(met_session *session, const char *text, const char *from, const char *to, int *ret_times)
{
    met_text out = met_text_new(session->arena);
    for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from), ++*ret_times) {
        met_text_bytes(&out, text, (size_t)(at - text));
        met_text_put(&out, to);
    }
    met_text_put(&out, text);
    return met_text_done(&out);
}

static inline const met_program *broken_program(met_session *session, const met_program *program, const char *from, const char *to, const char *what)
{
    met_program *broken = met_arena_copy(session->arena, program, 1, sizeof *program);
    met_program_source *sources = met_arena_copy(session->arena, program->sources, program->source_count, sizeof *sources);
    int times = 0;
    for (uint32_t s = 0; s < program->source_count; s++) {
        sources[s].text = replaced(session, sources[s].text, from, to, &times);
        sources[s].length = strlen(sources[s].text);
    }
    if (times == 0)
        fail_msg("%s: there is no `%s`", what, from);
    broken->sources = sources;
    return broken;
}

/* --- Rows --- */

static inline int node_of(int node, const met_circuit *circuit)
{
    for (uint32_t n = 0; n < circuit->node_count && node == SCAN; n++)
        if (is_scan(circuit, n))
            return (int)n;
    return node;
}

static inline void check_row(met_session *session, const fold_circuit *c, const fold_row *row, const met_program *program, met_execution *execution)
{
    met_arena *arena = session->arena;
    met_black_box probe = kernel_probe(session->arena, execution, program, &row->fold);
    met_revealed got = met_reveal(arena, &probe, MET_REVEAL_AUTO, 5);
    const int nodes[] = { node_of(row->node, program->plan->circuit), row->also };
    for (size_t k = 0; k < 2; k++) {
        const met_tree *declared = nodes[k] < 0 ? NULL : declared_record(program, (uint32_t)nodes[k]);
        if (nodes[k] >= 0 && (!declared || !record_agrees(arena, &got, declared, &probe))) {
            met_text text = met_text_new(arena);
            if (declared)
                met_tree_print(&text, declared, MET_F32);
            met_text_put(&text, "; revealed ");
            met_tree_print(&text, &got.tree, MET_F32);
            fail_msg("%s on %s, node %d: %s: declared %s", c->program, program->class->name, nodes[k],
                     got.why ? got.why : "another tree", met_text_done(&text));
        }
    }
}

#endif
