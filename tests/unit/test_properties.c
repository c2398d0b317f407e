/* Properties that hold of every circuit, on random ones: what is printed reads back, expansion and binding keep the
 * meaning, and programs obey the laws of composition. A failure names the seed and prints the program. */
#include <stdio.h>

#include "circuits.h"
#include "host/json.h"
#include "ir/expand.h"
#include "support/random.h"

/* Random circuits of each property; a longer run is had with -DMET_PROPERTY_ROUNDS=… */
#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 150
#endif

enum { ROUNDS = MET_PROPERTY_ROUNDS, STEPS = 12, ROOM = 8192 };

typedef struct world {
    met_session *session;
    char program[ROOM];
} world;

static world begin(void)
{
    return (world){ .session = met_session_new() };
}

static void end(world *w)
{
    met_session_free(w->session);
}

/* cmocka's own messages are cut short. */
_Noreturn static void stop(const world *w, const char *text)
{
    fprintf(stderr, "%s\n%s\n", text, met_session_diagnostics_text(w->session));
    fail_msg("a program of this test was refused");
    abort();
}

static const met_circuit *read_as(world *w, const char *text, const char *format)
{
    uint32_t source = met_session_add_source(w->session, "property", text, strlen(text));
    const met_circuit *circuit = met_circuit_read(w->session, source, format);
    if (!circuit)
        stop(w, text);
    return circuit;
}

static const met_circuit *read_text(world *w, const char *text)
{
    return read_as(w, text, NULL);
}

static const met_circuit *read_json(world *w, const char *text)
{
    uint32_t source = met_session_add_source(w->session, "property.json", text, strlen(text));
    const met_value *tree = met_json_read(w->session, source);
    const met_circuit *circuit = tree ? met_circuit_from_json(w->session, tree) : NULL;
    if (!circuit)
        stop(w, w->program);
    return circuit;
}

static const met_circuit *bind(world *w, const met_circuit *circuit, const char *set)
{
    const met_circuit *bound = met_circuit_bind(circuit, set);
    if (!bound)
        stop(w, w->program);
    return bound;
}

/* The random circuit of a seed, unbound. */
static const met_circuit *circuit_number(world *w, uint64_t seed)
{
    random_equations(seed, STEPS, w->program, sizeof w->program);
    return read_text(w, w->program);
}

/* Shows the first line that differs. */
static void expect_same_text(const world *w, const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return;
    size_t line = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        line = a[i] == '\n' ? i + 1 : line;
    fprintf(stderr, "%s\n", w->program);
    fail_msg("%s:\n%.*s\n%.*s", what, (int)strcspn(a + line, "\n"), a + line, (int)strcspn(b + line, "\n"), b + line);
}

static bool all_bound(const met_circuit *circuit)
{
    for (uint32_t i = 0; i < circuit->symbol_count; i++)
        if (!circuit->symbols[i].value)
            return false;
    return true;
}

/* Without what a listing does not keep: blocks, and the names of sizes that are bound. In an expansion also not where
 * formats come from: those within it are stated when they are read back. */
static met_circuit *listed_part(const met_circuit *circuit, bool expanded)
{
    met_circuit *bare = met_arena_copy(circuit->arena, circuit, 1, sizeof *circuit);
    met_node *nodes = met_arena_copy(circuit->arena, circuit->nodes, circuit->node_count, sizeof *nodes);
    met_edge *edges = met_arena_copy(circuit->arena, circuit->edges, circuit->edge_count, sizeof *edges);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        nodes[n].block.id = MET_NONE;
    for (uint32_t e = 0; expanded && e < circuit->edge_count; e++)
        edges[e].format_origin = met_format_equal(edges[e].format, circuit->default_format) ? MET_FORMAT_DEFAULT : MET_FORMAT_STATED;
    bare->nodes = nodes;
    bare->edges = edges;
    bare->block_count = 0;
    if (all_bound(circuit))
        bare->symbol_count = 0;
    return bare;
}

/* --- Printing and reading --- */

static void check_listing(world *w, const met_circuit *circuit, bool expanded)
{
    circuit = listed_part(circuit, expanded);
    const char *listing = met_circuit_listing(circuit, true);
    met_text format = met_text_new(circuit->arena);
    met_format_print(&format, circuit->default_format);
    const met_circuit *again = listed_part(read_as(w, listing, met_text_done(&format)), expanded);
    expect_same_text(w, "the listing read back", listing, met_circuit_listing(again, true));
    expect_same_text(w, "the listing read back, as JSON", met_circuit_json(circuit), met_circuit_json(again));
}

static void check_json(world *w, const met_circuit *circuit)
{
    const char *json = met_circuit_json(circuit);
    const met_circuit *again = read_json(w, json);
    expect_same_text(w, "JSON read back", json, met_circuit_json(again));
    expect_same_text(w, "JSON read back, listed", met_circuit_listing(circuit, true), met_circuit_listing(again, true));
}

/* Where some arrays are in bf16 because that is the default, and others in f32 because somebody said so. */
static const met_circuit *in_bf16(const met_circuit *circuit)
{
    return met_circuit_with_default(circuit, met_format_of(MET_BF16));
}

static void printed_circuits_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = begin();
        const met_circuit *circuit = circuit_number(&w, seed);
        check_listing(&w, circuit, false);
        check_listing(&w, in_bf16(circuit), false);
        check_json(&w, circuit);
        const met_circuit *bound = bind(&w, circuit, random_sizes_of(circuit));
        check_listing(&w, bound, false);
        check_json(&w, bound);
        end(&w);
    }
}

static void expansions_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = begin();
        const met_circuit *circuit = circuit_number(&w, seed);
        circuit = met_circuit_expand(seed % 3 ? circuit : in_bf16(circuit), seed % 2 ? "real" : "pow2");
        check_listing(&w, circuit, true);
        check_json(&w, circuit);
        end(&w);
    }
}

/* --- Running --- */

static const char *const dtypes[] = { "f64", "f32", "bf16" };

static const met_eval_result *run_as(world *w, const met_circuit *circuit, const char *dtype)
{
    met_eval_options options = { .dtype = dtype, .fill = "normal", .seed = 11 };
    const met_eval_result *result = met_eval_run(circuit, &options, 0, NULL);
    if (!result)
        stop(w, w->program);
    return result;
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_same_results(const world *w, const char *what, const met_eval_result *a, const met_eval_result *b)
{
    assert_int_equal(a->output_count, b->output_count);
    assert_int_equal(a->state_count, b->state_count);
    for (size_t k = 0; k < a->output_count + a->state_count; k++) {
        const met_tensor *x = a->arrays[k].tensor, *y = b->arrays[k].tensor;
        if (x->count != y->count)
            fail_msg("%s\n%s: result %zu has %zu and %zu elements", w->program, what, k, x->count, y->count);
        for (size_t i = 0; i < x->count; i++)
            if (!same_number(x->values[i], y->values[i]))
                fail_msg("%s\n%s: `%s` differs at %zu: %.17g and %.17g", w->program, what, a->arrays[k].name, i, x->values[i], y->values[i]);
    }
}

static void expansion_keeps_the_meaning(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = begin();
        const met_circuit *circuit = circuit_number(&w, seed);
        circuit = bind(&w, circuit, random_sizes_of(circuit));
        for (int d = 0; d < 3; d++) {
            /* runs expand a circuit at its dtype: expanding beforehand is the same only where edges within are */
            const char *format = d ? "f32" : "f64", *numerics = d ? "pow2" : "real";
            met_format fresh;
            assert_true(met_format_parse(met_str_of(format), &fresh));
            const met_circuit *own = met_circuit_with_default(circuit, fresh);
            const met_circuit *expanded = met_circuit_expand(own, numerics);
            expect_same_text(&w, "expanded twice", met_circuit_json(expanded), met_circuit_json(met_circuit_expand(expanded, numerics)));
            if (d < 2)
                expect_same_results(&w, dtypes[d], run_as(&w, own, dtypes[d]), run_as(&w, expanded, dtypes[d]));
        }
        end(&w);
    }
}

static void binding_commutes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        world w = begin();
        const met_circuit *circuit = circuit_number(&w, seed);
        const char *set = random_sizes_of(circuit);
        const met_circuit *bound = bind(&w, circuit, set);
        const met_circuit *first = met_circuit_expand(bound, "pow2"), *last = bind(&w, met_circuit_expand(circuit, "pow2"), set);
        expect_same_text(&w, "binding before and after expansion", met_circuit_json(first), met_circuit_json(last));
        const met_circuit *read = bind(&w, read_text(&w, met_circuit_listing(circuit, true)), set);
        expect_same_text(&w, "binding before and after listing", met_circuit_listing(bound, true), met_circuit_listing(read, true));
        expect_same_results(&w, "binding before and after listing", run_as(&w, bound, "f32"), run_as(&w, read, "f32"));
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_circuits_read_back),
        cmocka_unit_test(expansions_read_back),
        cmocka_unit_test(expansion_keeps_the_meaning),
        cmocka_unit_test(binding_commutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
