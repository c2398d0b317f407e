/* Finding how a fold of a generated kernel can be probed: which arrays hold its terms, what has to stand in the others, and where
 * the answer is. A guess that is wrong gives no tree of the fold's terms, so that whatever agrees with the record that the
 * kernel declares was seen. */
#ifndef MET_TEST_KERNEL_SEARCH_H
#define MET_TEST_KERNEL_SEARCH_H

#include "kernel_folds.h"

enum { SEARCH_EDGES = 24, SEARCH_TERMS = 1024, SEARCH_TURNED = 6, SEARCH_GUESSES = 14000 };

typedef enum search_pass { PASS_USUAL, PASS_ONE_OTHER, PASS_MANY } search_pass;
#define PASSES (PASS_MANY + 1)

/* An array that the kernel reads, with the place of every term in it; or one that it makes. */
typedef struct search_line {
    const met_kernel_value *value;
    uint64_t *at;
    bool apart; /* no two terms stand in one place */
    bool counts; /* the fold's terms, or the answer, depend on it */
} search_line;

typedef struct search {
    met_session *session;
    const met_program *program;
    met_execution *execution;
    const met_kernel *kernel;
    const met_kernel_step *step;
    const met_tree *declared;
    kernel_fold fold;     /* the guess */
    uint64_t n, live;     /* terms, and those at the beginning that take part */
    uint64_t pos[MET_KERNEL_LOOPS];
    uint32_t loop_count, loops[MET_KERNEL_LOOPS]; /* that are folded, the last running fastest */
    uint32_t in_count, out_count;
    search_line ins[SEARCH_EDGES], outs[SEARCH_EDGES];
    double *fills;
    bool *made[4];        /* by operand and value: what it is made of */
    const char *other;    /* the last tree that was not the declared one, as text */
    met_black_box probe;
    met_arena *scratch;   /* of a guess */
    search_pass pass;
    bool found;
    unsigned long guesses;
} search;

static inline uint64_t edge_size(const met_circuit *circuit, const met_edge *edge, uint32_t p)
{
    uint64_t size = 0;
    assert_true(met_circuit_size(circuit, edge->axes[p], &size));
    return size;
}

/* The place of a value's element; false if it lies outside. */
static inline bool value_place(const search *s, const met_kernel_value *value, uint64_t *ret_place)
{
    const met_circuit *circuit = s->kernel->circuit;
    const met_edge *edge = &circuit->edges[value->edge.id];
    *ret_place = 0;
    for (uint32_t p = 0; p < edge->rank; p++) {
        const met_affine *at = &value->at[p];
        int64_t place = at->constant, size = (int64_t)edge_size(circuit, edge, p);
        for (uint32_t t = 0; t < at->term_count; t++) {
            uint64_t factor = s->pos[at->terms[t].index];
            if (at->terms[t].kind == MET_TERM_SIZE)
                assert_true(met_dim_is_constant(at->terms[t].size, &factor));
            place += at->terms[t].coefficient * (int64_t)factor;
        }
        if (place < 0 || place >= size)
            return false;
        *ret_place = *ret_place * (uint64_t)size + (uint64_t)place;
    }
    return true;
}

static inline uint64_t loop_size(const search *s, uint32_t loop)
{
    uint64_t size = 0;
    assert_true(met_circuit_size(s->kernel->circuit, s->kernel->loops[loop].axis, &size));
    return size;
}

static inline bool place_terms(search *s, const met_kernel_value *value, search_line *line)
{
    line->value = value;
    line->at = MET_NEW_ARRAY(s->session->arena, uint64_t, s->n);
    line->apart = true;
    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t rest = i;
        for (uint32_t k = s->loop_count; k-- > 0;) {
            s->pos[s->loops[k]] = rest % loop_size(s, s->loops[k]);
            rest /= loop_size(s, s->loops[k]);
        }
        if (!value_place(s, value, &line->at[i]))
            return false;
        for (uint64_t j = 0; j < i && line->apart; j++)
            line->apart = line->at[j] != line->at[i];
    }
    return true;
}

/* Kept loops stand at their first, last or middle place; those of other folds at their first one. */
static inline bool place_all(search *s, int where)
{
    for (uint32_t l = 0; l < s->kernel->loop_count; l++) {
        uint64_t size = loop_size(s, l);
        s->pos[l] = where == 0 ? size - 1 : where == 1 ? 0 : size / 2;
    }
    s->in_count = s->out_count = 0;
    for (uint32_t v = 0; v < s->kernel->value_count; v++) {
        const met_kernel_value *value = &s->kernel->values[v];
        bool stored = s->program->buffer_of[value->edge.id] != MET_NONE;
        if (!stored || s->in_count == SEARCH_EDGES || s->out_count == SEARCH_EDGES || !(value->is_input || value->is_output))
            continue;
        if (value->is_input)
            s->in_count += place_terms(s, value, &s->ins[s->in_count]);
        else
            s->out_count += place_terms(s, value, &s->outs[s->out_count]);
    }
    return s->out_count > 0;
}

/* --- A guess --- */

static inline double term_value(const search *s, bool there)
{
    return s->fold.kind == MET_PROBE_EXPONENTIALS ? (there ? 0 : -INFINITY) : there;
}

/* The answer with 1 at two terms and 0 elsewhere; n: at none. */
static inline double answer_of(search *s, uint64_t i, uint64_t j)
{
    double *a = MET_NEW_ARRAY(s->scratch, double, s->n), *b = MET_NEW_ARRAY(s->scratch, double, s->n), result = NAN;
    for (uint64_t k = 0; k < s->n; k++) {
        a[k] = term_value(s, k == i || k == j);
        b[k] = 1;
    }
    s->probe.run(s->probe.context, a, s->fold.kind == MET_PROBE_DOT ? b : NULL, 0, &result);
    return result;
}

static inline bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether every term moves the answer, up to one from which on none does. */
static inline bool responds(search *s)
{
    bool sum = s->fold.kind == MET_PROBE_SUM || s->fold.kind == MET_PROBE_DOT;
    double none = answer_of(s, s->n, s->n), first = answer_of(s, 0, 0), second = answer_of(s, 1, 1), both = answer_of(s, 0, 1);
    bool at_zero = s->fold.answer == ANSWER_AT_ZERO;
    if (!isfinite(first) || !isfinite(both) || (sum && (none != 0 || first == 0)) || same_number(first, both) ||
        same_number(second, both))
        return false;
    s->fold.scaled = sum && (first != 1 || both != 2);
    s->live = 2;
    while (s->live < s->n && !same_number(first, answer_of(s, 0, s->live)))
        s->live++;
    for (uint64_t i = s->live; i < s->n; i++)
        if (!at_zero && !same_number(first, answer_of(s, 0, i)))
            return false;
    return true;
}

/* More calls than revealing takes of any tree: it meets every pair of terms a few times at most. */
static inline uint64_t most_calls(uint64_t n)
{
    return 4000 + 16 * n * n;
}

static inline void reveal_guess(search *s)
{
    s->fold.n = s->live;
    s->fold.call_limit = most_calls(s->live);
    s->probe = kernel_probe(s->scratch, s->execution, s->program, &s->fold);
    met_revealed got = met_reveal(s->scratch, &s->probe, MET_REVEAL_AUTO, 5);
    /* pairs that terms have gone through have flushed them already */
    if (s->program->plan->point.dot == MET_DOT_PAIRS && s->declared->node == MET_NODE_ADD)
        got.tree.flush = s->declared->flush;
    s->found = record_agrees(s->scratch, &got, s->declared, &s->probe);
    if (s->found || got.verdict != MET_REVEAL_TREE)
        return;
    met_text text = met_text_new(s->session->arena);
    met_tree_print(&text, &got.tree, MET_F32);
    s->other = met_text_done(&text);
}

static inline void guess(search *s)
{
    if (s->guesses++ > SEARCH_GUESSES)
        return;
    s->scratch = met_arena_new();
    s->fold.n = s->n;
    s->fold.call_limit = 0;
    s->fold.fills = s->fills;
    s->probe = kernel_probe(s->scratch, s->execution, s->program, &s->fold);
    if (responds(s))
        reveal_guess(s);
    met_arena_free(s->scratch);
}

/* --- Guesses --- */

static inline kernel_line line_of(const search_line *line)
{
    return (kernel_line){ .used = true, .edge = line->value->edge.id, .at = line->at };
}

static inline bool is_float(const search *s, const search_line *line)
{
    met_dtype dtype = edge_dtype(s->kernel->circuit, line->value->edge.id);
    return dtype == MET_F32 || dtype == MET_BF16 || dtype == MET_F16;
}

static inline bool holds_terms(const search *s, const search_line *line)
{
    return line->apart && is_float(s, line);
}

/* In how many ways the other arrays are filled in a pass, and which ones are filled otherwise than usual. */
static inline uint32_t fill_ways(const search *s, uint32_t count)
{
    return s->pass == PASS_USUAL ? 1 : s->pass == PASS_ONE_OTHER ? count : 1u << SEARCH_TURNED;
}

static inline bool fill_turned(const search *s, uint32_t way, uint32_t k)
{
    return s->pass == PASS_ONE_OTHER ? k == way : s->pass == PASS_MANY && way >> (k < SEARCH_TURNED ? k : SEARCH_TURNED - 1) & 1;
}

/* Usually arrays that hold terms are 0 beside them, whole numbers 0, and all others 1. A whole number that is not 0 is a length, of
 * more than there is. */
static inline void guess_fills(search *s, const search_line *a, const search_line *b)
{
    uint32_t edges[SEARCH_EDGES], count = 0;
    for (uint32_t i = 0; i < s->in_count; i++) {
        uint32_t edge = s->ins[i].value->edge.id;
        bool known = false;
        for (uint32_t k = 0; k < count; k++)
            known = known || edges[k] == edge;
        s->fills[edge] = is_float(s, &s->ins[i]);
        if (!known && s->ins[i].counts)
            edges[count++] = edge;
    }
    uint32_t ways = fill_ways(s, count);
    for (uint32_t way = 0; way < ways && !s->found; way++) {
        for (uint32_t k = 0; k < count; k++) {
            bool whole = edge_dtype(s->kernel->circuit, edges[k]) == MET_I32;
            bool zero = edges[k] == a->value->edge.id || (b && edges[k] == b->value->edge.id) || whole;
            s->fills[edges[k]] = zero != fill_turned(s, way, k) ? 0 : whole ? SEARCH_TERMS : 1;
        }
        guess(s);
    }
}

/* The value of one edge that a weight picks: at the answer's place. */
static inline void guess_picked(search *s, const search_line *a, const search_line *b)
{
    for (uint32_t k = 0; k < s->in_count && !s->found; k++) {
        const search_line *line = &s->ins[k];
        if (line == a || line == b || !is_float(s, line))
            continue;
        if (s->fold.kind != MET_PROBE_DOT && line->apart)
            s->fold.largest = line_of(line);
        else if (s->fold.kind == MET_PROBE_DOT)
            s->fold.one = line_of(line);
        else
            continue;
        guess_fills(s, a, b);
        s->fold.largest = s->fold.one = (kernel_line){ 0 };
    }
}

static inline void guess_answers(search *s, const search_line *a, const search_line *b)
{
    s->fold.a = line_of(a);
    s->fold.b = b ? line_of(b) : (kernel_line){ 0 };
    for (uint32_t k = 0; k < s->out_count && !s->found; k++) {
        s->fold.result = s->outs[k].value->edge.id;
        s->fold.elements = s->outs[k].at;
        bool beside = s->outs[k].apart, sum = s->fold.kind == MET_PROBE_SUM || s->fold.kind == MET_PROBE_DOT;
        s->fold.answer = !beside ? ANSWER_ELEMENT : sum ? ANSWER_AT_ZERO : ANSWER_LARGEST;
        guess_fills(s, a, b);
        if (!s->found && (s->fold.kind == MET_PROBE_EXPONENTIALS || s->fold.kind == MET_PROBE_SQUARES))
            guess_picked(s, a, b);
        if (!s->found && beside && !sum) {
            s->fold.answer = ANSWER_AT_ZERO;
            guess_picked(s, a, b);
        }
        if (!s->found && s->fold.kind == MET_PROBE_DOT) {
            s->fold.answer = ANSWER_CHANGE;
            guess_fills(s, a, b);
            guess_picked(s, a, b);
        }
    }
}

/* What the values before a value are made of, those included. */
static inline void note_made_of(const search *s, uint32_t value, bool *ret_of)
{
    ret_of[value] = true;
    for (uint32_t k = s->kernel->step_count; k-- > 0;) {
        const met_kernel_step *step = &s->kernel->steps[k];
        const met_node *node = &s->kernel->circuit->nodes[step->node.id];
        bool wanted = false;
        for (uint32_t o = 0; o < node->out_count; o++)
            wanted = wanted || ret_of[step->outs[o]];
        for (uint32_t i = 0; i < node->in_count && wanted; i++)
            ret_of[step->ins[i]] = true;
    }
}

static inline bool *made_of(const search *s, uint32_t value)
{
    bool *of = MET_NEW_ARRAY(s->session->arena, bool, s->kernel->value_count);
    note_made_of(s, value, of);
    return of;
}

static inline uint32_t value_number(const search *s, const search_line *line)
{
    return (uint32_t)(line->value - s->kernel->values);
}

/* Whether an operand of the fold is made of the line: where it is one that the kernel reads, of that alone. */
static inline bool makes(const search *s, uint32_t operand, const search_line *line)
{
    uint32_t in = s->step->ins[operand];
    return holds_terms(s, line) && (s->kernel->values[in].is_input ? value_number(s, line) == in : s->made[operand][value_number(s, line)]);
}

/* Of the first operand and the last one: between them stand ids. */
static inline void guess_dots(search *s)
{
    uint32_t last = s->kernel->circuit->nodes[s->step->node.id].in_count - 1;
    s->fold.kind = MET_PROBE_DOT;
    for (uint32_t i = 0; i < s->in_count; i++)
        for (uint32_t j = 0; j < s->in_count && !s->found; j++)
            if (i != j && makes(s, 0, &s->ins[i]) && makes(s, last, &s->ins[j]))
                guess_answers(s, &s->ins[i], &s->ins[j]);
}

static inline void guess_sums(search *s, met_probe_kind kind, bool square, double scale)
{
    const met_node *node = &s->kernel->circuit->nodes[s->step->node.id];
    s->fold.kind = kind;
    s->fold.square = square;
    s->fold.scale = scale;
    for (uint32_t i = 0; i < s->in_count && !s->found; i++) {
        bool wanted = false;
        for (uint32_t k = 0; k < node->in_count; k++)
            wanted = wanted || makes(s, k, &s->ins[i]);
        if (wanted)
            guess_answers(s, &s->ins[i], NULL);
    }
    s->fold.square = false;
    s->fold.scale = 0;
}

/* Scores are divided by the root of the length of what they are products of. */
static inline void guess_exponentials(search *s)
{
    guess_sums(s, MET_PROBE_EXPONENTIALS, false, 1);
    for (uint32_t l = 0; l < s->kernel->loop_count && !s->found; l++)
        guess_sums(s, MET_PROBE_EXPONENTIALS, false, sqrt((double)loop_size(s, l)));
}

static inline void guess_kinds(search *s)
{
    const met_circuit *circuit = s->kernel->circuit;
    const met_node *node = &circuit->nodes[s->step->node.id];
    bool product = met_node_primitive(circuit, node).product && node->in_count > 1;
    bool direct = true;
    for (uint32_t k = 0; k < node->in_count; k++)
        direct = direct && s->kernel->values[s->step->ins[k]].is_input;
    for (uint32_t k = 0; k < node->in_count; k++)
        s->made[k] = made_of(s, s->step->ins[k]);
    if (product && direct)
        guess_dots(s);
    if (!s->found)
        guess_sums(s, MET_PROBE_SUM, false, 1);
    if (!s->found && product)
        guess_dots(s);
    if (!s->found && !product)
        guess_sums(s, MET_PROBE_SQUARES, false, 1);
    if (!s->found && !product)
        guess_exponentials(s);
    if (!s->found && !product)
        guess_sums(s, MET_PROBE_SQUARES, true, 1);
}

/* Which arrays the terms are made of, and which the answers show: those that the fold has a part in. */
static inline void note_reach(search *s)
{
    uint32_t kept = 0;
    bool *counts = made_of(s, s->step->outs[0]);
    for (uint32_t k = 0; k < s->out_count; k++) {
        bool *of = made_of(s, value_number(s, &s->outs[k]));
        if (!of[s->step->outs[0]])
            continue;
        s->outs[kept++] = s->outs[k];
        note_made_of(s, value_number(s, &s->outs[k]), counts);
    }
    s->out_count = kept;
    for (uint32_t k = 0; k < s->in_count; k++)
        s->ins[k].counts = counts[value_number(s, &s->ins[k])];
}

/* --- The kernel by itself --- */

static inline bool shares_packed(const met_program *program, const met_launch *a, const met_launch *b)
{
    for (uint32_t i = 0; i < a->array_count; i++)
        for (uint32_t j = 0; j < b->array_count; j++)
            if (a->arrays[i] == b->arrays[j] && program->buffers[a->arrays[i]].edge.id == MET_NONE)
                return true;
    return false;
}

/* The launches of a group, after those that pack what it reads. */
static inline void take_launches(search *s, uint32_t group)
{
    const met_program *program = s->program;
    uint32_t *launches = MET_NEW_ARRAY(s->session->arena, uint32_t, program->launch_count), count = 0;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        bool wanted = program->launches[l].group == group;
        for (uint32_t k = 0; k < program->launch_count && program->launches[l].group == MET_NONE; k++)
            wanted = wanted || (program->launches[k].group == group && shares_packed(program, &program->launches[l], &program->launches[k]));
        if (wanted)
            launches[count++] = l;
    }
    s->fold.launches = launches;
    s->fold.launch_count = count;
}

static inline void take_loops(search *s)
{
    const met_node *node = &s->kernel->circuit->nodes[s->step->node.id];
    s->n = 1;
    for (uint32_t i = 0; i < node->index_count; i++) {
        uint32_t loop = s->step->loops[i];
        if (loop == MET_NONE || !(s->step->reduced >> loop & 1))
            continue;
        s->loops[s->loop_count++] = loop;
        s->n *= loop_size(s, loop);
    }
}

/* How to probe the fold of a step of a group's kernel; `found` says whether there is a way. */
static inline search *search_fold(met_session *session, const met_program *program, met_execution *execution, uint32_t group,
                                  uint32_t step, const met_tree *declared)
{
    search *s = MET_NEW(session->arena, search);
    *s = (search){ .session = session, .program = program, .execution = execution, .kernel = program->plan->groups[group],
                   .declared = declared };
    s->step = &s->kernel->steps[step];
    s->fills = MET_NEW_ARRAY(session->arena, double, program->plan->circuit->edge_count);
    take_launches(s, group);
    take_loops(s);
    if (s->n < 2 || s->n > SEARCH_TERMS)
        return s;
    for (uint32_t k = 0; k < 3 * PASSES && !s->found; k++)
        if (place_all(s, (int)(k % 3))) {
            s->pass = (search_pass)(k / 3);
            note_reach(s);
            guess_kinds(s);
        }
    return s;
}

#endif
