#include "reveal/reveal.h"

#include <assert.h>

#include "reveal/parts.h"

static bool sums(const met_black_box *probe)
{
    return probe->kind == MET_PROBE_SUM || probe->kind == MET_PROBE_DOT;
}

static met_reveal_method choose(const reveal *r, met_reveal_method method)
{
    if (!sums(r->probe)) {
        return MET_REVEAL_SQUARES;
    }
    if (method != MET_REVEAL_AUTO && method != MET_REVEAL_SQUARES) {
        return method;
    }
    /* Counting by ones is exact up to 2^bits. */
    bool countable = r->bits > 0 && r->leaves <= (uint64_t)1 << (r->bits < 32 ? r->bits : 32);
    return countable && !r->probe->scaled ? MET_REVEAL_COUNT : MET_REVEAL_TRIPLES;
}

/* Traits are asked for one by one; some do not go together. */
static const char *beyond_records(const met_tree *tree)
{
    if (tree->precision == MET_F64 && tree->flush != MET_FLUSH_NONE) {
        return "a sum in f64 of which subnormals of f32 are flushed";
    }
    return tree->precision == MET_F64 && tree->mode != MET_RNE ? "additions in f64 that do not round to nearest"
                                                              : "what its additions do in common no record has";
}

static void attempt(reveal *r, met_reveal_method method, met_revealed *revealed)
{
    met_tree *tree = &revealed->tree;
    const reveal_way *way = method == MET_REVEAL_COUNT     ? reveal_by_count()
                            : method == MET_REVEAL_TRIPLES ? reveal_by_triples()
                                                           : reveal_by_squares();
    const met_bracketing *shape = reveal_shape(r, way);
    if (!shape) {
        return;
    }
    const reveal_map *map = reveal_map_new(r->arena, shape);
    reveal_traits(r, map, tree);
    if (reveal_goes_on(r) && !met_tree_valid(tree)) {
        r->named = true;
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, beyond_records(tree));
    }
    revealed->shape = tree->written;
    if (reveal_goes_on(r)) {
        assert(met_tree_fits(tree, r->leaves));
        reveal_check_record(r, map, tree);
        if (reveal_goes_on(r)) {
            reveal_vanishing(r, revealed);
        }
        if (r->verdict == MET_REVEAL_NOT_A_TREE) {
            const char *why = r->why;
            bool named = r->named;
            r->named = false;
            reveal_meeting(r, map, tree);
            r->why = why; /* of the record that was found, not of those that were tried */
            r->named = named;
        }
    }
}

/* Says of what is no tree what it is: an answer that changes, or the character of the sum. */
static void explain(reveal *r)
{
    const char *why = r->why;
    r->verdict = MET_REVEAL_TREE;
    reveal_check_repeats(r, 50);
    if (reveal_goes_on(r)) {
        const char *character = r->named ? NULL : reveal_character(r);
        reveal_reject(r, MET_REVEAL_NOT_A_TREE, character ? character : why);
    }
}

static void reveal_all(reveal *r, met_revealed *revealed)
{
    met_reveal_method *method = &revealed->method;
    bool automatic = *method == MET_REVEAL_AUTO;
    reveal_check_repeats(r, 8);
    if (!reveal_goes_on(r)) {
        return;
    }
    bool open = reveal_open(r);
    *method = choose(r, *method);
    if (open) {
        attempt(r, *method, revealed);
    }
    if (open && automatic && *method == MET_REVEAL_COUNT && r->verdict == MET_REVEAL_NOT_A_TREE) {
        /* Directed additions do not swallow alike on both sides, which confuses counts but not triples. */
        const char *why = r->why;
        r->verdict = MET_REVEAL_TREE;
        attempt(r, MET_REVEAL_TRIPLES, revealed);
        *method = reveal_goes_on(r) ? MET_REVEAL_TRIPLES : *method;
        r->why = why;
    }
    if (r->verdict == MET_REVEAL_NOT_A_TREE) {
        explain(r);
    }
}

met_revealed met_reveal(met_arena *arena, const met_black_box *probe, met_reveal_method method, uint64_t seed)
{
    reveal r = {.arena = arena, .probe = probe, .leaves = probe->n + probe->accumulates, .random = seed};
    met_revealed revealed = {.verdict = MET_REVEAL_FAILED, .method = method, .why = "its length is out of range"};
    revealed.operands = (met_operands){.dtype = probe->input, .sum = probe->kind != MET_PROBE_DOT};
    if (probe->n == 0 || probe->n >= MET_BRACKETING_LEAVES) {
        return revealed;
    }
    r.a = MET_NEW_ARRAY(arena, double, r.leaves);
    r.b = MET_NEW_ARRAY(arena, double, r.leaves);
    revealed.tree = met_tree_sequential(MET_F32);
    reveal_all(&r, &revealed);
    revealed.verdict = r.verdict;
    revealed.why = r.verdict == MET_REVEAL_TREE ? NULL : r.why;
    revealed.calls = r.calls;
    return revealed;
}

met_reveal_verdict met_reveal_try(met_arena *arena, const met_black_box *probe, const met_tree *rule)
{
    reveal r = {.arena = arena, .probe = probe, .leaves = probe->n + probe->accumulates, .random = probe->n};
    if (probe->n == 0 || probe->n >= MET_BRACKETING_LEAVES) {
        return MET_REVEAL_FAILED;
    }
    r.a = MET_NEW_ARRAY(arena, double, r.leaves);
    r.b = MET_NEW_ARRAY(arena, double, r.leaves);
    r.bits = met_dtype_table[probe->output].mantissa_bits + 1;
    if (r.leaves > 1) {
        reveal_check_bits(&r, rule);
        bool *body = MET_NEW_ARRAY(arena, bool, r.leaves);
        for (uint64_t i = 0; i < r.leaves; i++) {
            body[i] = i < met_tree_body(rule, r.leaves);
        }
        bool open = rule->undeclared >> MET_FIELD_START & 1; /* what becomes of products that vanish */
        if (reveal_goes_on(&r) && !open && !reveal_check_vanishing(&r, rule, body)) {
            r.verdict = MET_REVEAL_NOT_A_TREE;
        }
    }
    return r.verdict;
}
