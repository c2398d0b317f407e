#include "realize/form.h"

#include <string.h>

#include "realize/contraction.h"
#include "realize/tile.h"

enum { PARAMS = 3, VALUES = 8 };

/* What a text is made from: a tile program, a node, or an operand that is packed. */
typedef struct subject {
    const met_tile *tile;
    const met_circuit *circuit;
    const met_node *node;
    met_dtype packed;
    bool words;
} subject;

/* The values that a parameter can have, NULL behind the last, and the one that it has here. */
typedef struct param {
    const char *name;
    void (*domain)(const char **ret_values);
    const char *(*value)(const subject *s);
} param;

typedef struct form_row {
    const char *form; /* NULL: every form of realize/generic.c */
    bool (*is)(const subject *s);
    const param *params[PARAMS];
} form_row;

/* --- Parameters --- */

static const char *dtype_name(met_dtype dtype)
{
    return met_dtype_table[dtype].spelling;
}

static void put_held(const char **ret_values, bool (*takes)(met_dtype dtype))
{
    met_dtype dtype;
    for (uint32_t k = 0; met_draft_dtype(k, &dtype); k++)
        if (takes(dtype))
            *ret_values++ = dtype_name(dtype);
    *ret_values = NULL;
}

static bool any(met_dtype dtype)
{
    (void)dtype;
    return true;
}

static bool contracts(met_dtype dtype)
{
    return met_contraction_format(dtype) != NULL;
}

static void held_formats(const char **ret_values)
{
    put_held(ret_values, any);
}

static void operand_formats(const char **ret_values)
{
    put_held(ret_values, contracts);
}

static const char *format_of(const met_circuit *circuit, met_edge_id edge)
{
    return dtype_name((met_dtype)circuit->edges[edge.id].format.dtype);
}

static const char *first_read(const subject *s)
{
    if (s->tile) {
        const met_kernel *kernel = s->tile->kernel;
        return format_of(kernel->circuit, met_tile_node(s->tile, 0)->ins[0]);
    }
    met_primitive form = met_node_primitive(s->circuit, s->node);
    return format_of(s->circuit, s->node->ins[form.form == MET_FORM_READ ? form.table : 0]);
}

/* The first contraction; NULL if there is none. */
static const met_tile_step *contraction_of(const subject *s, const met_node **ret_node)
{
    for (uint32_t k = 0; s->tile && k < s->tile->kernel->step_count; k++) {
        *ret_node = met_tile_node(s->tile, k);
        if (s->tile->steps[k].kind == MET_TILE_CONTRACT)
            return &s->tile->steps[k];
    }
    return NULL;
}

static const char *lane_operand(const subject *s)
{
    const met_node *node;
    const met_tile_step *step = contraction_of(s, &node);
    return step ? format_of(s->tile->kernel->circuit, node->ins[step->lane_operand]) : dtype_name(s->packed);
}

static void put_words(const char **ret_values, const char *a, const char *b, const char *c)
{
    ret_values[0] = a;
    ret_values[1] = b;
    ret_values[2] = c;
    ret_values[3] = NULL;
}

static void dots(const char **ret_values)
{
    put_words(ret_values, "f32", "pairs", NULL);
}

static const char *dot(const subject *s)
{
    const met_node *node;
    return contraction_of(s, &node)->dot ? "pairs" : "f32";
}

static void rescalings(const char **ret_values)
{
    put_words(ret_values, "none", "pow2", "float");
}

static const char *rescale(const subject *s)
{
    const char *value = "none";
    for (uint32_t a = 0; a < s->tile->kernel->accumulator_count; a++) {
        const met_kernel_accumulator *accumulator = &s->tile->kernel->accumulators[a];
        if (accumulator->base != MET_NONE && !accumulator->exact)
            return "float";
        value = accumulator->base != MET_NONE ? "pow2" : value;
    }
    return value;
}

static void operands(const char **ret_values)
{
    put_words(ret_values, "floats", "words", NULL);
}

static const char *operand(const subject *s)
{
    return s->words ? "words" : "floats";
}

static const param activation = { "activation", held_formats, first_read };
static const param weight = { "weight", operand_formats, lane_operand };
static const param by_dot = { "dot", dots, dot };
static const param by_rescale = { "rescale", rescalings, rescale };
static const param by_operand = { "operand", operands, operand };

/* --- Forms: the first row that a text is one of --- */

static bool is_contract(const subject *s)
{
    const met_node *node;
    return contraction_of(s, &node) != NULL;
}

static bool folds(const subject *s, uint32_t step)
{
    return s->tile->steps[step].kind == MET_TILE_FOLD;
}

/* What is contracted along a stream, or makes it, meets statistics of it. */
static bool is_stream(const subject *s)
{
    if (!is_contract(s) || s->tile->stream == MET_NONE)
        return false;
    for (uint32_t k = 0; k < s->tile->kernel->step_count; k++)
        if (folds(s, k) && met_tile_streams(s->tile, k))
            return true;
    return false;
}

static bool is_rows(const subject *s)
{
    for (uint32_t k = 0; s->tile && k < s->tile->kernel->step_count; k++)
        if (folds(s, k))
            return true;
    return false;
}

static bool is_map(const subject *s)
{
    return s->tile != NULL;
}

static bool is_node(const subject *s)
{
    return s->node != NULL;
}

static bool is_pack(const subject *s)
{
    return !s->tile && !s->node;
}

static const form_row rows[] = {
    { "stream", is_stream, { &weight, &by_rescale, &by_dot } },
    { "contract", is_contract, { &weight, &by_dot } },
    { "rows", is_rows, { &activation, &by_rescale } },
    { "map", is_map, { &activation } },
    { NULL, is_node, { &activation } },
    { "pack", is_pack, { &weight, &by_operand } },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Two bf16 make a pair or a word; a packed operand is words where it is bf16 all through (realize/tile_contract.c). */
static bool is_possible(const form_row *row, const char *const *values)
{
    bool bf16 = true, pairs = false;
    for (int p = 0; p < PARAMS && row->params[p]; p++) {
        bool format = row->params[p]->domain == operand_formats || row->params[p]->domain == held_formats;
        bf16 = bf16 && (!format || strcmp(values[p], dtype_name(MET_BF16)) == 0);
        pairs = pairs || strcmp(values[p], "pairs") == 0 || strcmp(values[p], "words") == 0;
    }
    return bf16 || !pairs;
}

/* --- Points --- */

static const met_form_point *new_point(met_arena *arena, const form_row *row, const char *form, const char *const *values)
{
    met_form_point *point = MET_NEW(arena, met_form_point);
    const char **names = MET_NEW_ARRAY(arena, const char *, PARAMS);
    *point = (met_form_point){ .form = form, .params = names, .values = met_arena_copy(arena, values, PARAMS, sizeof *values) };
    while (point->param_count < PARAMS && row->params[point->param_count]) {
        names[point->param_count] = row->params[point->param_count]->name;
        point->param_count++;
    }
    return point;
}

static const met_form_point *point_of(const subject *s, met_arena *arena)
{
    const form_row *row = rows;
    while (!row->is(s))
        row++;
    const char *values[PARAMS] = { NULL };
    for (int p = 0; p < PARAMS && row->params[p]; p++)
        values[p] = row->params[p]->value(s);
    return new_point(arena, row, row->form ? row->form : met_generic_form_of(s->node), values);
}

const met_form_point *met_form_of_tile(const met_tile *tile, met_arena *arena)
{
    return point_of(&(subject){ .tile = tile }, arena);
}

const met_form_point *met_form_of_node(const met_circuit *circuit, const met_node *node, met_arena *arena)
{
    return point_of(&(subject){ .circuit = circuit, .node = node }, arena);
}

const met_form_point *met_form_of_pack(met_dtype from, bool words, met_arena *arena)
{
    return point_of(&(subject){ .packed = from, .words = words }, arena);
}

const met_form_point *met_form_of(const met_program *program, uint32_t launch)
{
    return program->launches[launch].form;
}

typedef struct point_list {
    met_arena *arena;
    MET_VEC(met_form_point) at;
} point_list;

/* All values of parameter p and those behind it. */
static void add_points(point_list *list, const form_row *row, const char *form, const char **values, int p)
{
    if (p == PARAMS || !row->params[p]) {
        if (is_possible(row, values))
            MET_PUSH(list->arena, &list->at, *new_point(list->arena, row, form, values));
        return;
    }
    const char *domain[VALUES];
    row->params[p]->domain(domain);
    for (int v = 0; domain[v]; v++) {
        values[p] = domain[v];
        add_points(list, row, form, values, p + 1);
    }
}

/* The texts are the same for every class, in terms of its lanes. */
uint32_t met_form_points(const met_class *class, const met_form_point **ret_points, met_arena *arena)
{
    (void)class;
    point_list list = { .arena = arena };
    const char *values[PARAMS] = { NULL };
    for (int r = 0; r < ROWS; r++) {
        if (rows[r].form)
            add_points(&list, &rows[r], rows[r].form, values, 0);
        for (uint32_t k = 0; !rows[r].form && met_generic_form(k); k++)
            add_points(&list, &rows[r], met_generic_form(k), values, 0);
    }
    *ret_points = list.at.at;
    return (uint32_t)list.at.count;
}
