/* A fold as plain loops: in order, in 16 lanes and then halves, or by pairs of bf16. */
#include "realize/generic.h"

/* How one term joins: $0 the partial result, $1 the term. */
static const char *step_text(met_generic *g, const char *acc, const char *term)
{
    switch (g->form.monoid) {
    case MET_MONOID_ADD:
        return met_format_text(g->arena, "%s + %s", acc, term);
    case MET_MONOID_MUL:
        return met_format_text(g->arena, "%s * %s", acc, term);
    case MET_MONOID_MAX:
        return met_format_text(g->arena, "value_max(%s, %s)", acc, term);
    case MET_MONOID_MIN:
        return met_format_text(g->arena, "value_min(%s, %s)", acc, term);
    case MET_MONOID_OR:
        return met_format_text(g->arena, "%s != 0.0f || %s != 0.0f ? 1.0f : 0.0f", acc, term);
    case MET_MONOID_NONE:
        break;
    }
    return term;
}

/* The schedule of this file as a record: sequential, by pairs perhaps, or 16 strided lanes and then halves. */
static met_tree tree_of(const met_generic *g)
{
    met_tree wanted = met_point_tree(g->draft->point, g->draft->circuit, g->node);
    met_tree tree = wanted.level_count > 0 ? met_tree_lanes(MET_F32, MET_LANES) : met_tree_sequential(MET_F32);
    tree.node = wanted.node;
    return tree;
}

/* One term into acc; for products of inputs by fma, the last factor being the fused one. */
static void put_term(met_generic *g, const char *acc)
{
    const met_scalar *e = g->form.e;
    bool fused = g->form.product && g->form.monoid == MET_MONOID_ADD && e->kind == MET_SCALAR_CALL;
    if (fused)
        met_put(g->w, "%s = fmaf(%s, %s, %s);", acc, met_generic_formula(g, e->arguments[0]), met_generic_formula(g, e->arguments[1]), acc);
    else {
        met_put(g->w, "const float term = %s;", met_generic_formula(g, e));
        met_put(g->w, "%s = %s;", acc, step_text(g, acc, "term"));
    }
}

/* One term of a bf16 dot product: the bits of both factors into the open pair. Terms 2j and 2j + 1 are a pair; what takes no
 * part is +0. */
static void put_pair_term(met_generic *g, const char *number)
{
    met_put_open(g->w, "if (open != (%s) / 2)", number);
    met_put(g->w, "acc = open >= 0 ? value_dot_pair(acc, pair0, pair1) : acc;");
    met_put(g->w, "open = (%s) / 2;", number);
    met_put(g->w, "pair0 = pair1 = 0;");
    met_put_close(g->w);
    for (uint32_t k = 0; k < 2; k++)
        met_put(g->w, "pair%u |= (uint32_t)%s[%s] << (%s) %% 2 * 16;", k, g->in[k].array,
                met_generic_offset(g, &g->in[k]), number);
}

/* The loops over what is folded; `first` is the number of the term at the last loop's beginning. */
static void put_fold_loops(met_generic *g, bool lanes, bool pairs)
{
    uint32_t last = g->folded[g->fold_count - 1];
    const char *counter = g->nest->counter[last], *size = g->nest->size[last].name;
    for (uint32_t k = 0; k + 1 < g->fold_count; k++) {
        const char *c = g->nest->counter[g->folded[k]];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[g->folded[k]].name, c);
    }
    met_put(g->w, "int64_t lo = 0, hi = %s;", size);
    for (uint32_t k = 0; k < g->node->in_count; k++)
        met_generic_put_clip(g, last, &g->in[k].inside);
    met_generic_put_clip(g, last, &g->in_gates.affine);
    met_put_open(g->w, "for (int64_t %s = lo; %s < hi; %s++)", counter, counter, counter);
    const char *valued = met_generic_valued(g, &g->in_gates);
    if (valued) {
        met_put_open(g->w, "if (!(%s))", valued);
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    if (g->form.form == MET_FORM_READ) {
        met_generic_put_id(g);
        met_put_open(g->w, "if (!(%s))", met_generic_id_holds(g));
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    if (pairs)
        put_pair_term(g, met_format_text(g->arena, "first + %s", counter));
    else
        met_generic_put_inputs(g, false);
    if (lanes)
        met_put(g->w, "const int64_t lane = (first + %s) %% %d;", counter, MET_LANES);
    if (!pairs)
        put_term(g, lanes ? "acc[lane]" : "acc");
    met_put(g->w, lanes ? "live[lane] = 1;" : "live = 1;");
    met_put_close(g->w);
    if (lanes || pairs)
        met_put(g->w, "first += %s;", size);
    for (uint32_t k = 0; k + 1 < g->fold_count; k++)
        met_put_close(g->w);
}

/* l with l + half; a lane without terms takes no part. */
static void put_halves(met_generic *g)
{
    met_put_open(g->w, "for (int half = %d; half > 0; half /= 2)", MET_LANES / 2);
    met_put_open(g->w, "for (int l = 0; l < half; l++)");
    met_put(g->w, "const float sum = %s;", step_text(g, "acc[l]", "acc[l + half]"));
    met_put(g->w, "acc[l] = live[l] && live[l + half] ? sum : live[l] ? acc[l] : acc[l + half];");
    met_put(g->w, "live[l] |= live[l + half];");
    met_put_close(g->w);
    met_put_close(g->w);
}

void met_generic_put_fold(met_generic *g)
{
    static const char *const units[] = {
        [MET_MONOID_ADD] = "0.0f", [MET_MONOID_MUL] = "1.0f", [MET_MONOID_MAX] = "-INFINITY",
        [MET_MONOID_MIN] = "INFINITY", [MET_MONOID_OR] = "0.0f",
    };
    met_record record = { { (uint32_t)(g->node - g->draft->circuit->nodes) }, tree_of(g) };
    bool lanes = record.tree.level_count > 0, pairs = record.tree.node == MET_NODE_PAIRS;
    MET_PUSH(g->arena, &g->draft->records, record);
    met_generic_put_units(g, g->kept_count, g->kept);
    const char *affine = met_generic_all(g, &g->out_gates.affine), *valued = met_generic_valued(g, &g->out_gates);
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s))", met_generic_both(g, affine, valued));
        met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]),
                        met_draft_unit(g->draft, g->node->outs[0]));
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    const char *unit = units[g->form.monoid];
    if (lanes) {
        met_put(g->w, "int live[%d] = { 0 };", MET_LANES);
        met_put(g->w, "float acc[%d];", MET_LANES);
        met_put(g->w, "int64_t first = 0;");
        met_put_open(g->w, "for (int l = 0; l < %d; l++)", MET_LANES);
        met_put(g->w, "acc[l] = %s;", unit);
        met_put_close(g->w);
    } else {
        met_put(g->w, "int live = 0;");
        met_put(g->w, "float acc = %s;", unit);
    }
    if (pairs) {
        met_put(g->w, "int64_t open = -1, first = 0;");
        met_put(g->w, "uint32_t pair0 = 0, pair1 = 0;");
    }
    put_fold_loops(g, lanes, pairs);
    if (pairs)
        met_put(g->w, "acc = value_dot_pair(acc, pair0, pair1);");
    if (lanes)
        put_halves(g);
    met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]),
                    lanes ? "live[0] ? acc[0] : 0.0f" : "live ? acc : 0.0f");
    met_put_close(g->w);
}
