/* Running the known values of transfers and memory (tests/data/transfers.toml): what their tests share. */
#ifndef MET_TEST_COST_KNOWN_H
#define MET_TEST_COST_KNOWN_H

#include "cases.h"

#include <math.h>

#include "cost/form.h"
#include "cost/solve.h"
#include "cost_maker.h"

#ifndef TRANSFERS /* others of the same kinds */
#define TRANSFERS MET_TEST_DATA_DIR "/transfers.toml"
#endif

typedef struct context {
    const char *id;
    double tolerance;
    const met_value *in, *out;
    met_arena *arena;
    maker maker;
} context;

/* --- Reading and comparing --- */

static inline uint64_t whole(const context *c, const char *key)
{
    const met_value *value = field(c->in, key);
    assert_int_equal(value->kind, MET_VALUE_INTEGER);
    return (uint64_t)value->integer;
}

static inline double real(const context *c, const char *key)
{
    return field(c->in, key)->number;
}

static inline uint64_t whole_or(const context *c, const char *key, uint64_t fallback)
{
    return met_value_get(c->in, key) ? whole(c, key) : fallback;
}

static inline bool word_is(const context *c, const char *key, const char *word)
{
    return met_str_is(string_field(c->in, key), word);
}

/* `scale`: the largest magnitude of the list that the number belongs to. */
static inline void expect_near(const context *c, const char *what, double got, double want, double scale)
{
    if (!(fabs(got - want) <= c->tolerance * fmax(fabs(want), scale)))
        fail_msg("%s: %s is %.17g, not %.17g", c->id, what, got, want);
}

static inline void expect(const context *c, const char *key, double got)
{
    const met_value *want = met_value_get(c->out, key);
    if (want)
        expect_near(c, key, got, want->number, 0);
}

static inline void expect_list(const context *c, const char *key, size_t count, const double *got)
{
    const met_value *want = field(c->out, key);
    double scale = 0;
    assert_int_equal(want->items.count, count);
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(want->items.at[i]->number));
    for (size_t i = 0; i < count; i++)
        expect_near(c, key, got[i], want->items.at[i]->number, scale);
}

/* The tiles of loops, by letters. */
static inline void expect_tiles(const context *c, const char *letters, const uint64_t *tile)
{
    const met_value *want = field(c->out, "tile");
    for (size_t i = 0; letters[i]; i++)
        expect_near(c, "tile", (double)tile[letter_of(&c->maker, letters[i])], (double)want->items.at[i]->integer, 0);
    assert_int_equal(want->items.count, strlen(letters));
}

static inline met_cost_solution solved(const context *c, const met_cost_problem *p, uint64_t capacity)
{
    met_cost_solution solution = met_cost_solve(c->arena, p, capacity, NULL);
    assert_true(solution.proven);
    return solution;
}

static inline void expect_solution(const context *c, const met_cost_problem *p, uint64_t capacity, const char *letters)
{
    met_cost_solution solution = solved(c, p, capacity);
    const met_value *feasible = met_value_get(c->out, "feasible");
    if (solution.feasible != (!feasible || feasible->boolean))
        fail_msg("%s: %s", c->id, solution.feasible ? "feasible" : "not feasible");
    if (!solution.feasible)
        return;
    expect(c, "H", (double)solution.traffic);
    expect(c, "memory", (double)solution.memory);
    expect(c, "compulsory", (double)solution.compulsory);
    expect_tiles(c, letters, solution.tile);
}

static inline double form_value(const context *c, const met_cost_problem *p, double capacity)
{
    met_cost_form form;
    if (!met_cost_form_of(c->arena, p, &form) || !form.closed)
        fail_msg("%s: no closed form", c->id);
    return met_cost_form_value(&form, p, capacity);
}

static inline double matmul_form(context *c, uint64_t a, uint64_t b, uint64_t out, double capacity)
{
    return form_value(c, make_matmul(&c->maker, c->arena, a, b, out, 1, 1), capacity);
}

/* --- Running them --- */

typedef struct cost_kind {
    const char *name;
    void (*run)(context *c);
} cost_kind;

/* Runs the cases of a kind, of which there must be one at least. */
static inline void run_kind(met_session *session, const met_value *cases, const cost_kind *kind)
{
    int seen = 0;
    for (size_t i = 0; i < cases->items.count; i++) {
        const met_value *item = cases->items.at[i];
        if (!met_str_is(string_field(item, "kind"), kind->name))
            continue;
        met_str id = string_field(item, "id");
        context c = { .id = met_arena_text(session->arena, id.at, id.length), .tolerance = number_field(item, "tol"),
                      .in = field(item, "in"), .out = field(item, "out"), .arena = session->arena };
        kind->run(&c);
        seen++;
    }
    if (!seen)
        fail_msg("no case of the kind %s", kind->name);
}

static inline void run_kinds(const cost_kind *kinds, size_t count)
{
    met_session *session = met_session_new();
    const met_value *root = met_toml_read(session, met_file_source(session, TRANSFERS));
    assert_non_null(root);
    for (size_t k = 0; k < count; k++)
        run_kind(session, field(root, "case"), &kinds[k]);
    met_session_free(session);
}

#endif
