/* The text of records (number/tree.h), both ways. */
#include <string.h>

#include "number/tree.h"

static const char *const place_words[] = {"lane", "thread", "block", "split", "rank"};
static const char *const layout_words[] = {"strided", "contiguous"};
static const char *const order_words[] = {"sequential", "pairwise", "butterfly", "adjacent",
                                          "reverse",    "halves",   "halves_up", "eight_lane_blocks"};
static const char *const mode_words[] = {"rne", "rz", "rd", "ru"};
static const char *const flush_words[] = {"nothing", "inputs", "results"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static bool find_word(met_str word, const char *const *words, size_t count, uint8_t *ret_index)
{
    for (size_t i = 0; i < count; i++) {
        if (met_str_is(word, words[i])) {
            *ret_index = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_number(met_str text, uint64_t *ret_width)
{
    uint64_t width = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || width > UINT32_MAX) {
            return false;
        }
        width = width * 10 + (uint64_t)(text.at[i] - '0');
    }
    *ret_width = width;
    return width > 0;
}

static bool read_byte(met_str text, uint8_t *ret_byte)
{
    uint64_t number = 0;
    bool good = met_str_is(text, "0") || (read_number(text, &number) && number <= UINT8_MAX);
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

/* "16" or "n/256" */
static bool read_width(met_str text, met_tree_level *level)
{
    level->per_terms = take_head(&text, "n/");
    return read_number(text, &level->width);
}

/* "strided 16 sequential lane" */
static bool parse_level(met_str text, met_tree_level *ret_level)
{
    *ret_level = (met_tree_level){0};
    if (!find_word(take_token(&text), layout_words, COUNT(layout_words), &ret_level->layout) ||
        !read_width(take_token(&text), ret_level) ||
        !find_word(take_token(&text), order_words, COUNT(order_words), &ret_level->order)) {
        return false;
    }
    trim(&text);
    return text.length == 0 || find_word(text, place_words, COUNT(place_words), &ret_level->place);
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

static bool parse_shape(met_str text, met_tree *tree)
{
    met_str lanes = text;
    if (take_head(&lanes, "lanes")) {
        uint64_t width;
        if (!read_number(lanes, &width)) {
            return false;
        }
        *tree = met_tree_lanes((met_dtype)tree->precision, width);
        return true;
    }
    met_str level;
    while (take_then(&text, &level)) {
        if (tree->level_count == MET_TREE_LEVELS || !parse_level(level, &tree->levels[tree->level_count++])) {
            return false;
        }
    }
    trim(&text);
    return find_word(text, order_words, COUNT(order_words), &tree->combine);
}

static bool find_dtype(met_str word, uint8_t *ret_dtype)
{
    met_format format;
    if (!met_format_parse(word, &format) || !met_format_is_plain(format)) {
        return false;
    }
    *ret_dtype = format.dtype;
    return true;
}

static bool read_store(met_str text, met_tree *tree)
{
    return find_dtype(text, &tree->store);
}

static bool read_flush(met_str text, met_tree *tree)
{
    tree->flush = MET_FLUSH_BOTH;
    return text.length == 0 || find_word(text, flush_words, MET_FLUSH_BOTH, &tree->flush);
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
        !find_word(take_token(&text), mode_words, COUNT(mode_words), &unit->final)) {
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
    return met_str_is(kind, "float") && read_number(text, &tree->slice);
}

/* Attributes of more than one word, or with a choice. */
static const struct {
    const char *word;
    bool (*read)(met_str rest, met_tree *tree);
} readers[] = {
    {"store", read_store}, {"flush", read_flush}, {"pairs", read_pairs}, {"matrix", read_matrix}, {"rescale", read_rescale},
};

static bool parse_attribute(met_str text, met_tree *tree)
{
    if (met_str_is(text, "mul_add") || met_str_is(text, "fma")) {
        tree->contraction = met_str_is(text, "fma") ? MET_CONTRACT_FMA : MET_CONTRACT_MUL_ADD;
        return true;
    }
    if (met_str_is(text, "first") || met_str_is(text, "zero")) {
        tree->start = met_str_is(text, "zero") ? MET_START_ZERO : MET_START_FIRST;
        return true;
    }
    if (find_word(text, mode_words, COUNT(mode_words), &tree->mode)) {
        return true;
    }
    if (find_dtype(text, &tree->precision)) {
        tree->store = tree->precision;
        return true;
    }
    met_str word = take_token(&text);
    trim(&text);
    for (size_t i = 0; i < COUNT(readers); i++) {
        if (met_str_is(word, readers[i].word)) {
            return readers[i].read(text, tree);
        }
    }
    return false;
}

bool met_tree_parse(met_str text, met_dtype precision, met_tree *ret_tree)
{
    met_tree tree = met_tree_sequential(precision);
    if (!parse_shape(take_until(&text, ','), &tree)) {
        return false;
    }
    while (text.length) {
        if (!parse_attribute(take_until(&text, ','), &tree)) {
            return false;
        }
    }
    *ret_tree = tree;
    return met_tree_valid(&tree);
}

static void print_shape(met_text *out, const met_tree *tree)
{
    const met_tree_level *first = &tree->levels[0];
    bool lanes = tree->level_count == 1 && tree->combine == MET_ORDER_PAIRWISE && first->place == MET_PLACE_LANE &&
                 first->layout == MET_LAYOUT_STRIDED && first->order == MET_ORDER_SEQUENTIAL && !first->per_terms;
    if (lanes) {
        met_text_format(out, "lanes%llu", (unsigned long long)first->width);
        return;
    }
    for (int i = 0; i < tree->level_count; i++) {
        const met_tree_level *level = &tree->levels[i];
        met_text_format(out, "%s %s%llu %s %s then ", layout_words[level->layout], level->per_terms ? "n/" : "",
                        (unsigned long long)level->width, order_words[level->order], place_words[level->place]);
    }
    met_text_put(out, order_words[tree->combine]);
}

static void print_node(met_text *out, const met_tree *tree)
{
    const met_matrix_unit *unit = &tree->unit;
    if (tree->node == MET_NODE_PAIRS) {
        met_text_put(out, ", pairs");
    } else if (tree->node == MET_NODE_MATRIX) {
        met_text_format(out, ", matrix %u%s F%u %s", (unsigned)unit->width, unit->late ? "" : "+c", (unsigned)unit->fraction,
                        mode_words[unit->final]);
        if (unit->keep) {
            met_text_format(out, " keep %u", (unsigned)unit->keep);
        }
        met_text_put(out, unit->half ? " f16" : "");
    }
}

static void print_rescale(met_text *out, const met_tree *tree)
{
    if (tree->rescale == MET_RESCALE_POW2) {
        met_text_put(out, ", rescale pow2");
    } else if (tree->rescale == MET_RESCALE_FLOAT) {
        met_text_format(out, ", rescale float %llu", (unsigned long long)tree->slice);
    }
}

void met_tree_print(met_text *out, const met_tree *tree, met_dtype precision)
{
    print_shape(out, tree);
    if (tree->contraction == MET_CONTRACT_MUL_ADD) {
        met_text_put(out, ", mul_add");
    }
    if (tree->start == MET_START_FIRST) {
        met_text_put(out, ", first");
    }
    if (tree->mode != MET_RNE) {
        met_text_format(out, ", %s", mode_words[tree->mode]);
    }
    if (tree->precision != precision) {
        met_text_format(out, ", %s", met_dtype_table[tree->precision].spelling);
    }
    if (tree->store != tree->precision) {
        met_text_format(out, ", store %s", met_dtype_table[tree->store].spelling);
    }
    if (tree->flush) {
        met_text_put(out, tree->flush == MET_FLUSH_BOTH ? ", flush" : ", flush ");
        met_text_put(out, tree->flush == MET_FLUSH_BOTH ? "" : flush_words[tree->flush]);
    }
    print_node(out, tree);
    print_rescale(out, tree);
}
