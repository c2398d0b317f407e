#include "host/parity.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "host/subject_parts.h"
#include "number/encode.h"
#include "parity/compare.h"

/* --- Records --- */

static void put_tree(met_text *text, const char *side, const met_node_numerics *node)
{
    met_text_format(text, "%s ", side);
    if (node->source != MET_NUMERICS_UNDECLARED)
        met_tree_print(text, &node->tree, MET_F32);
    else if (node->why)
        met_text_format(text, "has no record (%s)", node->why);
    else
        met_text_put(text, "has no record");
}

/* Whether the records of a node promise the same bits; if not, why not. */
static bool agree(const met_subject *subject, const met_outcome *a, const met_outcome *b, uint32_t n, met_text *why)
{
    const met_node_numerics *of_a = &a->numerics->nodes[n], *of_b = &b->numerics->nodes[n];
    met_arena *scratch = met_arena_new();
    met_comparison found = met_fold_compare(scratch, of_a, of_b);
    met_arena_free(scratch);
    if (found.verdict == MET_VERDICT_SAME)
        return true;
    const char *field = met_tree_field_name(found.field);
    met_text_format(why, "`%s`, node %u, %s", subject->circuit->nodes[n].op->name, (unsigned)n,
                    found.verdict == MET_VERDICT_DIFFERENT ? "folds otherwise" : "may fold otherwise");
    if (*field)
        met_text_format(why, " (%s)", field);
    met_text_put(why, ": ");
    put_tree(why, "a", of_a);
    met_text_put(why, "; ");
    put_tree(why, "b", of_b);
    return false;
}

/* Whether something is rescaled by powers of two, which is exact only while nothing underflows. */
static bool rescales(const met_circuit *circuit, const met_plan_numerics *numerics)
{
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (numerics->nodes[n].source != MET_NUMERICS_UNDECLARED && numerics->nodes[n].tree.rescale == MET_RESCALE_POW2)
            return true;
    return false;
}

static met_expectation expect(const met_subject *subject, const met_outcome *a, const met_outcome *b, const char **ret_why)
{
    const met_circuit *circuit = subject->circuit;
    met_text why = met_text_new(subject->session->arena);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (agree(subject, a, b, n, &why))
            continue;
        *ret_why = met_text_done(&why);
        return MET_EXPECT_OPEN;
    }
    bool in_a = a->underflow && rescales(circuit, a->numerics), in_b = b->underflow && rescales(circuit, b->numerics);
    if (in_a || in_b) {
        met_text_format(&why, "something underflowed in %s, where rescaling by powers of two is not exact",
                        in_a ? in_b ? "both" : "a" : "b");
        *ret_why = met_text_done(&why);
        return MET_EXPECT_VOID;
    }
    *ret_why = "every fold has the same tree, and every function is the same";
    return MET_EXPECT_SAME;
}

/* --- Bytes --- */

static const char *hex(met_arena *arena, const unsigned char *at, size_t size)
{
    met_text text = met_text_new(arena);
    for (size_t i = size; i-- > 0;)
        met_text_format(&text, "%02x", at[i]);
    return met_text_done(&text);
}

static const uint64_t *position_of(met_arena *arena, const met_tensor *tensor, size_t i)
{
    uint64_t *position = MET_NEW_ARRAY(arena, uint64_t, tensor->rank);
    for (size_t p = tensor->rank; p-- > 0;) {
        position[p] = i % tensor->shape[p];
        i /= tensor->shape[p];
    }
    return position;
}

static uint64_t distance(const met_tensor *tensor, met_result_bytes a, met_result_bytes b, size_t i)
{
    met_format format;
    uint64_t x = 0, y = 0;
    if (!met_format_parse(met_str_of(tensor->format), &format) || !met_format_is_float(format) || a.size > sizeof x)
        return UINT64_MAX;
    memcpy(&x, a.at + i * a.size, a.size);
    memcpy(&y, b.at + i * b.size, b.size);
    return met_distance((met_dtype)format.dtype, x, y);
}

static met_array_parity compare_array(met_arena *arena, const met_outcome *a, const met_outcome *b, size_t k)
{
    const met_tensor *of_a = a->result->arrays[k].tensor, *of_b = b->result->arrays[k].tensor;
    met_result_bytes x = a->bytes[k], y = b->bytes[k];
    met_array_parity out = { .name = a->result->arrays[k].name, .count = of_a->count };
    assert(of_a->count == of_b->count && x.size == y.size);
    for (size_t i = 0; i < of_a->count; i++) {
        if (memcmp(x.at + i * x.size, y.at + i * y.size, x.size) == 0)
            continue;
        if (out.different++ > 0)
            continue;
        out.position = position_of(arena, of_a, i);
        out.a_hex = hex(arena, x.at + i * x.size, x.size);
        out.b_hex = hex(arena, y.at + i * y.size, y.size);
        out.a = of_a->values[i];
        out.b = of_b->values[i];
        out.ulps = distance(of_a, x, y, i);
    }
    return out;
}

const met_parity *met_outcome_parity(const met_subject *subject, const met_outcome *a, const met_outcome *b)
{
    met_arena *arena = subject->session->arena;
    met_parity *parity = MET_NEW(arena, met_parity);
    parity->expected = expect(subject, a, b, &parity->why);
    parity->array_count = a->result->output_count + a->result->state_count;
    met_array_parity *arrays = MET_NEW_ARRAY(arena, met_array_parity, parity->array_count);
    parity->same = true;
    for (size_t k = 0; k < parity->array_count; k++) {
        arrays[k] = compare_array(arena, a, b, k);
        parity->same = parity->same && arrays[k].different == 0;
    }
    parity->arrays = arrays;
    return parity;
}
