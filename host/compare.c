#include "host/compare.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "host/subject_parts.h"
#include "ir/primitive.h"
#include "number/encode.h"

/* --- Records --- */

static bool reduces(const met_node *node)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced)
            return true;
    return false;
}

/* Whether the bits of a node depend on how it is bracketed. */
static bool has_tree(const met_circuit *circuit, const met_node *node)
{
    met_primitive form = met_node_primitive(circuit, node);
    return form.form == MET_FORM_FOLD && reduces(node) && !met_monoid_is_exact(form.monoid);
}

static const char *tree_words(met_arena *arena, const met_records *records, uint32_t node)
{
    met_text text = met_text_new(arena);
    if (records->known[node])
        met_tree_print(&text, &records->trees[node], MET_F32);
    else
        met_text_put(&text, "no record");
    return met_text_done(&text);
}

static met_expectation expect(const met_subject *subject, const met_outcome *a, const met_outcome *b, const char **ret_why)
{
    const met_circuit *circuit = subject->circuit;
    const met_records *of_a = a->records, *of_b = b->records;
    met_text why = met_text_new(subject->session->arena);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (!has_tree(circuit, &circuit->nodes[n]))
            continue;
        if (of_a->known[n] && of_b->known[n] && met_tree_equal(&of_a->trees[n], &of_b->trees[n]))
            continue;
        met_text_format(&why, "`%s` of node %u folds otherwise: a %s; b %s", circuit->nodes[n].op->name, (unsigned)n,
                        tree_words(subject->session->arena, of_a, n), tree_words(subject->session->arena, of_b, n));
        *ret_why = met_text_done(&why);
        return MET_EXPECT_OPEN;
    }
    if (a->underflow || b->underflow) {
        met_text_format(&why, "something underflowed in %s, where rescaling by powers of two is not exact",
                        a->underflow ? b->underflow ? "both" : "a" : "b");
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

static met_array_comparison compare_array(met_arena *arena, const met_outcome *a, const met_outcome *b, size_t k)
{
    const met_tensor *of_a = a->result->arrays[k].tensor, *of_b = b->result->arrays[k].tensor;
    met_result_bytes x = a->bytes[k], y = b->bytes[k];
    met_array_comparison out = { .name = a->result->arrays[k].name, .count = of_a->count };
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

const met_comparison *met_outcome_compare(const met_subject *subject, const met_outcome *a, const met_outcome *b)
{
    met_arena *arena = subject->session->arena;
    met_comparison *comparison = MET_NEW(arena, met_comparison);
    comparison->expected = expect(subject, a, b, &comparison->why);
    comparison->array_count = a->result->output_count + a->result->state_count;
    met_array_comparison *arrays = MET_NEW_ARRAY(arena, met_array_comparison, comparison->array_count);
    comparison->same = true;
    for (size_t k = 0; k < comparison->array_count; k++) {
        arrays[k] = compare_array(arena, a, b, k);
        comparison->same = comparison->same && arrays[k].different == 0;
    }
    comparison->arrays = arrays;
    return comparison;
}
