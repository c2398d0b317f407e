/* linear, rope and split as primitives. */
#include <assert.h>

#include "ir/affine.h"
#include "ir/expand_part.h"

/* A contraction with the weight; the bias, if there is one, is added after it. */
void met_expand_linear(met_expander *x)
{
    bool bias = x->node->in_count > 2;
    met_indices over = met_part_result(x, 0);
    met_part product = { .name = bias ? "product" : NULL, .op = MET_OP_einsum, .over = over, .in_count = 2,
                         .ins = { met_part_input(x, 0), met_part_input(x, 1) } };
    met_operand sum = met_part_emit(x, &product);
    if (!bias)
        return;
    met_part add = { .op = MET_OP_map, .e = "a + b", .over = over, .in_count = 2, .ins = { sum, met_part_input(x, 2) } };
    met_part_emit(x, &add);
}

/* The operand with a distance added to the position that follows `index`. */
static met_operand shifted(const met_expander *x, met_operand operand, uint32_t index, int64_t sign,
                           const met_dim *distance)
{
    met_affine *at = met_arena_copy(x->to.arena, operand.access.at, operand.access.rank, sizeof *at);
    met_affine step = met_affine_size(x->to.arena, distance, sign);
    uint64_t constant;
    if (met_dim_is_constant(distance, &constant))
        step = met_affine_constant(sign * (int64_t)constant);
    for (uint32_t p = 0; p < operand.access.rank; p++) {
        if (!met_affine_reads_index(at[p], index))
            continue;
        bool fits = met_affine_add(x->to.arena, at[p], step, 1, &at[p]);
        assert(fits); /* a distance within an axis */
        (void)fits;
    }
    operand.access.at = at;
    return operand;
}

/* The angle of pair j of width d at position p: p·theta^(−2j/d), with the frequency scaled as Llama 3.1 does: kept where
 * the wavelength fits `original` positions more than `high` times, divided by `factor` where it fits fewer than `low`
 * times, and in between a blend of both; or as YaRN (Peng et al. 2023) does, where the blend is linear in the pair, from the
 * last whole pair that fits `high` times to the first that fits `low` times. */
static void define_angle(met_expander *x)
{
    bool llama3 = met_part_word_is(x, "scaling", "llama3"), yarn = met_part_word_is(x, "scaling", "yarn");
    met_part_define(x, "freq", met_part_formula(x, "theta^(-(2*pair)/width)"));
    if (llama3) {
        met_part_define(x, "fits", met_part_formula(x, "original*freq/6.283185307179586"));
        met_part_define(x, "keep", met_part_formula(x, "min(max((fits - low)/(high - low), 0), 1)"));
    }
    if (yarn) {
        met_part_define(x, "begin", met_part_formula(x, "max(floor(width*log(original/(high*6.283185307179586))/(2*log(theta))), 0)"));
        met_part_define(x, "end", met_part_formula(x, "min(neg(floor(neg(width*log(original/(low*6.283185307179586))/(2*log(theta))))), width - 1)"));
        met_part_define(x, "keep", met_part_formula(x, "1 - min(max((pair - begin)/max(end - begin, 0.001), 0), 1)"));
    }
    if (llama3 || yarn) {
        met_part_define(x, "freq", met_part_formula(x, "(1 - keep)*freq/factor + keep*freq"));
    } else if (met_part_word_is(x, "scaling", "linear")) {
        met_part_define(x, "freq", met_part_formula(x, "freq/factor"));
    }
    met_part_define(x, "angle", met_part_formula(x, "position*freq"));
}

/* What the formulas of rope call by name. Pairs are (j, j + d/2) in style half and (2j, 2j + 1) in style interleaved. */
static void define_rope(met_expander *x, uint32_t position, uint32_t d, bool half)
{
    static const char *const numbers[] = { "theta", "factor", "low", "high", "original", "magnitude" };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        met_part_define(x, numbers[i], met_scalar_number(x->to.arena, met_part_number(x, numbers[i])));
    const met_dim *width = x->to.from->axes[x->node->indices[d].axis.id].size;
    met_part_define(x, "width", met_scalar_size(x->to.arena, width));
    met_part_define(x, "half", met_scalar_size(x->to.arena, met_dim_floor_div(x->to.arena, width, 2)));
    met_part_define(x, "i", met_scalar_index(x->to.arena, d));
    met_part_define(x, "position", met_scalar_index(x->to.arena, position));
    uint64_t constant;
    const met_dim *offset = met_node_attr(x->to.from, x->node, "offset")->dim;
    if (!met_dim_is_constant(offset, &constant) || constant != 0) {
        met_part_define(x, "offset", met_scalar_size(x->to.arena, offset));
        met_part_define(x, "position", met_part_formula(x, "position + offset"));
    }
    met_part_define(x, "first", met_part_formula(x, half ? "i < half" : "2*floor(i/2) == i"));
    met_part_define(x, "pair", met_part_formula(x, half ? "select(first, i, i - half)" : "floor(i/2)"));
    define_angle(x);
}

void met_expand_rope(met_expander *x)
{
    met_indices targets = met_part_targets(x);
    assert(targets.count == 2);
    uint32_t d = targets.at[1];
    bool half = met_part_word_is(x, "style", "half");
    define_rope(x, targets.at[0], d, half);
    const met_dim *width = x->to.from->axes[x->node->indices[d].axis.id].size;
    const met_dim *distance = half ? met_dim_floor_div(x->to.arena, width, 2) : met_dim_constant(x->to.arena, 1);
    met_operand in = met_part_input(x, 0);
    met_part part = {
        .op = MET_OP_map,
        .e = met_part_number(x, "magnitude") == 1
                 ? "select(first, a*cos(angle) - b*sin(angle), a*cos(angle) + c*sin(angle))"
                 : "magnitude*select(first, a*cos(angle) - b*sin(angle), a*cos(angle) + c*sin(angle))",
        .over = met_part_result(x, 0),
        .in_count = 3,
        .ins = { in, shifted(x, in, d, 1, distance), shifted(x, in, d, -1, distance) },
    };
    met_part_emit(x, &part);
}

/* Views, each at the sum of the sizes before it. */
void met_expand_split(met_expander *x)
{
    const met_dim *begin = met_dim_constant(x->to.arena, 0);
    for (uint32_t k = 0; k < x->node->out_count; k++) {
        uint32_t own = x->node->results[k];
        met_operand in = met_part_input(x, 0);
        /* the input is read along the whole axis' index; here it follows the part's */
        met_affine *at = met_arena_copy(x->to.arena, in.access.at, in.access.rank, sizeof *at);
        for (uint32_t p = 0; p < in.access.rank; p++) {
            if (at[p].term_count == 1 && at[p].terms[0].index == x->node->targets[0]) {
                met_affine_term *term = MET_NEW(x->to.arena, met_affine_term);
                *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = own };
                at[p].terms = term;
            }
        }
        in.access.at = at;
        met_part view = { .output = k, .op = MET_OP_view, .over = met_part_result(x, k), .in_count = 1,
                          .ins = { shifted(x, in, own, 1, begin) } };
        met_part_emit(x, &view);
        begin = met_dim_add(x->to.arena, begin, x->to.from->axes[x->node->indices[own].axis.id].size);
    }
}
