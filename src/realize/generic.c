/* A node of any form as plain loops: what works for everything. Units are the points of the kept loops; maps have the
 * last kept loop inside. Order of arithmetic, guards and reads outside are those of docs/numerics.md. */
#include "ir/primitive.h"
#include "realize/draft.h"
#include "realize/formula.h"

typedef struct generic {
    met_draft *draft;
    met_writer *w;
    met_arena *arena;
    const met_node *node;
    met_primitive form;
    met_nest *nest;
    uint32_t kept_count, fold_count;
    uint32_t *kept, *folded; /* loops of the result in its order; the reduced ones */
    met_site *in, *out;
    met_gating in_gates, out_gates;
} generic;

/* Kept loops follow the first output; what is reduced follows the node. */
static void order_loops(generic *g)
{
    const met_node *node = g->node;
    g->kept = MET_NEW_ARRAY(g->arena, uint32_t, node->index_count);
    g->folded = MET_NEW_ARRAY(g->arena, uint32_t, node->index_count);
    bool *seen = MET_NEW_ARRAY(g->arena, bool, node->index_count);
    for (uint32_t p = 0; p < node->out_access[0].rank; p++) {
        const met_affine *at = &node->out_access[0].at[p];
        for (uint32_t t = 0; t < at->term_count; t++) {
            uint32_t index = at->terms[t].index;
            if (at->terms[t].kind != MET_TERM_INDEX || seen[index])
                continue;
            seen[index] = true;
            g->kept[g->kept_count++] = index;
        }
    }
    for (uint32_t i = 0; i < node->index_count; i++)
        if (!seen[i])
            g->folded[g->fold_count++] = i;
}

static met_nest *nest_of_node(met_draft *draft, const met_node *node)
{
    met_arena *arena = draft->writer->arena;
    met_axis_id *axes = MET_NEW_ARRAY(arena, met_axis_id, node->index_count);
    const char **labels = MET_NEW_ARRAY(arena, const char *, node->index_count);
    for (uint32_t i = 0; i < node->index_count; i++) {
        axes[i] = node->indices[i].axis;
        labels[i] = met_sym_text(draft->circuit->session, node->indices[i].label);
    }
    return met_nest_new(draft->writer, draft->circuit, node->index_count, axes, labels);
}

static void place_arrays(generic *g)
{
    const met_node *node = g->node;
    met_array_namer namer = met_draft_namer(g->draft);
    g->in = MET_NEW_ARRAY(g->arena, met_site, node->in_count);
    g->out = MET_NEW_ARRAY(g->arena, met_site, node->out_count);
    for (uint32_t k = 0; k < node->in_count; k++) {
        bool table = g->form.form == MET_FORM_READ && k == g->form.table;
        uint32_t skip = table ? g->form.read_position : MET_NONE;
        const char *array = met_draft_array_of(g->draft, node->ins[k], false);
        g->in[k] = met_nest_place(g->nest, array, met_format_text(g->arena, "in%u", k), node->ins[k],
                                  node->in_access[k].at, skip);
        if (g->fold_count > 0 && !table)
            met_nest_gates(g->nest, node->ins[k], node->in_access[k].at, &namer, &g->in_gates);
    }
    for (uint32_t k = 0; k < node->out_count; k++) {
        const char *array = met_draft_array_of(g->draft, node->outs[k], true);
        g->out[k] = met_nest_place(g->nest, array, met_format_text(g->arena, "out%u", k), node->outs[k],
                                   node->out_access[k].at, MET_NONE);
    }
    met_nest_gates(g->nest, node->outs[0], node->out_access[0].at, &namer, &g->out_gates);
}

/* --- Pieces of text --- */

static const char *offset_of(const generic *g, const met_site *place)
{
    return met_line_text(g->nest, &place->offset, 0);
}

/* The counters of loops from the unit's number, the last running fastest. */
static void put_unit_loops(generic *g, uint32_t count, const uint32_t *loops)
{
    met_put_open(g->w, "for (int64_t unit = begin; unit < end; unit++)");
    if (count > 1)
        met_put(g->w, "int64_t rest = unit;");
    for (uint32_t k = count; k-- > 0;) {
        const char *counter = g->nest->counter[loops[k]];
        const char *size = met_number_text(g->arena, g->nest->size[loops[k]]);
        if (count == 1)
            met_put(g->w, "const int64_t %s = unit;", counter);
        else if (k == 0)
            met_put(g->w, "const int64_t %s = rest;", counter);
        else
            met_put(g->w, "const int64_t %s = rest %% %s;", counter, size);
        if (k > 0)
            met_put(g->w, "rest /= %s;", size);
    }
}

/* All conditions as one expression; NULL if there are none. */
static const char *conjunction(const generic *g, const met_conditions *conditions)
{
    met_text text = met_text_new(g->arena);
    for (size_t k = 0; k < conditions->count; k++)
        met_text_format(&text, "%s%s >= 0", k ? " && " : "", met_line_text(g->nest, &conditions->at[k].line, 0));
    return conditions->count ? met_text_done(&text) : NULL;
}

/* Liveness by values: true if all hold and lie inside of their arrays; NULL if there are none. */
static const char *valued_text(const generic *g, const met_gating *gates)
{
    met_text text = met_text_new(g->arena);
    for (size_t k = 0; k < gates->valued.count; k++) {
        const met_value_guard *guard = &gates->valued.at[k];
        const char *inside = conjunction(g, &guard->value.inside);
        met_text_format(&text, "%s%s%s%s %c (int64_t)%s[%s] >= 0", k ? " && " : "", inside ? inside : "",
                        inside ? " && " : "", met_line_text(g->nest, &guard->line, 0), guard->sign < 0 ? '-' : '+',
                        guard->value.array, offset_of(g, &guard->value));
    }
    return gates->valued.count ? met_text_done(&text) : NULL;
}

/* lo and hi: the part of a loop where the conditions hold. */
static void put_clip(generic *g, uint32_t loop, const met_conditions *conditions)
{
    for (size_t k = 0; k < conditions->count; k++) {
        const met_line *line = &conditions->at[k].line;
        met_put(g->w, "%s(&lo, &hi, %s, %s);", met_need(g->w, MET_HELPER_CLIP),
                met_line_text(g->nest, line, UINT64_C(1) << loop), met_number_text(g->arena, line->by[loop]));
    }
}

/* --- Formulas --- */

static const char *input_leaf(void *context, uint32_t input)
{
    const generic *g = context;
    return met_format_text(g->arena, "a%u", input);
}

static const char *index_leaf(void *context, uint32_t index)
{
    const generic *g = context;
    return met_format_text(g->arena, "(float)%s", g->nest->counter[index]);
}

static const char *size_leaf(void *context, const met_dim *size)
{
    const generic *g = context;
    return met_format_text(g->arena, "(float)%s", met_argument(g->w, met_nest_dim(g->nest, size), "size").name);
}

static const char *formula(generic *g, const met_scalar *e)
{
    met_leaves leaves = { g, input_leaf, index_leaf, size_leaf };
    return met_formula_text(g->w, e, &leaves);
}

/* The inputs at the present point. Outside of their array they are 0 where `checked`. */
static void put_inputs(generic *g, bool checked)
{
    for (uint32_t k = 0; k < g->node->in_count; k++) {
        if (!met_formula_reads(g->form.e, k))
            continue;
        const char *inside = checked ? conjunction(g, &g->in[k].inside) : NULL;
        const char *load = met_draft_load(g->draft, &g->in[k], offset_of(g, &g->in[k]));
        if (inside)
            met_put(g->w, "const float a%u = %s ? %s : 0.0f;", k, inside, load);
        else
            met_put(g->w, "const float a%u = %s;", k, load);
    }
}

/* --- Maps --- */

static void put_map(generic *g)
{
    uint32_t last = g->kept_count ? g->kept[g->kept_count - 1] : MET_NONE;
    put_unit_loops(g, g->kept_count ? g->kept_count - 1 : 0, g->kept);
    const char *valued = valued_text(g, &g->out_gates), *affine = NULL;
    if (last != MET_NONE) {
        const char *counter = g->nest->counter[last], *size = g->nest->size[last].name;
        if (g->out_gates.affine.count) {
            met_put(g->w, "int64_t lo = 0, hi = %s;", size);
            put_clip(g, last, &g->out_gates.affine);
            affine = met_format_text(g->arena, "%s >= lo && %s < hi", counter, counter);
        }
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", counter, counter, size, counter);
    } else {
        affine = conjunction(g, &g->out_gates.affine);
    }
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s%s%s))", affine ? affine : "", affine && valued ? " && " : "", valued ? valued : "");
        met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]), met_draft_unit(g->draft, g->node->outs[0]));
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    put_inputs(g, true);
    met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]), formula(g, g->form.e));
    if (last != MET_NONE)
        met_put_close(g->w);
    met_put_close(g->w);
}

/* --- Folds --- */

/* How one term joins: $0 the partial result, $1 the term. */
static const char *step_text(generic *g, const char *acc, const char *term)
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

/* The schedule of this file as a record: sequential, or 16 strided lanes and then halves. */
static met_tree tree_of(const generic *g, bool *ret_lanes)
{
    met_tree wanted = met_point_tree(g->draft->point, g->draft->circuit, g->node);
    *ret_lanes = wanted.level_count > 0;
    return *ret_lanes ? met_tree_lanes(MET_F32, MET_LANES) : met_tree_sequential(MET_F32);
}

/* One term into acc; for products of inputs by fma, the last factor being the fused one. */
static void put_term(generic *g, const char *acc)
{
    const met_scalar *e = g->form.e;
    bool fused = g->form.product && g->form.monoid == MET_MONOID_ADD && e->kind == MET_SCALAR_CALL;
    if (fused)
        met_put(g->w, "%s = fmaf(%s, %s, %s);", acc, formula(g, e->arguments[0]), formula(g, e->arguments[1]), acc);
    else {
        met_put(g->w, "const float term = %s;", formula(g, e));
        met_put(g->w, "%s = %s;", acc, step_text(g, acc, "term"));
    }
}

/* The loops over what is folded; `first` is the number of the term at the last loop's beginning. */
static void put_fold_loops(generic *g, bool lanes)
{
    uint32_t last = g->folded[g->fold_count - 1];
    const char *counter = g->nest->counter[last], *size = g->nest->size[last].name;
    for (uint32_t k = 0; k + 1 < g->fold_count; k++) {
        const char *c = g->nest->counter[g->folded[k]];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[g->folded[k]].name, c);
    }
    met_put(g->w, "int64_t lo = 0, hi = %s;", size);
    for (uint32_t k = 0; k < g->node->in_count; k++)
        put_clip(g, last, &g->in[k].inside);
    put_clip(g, last, &g->in_gates.affine);
    met_put_open(g->w, "for (int64_t %s = lo; %s < hi; %s++)", counter, counter, counter);
    const char *valued = valued_text(g, &g->in_gates);
    if (valued) {
        met_put_open(g->w, "if (!(%s))", valued);
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    put_inputs(g, false);
    if (lanes)
        met_put(g->w, "const int64_t lane = (first + %s) %% %d;", counter, MET_LANES);
    put_term(g, lanes ? "acc[lane]" : "acc");
    met_put(g->w, lanes ? "live[lane] = 1;" : "live = 1;");
    met_put_close(g->w);
    if (lanes)
        met_put(g->w, "first += %s;", size);
    for (uint32_t k = 0; k + 1 < g->fold_count; k++)
        met_put_close(g->w);
}

/* l with l + half; a lane without terms takes no part. */
static void put_halves(generic *g)
{
    met_put_open(g->w, "for (int half = %d; half > 0; half /= 2)", MET_LANES / 2);
    met_put_open(g->w, "for (int l = 0; l < half; l++)");
    met_put(g->w, "const float sum = %s;", step_text(g, "acc[l]", "acc[l + half]"));
    met_put(g->w, "acc[l] = live[l] && live[l + half] ? sum : live[l] ? acc[l] : acc[l + half];");
    met_put(g->w, "live[l] |= live[l + half];");
    met_put_close(g->w);
    met_put_close(g->w);
}

static void put_fold(generic *g)
{
    static const char *const units[] = {
        [MET_MONOID_ADD] = "0.0f", [MET_MONOID_MUL] = "1.0f", [MET_MONOID_MAX] = "-INFINITY",
        [MET_MONOID_MIN] = "INFINITY", [MET_MONOID_OR] = "0.0f",
    };
    bool lanes;
    met_record record = { { (uint32_t)(g->node - g->draft->circuit->nodes) }, tree_of(g, &lanes) };
    MET_PUSH(g->arena, &g->draft->records, record);
    put_unit_loops(g, g->kept_count, g->kept);
    const char *affine = conjunction(g, &g->out_gates.affine), *valued = valued_text(g, &g->out_gates);
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s%s%s))", affine ? affine : "", affine && valued ? " && " : "", valued ? valued : "");
        met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]), met_draft_unit(g->draft, g->node->outs[0]));
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
    put_fold_loops(g, lanes);
    if (lanes)
        put_halves(g);
    met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]),
                    lanes ? "live[0] ? acc[0] : 0.0f" : "live ? acc : 0.0f");
    met_put_close(g->w);
}

/* --- Reads and picks --- */

/* The element of the table at the id, 0 if there is none. */
static void put_read(generic *g)
{
    const met_site *table = &g->in[g->form.table], *ids = &g->in[g->form.ids];
    const met_edge *edge = &g->draft->circuit->edges[table->edge.id];
    int64_t length = met_nest_dim(g->nest, met_edge_dim(g->draft->circuit, edge, g->form.read_position)), stride = 1;
    for (uint32_t p = g->form.read_position + 1; p < edge->rank; p++)
        stride *= met_nest_dim(g->nest, met_edge_dim(g->draft->circuit, edge, p));
    met_number n = met_argument(g->w, length, "ids"), step = met_argument(g->w, stride, "step");
    for (uint32_t k = 0; k < g->fold_count; k++)
        g->nest->counter[g->folded[k]] = "0";
    put_unit_loops(g, g->kept_count, g->kept);
    const char *inside = conjunction(g, &ids->inside), *there = conjunction(g, &table->inside);
    const char *affine = conjunction(g, &g->out_gates.affine), *valued = valued_text(g, &g->out_gates);
    if (inside)
        met_put(g->w, "const int64_t id = %s ? (int64_t)%s[%s] : -1;", inside, ids->array, offset_of(g, ids));
    else
        met_put(g->w, "const int64_t id = (int64_t)%s[%s];", ids->array, offset_of(g, ids));
    const char *offset = met_format_text(g->arena, "%s + id * %s", offset_of(g, table), step.name);
    met_put(g->w, "float value = 0.0f;");
    met_put_open(g->w, "if (id >= 0 && id < %s%s%s)", n.name, there ? " && " : "", there ? there : "");
    met_put(g->w, "value = %s;", met_draft_load(g->draft, table, offset));
    met_put_close(g->w);
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s%s%s))", affine ? affine : "", affine && valued ? " && " : "", valued ? valued : "");
        met_put(g->w, "value = %s;", met_draft_unit(g->draft, g->node->outs[0]));
        met_put_close(g->w);
    }
    met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]), "value");
    met_put_close(g->w);
}

/* The kept loop that counts what is picked; MET_NONE if only the best is. */
static uint32_t rank_loop(const generic *g)
{
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->node->indices[g->kept[k]].target)
            return g->kept[k];
    return MET_NONE;
}

static void put_best(generic *g)
{
    uint32_t last = g->folded[g->fold_count - 1];
    met_put(g->w, "int64_t best = -1, item = 0;");
    met_put(g->w, "float top = 0.0f;");
    for (uint32_t k = 0; k < g->fold_count; k++) {
        const char *c = g->nest->counter[g->folded[k]];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s%s++)", c, c, g->nest->size[g->folded[k]].name,
                     g->folded[k] == last ? "item++, " : "", c);
    }
    const char *inside = conjunction(g, &g->in[0].inside);
    const char *affine = conjunction(g, &g->in_gates.affine), *valued = valued_text(g, &g->in_gates);
    const char *parts[] = { inside, affine, valued };
    met_text live = met_text_new(g->arena);
    for (int k = 0; k < 3; k++)
        met_text_format(&live, "%s%s", parts[k] ? " && " : "", parts[k] ? parts[k] : "");
    met_put_open(g->w, "if (!gone[item]%s)", met_text_done(&live));
    met_put(g->w, "const float a0 = %s;", met_draft_load(g->draft, &g->in[0], offset_of(g, &g->in[0])));
    met_put_open(g->w, "if (best < 0 || (isnan(a0) ? !isnan(top) : a0 > top))");
    met_put(g->w, "best = item;");
    met_put(g->w, "top = a0;");
    met_put_close(g->w);
    met_put_close(g->w);
    for (uint32_t k = 0; k < g->fold_count; k++)
        met_put_close(g->w);
    met_put_open(g->w, "if (best >= 0)");
    met_put(g->w, "gone[best] = 1;");
    met_put_close(g->w);
}

static void put_pick(generic *g)
{
    uint32_t rank = rank_loop(g), rows = 0;
    uint32_t *loops = MET_NEW_ARRAY(g->arena, uint32_t, g->kept_count);
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->kept[k] != rank)
            loops[rows++] = g->kept[k];
    int64_t count = 1;
    for (uint32_t k = 0; k < g->fold_count; k++)
        count *= g->nest->size[g->folded[k]].value;
    met_number items = met_argument(g->w, count, "items");
    g->draft->scratch_bytes = (size_t)count;
    met_put(g->w, "unsigned char *gone = call->scratch;");
    put_unit_loops(g, rows, loops);
    met_put(g->w, "memset(gone, 0, (size_t)%s);", items.name);
    if (rank != MET_NONE) {
        const char *c = g->nest->counter[rank];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[rank].name, c);
    }
    put_best(g);
    const met_site *where = &g->out[g->node->out_count - 1];
    if (g->node->out_count > 1)
        met_draft_store(g->draft, &g->out[0], offset_of(g, &g->out[0]), "best < 0 ? -INFINITY : top");
    met_put(g->w, "%s[%s] = (int32_t)best;", where->array, offset_of(g, where));
    if (rank != MET_NONE)
        met_put_close(g->w);
    met_put_close(g->w);
}

/* --- The whole --- */

static int64_t count_units(const generic *g)
{
    int64_t units = 1;
    uint32_t rank = g->form.form == MET_FORM_PICK ? rank_loop(g) : MET_NONE;
    bool map = g->form.form == MET_FORM_FOLD && g->fold_count == 0;
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->kept[k] != rank && !(map && k + 1 == g->kept_count))
            units *= g->nest->size[g->kept[k]].value;
    return units;
}

void met_write_generic(met_draft *draft, met_node_id id)
{
    const met_node *node = &draft->circuit->nodes[id.id];
    generic g = { .draft = draft, .w = draft->writer, .arena = draft->writer->arena, .node = node };
    g.form = met_node_primitive(draft->circuit, node);
    g.nest = nest_of_node(draft, node);
    order_loops(&g);
    place_arrays(&g);
    draft->units = count_units(&g);
    draft->failed = draft->failed || g.nest->failed;
    if (g.form.form == MET_FORM_READ)
        put_read(&g);
    else if (g.form.form == MET_FORM_PICK)
        put_pick(&g);
    else if (g.fold_count > 0)
        put_fold(&g);
    else
        put_map(&g);
}

static const char *tree_refusal(const met_circuit *circuit, const met_point *point, const met_node *node)
{
    met_tree tree = met_point_tree(point, circuit, node);
    met_tree sequential = met_tree_sequential(MET_F32), lanes = met_tree_lanes(MET_F32, MET_LANES);
    bool known = met_tree_equal(&tree, &sequential) || met_tree_equal(&tree, &lanes);
    return known ? NULL : "kernels fold sequentially or in 16 lanes, with fma";
}

const char *met_generic_refusal(const met_circuit *circuit, const met_point *point, met_node_id id)
{
    const met_node *node = &circuit->nodes[id.id];
    if (!node->op || node->op->form == MET_FORM_COMPOSITE || node->op->form == MET_FORM_SCAN)
        return "a node without a primitive form cannot be compiled";
    met_primitive form = met_node_primitive(circuit, node);
    bool exact = form.form != MET_FORM_FOLD || form.monoid == MET_MONOID_NONE || met_monoid_is_exact(form.monoid);
    return exact ? NULL : tree_refusal(circuit, point, node);
}
