/* Records of number/tree.h: the common ones, their text, their depth. */
#include "number/tree.h"

#include <string.h>

static const char *const place_words[] = {"lane", "thread", "block", "split", "rank"};
static const char *const layout_words[] = {"strided", "contiguous"};
static const char *const order_words[] = {"sequential", "pairwise", "butterfly", "adjacent"};
static const char *const node_words[] = {"add", "pairs"};
static const char *const mode_words[] = {"rne", "rz", "rd", "ru"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

met_tree met_tree_sequential(met_dtype precision)
{
    return (met_tree){.precision = (uint8_t)precision, .store = (uint8_t)precision};
}

met_tree met_tree_pairwise(met_dtype precision)
{
    met_tree tree = met_tree_sequential(precision);
    tree.combine = MET_ORDER_PAIRWISE;
    return tree;
}

met_tree met_tree_lanes(met_dtype precision, uint64_t width)
{
    met_tree tree = met_tree_pairwise(precision);
    tree.level_count = 1;
    tree.levels[0] = (met_tree_level){.width = width};
    return tree;
}

static bool level_equal(const met_tree_level *a, const met_tree_level *b)
{
    return a->place == b->place && a->layout == b->layout && a->order == b->order && a->width == b->width;
}

bool met_tree_equal(const met_tree *a, const met_tree *b)
{
    for (int i = 0; i < a->level_count && i < b->level_count; i++) {
        if (!level_equal(&a->levels[i], &b->levels[i])) {
            return false;
        }
    }
    return a->level_count == b->level_count && a->combine == b->combine && a->start == b->start &&
           a->contraction == b->contraction && a->node == b->node && a->precision == b->precision &&
           a->store == b->store && a->mode == b->mode;
}

/* The instruction leaves no choice. */
static bool pairs_valid(const met_tree *tree)
{
    return tree->node != MET_NODE_PAIRS ||
           (tree->level_count == 0 && tree->combine == MET_ORDER_SEQUENTIAL && tree->start == MET_START_ZERO &&
            tree->contraction == MET_CONTRACT_FMA && tree->precision == MET_F32 && tree->store == MET_F32 &&
            tree->mode == MET_RNE);
}

bool met_tree_valid(const met_tree *tree)
{
    if (tree->level_count > MET_TREE_LEVELS || tree->combine >= COUNT(order_words) || tree->mode > MET_RU ||
        tree->start > MET_START_FIRST || tree->contraction > MET_CONTRACT_MUL_ADD || tree->node > MET_NODE_PAIRS ||
        (tree->precision != MET_F64 && tree->precision != MET_F32) ||
        (tree->mode != MET_RNE && tree->precision != MET_F32) || !pairs_valid(tree)) {
        return false;
    }
    for (int i = 0; i < tree->level_count; i++) {
        const met_tree_level *level = &tree->levels[i];
        if (level->width == 0 || level->place >= COUNT(place_words) || level->layout >= COUNT(layout_words) ||
            level->order >= COUNT(order_words)) {
            return false;
        }
    }
    return tree->store == MET_F64 || tree->store == MET_F32 || tree->store == MET_BF16 || tree->store == MET_F16;
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

static bool read_width(met_str text, uint64_t *ret_width)
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

/* "strided 16 sequential lane" */
static bool parse_level(met_str text, met_tree_level *ret_level)
{
    *ret_level = (met_tree_level){0};
    if (!find_word(take_token(&text), layout_words, COUNT(layout_words), &ret_level->layout) ||
        !read_width(take_token(&text), &ret_level->width) ||
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
    static const char lanes[] = "lanes";
    size_t length = sizeof lanes - 1;
    if (text.length > length && memcmp(text.at, lanes, length) == 0) {
        uint64_t width;
        if (!read_width((met_str){text.at + length, text.length - length}, &width)) {
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
    if (find_word(text, mode_words, COUNT(mode_words), &tree->mode) ||
        find_word(text, node_words, COUNT(node_words), &tree->node)) {
        return true;
    }
    if (find_dtype(text, &tree->precision)) {
        tree->store = tree->precision;
        return true;
    }
    met_str word = take_token(&text);
    trim(&text);
    return met_str_is(word, "store") && find_dtype(text, &tree->store);
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
    met_tree lanes = met_tree_lanes((met_dtype)tree->precision, tree->levels[0].width);
    if (tree->level_count == 1 && tree->combine == MET_ORDER_PAIRWISE && level_equal(&tree->levels[0], &lanes.levels[0])) {
        met_text_format(out, "lanes%llu", (unsigned long long)tree->levels[0].width);
        return;
    }
    for (int i = 0; i < tree->level_count; i++) {
        const met_tree_level *level = &tree->levels[i];
        met_text_format(out, "%s %llu %s %s then ", layout_words[level->layout], (unsigned long long)level->width,
                        order_words[level->order], place_words[level->place]);
    }
    met_text_put(out, order_words[tree->combine]);
}

void met_tree_print(met_text *out, const met_tree *tree, met_dtype precision)
{
    print_shape(out, tree);
    if (tree->node != MET_NODE_ADD) {
        met_text_format(out, ", %s", node_words[tree->node]);
    }
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
}

uint64_t met_order_depth(met_tree_order order, uint64_t m)
{
    uint64_t depth = 0;
    if (order == MET_ORDER_SEQUENTIAL) {
        return m;
    }
    while (depth < 63 && (uint64_t)1 << depth < m) {
        depth++;
    }
    return depth;
}

uint64_t met_tree_depth(const met_tree *tree, uint64_t n)
{
    uint64_t depth = 0;
    for (int i = 0; i < tree->level_count && n > 0; i++) {
        const met_tree_level *level = &tree->levels[i];
        uint64_t each = (n - 1) / level->width + 1;
        depth += met_order_depth((met_tree_order)level->order, each);
        n = level->layout == MET_LAYOUT_CONTIGUOUS ? (n - 1) / each + 1 : level->width < n ? level->width : n;
    }
    return depth + (n > 1 || tree->level_count == 0 ? met_order_depth((met_tree_order)tree->combine, n) : 0);
}

double met_gamma(uint64_t depth, double unit_roundoff)
{
    double product = (double)depth * unit_roundoff;
    return product / (1 - product);
}
