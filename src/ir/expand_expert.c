/* router, dispatch and combine as primitives. The formulas are those of the models that have routers: Mixtral (softmax, the
 * best k, renormalized), DeepSeek-V2 (groups by their best score) and DeepSeek-V3 (sigmoid, a bias that only chooses, groups
 * by the sum of their two best). */
#include "ir/expand_part.h"

#define MAP MET_PART_MAP

/* Lower than any score: what is left out is chosen only where nothing else is left. Formulas have no infinities. */
#define LEFT_OUT (-3.4028234663852886e38)

static met_indices with_last(const met_expander *x, met_indices first, uint32_t last)
{
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, first.count + 1);
    for (uint32_t i = 0; i < first.count; i++)
        at[i] = first.at[i];
    at[first.count] = last;
    return (met_indices){ first.count + 1, at };
}

/* The operand with one index in place of another. */
static met_operand along(const met_expander *x, met_operand operand, uint32_t from, uint32_t to)
{
    met_affine *at = met_arena_copy(x->to.arena, operand.access.at, operand.access.rank, sizeof *at);
    for (uint32_t p = 0; p < operand.access.rank; p++) {
        if (at[p].term_count != 1 || at[p].terms[0].index != from)
            continue;
        met_affine_term *term = MET_NEW(x->to.arena, met_affine_term);
        *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = to };
        at[p].terms = term;
    }
    operand.access.at = at;
    return operand;
}

/* What speaks for a group: its best score, or the sum of its two best, which is the largest sum of two. */
static met_operand group_scores(met_expander *x, met_operand choice, uint32_t member, met_indices over)
{
    if (met_part_word_is(x, "group_score", "best"))
        return met_part_fold(x, "groups", MET_OP_max, NULL, over, choice);
    uint32_t other = met_part_twin(x, member);
    met_part_define(x, "one", met_scalar_index(x->to.arena, member));
    met_part_define(x, "other", met_scalar_index(x->to.arena, other));
    met_part part = { .name = "groups", .op = MET_OP_fold, .with = MET_MONOID_MAX,
                      .e = "select(one == other, lowest, a + b)", .over = over, .in_count = 2,
                      .ins = { choice, along(x, choice, member, other) } };
    return met_part_emit(x, &part);
}

/* The scores with those outside of the best groups left out. A group is beaten by those with a better score, and by equal
 * ones before it. */
static met_operand limit_groups(met_expander *x, met_operand choice, met_indices all)
{
    met_part_define_number(x, "lowest", LEFT_OUT);
    met_indices targets = met_part_targets(x);
    uint32_t group = targets.at[0], member = targets.at[1];
    met_indices over = with_last(x, met_part_degree(x), group);
    met_operand score = group_scores(x, choice, member, over);
    uint32_t other = met_part_twin(x, group);
    met_part_define(x, "group", met_scalar_index(x->to.arena, group));
    met_part_define(x, "rival", met_scalar_index(x->to.arena, other));
    met_part_define(x, "top", met_scalar_size(x->to.arena, met_node_attr(x->to.from, x->node, "top_groups")->dim));
    met_part beaten = { .name = "beaten", .op = MET_OP_fold, .e = "select(b > a, 1, select(b == a, rival < group, 0))",
                        .over = over, .in_count = 2, .ins = { score, along(x, score, group, other) } };
    return MAP(x, "eligible", all, "select(b < top, a, lowest)", 2, choice, met_part_emit(x, &beaten));
}

/* The scores of what was chosen. Where the choice was among other numbers they are looked up: an expert's index is its
 * place among the targets, and a slot without an expert has weight 0. */
static met_operand look_up(met_expander *x, const char *name, met_operand score)
{
    met_indices targets = met_part_targets(x), over = met_part_result(x, 0);
    met_part_define(x, "place", met_scalar_index(x->to.arena, targets.at[0]));
    if (targets.count > 1) {
        const met_index *member = &x->node->indices[targets.at[1]];
        met_part_define(x, "members", met_scalar_size(x->to.arena, x->to.from->axes[member->axis.id].size));
        met_part_define(x, "member", met_scalar_index(x->to.arena, targets.at[1]));
        met_part_define(x, "place", met_part_formula(x, "place*members + member"));
    }
    met_operand ids = { x->to.edge_of[x->node->outs[1].id], x->node->out_access[1] };
    met_part part = { .name = name, .op = MET_OP_fold, .e = "select(place == b, a, 0)", .over = over, .in_count = 2,
                      .ins = { score, ids } };
    return met_part_emit(x, &part);
}

/* Whether an option that is a size is other than 0. */
static bool is_set(const met_expander *x, const char *option)
{
    uint64_t size;
    return !met_dim_is_constant(met_node_attr(x->to.from, x->node, option)->dim, &size) || size != 0;
}

void met_expand_router(met_expander *x)
{
    met_indices all = met_part_all(x), over = met_part_result(x, 0);
    bool bias = x->node->in_count > 1, sum = met_part_word_is(x, "renormalize", "yes");
    bool finish = sum || met_part_number(x, "scale") != 1;
    met_operand in = met_part_input(x, 0);
    met_operand score = met_part_word_is(x, "scores", "sigmoid") ? MAP(x, "scores", all, "sigmoid(a)", 1, in)
                                                                  : met_part_softmax(x, "scores");
    met_operand choice = bias ? MAP(x, "choice", all, "a + b", 2, score, met_part_input(x, 1)) : score;
    if (is_set(x, "top_groups"))
        choice = limit_groups(x, choice, all);
    met_part pick = { .name = bias ? "best" : finish ? "chosen" : NULL, .op = MET_OP_top_k, .over = over, .in_count = 1,
                      .ins = { choice } };
    met_operand weight = met_part_emit(x, &pick);
    if (bias)
        weight = look_up(x, finish ? "chosen" : NULL, score);
    if (!finish)
        return;
    met_part_define_number(x, "scale", met_part_number(x, "scale"));
    if (!sum) {
        MAP(x, NULL, over, "a*scale", 1, weight);
        return;
    }
    met_part_define_number(x, "eps", met_part_number(x, "eps"));
    met_operand whole = met_part_fold(x, "sum", MET_OP_sum, NULL, met_part_degree(x), weight);
    MAP(x, NULL, over, met_part_number(x, "scale") == 1 ? "a/(b + eps)" : "a/(b + eps)*scale", 2, weight, whole);
}

/* The row itself, or zeros where the slot has no expert. */
void met_expand_dispatch(met_expander *x)
{
    MAP(x, NULL, met_part_result(x, 0), "select(b >= 0, a, 0)", 2, met_part_input(x, 0), met_part_input(x, 1));
}

void met_expand_combine(met_expander *x)
{
    met_part part = { .op = MET_OP_einsum, .over = met_part_result(x, 0), .in_count = 2,
                      .ins = { met_part_input(x, 0), met_part_input(x, 1) } };
    met_part_emit(x, &part);
}
