/* The text of records (number/tree.h), read. tree_print.c writes it. */
#include <string.h>

#include "number/bracketing.h"
#include "number/tree_words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is being read; `arena` may be NULL. */
typedef struct reader {
    met_arena *arena;
    const met_tree_names *names;
    met_tree tree;
    met_tree_error error;
    unsigned said; /* attributes: bits 1 << ABOUT_… */
} reader;

static bool fail(reader *r, met_str at, const char *why)
{
    r->error = r->error.why ? r->error : (met_tree_error){at, why};
    return false;
}

static void trim(met_str *text)
{
    while (text->length && text->at[0] == ' ') {
        text->at++;
        text->length--;
    }
    while (text->length && text->at[text->length - 1] == ' ') {
        text->length--;
    }
}

/* Takes what stands before the next `end` (or all) off the front of the text, without the spaces around it. */
static met_str take_until(met_str *text, char end)
{
    const char *stop = text->length ? memchr(text->at, end, text->length) : NULL;
    met_str part = {text->at, stop ? (size_t)(stop - text->at) : text->length};
    size_t used = part.length + (stop != NULL);
    text->at = used ? text->at + used : text->at;
    text->length -= used;
    trim(&part);
    return part;
}

static met_str take_token(met_str *text)
{
    trim(text);
    return take_until(text, ' ');
}

static bool read_byte(met_str text, uint8_t *ret_byte)
{
    uint64_t number = 0;
    bool good = met_str_is(text, "0") || (met_tree_number(text, &number) && number <= UINT8_MAX);
    *ret_byte = (uint8_t)number;
    return good;
}

/* Takes `head` off the front of the text if it begins so. */
static bool take_head(met_str *text, const char *head)
{
    size_t length = strlen(head);
    bool is = text->length >= length && memcmp(text->at, head, length) == 0;
    text->at += is ? length : 0;
    text->length -= is ? length : 0;
    return is;
}

/* A width ends at a space, an expression at its bracket. */
static met_str take_width(met_str *text)
{
    trim(text);
    if (text->length == 0 || text->at[0] != '[') {
        return take_token(text);
    }
    met_str rest = *text, inner = take_until(&rest, ']');
    *text = rest;
    return (met_str){inner.at, (size_t)(rest.at - inner.at)};
}

/* "strided 16 sequential lane" */
static bool parse_level(reader *r, met_str text, met_tree_level *ret_level)
{
    *ret_level = (met_tree_level){0};
    met_str layout = take_token(&text), width = take_width(&text), order = take_token(&text);
    trim(&text);
    if (!met_tree_word(&met_tree_layout_words, layout, &ret_level->layout)) {
        return fail(r, layout, "a layout: strided or contiguous");
    }
    if (!met_tree_width(r->arena, r->names, width, ret_level)) {
        return fail(r, width, "a width: a number from 1, n/256, or sizes in brackets, [ceil(k/256)]");
    }
    if (!met_tree_word(&met_tree_order_words, order, &ret_level->order)) {
        return fail(r, order, "an order: sequential, pairwise, butterfly, adjacent, reverse, halves, halves_up or eight_lane_blocks");
    }
    bool known = text.length == 0 || met_tree_word(&met_tree_place_words, text, &ret_level->place);
    return known || fail(r, text, "a place: lane, thread, block, split or rank");
}

/* Takes the words before " then " off the front of the text; false if there is none. */
static bool take_then(met_str *text, met_str *ret_part)
{
    static const char then[] = " then ";
    for (size_t i = 0; i + sizeof then - 1 <= text->length; i++) {
        if (memcmp(text->at + i, then, sizeof then - 1) == 0) {
            *ret_part = (met_str){text->at, i};
            text->at += i + sizeof then - 1;
            text->length -= i + sizeof then - 1;
            return true;
        }
    }
    return false;
}

static bool parse_written(reader *r, met_str text)
{
    r->tree.written = r->arena ? met_bracketing_parse(r->arena, text) : NULL;
    return r->tree.written || fail(r, text, "a tree in which each of 0, 1, … stands once, every node with two children or more");
}

static bool parse_shape(reader *r, met_str text)
{
    met_tree *tree = &r->tree;
    met_str lanes = text, level;
    if (text.length && (text.at[0] == '(' || (text.at[0] >= '0' && text.at[0] <= '9'))) {
        return parse_written(r, text);
    }
    if (take_head(&lanes, "lanes")) {
        uint64_t width;
        if (!met_tree_number(lanes, &width)) {
            return fail(r, text, "a number of lanes");
        }
        *tree = met_tree_lanes((met_dtype)tree->precision, width);
        return true;
    }
    while (take_then(&text, &level)) {
        if (tree->level_count == MET_TREE_LEVELS) {
            return fail(r, level, "no more than 6 levels");
        }
        if (!parse_level(r, level, &tree->levels[tree->level_count++])) {
            return false;
        }
    }
    trim(&text);
    return met_tree_word(&met_tree_order_words, text, &tree->combine) ||
           fail(r, text, "a shape: an order, lanesN, levels and then an order, or a written tree");
}

static bool read_axis(met_str text, met_tree *tree)
{
    return met_tree_name_axis(tree, text);
}

static bool read_store(met_str text, met_tree *tree)
{
    return met_tree_dtype(text, &tree->store);
}

static bool read_combine(met_str text, met_tree *tree)
{
    tree->combine_f64 = true;
    return met_str_is(text, "f64");
}

static bool read_flush(met_str text, met_tree *tree)
{
    tree->flush = MET_FLUSH_BOTH;
    return text.length == 0 || met_tree_word(&met_tree_flush_words, text, &tree->flush);
}

static bool read_pairs(met_str text, met_tree *tree)
{
    tree->node = MET_NODE_PAIRS;
    return text.length == 0;
}

/* "8+c F24 rz", "16 F13 rz keep 13", "16+c F25 rne f16"; without +c the accumulator comes last */
static bool read_matrix(met_str text, met_tree *tree)
{
    met_matrix_unit *unit = &tree->unit;
    met_str width = take_token(&text), fraction = take_token(&text);
    unit->late = width.length < 3 || memcmp(width.at + width.length - 2, "+c", 2) != 0;
    width.length -= unit->late ? 0 : 2;
    tree->node = MET_NODE_MATRIX;
    if (!read_byte(width, &unit->width) || !take_head(&fraction, "F") || !read_byte(fraction, &unit->fraction) ||
        !met_tree_word(&met_tree_mode_words, take_token(&text), &unit->final)) {
        return false;
    }
    met_str keep = take_token(&text);
    trim(&text);
    unit->half = met_str_is(keep, "f16");
    if (unit->half) {
        return text.length == 0;
    }
    return keep.length == 0 || (met_str_is(keep, "keep") && read_byte(text, &unit->keep) && unit->keep > 0);
}

static bool read_rescale(met_str text, met_tree *tree)
{
    met_str kind = take_token(&text);
    trim(&text);
    tree->rescale = MET_RESCALE_POW2;
    if (met_str_is(kind, "pow2")) {
        return text.length == 0;
    }
    tree->rescale = MET_RESCALE_FLOAT;
    return met_str_is(kind, "float") && met_tree_number(text, &tree->slice);
}

/* "after 64 onto level 2", "apart 8 fma" */
static bool read_tail(met_str text, met_tree *tree)
{
    if (tree->tail_count == MET_TREE_TAILS) {
        return false;
    }
    met_tree_tail *tail = &tree->tails[tree->tail_count++];
    met_str kind = take_token(&text), block = take_token(&text);
    trim(&text);
    bool good = met_tree_word(&met_tree_tail_words, kind, &tail->rule) && tail->rule != MET_TAIL_INSIDE && met_tree_number(block, &tail->block);
    if (good && take_head(&text, "onto level ")) {
        good = read_byte(take_token(&text), &tail->onto) && tail->onto > 0;
        trim(&text);
    }
    return good && (text.length == 0 || met_tree_word(&met_tree_tail_contraction_words, text, &tail->contraction));
}

static bool read_undeclared(met_str text, met_tree *tree)
{
    bool good = text.length > 0;
    while (text.length && good) {
        met_tree_field field = met_tree_field_of(take_token(&text));
        tree->undeclared |= 1u << field;
        good = field != MET_FIELD_NONE;
    }
    return good;
}

/* Attributes of more than one word, or with a choice. */
static const struct {
    const char *word;
    bool (*read)(met_str rest, met_tree *tree);
    const char *takes;
} readers[] = {
    {"over", read_axis, "over and the name of an index"},
    {"store", read_store, "store and a plain format, such as bf16"},
    {"combine", read_combine, "combine f64: what the last level's results meet in"},
    {"flush", read_flush, "flush, flush inputs or flush results"},
    {"pairs", read_pairs, "pairs"},
    {"matrix", read_matrix, "matrix, products, F and a rounding: matrix 8+c F24 rz"},
    {"rescale", read_rescale, "rescale pow2, or rescale float and the terms of a slice"},
    {"tail", read_tail, "tail after or tail apart and the terms of a whole block, then onto level 2 and fma or mul_add if need be, up to 4 times"},
    {"undeclared", read_undeclared, "undeclared and names of fields: axis, levels, combine, tail, start, rounding, flush, contraction, mma, rescale"},
};

/* What an attribute is about: each thing is said once. */
enum { ABOUT_CONTRACTION, ABOUT_START, ABOUT_MODE, ABOUT_PRECISION, ABOUT_OTHERS };

static bool once(reader *r, met_str whole, unsigned about)
{
    bool again = r->said >> about & 1 && !(about >= ABOUT_OTHERS && readers[about - ABOUT_OTHERS].read == read_tail); /* there may be several */
    r->said |= 1u << about;
    return !again || fail(r, whole, "of another kind: this is said already");
}

/* A format is that of partial results as well, unless `store` says another. */
static void set_precision(reader *r, uint8_t precision)
{
    bool stored = false;
    for (size_t i = 0; i < COUNT(readers); i++) {
        stored = stored || (readers[i].read == read_store && r->said >> (ABOUT_OTHERS + i) & 1);
    }
    r->tree.precision = precision;
    r->tree.store = stored ? r->tree.store : precision;
}

static bool parse_attribute(reader *r, met_str text)
{
    met_tree *tree = &r->tree;
    uint8_t precision;
    if (met_tree_word(&met_tree_contraction_words, text, &tree->contraction)) {
        return once(r, text, ABOUT_CONTRACTION);
    }
    if (met_tree_word(&met_tree_start_words, text, &tree->start)) {
        return once(r, text, ABOUT_START);
    }
    if (met_tree_word(&met_tree_mode_words, text, &tree->mode)) {
        return once(r, text, ABOUT_MODE);
    }
    if (met_tree_dtype(text, &precision)) {
        set_precision(r, precision);
        return once(r, text, ABOUT_PRECISION);
    }
    met_str whole = text, word = take_token(&text);
    trim(&text);
    for (unsigned i = 0; i < COUNT(readers); i++) {
        if (met_str_is(word, readers[i].word)) {
            return once(r, whole, ABOUT_OTHERS + i) && (readers[i].read(text, tree) || fail(r, whole, readers[i].takes));
        }
    }
    return fail(r, whole, "fma, mul_add, zero, first, rne, rz, rd, ru, a format, over, store, combine, flush, pairs, matrix, rescale, tail or undeclared");
}

static bool read_all(reader *r, met_str text)
{
    met_str whole = text;
    trim(&text);
    if (!parse_shape(r, take_until(&text, ','))) {
        return false;
    }
    while (text.length) {
        if (!parse_attribute(r, take_until(&text, ','))) {
            return false;
        }
    }
    r->tree.combine_f64 = r->tree.combine_f64 && r->tree.precision != MET_F64; /* as all arithmetic is */
    const char *fault = met_tree_fault(&r->tree);
    return !fault || fail(r, whole, fault);
}

bool met_tree_read(met_arena *arena, met_str text, met_dtype precision, const met_tree_names *names, met_tree *ret_tree,
                   met_tree_error *ret_error)
{
    reader r = {arena, names, met_tree_sequential(precision), {{NULL, 0}, NULL}, 0};
    bool good = read_all(&r, text);
    if (good) {
        *ret_tree = r.tree;
    } else if (ret_error) {
        *ret_error = r.error;
    }
    return good;
}

bool met_tree_parse(met_str text, met_dtype precision, met_tree *ret_tree)
{
    return met_tree_read(NULL, text, precision, NULL, ret_tree, NULL);
}
