/* A node of any form as plain loops: what works for everything. Units are the points of the kept loops; maps have the
 * last kept loop inside. Order of arithmetic, guards and reads outside are those of docs/numerics.md. */
#include "realize/formula.h"
#include "realize/generic.h"

/* Kept loops follow the first output; what is reduced follows the node. */
static void order_loops(met_generic *g)
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
        if (!seen[i] && i != g->form.read_index)
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

static void place_arrays(met_generic *g)
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

const char *met_generic_offset(const met_generic *g, const met_site *place)
{
    return met_line_text(g->nest, &place->offset, 0);
}

/* The counters of loops from the unit's number, the last running fastest. */
void met_generic_put_units(met_generic *g, uint32_t count, const uint32_t *loops)
{
    met_put_open(g->w, "for (int64_t unit = %s; unit < %s; unit++)", g->begin, g->end);
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
const char *met_generic_all(const met_generic *g, const met_conditions *conditions)
{
    met_text text = met_text_new(g->arena);
    for (size_t k = 0; k < conditions->count; k++)
        met_text_format(&text, "%s%s >= 0", k ? " && " : "", met_line_text(g->nest, &conditions->at[k].line, 0));
    return conditions->count ? met_text_done(&text) : NULL;
}

/* Liveness by values: true if all hold and lie inside of their arrays; NULL if there are none. */
const char *met_generic_valued(const met_generic *g, const met_gating *gates)
{
    met_text text = met_text_new(g->arena);
    for (size_t k = 0; k < gates->valued.count; k++) {
        const met_value_guard *guard = &gates->valued.at[k];
        const char *inside = met_generic_all(g, &guard->value.inside);
        met_text_format(&text, "%s%s%s%s %c (int64_t)%s[%s] >= 0", k ? " && " : "", inside ? inside : "",
                        inside ? " && " : "", met_line_text(g->nest, &guard->line, 0), guard->sign < 0 ? '-' : '+',
                        guard->value.array, met_generic_offset(g, &guard->value));
    }
    return gates->valued.count ? met_text_done(&text) : NULL;
}

const char *met_generic_both(const met_generic *g, const char *a, const char *b)
{
    return a && b ? met_format_text(g->arena, "%s && %s", a, b) : a ? a : b;
}

void met_generic_put_clip(met_generic *g, uint32_t loop, const met_conditions *conditions)
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
    const met_generic *g = context;
    return met_format_text(g->arena, "a%u", input);
}

static const char *index_leaf(void *context, uint32_t index)
{
    const met_generic *g = context;
    return met_format_text(g->arena, "(float)%s", g->nest->counter[index]);
}

static const char *size_leaf(void *context, const met_dim *size)
{
    const met_generic *g = context;
    return met_format_text(g->arena, "(float)%s", met_argument(g->w, met_nest_dim(g->nest, size), "size").name);
}

const char *met_generic_formula(met_generic *g, const met_scalar *e)
{
    met_leaves leaves = { g, input_leaf, index_leaf, size_leaf };
    return met_formula_text(g->w, e, &leaves);
}

void met_generic_put_inputs(met_generic *g, bool checked)
{
    for (uint32_t k = 0; k < g->node->in_count; k++) {
        if (!met_formula_reads(g->form.e, k))
            continue;
        const char *inside = checked ? met_generic_all(g, &g->in[k].inside) : NULL;
        const char *offset = met_generic_offset(g, &g->in[k]);
        if (g->form.form == MET_FORM_READ && k == g->form.table) {
            inside = checked ? met_generic_both(g, met_generic_id_holds(g), inside) : NULL;
            offset = met_generic_id_offset(g);
        }
        const char *load = met_draft_load(g->draft, &g->in[k], offset);
        if (inside)
            met_put(g->w, "const float a%u = %s ? %s : 0.0f;", k, inside, load);
        else
            met_put(g->w, "const float a%u = %s;", k, load);
    }
}

/* --- Maps --- */

static void put_map(met_generic *g)
{
    uint32_t last = g->kept_count ? g->kept[g->kept_count - 1] : MET_NONE;
    met_generic_put_units(g, g->kept_count ? g->kept_count - 1 : 0, g->kept);
    const char *valued = met_generic_valued(g, &g->out_gates), *affine = NULL;
    if (last != MET_NONE) {
        const char *counter = g->nest->counter[last], *size = g->nest->size[last].name;
        if (g->out_gates.affine.count) {
            met_put(g->w, "int64_t lo = 0, hi = %s;", size);
            met_generic_put_clip(g, last, &g->out_gates.affine);
            affine = met_format_text(g->arena, "%s >= lo && %s < hi", counter, counter);
        }
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", counter, counter, size, counter);
    } else {
        affine = met_generic_all(g, &g->out_gates.affine);
    }
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s))", met_generic_both(g, affine, valued));
        met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]),
                        met_draft_unit(g->draft, g->node->outs[0]));
        met_put(g->w, "continue;");
        met_put_close(g->w);
    }
    if (g->form.form == MET_FORM_READ)
        met_generic_put_id(g);
    met_generic_put_inputs(g, true);
    met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]), met_generic_formula(g, g->form.e));
    if (last != MET_NONE)
        met_put_close(g->w);
    met_put_close(g->w);
}

/* --- The whole --- */

/* A read is moved, or it is a factor of what is computed. */
static void put_read(met_generic *g)
{
    met_generic_place_id(g);
    if (g->form.e->kind == MET_SCALAR_INPUT)
        met_generic_put_read(g);
    else if (g->fold_count > 0)
        met_generic_put_fold(g);
    else
        put_map(g);
}

/* How a node's text is written, by what the node is. */
typedef struct kind {
    const char *form;
    void (*put)(met_generic *g);
} kind;

enum { KIND_READ, KIND_PICK, KIND_SCAN, KIND_FOLD, KIND_EACH };

static const kind kinds[] = {
    [KIND_READ] = { "read", put_read },
    [KIND_PICK] = { "pick", met_generic_put_pick },
    [KIND_SCAN] = { "scan", met_generic_put_scan },
    [KIND_FOLD] = { "fold", met_generic_put_fold },
    [KIND_EACH] = { "each", put_map },
};

static bool reduces(const met_node *node)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced)
            return true;
    return false;
}

static const kind *kind_of(const met_node *node)
{
    if (node->op->form == MET_FORM_READ)
        return &kinds[KIND_READ];
    if (node->op->form == MET_FORM_PICK)
        return &kinds[KIND_PICK];
    if (node->op->form == MET_FORM_SCAN)
        return &kinds[KIND_SCAN];
    return &kinds[reduces(node) ? KIND_FOLD : KIND_EACH];
}

const char *met_generic_form(uint32_t number)
{
    return number < sizeof kinds / sizeof *kinds ? kinds[number].form : NULL;
}

const char *met_generic_form_of(const met_node *node)
{
    return kind_of(node)->form;
}

int64_t met_generic_units(const met_generic *g)
{
    int64_t units = 1;
    uint32_t rank = g->form.form == MET_FORM_PICK ? met_generic_rank(g) :
                    g->form.form == MET_FORM_SCAN ? g->form.along :
                                                    MET_NONE;
    bool lookup = g->form.form == MET_FORM_READ && g->form.e->kind == MET_SCALAR_INPUT;
    bool map = (g->form.form == MET_FORM_FOLD || g->form.form == MET_FORM_READ) && !lookup && g->fold_count == 0;
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->kept[k] != rank && !(map && k + 1 == g->kept_count))
            units *= g->nest->size[g->kept[k]].value;
    return units;
}

met_generic *met_generic_new(met_draft *draft, met_node_id id)
{
    met_generic *g = MET_NEW(draft->writer->arena, met_generic);
    *g = (met_generic){ .draft = draft, .w = draft->writer, .arena = draft->writer->arena, .node = &draft->circuit->nodes[id.id],
                        .begin = "begin", .end = "end" };
    g->form = met_node_primitive(draft->circuit, g->node);
    g->nest = nest_of_node(draft, g->node);
    if (g->form.read_index != MET_NONE)
        g->nest->counter[g->form.read_index] = "0";
    order_loops(g);
    place_arrays(g);
    draft->failed = draft->failed || g->nest->failed;
    return g;
}

void met_generic_put(met_generic *g)
{
    kind_of(g->node)->put(g);
}

void met_write_generic(met_draft *draft, met_node_id id)
{
    met_generic *g = met_generic_new(draft, id);
    draft->units = met_generic_units(g);
    met_generic_put(g);
}

static const char *tree_refusal(const met_circuit *circuit, const met_point *point, const met_node *node)
{
    met_tree tree = met_point_tree(point, circuit, node);
    met_tree sequential = met_tree_sequential(MET_F32), lanes = met_tree_lanes(MET_F32, MET_LANES);
    sequential.node = tree.node == MET_NODE_PAIRS ? MET_NODE_PAIRS : MET_NODE_ADD;
    bool known = met_tree_equal(&tree, &sequential) || met_tree_equal(&tree, &lanes);
    return known ? NULL : "kernels fold sequentially or in 16 lanes, with fma";
}

const char *met_generic_refusal(const met_circuit *circuit, const met_point *point, met_node_id id)
{
    const met_node *node = &circuit->nodes[id.id];
    if (!node->op || node->op->form == MET_FORM_COMPOSITE)
        return "a node without a primitive form cannot be compiled";
    met_primitive form = met_node_primitive(circuit, node);
    bool exact = form.form == MET_FORM_PICK || form.monoid == MET_MONOID_NONE || met_monoid_is_exact(form.monoid);
    return exact ? NULL : tree_refusal(circuit, point, node);
}
