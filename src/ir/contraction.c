#include "ir/contraction.h"

#include "base/diag.h"
#include "ir/affine.h"

/* Stands for every count that does not fit; sums and products keep it. */
#define TOO_MANY UINT64_MAX

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? TOO_MANY : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? TOO_MANY : sum;
}

static uint64_t points(const met_contraction *c, uint64_t labels)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < c->label_count; i++)
        if (labels >> i & 1)
            product = times(product, c->sizes[i]);
    return product;
}

static bool access_labels(const met_access *access, uint64_t *ret_labels)
{
    *ret_labels = 0;
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index))
            return false;
        *ret_labels |= (uint64_t)1 << index;
    }
    return true;
}

bool met_contraction_of(const met_circuit *circuit, const met_node *node, met_contraction *ret_contraction)
{
    if (node->index_count > MET_CONTRACTION_LABELS || node->out_count != 1)
        return false;
    uint64_t *sizes = MET_NEW_ARRAY(circuit->arena, uint64_t, node->index_count);
    uint64_t *operands = MET_NEW_ARRAY(circuit->arena, uint64_t, node->in_count);
    for (uint32_t i = 0; i < node->index_count; i++)
        if (!met_circuit_size(circuit, node->indices[i].axis, &sizes[i]))
            return false;
    *ret_contraction = (met_contraction){ node->index_count, sizes, node->in_count, operands, 0 };
    for (uint32_t i = 0; i < node->in_count; i++)
        if (!access_labels(&node->in_access[i], &operands[i]))
            return false;
    return access_labels(&node->out_access[0], &ret_contraction->result);
}

static uint64_t all_labels(const met_contraction *c)
{
    uint64_t labels = c->result;
    for (uint32_t i = 0; i < c->operand_count; i++)
        labels |= c->operands[i];
    return labels;
}

uint64_t met_contraction_point_flops(uint32_t operand_count, bool reduces)
{
    return (uint64_t)operand_count - 1 + (reduces ? 1 : 0);
}

/* One step: `kept` of the labels of both are still needed afterwards. */
static uint64_t step(const met_contraction *c, uint64_t labels, uint64_t kept)
{
    return times(met_contraction_point_flops(2, (labels & ~kept) != 0), points(c, labels));
}

static bool give(uint64_t flops, uint64_t *ret_flops)
{
    *ret_flops = flops;
    return flops != TOO_MANY;
}

bool met_contraction_flops(const met_contraction *c, uint64_t *ret_flops)
{
    uint64_t labels = all_labels(c);
    uint64_t each = met_contraction_point_flops(c->operand_count, (labels & ~c->result) != 0);
    return give(times(each, points(c, labels)), ret_flops);
}

bool met_contraction_one_shot(const met_contraction *c, uint64_t *ret_flops)
{
    return give(times(c->operand_count, points(c, all_labels(c))), ret_flops);
}

bool met_contraction_left_to_right(const met_contraction *c, uint64_t *ret_flops)
{
    uint64_t flops = 0, left = c->operands[0];
    if (c->operand_count == 1)
        return met_contraction_flops(c, ret_flops);
    for (uint32_t k = 1; k < c->operand_count; k++) {
        uint64_t needed = c->result, labels = left | c->operands[k];
        for (uint32_t later = k + 1; later < c->operand_count; later++)
            needed |= c->operands[later];
        flops = plus(flops, step(c, labels, needed));
        left = labels & needed;
    }
    return give(flops, ret_flops);
}

/* For every set of operands the labels that its product keeps: those that the result or an operand outside has. */
static uint64_t *kept_labels(met_arena *arena, const met_contraction *c)
{
    uint32_t sets = (uint32_t)1 << c->operand_count, whole = sets - 1;
    uint64_t *have = MET_NEW_ARRAY(arena, uint64_t, sets), *kept = MET_NEW_ARRAY(arena, uint64_t, sets);
    for (uint32_t set = 1; set < sets; set++) {
        uint32_t first = 0;
        while (!(set >> first & 1))
            first++;
        have[set] = have[set & (set - 1)] | c->operands[first];
    }
    for (uint32_t set = 1; set < sets; set++)
        kept[set] = have[set] & (have[whole & ~set] | c->result);
    /* An operand that stands alone keeps everything until its first step. */
    for (uint32_t i = 0; i < c->operand_count; i++)
        kept[(uint32_t)1 << i] = c->operands[i];
    return kept;
}

bool met_contraction_best(met_session *session, const met_contraction *c, met_span span, uint64_t *ret_flops)
{
    if (c->operand_count == 1)
        return met_contraction_flops(c, ret_flops);
    if (c->operand_count > MET_CONTRACTION_OPERANDS) {
        met_diag_add(session, MET_DIAG_input_too_large, span, "the orders of %u operands are too many to look at", c->operand_count);
        return false;
    }
    met_arena *scratch = met_arena_new();
    uint32_t sets = (uint32_t)1 << c->operand_count;
    uint64_t *kept = kept_labels(scratch, c), *best = MET_NEW_ARRAY(scratch, uint64_t, sets);
    for (uint32_t set = 1; set < sets; set++) {
        uint32_t lowest = set & (~set + 1), others = set ^ lowest;
        if (others == 0)
            continue;
        best[set] = TOO_MANY;
        /* Every split once: the part with the lowest operand, and the rest of it. */
        for (uint32_t rest = others; rest; rest = (rest - 1) & others) {
            uint32_t part = set ^ rest;
            uint64_t before = plus(best[part], best[rest]);
            if (before >= best[set])
                continue;
            uint64_t flops = plus(before, step(c, kept[part] | kept[rest], kept[set]));
            best[set] = flops < best[set] ? flops : best[set];
        }
    }
    uint64_t flops = best[sets - 1];
    met_arena_free(scratch);
    return give(flops, ret_flops);
}
