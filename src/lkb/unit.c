/* MATRIX_UNITS.toml: how the matrix units of GPUs add. */
#include <string.h>

#include "lkb/read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const input_words[] = { "f16", "bf16", "tf32", "e4m3", "e5m2" };
static const char *const output_words[] = { "f32", "f16" };
static const char *const order_words[] = { "in order", "dealt" };
static const char *const accumulator_words[] = { "any", "zero" };

/* "16+c F25 rz", the language of trees. */
static bool read_node(met_lkb_reader *r, const met_value *table, met_lkb_unit *unit)
{
    const char *text = NULL;
    met_tree tree;
    met_text record = met_text_new(r->arena);
    if (!met_lkb_text(r, table, "node", true, &text))
        return false;
    unit->declared = strcmp(text, "undeclared") != 0;
    if (!unit->declared)
        return true;
    met_text_format(&record, "sequential, matrix %s", text);
    if (met_tree_parse(met_str_of(met_text_done(&record)), MET_F32, &tree) && tree.node == MET_NODE_MATRIX) {
        unit->instruction.unit = tree.unit;
        return true;
    }
    met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &met_value_get(table, "node")->place, "`%s` is not a node of a matrix unit", text);
    met_diag_help(d, "such as 8+c F24 rz, 32+c F13 rz keep 13, or 16 F25 rne f16, where the accumulator comes last");
    return false;
}

static bool read_instruction(met_lkb_reader *r, const met_value *table, met_lkb_unit *unit)
{
    uint32_t output = 0, order = 0, accumulator = 0;
    uint64_t depth = 0;
    bool good = met_lkb_word(r, table, "output", true, output_words, COUNT(output_words), &output);
    good = met_lkb_word(r, table, "order", false, order_words, COUNT(order_words), &order) && good;
    good = met_lkb_word(r, table, "accumulator", false, accumulator_words, COUNT(accumulator_words), &accumulator) && good;
    good = read_node(r, table, unit) && met_lkb_count(r, table, "depth", unit->declared, 1, &depth) && good;
    unit->half = output == 1;
    unit->without_c = accumulator == 1;
    if (!good || !unit->declared)
        return good;
    met_matrix_instruction *instruction = &unit->instruction;
    instruction->depth = depth <= MET_MATRIX_DEPTH ? (uint8_t)depth : 0;
    instruction->order = (uint8_t)order;
    if (instruction->unit.half != unit->half)
        return met_lkb_wrong(r, unit->span, "the node of `%s` gives %s, and its output is %s", unit->id, output_words[!output], output_words[output]);
    if (!met_matrix_instruction_valid(instruction))
        return met_lkb_wrong(r, unit->span, "an instruction of `%s` has whole nodes, 1 to %d products%s", unit->id, MET_MATRIX_DEPTH,
                             order ? ", and deals pairs to nodes" : "");
    return true;
}

static bool read_gpus(met_lkb_reader *r, const met_value *table, met_lkb_unit *unit)
{
    bool gpus = met_lkb_names(r, table, "gpus", true, &unit->gpus);
    bool good = gpus && met_lkb_names(r, table, "replayed", false, &unit->replayed) &&
                met_lkb_among(r, table, "replayed", "GPU of this unit", unit->gpus.names, unit->gpus.count);
    return met_lkb_names(r, table, "inputs", true, &unit->inputs) &&
           met_lkb_among(r, table, "inputs", "format of operands", input_words, COUNT(input_words)) && good;
}

/* A GPU has one unit for a format of operands and one of results. */
static bool claim(met_lkb_reader *r, const met_lkb_unit *units, uint32_t count, const met_lkb_unit *unit)
{
    bool good = true;
    for (uint32_t g = 0; g < unit->gpus.count; g++)
        for (uint32_t i = 0; i < unit->inputs.count; i++)
            for (uint32_t u = 0; u < count; u++) {
                if (units[u].half != unit->half || !met_name_list_has(&units[u].gpus, unit->gpus.names[g]) ||
                    !met_name_list_has(&units[u].inputs, unit->inputs.names[i]))
                    continue;
                met_diag *d = met_diag_add(r->session, MET_DIAG_duplicate_name, unit->span, "`%s` and `%s` are both of %s operands on `%s`",
                                           units[u].id, unit->id, unit->inputs.names[i], unit->gpus.names[g]);
                met_diag_note(d, units[u].span, "`%s` is here", units[u].id);
                good = false;
            }
    return good;
}

static bool read_unit(met_lkb_reader *r, const met_value *table, met_lkb_unit *unit)
{
    static const char *const known[] = { "id", "summary", "gpus", "replayed", "inputs", "output", "node", "depth",
                                         "order", "accumulator", "source" };
    unit->span = table->place.span;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    if (!met_lkb_id(r, table, "id", &unit->id))
        return false;
    good = met_lkb_text(r, table, "summary", true, &unit->summary) && good;
    good = met_lkb_text(r, table, "source", true, &unit->source) && good;
    good = read_gpus(r, table, unit) && good;
    return read_instruction(r, table, unit) && good;
}

bool met_lkb_read_units(met_lkb_reader *r, const met_value *file)
{
    static const char *const known[] = { "unit" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of matrix units"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    const met_value *list = met_lkb_tables(r, file, "unit", &good);
    uint32_t count = list ? (uint32_t)list->items.count : 0;
    met_lkb_unit *units = MET_NEW_ARRAY(r->arena, met_lkb_unit, count);
    met_span *spans = MET_NEW_ARRAY(r->arena, met_span, count);
    met_map *ids = met_map_new(r->arena);
    for (uint32_t i = 0; i < count; i++) {
        bool fine = read_unit(r, list->items.at[i], &units[i]);
        good = (!units[i].id || met_lkb_new(r, ids, "matrix units", units[i].id, units[i].span, spans, i)) && fine && claim(r, units, i, &units[i]) && good;
    }
    r->lkb->unit_count = count;
    r->lkb->units = units;
    return good;
}

bool met_lkb_check_unit(met_lkb_reader *r, const met_value *table, met_lkb_tree *tree)
{
    if (!met_lkb_text(r, table, "unit", false, &tree->unit) || !tree->unit)
        return !met_value_get(table, "unit");
    const met_value *name = met_value_get(table, "unit");
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->lkb->unit_count);
    for (uint32_t i = 0; i < r->lkb->unit_count; i++) {
        const met_lkb_unit *unit = &r->lkb->units[i];
        names[i] = unit->id;
        if (strcmp(unit->id, tree->unit) != 0)
            continue;
        if (unit->declared && tree->tree.node == MET_NODE_MATRIX && met_matrix_unit_equal(&unit->instruction.unit, &tree->tree.unit))
            return true;
        met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &name->place, "the nodes of the tree `%s` are not those of the matrix unit `%s`",
                                  tree->id, unit->id);
        met_diag_note(d, unit->span, "`%s` is here", unit->id);
        return false;
    }
    return met_lkb_unknown(r, &name->place, "matrix unit", name->string, names, r->lkb->unit_count);
}
