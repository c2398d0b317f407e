#include "number/tree_words.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const places[] = {"lane", "thread", "block", "split", "rank"};
static const char *const layouts[] = {"strided", "contiguous"};
static const char *const orders[] = {"sequential", "pairwise", "butterfly", "adjacent",
                                     "reverse",    "halves",   "halves_up", "eight_lane_blocks"};
static const char *const modes[] = {"rne", "rz", "rd", "ru"};
static const char *const flushes[] = {"nothing", "inputs", "results", "both"};
static const char *const tails[] = {"inside", "after", "apart"};
static const char *const tail_contractions[] = {"alike", "fma", "mul_add"};
static const char *const starts[] = {"zero", "first"};
static const char *const contractions[] = {"fma", "mul_add"};
static const char *const nodes[] = {"add", "pairs", "matrix"};
static const char *const rescales[] = {"none", "float", "pow2"};

const met_tree_words met_tree_place_words = {"place", places, COUNT(places)};
const met_tree_words met_tree_layout_words = {"layout", layouts, COUNT(layouts)};
const met_tree_words met_tree_order_words = {"order", orders, COUNT(orders)};
const met_tree_words met_tree_mode_words = {"rounding", modes, COUNT(modes)};
const met_tree_words met_tree_flush_words = {"flushing", flushes, COUNT(flushes)};
const met_tree_words met_tree_tail_words = {"tail", tails, COUNT(tails)};
const met_tree_words met_tree_tail_contraction_words = {"contraction", tail_contractions, COUNT(tail_contractions)};
const met_tree_words met_tree_start_words = {"start", starts, COUNT(starts)};
const met_tree_words met_tree_contraction_words = {"contraction", contractions, COUNT(contractions)};
const met_tree_words met_tree_node_words = {"node", nodes, COUNT(nodes)};
const met_tree_words met_tree_rescale_words = {"rescaling", rescales, COUNT(rescales)};

bool met_tree_word(const met_tree_words *words, met_str word, uint8_t *ret_number)
{
    for (size_t i = 0; i < words->count; i++) {
        if (met_str_is(word, words->at[i])) {
            *ret_number = (uint8_t)i;
            return true;
        }
    }
    return false;
}

bool met_tree_name_axis(met_tree *tree, met_str name)
{
    bool good = name.length > 0 && name.length < MET_TREE_AXIS;
    for (size_t i = 0; good && i < name.length; i++) {
        unsigned char c = (unsigned char)name.at[i];
        good = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > 0 && c >= '0' && c <= '9');
    }
    if (good) {
        memset(tree->axis, 0, sizeof tree->axis);
        memcpy(tree->axis, name.at, name.length);
    }
    return good;
}

met_tree_field met_tree_field_of(met_str name)
{
    for (int i = MET_FIELD_NONE + 1; i < MET_TREE_FIELDS; i++) {
        if (met_str_is(name, met_tree_field_name((met_tree_field)i))) {
            return (met_tree_field)i;
        }
    }
    return MET_FIELD_NONE;
}

bool met_tree_dtype(met_str word, uint8_t *ret_dtype)
{
    met_format format;
    if (!met_format_parse(word, &format) || !met_format_is_plain(format)) {
        return false;
    }
    *ret_dtype = format.dtype;
    return true;
}

bool met_tree_number(met_str text, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || number > UINT32_MAX) {
            return false;
        }
        number = number * 10 + (uint64_t)(text.at[i] - '0');
    }
    *ret_number = number;
    return number > 0;
}

/* --- Expressions over sizes --- */

enum { NESTING = 64 };

typedef struct reader {
    met_arena *arena;
    const met_tree_names *names;
    met_str text;
    int depth;
} reader;

static bool take(reader *r, const char *word)
{
    while (r->text.length && r->text.at[0] == ' ') {
        r->text = (met_str){r->text.at + 1, r->text.length - 1};
    }
    size_t length = strlen(word);
    bool is = r->text.length >= length && memcmp(r->text.at, word, length) == 0;
    r->text = is ? (met_str){r->text.at + length, r->text.length - length} : r->text;
    return is;
}

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static met_str take_name(reader *r)
{
    size_t length = 0;
    take(r, "");
    while (length < r->text.length && in_name(r->text.at[length])) {
        length++;
    }
    met_str name = {r->text.at, length};
    r->text = (met_str){r->text.at + length, r->text.length - length};
    return name;
}

/* Without names a symbol is called s and its number. */
static bool symbol_of(const reader *r, met_str name, met_size *ret_symbol)
{
    uint64_t id = 0;
    if (r->names) {
        return r->names->find(r->names->context, name, ret_symbol);
    }
    met_str digits = {name.at + 1, name.length - 1};
    bool good = name.length > 1 && name.at[0] == 's' && (met_str_is(digits, "0") || met_tree_number(digits, &id)) &&
                id < UINT32_MAX;
    *ret_symbol = (met_size){(uint32_t)id};
    return good;
}

static const met_dim *read_sum(reader *r);

/* What stands between `floor(` and `)`: EXPRESSION/NUMBER, the expression in parentheses if it is not a name. */
static const met_dim *read_quotient(reader *r, bool floor)
{
    uint64_t divisor;
    const met_dim *inner = NULL;
    if (++r->depth <= NESTING) {
        inner = read_sum(r);
    }
    r->depth--;
    if (!inner || !take(r, "/") || !met_tree_number(take_name(r), &divisor) || !take(r, ")")) {
        return NULL;
    }
    return floor ? met_dim_floor_div(r->arena, inner, divisor) : met_dim_ceil_div(r->arena, inner, divisor);
}

static const met_dim *read_factor(reader *r)
{
    if (take(r, "(")) {
        const met_dim *inner = ++r->depth <= NESTING ? read_sum(r) : NULL;
        r->depth--;
        return inner && take(r, ")") ? inner : NULL;
    }
    bool floor = take(r, "floor(");
    if (floor || take(r, "ceil(")) {
        return read_quotient(r, floor);
    }
    met_str name = take_name(r);
    uint64_t number;
    met_size symbol;
    if (met_tree_number(name, &number)) {
        return met_dim_constant(r->arena, number);
    }
    bool named = name.length && !(name.at[0] >= '0' && name.at[0] <= '9');
    return named && symbol_of(r, name, &symbol) ? met_dim_symbol(r->arena, symbol) : NULL;
}

static const met_dim *read_product(reader *r)
{
    const met_dim *product = read_factor(r);
    while (product && take(r, "*")) {
        product = met_dim_mul(r->arena, product, read_factor(r));
    }
    return product;
}

static const met_dim *read_sum(reader *r)
{
    const met_dim *sum = read_product(r);
    while (sum && take(r, "+")) {
        sum = met_dim_add(r->arena, sum, read_product(r));
    }
    return sum;
}

bool met_tree_width(met_arena *arena, const met_tree_names *names, met_str text, met_tree_level *level)
{
    bool over = text.length > 2 && memcmp(text.at, "n/", 2) == 0;
    level->per_terms = over;
    if (text.length < 2 || text.at[0] != '[') {
        return met_tree_number(over ? (met_str){text.at + 2, text.length - 2} : text, &level->width);
    }
    reader r = {arena, names, {text.at + 1, text.length - 2}, 0};
    level->size = arena && text.at[text.length - 1] == ']' ? read_sum(&r) : NULL;
    level->width = 1;
    return level->size && take(&r, "") && r.text.length == 0;
}

static met_str number_name(void *context, met_size symbol)
{
    met_text name = met_text_new(context);
    met_text_format(&name, "s%lu", (unsigned long)symbol.id);
    return met_str_of(met_text_done(&name));
}

void met_tree_print_width(met_text *out, const met_tree_names *names, const met_tree_level *level)
{
    if (!level->size) {
        met_text_format(out, "%s%llu", level->per_terms ? "n/" : "", (unsigned long long)level->width);
        return;
    }
    met_text_char(out, '[');
    met_dim_print(out, level->size, names ? names->name : number_name, names ? names->context : out->arena);
    met_text_char(out, ']');
}
