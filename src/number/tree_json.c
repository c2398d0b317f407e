/* Records from JSON, and from JSON with comments; tree_json_write.c writes them. */
#include "number/tree_json.h"

#include "number/bracketing.h"
#include "number/tree_words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct reader {
    met_session *session;
    const met_tree_names *names;
    met_tree tree;
} reader;

/* A field that may be absent, when it keeps its default: *ret_value is NULL. */
static bool get_word(reader *r, const met_value *table, const char *key, const met_value **ret_value, met_str *ret_word)
{
    *ret_value = met_value_get(table, key);
    return !*ret_value || met_value_to_string(r->session, *ret_value, key, ret_word);
}

static bool read_word(reader *r, const met_value *table, const char *key, const met_tree_words *words, uint8_t *ret_number)
{
    const met_value *value;
    met_str word;
    if (!get_word(r, table, key, &value, &word)) {
        return false;
    }
    if (!value || met_tree_word(words, word, ret_number)) {
        return true;
    }
    met_diag *diag = met_diag_at(r->session, MET_DIAG_field, &value->place, "there is no %s `%.*s`", words->what, MET_STR_ARGS(word));
    met_text known = met_text_new(r->session->arena);
    for (size_t i = 0; i < words->count; i++) {
        met_text_format(&known, "%s%s", i ? ", " : "", words->at[i]);
    }
    met_diag_help(diag, "known: %s", met_text_done(&known));
    return false;
}

static bool read_dtype(reader *r, const met_value *table, const char *key, uint8_t *ret_dtype)
{
    const met_value *value;
    met_str word;
    if (!get_word(r, table, key, &value, &word)) {
        return false;
    }
    if (!value || met_tree_dtype(word, ret_dtype)) {
        return true;
    }
    met_diag_at(r->session, MET_DIAG_field, &value->place, "`%s` is a plain format, not `%.*s`", key, MET_STR_ARGS(word));
    return false;
}

static bool read_natural(reader *r, const met_value *table, const char *key, int64_t least, int64_t most, uint64_t *ret_number)
{
    const met_value *value = met_value_get(table, key);
    int64_t number;
    if (!value) {
        return true;
    }
    if (!met_value_to_integer(r->session, value, key, &number)) {
        return false;
    }
    if (number < least || number > most) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "`%s` is from %lld to %lld, not %lld", key, (long long)least,
                    (long long)most, (long long)number);
        return false;
    }
    *ret_number = (uint64_t)number;
    return true;
}

static bool read_byte(reader *r, const met_value *table, const char *key, int64_t most, uint8_t *ret_byte)
{
    uint64_t number = *ret_byte;
    bool good = read_natural(r, table, key, 0, most, &number);
    *ret_byte = (uint8_t)number;
    return good;
}

static bool expect_table(reader *r, const met_value *value, const char *what, const char *const *keys, size_t count)
{
    return met_value_expect(r->session, value, MET_VALUE_TABLE, what) && met_value_only(r->session, value, keys, count);
}

static bool read_level_width(reader *r, const met_value *table, met_tree_level *level)
{
    const met_value *value = met_value_require(r->session, table, "width");
    met_str text;
    if (!value) {
        return false;
    }
    if (value->kind == MET_VALUE_INTEGER) {
        level->width = 1;
        return read_natural(r, table, "width", 1, INT64_MAX, &level->width);
    }
    bool good = value->kind == MET_VALUE_STRING && met_value_to_string(r->session, value, "width", &text);
    if (!good || !met_tree_width(r->session->arena, r->names, text, level)) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "a width is a number from 1, n/256, or sizes in brackets");
        return false;
    }
    return true;
}

static bool read_levels(reader *r, const met_value *list)
{
    static const char *const keys[] = {"place", "layout", "width", "order"};
    if (!met_value_expect(r->session, list, MET_VALUE_LIST, "levels")) {
        return false;
    }
    if (list->items.count > MET_TREE_LEVELS) {
        met_diag_at(r->session, MET_DIAG_field, &list->place, "a record has no more than %d levels", MET_TREE_LEVELS);
        return false;
    }
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        met_tree_level *level = &r->tree.levels[r->tree.level_count++];
        if (!expect_table(r, item, "a level", keys, COUNT(keys)) || !read_level_width(r, item, level) ||
            !read_word(r, item, "place", &met_tree_place_words, &level->place) ||
            !read_word(r, item, "layout", &met_tree_layout_words, &level->layout) ||
            !read_word(r, item, "order", &met_tree_order_words, &level->order)) {
            return false;
        }
    }
    return true;
}

static bool read_written(reader *r, const met_value *value)
{
    met_str text;
    if (!met_value_to_string(r->session, value, "written", &text)) {
        return false;
    }
    r->tree.written = met_bracketing_parse(r->session->arena, text);
    if (!r->tree.written) {
        met_diag_at(r->session, MET_DIAG_field, &value->place,
                    "a written tree has %s", met_bracketing_fault(text));
    }
    return r->tree.written != NULL;
}

static bool read_tail(reader *r, const met_value *value)
{
    static const char *const keys[] = {"rule", "block", "onto", "contraction"};
    met_tree_tail tail = {0};
    if (!expect_table(r, value, "tail", keys, COUNT(keys)) || !read_word(r, value, "rule", &met_tree_tail_words, &tail.rule) ||
        !read_natural(r, value, "block", 0, INT64_MAX, &tail.block) || !read_byte(r, value, "onto", MET_TREE_LEVELS, &tail.onto) ||
        !read_word(r, value, "contraction", &met_tree_tail_contraction_words, &tail.contraction)) {
        return false;
    }
    bool none = tail.rule == MET_TAIL_INSIDE && tail.block == 0;
    if (!none && r->tree.tail_count == MET_TREE_TAILS) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "a record has no more than %d tails", MET_TREE_TAILS);
        return false;
    }
    if (!none) {
        r->tree.tails[r->tree.tail_count++] = tail;
    }
    return true;
}

/* One, or a list of them. */
static bool read_tails(reader *r, const met_value *value)
{
    bool good = true, list = value->kind == MET_VALUE_LIST;
    for (size_t i = 0; list && good && i < value->items.count; i++) {
        good = read_tail(r, value->items.at[i]);
    }
    return list ? good : read_tail(r, value);
}

static bool read_node(reader *r, const met_value *value)
{
    static const char *const keys[] = {"kind", "width", "F", "final", "keep", "accumulator", "result"};
    static const char *const places[] = {"inside", "late"};
    static const met_tree_words joins = {"place of an accumulator", places, COUNT(places)};
    met_matrix_unit *unit = &r->tree.unit;
    static const char *const results[] = {"f32", "f16"};
    static const met_tree_words formats = {"result of a unit", results, COUNT(results)};
    uint8_t late = 0, half = 0;
    bool good = expect_table(r, value, "node", keys, COUNT(keys)) &&
                read_word(r, value, "kind", &met_tree_node_words, &r->tree.node) &&
                read_byte(r, value, "width", MET_MATRIX_WIDTH, &unit->width) && read_byte(r, value, "F", 60, &unit->fraction) &&
                read_word(r, value, "final", &met_tree_mode_words, &unit->final) && read_byte(r, value, "keep", 23, &unit->keep) &&
                read_word(r, value, "accumulator", &joins, &late) &&
                read_word(r, value, "result", &formats, &half);
    unit->late = late;
    unit->half = half;
    return good;
}

static bool read_rescale(reader *r, const met_value *value)
{
    static const char *const keys[] = {"kind", "slice"};
    return expect_table(r, value, "rescale", keys, COUNT(keys)) &&
           read_word(r, value, "kind", &met_tree_rescale_words, &r->tree.rescale) &&
           read_natural(r, value, "slice", 0, INT64_MAX, &r->tree.slice);
}

static bool read_undeclared(reader *r, const met_value *list)
{
    if (!met_value_expect(r->session, list, MET_VALUE_LIST, "undeclared")) {
        return false;
    }
    for (size_t i = 0; i < list->items.count; i++) {
        const met_value *item = list->items.at[i];
        met_str name;
        if (!met_value_to_string(r->session, item, "a field", &name)) {
            return false;
        }
        met_tree_field field = met_tree_field_of(name);
        if (field == MET_FIELD_NONE) {
            met_diag *diag = met_diag_at(r->session, MET_DIAG_field, &item->place, "there is no field `%.*s` of a record", MET_STR_ARGS(name));
            met_diag_help(diag, "known: levels, combine, tail, start, rounding, flush, contraction, mma, rescale");
            return false;
        }
        r->tree.undeclared |= 1u << field;
    }
    return true;
}

static bool read_axis(reader *r, const met_value *value)
{
    met_str name;
    if (!met_value_to_string(r->session, value, "axis", &name)) {
        return false;
    }
    if (!met_tree_name_axis(&r->tree, name)) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "an axis has the name of an index, of less than %d bytes", MET_TREE_AXIS);
        return false;
    }
    return true;
}

/* Fields that are values of several parts. */
static const struct {
    const char *key;
    bool (*read)(reader *r, const met_value *value);
} parts[] = {
    {"axis", read_axis},     {"levels", read_levels}, {"written", read_written}, {"tail", read_tails},
    {"node", read_node},     {"rescale", read_rescale}, {"undeclared", read_undeclared},
};

static bool read_format(reader *r, const met_value *value)
{
    const met_value *format = met_value_require(r->session, value, "format");
    met_str text;
    if (!format || !met_value_to_string(r->session, format, "format", &text)) {
        return false;
    }
    if (!met_str_is(text, MET_TREE_FORMAT)) {
        met_diag_at(r->session, MET_DIAG_field, &format->place, "the format is \"" MET_TREE_FORMAT "\", not `%.*s`", MET_STR_ARGS(text));
        return false;
    }
    return true;
}

/* That of the arithmetic, or f64. */
static bool read_combine_precision(reader *r, const met_value *table)
{
    uint8_t precision = r->tree.precision;
    if (!read_dtype(r, table, "combine_precision", &precision)) {
        return false;
    }
    r->tree.combine_f64 = precision == MET_F64 && r->tree.precision != MET_F64;
    if (precision != MET_F64 && precision != r->tree.precision) {
        met_diag_at(r->session, MET_DIAG_field, &met_value_get(table, "combine_precision")->place,
                    "the last results meet in f64 or in the precision of the arithmetic");
        return false;
    }
    return true;
}

static bool read_record(reader *r, const met_value *value)
{
    static const char *const keys[] = {"format", "axis", "levels", "combine", "combine_precision", "written", "tail", "start", "contraction", "precision", "store",
                                       "rounding", "flush", "node", "rescale", "undeclared", "about"};
    met_tree *tree = &r->tree;
    if (!expect_table(r, value, "a record", keys, COUNT(keys)) || !read_format(r, value)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        const met_value *part = met_value_get(value, parts[i].key);
        if (part && !parts[i].read(r, part)) {
            return false;
        }
    }
    bool good = read_word(r, value, "combine", &met_tree_order_words, &tree->combine) &&
                read_word(r, value, "start", &met_tree_start_words, &tree->start) &&
                read_word(r, value, "contraction", &met_tree_contraction_words, &tree->contraction) &&
                read_word(r, value, "rounding", &met_tree_mode_words, &tree->mode) &&
                read_word(r, value, "flush", &met_tree_flush_words, &tree->flush) &&
                read_dtype(r, value, "precision", &tree->precision);
    tree->store = tree->precision;
    return good && read_dtype(r, value, "store", &tree->store) && read_combine_precision(r, value);
}

bool met_tree_of_value(met_session *session, const met_value *value, const met_tree_names *names, met_tree *ret_tree)
{
    reader r = {session, names, met_tree_sequential(MET_F32)};
    if (!read_record(&r, value)) {
        return false;
    }
    const char *fault = met_tree_fault(&r.tree);
    if (fault) {
        met_diag_at(session, MET_DIAG_field, &value->place, "this is no record: it should have %s", fault);
        return false;
    }
    *ret_tree = r.tree;
    return true;
}

/* --- Text with comments --- */

bool met_tree_of_source(met_session *session, uint32_t source, const met_tree_names *names, met_tree *ret_tree)
{
    met_str text = met_session_source(session, source)->text;
    char *plain = met_arena_text(session->arena, text.at, text.length);
    bool comment = false;
    for (size_t i = 0; i < text.length; i++) { /* places stay as they are */
        comment = plain[i] == '#' || (comment && plain[i] != '\n');
        plain[i] = comment || plain[i] == '\n' || plain[i] == '\r' || plain[i] == '\t' ? ' ' : plain[i];
    }
    met_tree_error error;
    if (met_tree_read(session->arena, (met_str){plain, text.length}, MET_F32, names, ret_tree, &error)) {
        return true;
    }
    bool inside = error.at.at >= plain && error.at.at + error.at.length <= plain + text.length;
    uint32_t begin = inside ? (uint32_t)(error.at.at - plain) : 0, end = begin + (inside ? (uint32_t)error.at.length : 0);
    met_diag_add(session, MET_DIAG_syntax, (met_span){.source = source, .begin = begin, .end = end}, "a record has %s here", error.why);
    return false;
}
