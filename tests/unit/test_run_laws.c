/* The laws of composition, on random terms: both sides are written as programs and run, and their results are equal bit
 * for bit. A failure prints both sides. */
#include <stdio.h>

#include "circuits.h"
#include "support/random.h"

/* Terms of each law; a longer run is had with -DMET_PROPERTY_ROUNDS=… */
#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 60
#endif

enum { ROUNDS = MET_PROPERTY_ROUNDS, ROOM = 12288 };

typedef struct side {
    met_session *session;
    const met_circuit *circuit;
    char program[ROOM];
} side;

/* A term applied to inputs of these ranks. Every axis of an input has a label of its own: what has to be the same axis,
 * alignment finds out. */
static void write_program(side *s, const char *term, unsigned in_count, const unsigned *ins, unsigned out_count)
{
    char *at = s->program;
    at += sprintf(at, "t = %s\n", term);
    for (unsigned i = 0; i < in_count; i++) {
        at += sprintf(at, "%sx%u: [", i ? ", " : "", i);
        for (unsigned p = 0; p < ins[i]; p++)
            at += sprintf(at, "%sx%u_%u", p ? " " : "", i, p);
        at += sprintf(at, "]");
    }
    at += sprintf(at, "\n");
    for (unsigned i = 0; i < out_count; i++)
        at += sprintf(at, "%sy%u", i ? ", " : "", i);
    at += sprintf(at, " = t(");
    for (unsigned i = 0; i < in_count; i++)
        at += sprintf(at, "%sx%u", i ? ", " : "", i);
    at += sprintf(at, ")\n-> ");
    for (unsigned i = 0; i < out_count; i++)
        at += sprintf(at, "%sy%u", i ? ", " : "", i);
    sprintf(at, "\n");
}

_Noreturn static void stop(const side *s, const char *what)
{
    fprintf(stderr, "%s\n%s\n%s\n", what, s->program, met_session_diagnostics_text(s->session));
    fail_msg("%s", what);
    abort();
}

/* Sizes 2, 3, 4, 2, … in the order of the free sizes, which is that of the inputs. */
static void bind_sizes(side *s)
{
    met_text set = met_text_new(s->session->arena);
    for (uint32_t i = 0, count = 0; i < s->circuit->symbol_count; i++)
        if (!s->circuit->symbols[i].value)
            met_text_format(&set, "%s%s=%u", set.length ? "," : "", met_sym_text(s->session, s->circuit->symbols[i].name), 2 + count++ % 3);
    const met_circuit *bound = met_circuit_bind(s->circuit, met_text_done(&set));
    if (!bound)
        stop(s, "sizes cannot be bound");
    s->circuit = bound;
}

static side *side_of(met_session *session, const char *term, unsigned in_count, const unsigned *ins, unsigned out_count)
{
    side *s = met_arena_alloc(session->arena, 1, sizeof *s);
    s->session = session;
    write_program(s, term, in_count, ins, out_count);
    uint32_t source = met_session_add_source(session, "law", s->program, strlen(s->program));
    s->circuit = met_circuit_read(session, source, NULL);
    if (!s->circuit)
        stop(s, "a side of a law is refused");
    bind_sizes(s);
    return s;
}

static const met_eval_result *run_side(const side *s, const char *dtype)
{
    met_eval_options options = { .dtype = dtype, .fill = "normal", .seed = 5 };
    const met_eval_result *result = met_eval_run(s->circuit, &options, 0, NULL);
    if (!result)
        stop(s, "a side of a law cannot be run");
    return result;
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_equal(const char *law, const side *a, const side *b)
{
    static const char *const dtypes[] = { "f64", "f32" };
    for (int d = 0; d < 2; d++) {
        const met_eval_result *x = run_side(a, dtypes[d]), *y = run_side(b, dtypes[d]);
        bool same = x->output_count == y->output_count;
        for (size_t k = 0; same && k < x->output_count; k++) {
            const met_tensor *p = x->arrays[k].tensor, *q = y->arrays[k].tensor;
            same = p->count == q->count;
            for (size_t i = 0; same && i < p->count; i++)
                same = same_number(p->values[i], q->values[i]);
        }
        if (!same)
            fail_msg("%s, in %s:\n%s\n%s", law, dtypes[d], a->program, b->program);
    }
}

typedef struct pair {
    char left[ROOM / 2 + 1024], right[ROOM / 2 + 1024];
} pair;

static void check_law(const char *law, const pair *terms, unsigned in_count, const unsigned *ins, unsigned out_count)
{
    met_session *session = met_session_new();
    expect_equal(law, side_of(session, terms->left, in_count, ins, out_count), side_of(session, terms->right, in_count, ins, out_count));
    met_session_free(session);
}

/* One or two arrays of ranks 1 to 3. */
static unsigned random_ranks(random_source *r, unsigned *ret_ranks)
{
    unsigned count = 1 + random_below(r, 2);
    for (unsigned i = 0; i < count; i++)
        ret_ranks[i] = 1 + random_below(r, 3);
    return count;
}

/* id and copy take the rank of what they first meet: a term with them may not be lifted with others later. */
static bool fixed_ranks(const random_term *t)
{
    return !strstr(t->text, "id *") && !strstr(t->text, "id @") && !strstr(t->text, "id)") && !strstr(t->text, "copy");
}

/* A term that takes what another makes; with rank one less if `lower` and that can be, so that it is lifted. */
static random_term follower(random_source *r, const random_term *f, bool lower)
{
    unsigned ranks[8];
    bool any = !lower;
    for (unsigned i = 0; i < f->out_count; i++)
        lower = lower && f->outs[i] > 0;
    for (unsigned i = 0; i < f->out_count; i++)
        ranks[i] = f->outs[i] - lower;
    for (;;) {
        random_term g = random_chain(r, 2, f->out_count, ranks, true);
        if (any || fixed_ranks(&g))
            return g;
    }
}

static void composition_is_associative(void **state)
{
    (void)state;
    random_source r = { 1 };
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ins[8], count = random_ranks(&r, ins);
        bool lower = random_below(&r, 2);
        random_term f = random_chain(&r, 2, count, ins, true), g = follower(&r, &f, lower), h = follower(&r, &g, lower);
        pair p;
        snprintf(p.left, sizeof p.left, "(%s @ %s) @ %s", f.text, g.text, h.text);
        snprintf(p.right, sizeof p.right, "%s @ (%s @ %s)", f.text, g.text, h.text);
        check_law("associativity", &p, count, ins, h.out_count);
    }
}

static void products_and_compositions_interchange(void **state)
{
    (void)state;
    random_source r = { 2 };
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ins[16], count = random_ranks(&r, ins), more = random_ranks(&r, ins + count);
        random_term f = random_chain(&r, 2, count, ins, false), g = random_chain(&r, 2, f.out_count, f.outs, false);
        random_term h = random_chain(&r, 2, more, ins + count, false), k = random_chain(&r, 2, h.out_count, h.outs, false);
        pair p;
        snprintf(p.left, sizeof p.left, "(%s @ %s) * (%s @ %s)", f.text, g.text, h.text, k.text);
        snprintf(p.right, sizeof p.right, "(%s * %s) @ (%s * %s)", f.text, h.text, g.text, k.text);
        check_law("interchange", &p, count + more, ins, g.out_count + k.out_count);
    }
}

static void lifting_is_functorial(void **state)
{
    (void)state;
    random_source r = { 3 };
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ins[8], lifted[8], count = random_ranks(&r, ins);
        random_term f = random_chain(&r, 2, count, ins, true), g = random_chain(&r, 2, f.out_count, f.outs, true);
        for (unsigned i = 0; i < count; i++)
            lifted[i] = ins[i] + 1;
        pair p;
        snprintf(p.left, sizeof p.left, "z >> (%s @ %s)", f.text, g.text);
        snprintf(p.right, sizeof p.right, "(z >> %s) @ (z >> %s)", f.text, g.text);
        check_law("lifting", &p, count, lifted, g.out_count);
    }
}

/* A term from one array to one. */
static random_term single(random_source *r, unsigned rank)
{
    for (;;) {
        random_term f = random_chain(r, 3, 1, &rank, false);
        if (f.out_count == 1)
            return f;
    }
}

static void copy_and_drop_slide(void **state)
{
    (void)state;
    random_source r = { 4 };
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ranks[2] = { 1 + random_below(&r, 3), 2 };
        random_term f = single(&r, ranks[0]);
        pair p;
        snprintf(p.left, sizeof p.left, "%s @ copy", f.text);
        snprintf(p.right, sizeof p.right, "copy @ (%s * %s)", f.text, f.text);
        check_law("copy", &p, 1, ranks, 2);
        snprintf(p.left, sizeof p.left, "(%s @ drop) * exp['a b -> a b']", f.text);
        snprintf(p.right, sizeof p.right, "drop * exp['a b -> a b']");
        check_law("drop", &p, 2, ranks, 1);
    }
}

/* --- Lifting against a loop --- */

/* Arrays of a circuit by its fill: inputs, then parameters. */
static met_tensor *filled(const side *s, uint32_t k)
{
    const met_circuit *c = s->circuit;
    const met_edge *edge = &c->edges[k < c->input_count ? c->inputs[k].id : c->parameters[k - c->input_count].id];
    uint64_t shape[MET_RANK_LIMIT];
    for (uint32_t p = 0; p < edge->rank; p++)
        assert_true(met_circuit_size(c, edge->axes[p], &shape[p]));
    met_tensor *tensor = met_tensor_new(s->session, "f64", edge->rank, shape);
    met_fill("normal", 9, k, 0, tensor->count, tensor->values);
    return tensor;
}

/* Row `at` of an array. */
static met_tensor *slice(const side *s, const met_tensor *whole, uint64_t at)
{
    met_tensor *part = met_tensor_new(s->session, whole->format, whole->rank - 1, whole->shape + 1);
    memcpy(part->values, whole->values + at * part->count, part->count * sizeof *part->values);
    return part;
}

static const char *source_name(const side *s, uint32_t k)
{
    const met_circuit *c = s->circuit;
    return met_sym_text(s->session, c->edges[k < c->input_count ? c->inputs[k].id : c->parameters[k - c->input_count].id].name);
}

static void check_loop(const side *lifted, const side *plain, const char *dtype)
{
    uint32_t count = lifted->circuit->input_count + lifted->circuit->parameter_count;
    met_named_tensor ins[64], parts[64];
    met_eval_options options = { .dtype = dtype };
    assert_true(count < 64 && count == plain->circuit->input_count + plain->circuit->parameter_count);
    for (uint32_t k = 0; k < count; k++)
        parts[k] = ins[k] = (met_named_tensor){ source_name(lifted, k), filled(lifted, k) };
    const met_eval_result *all = met_eval_run(lifted->circuit, &options, count, ins);
    if (!all)
        stop(lifted, "a lifted term cannot be run");
    for (uint64_t at = 0; at < ins[0].tensor->shape[0]; at++) {
        for (uint32_t k = 0; k < lifted->circuit->input_count; k++)
            parts[k].tensor = slice(lifted, ins[k].tensor, at);
        const met_eval_result *one = met_eval_run(plain->circuit, &options, count, parts);
        if (!one)
            stop(plain, "a slice cannot be run");
        for (size_t y = 0; y < all->output_count; y++) {
            met_tensor *part = slice(lifted, all->arrays[y].tensor, at);
            assert_int_equal(part->count, one->arrays[y].tensor->count);
            for (size_t i = 0; i < part->count; i++)
                if (!same_number(part->values[i], one->arrays[y].tensor->values[i]))
                    fail_msg("slice %d differs, in %s:\n%s\n%s", (int)at, dtype, lifted->program, plain->program);
        }
    }
}

/* The size that a free size of the plain side has on the lifted side, by array k; 0 if the array does not tell. */
static uint64_t size_seen(const side *plain, const side *lifted, uint32_t k, uint32_t wanted)
{
    const met_circuit *c = plain->circuit;
    bool input = k < c->input_count;
    const met_edge *edge = &c->edges[input ? c->inputs[k].id : c->parameters[k - c->input_count].id];
    met_size symbol;
    for (uint32_t p = 0; p < edge->rank; p++)
        if (met_dim_is_symbol(met_edge_dim(c, edge, p), &symbol) && symbol.id == wanted)
            return filled(lifted, k)->shape[p + input];
    return 0;
}

/* The sizes of the plain side are those that the lifted side has behind its first axis. */
static side *plain_side(const side *lifted, const random_term *f)
{
    side *s = met_arena_alloc(lifted->session->arena, 1, sizeof *s);
    s->session = lifted->session;
    write_program(s, f->text, f->in_count, f->ins, f->out_count);
    uint32_t source = met_session_add_source(s->session, "law", s->program, strlen(s->program));
    s->circuit = met_circuit_read(s->session, source, NULL);
    if (!s->circuit)
        stop(s, "a plain term is refused");
    /* in the order of the sizes, for e=2 sets e.2 as well */
    met_text set = met_text_new(s->session->arena);
    for (uint32_t i = 0; i < s->circuit->symbol_count; i++) {
        uint64_t size = 0;
        for (uint32_t k = 0; k < s->circuit->input_count + s->circuit->parameter_count; k++)
            size = size ? size : size_seen(s, lifted, k, i);
        met_text_format(&set, "%s%s=%llu", i ? "," : "", met_sym_text(s->session, s->circuit->symbols[i].name), (unsigned long long)size);
    }
    s->circuit = met_circuit_bind(s->circuit, met_text_done(&set));
    if (!s->circuit)
        stop(s, "a plain term cannot be bound");
    return s;
}

static void lifting_is_a_loop(void **state)
{
    (void)state;
    random_source r = { 5 };
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ins[8], lifted[8], count = random_ranks(&r, ins);
        random_term f = random_chain(&r, 3, count, ins, true);
        char text[ROOM / 2];
        for (unsigned i = 0; i < count; i++)
            lifted[i] = ins[i] + 1;
        snprintf(text, sizeof text, "z >> %s", f.text);
        met_session *session = met_session_new();
        const side *all = side_of(session, text, count, lifted, f.out_count), *one = plain_side(all, &f);
        check_loop(all, one, "f64");
        check_loop(all, one, "f32");
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composition_is_associative),
        cmocka_unit_test(products_and_compositions_interchange),
        cmocka_unit_test(lifting_is_functorial),
        cmocka_unit_test(copy_and_drop_slide),
        cmocka_unit_test(lifting_is_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
