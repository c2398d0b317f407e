/* Binding: sizes get values. */
#include <string.h>

#include "base/diag.h"
#include "ir/check.h"
#include "ir/circuit.h"
#include "ir/names.h"
#include "ir/rewrite.h"

typedef struct binding {
    const met_circuit *circuit;
    uint32_t source; /* of the settings, for diagnostics */
    met_symbol *symbols;
    const met_symbol *before; /* the symbols as they were when these settings began */
    uint8_t *rank;  /* of each symbol: 0 not set, 1 by a plain name, 2 by a numbered one */
    met_map *given; /* names that were set: index into places */
    MET_VEC(met_span) places;
    bool failed;
} binding;

/* What the circuit has, for a setting of something else. */
static void help_with_sizes(const binding *b, met_diag *d, met_str name)
{
    const met_circuit *c = b->circuit;
    const char **names = MET_NEW_ARRAY(c->arena, const char *, c->symbol_count);
    size_t count = 0;
    met_text list = met_text_new(c->arena);
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        if (b->before[i].value)
            continue;
        names[count] = met_sym_text(c->session, c->symbols[i].name);
        if (count < 24)
            met_text_format(&list, "%s%s", count ? ", " : "", names[count]);
        else if (count == 24)
            met_text_put(&list, ", …");
        count++;
    }
    const char *near = met_nearest(name, names, count);
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    if (count)
        met_diag_help(d, "its free sizes are: %s", met_text_done(&list));
    else
        met_diag_help(d, "all its sizes are bound");
}

static void unknown_size(binding *b, met_span span, met_sym wanted)
{
    const met_circuit *c = b->circuit;
    met_str name = met_sym_str(c->session, wanted);
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        uint64_t value;
        bool same = c->symbols[i].name.id == wanted.id || c->symbols[i].label.id == wanted.id;
        if (!same || !b->before[i].value || !met_dim_is_constant(b->before[i].value, &value))
            continue;
        met_diag *d = met_diag_add(c->session, MET_DIAG_unknown_size, span, "the size `%.*s` is %llu already", MET_STR_ARGS(name),
                                   (unsigned long long)value);
        met_diag_help(d, "a size that has a value keeps it");
        return;
    }
    met_diag *d = met_diag_add(c->session, MET_DIAG_unknown_size, span, "the circuit has no free size `%.*s`", MET_STR_ARGS(name));
    help_with_sizes(b, d, name);
}

/* Whether a setting's name means this symbol: d means every d, d.2 the second of them. */
static bool names_symbol(met_sym wanted, bool numbered, const met_symbol *symbol)
{
    return !symbol->value && (numbered ? symbol->name.id : symbol->label.id) == wanted.id;
}

/* A numbered name says more than a plain one, so it wins, in whatever order they stand. */
static void set_size(binding *b, met_span span, met_str name, uint64_t value)
{
    const met_circuit *c = b->circuit;
    met_sym wanted = met_intern(c->session, name);
    bool numbered = met_name_base(c->session, wanted).id != wanted.id, found = false;
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        if (!names_symbol(wanted, numbered, &b->before[i]))
            continue;
        found = true;
        if (b->rank[i] < 1 + numbered) {
            b->symbols[i].value = met_dim_constant(c->arena, value);
            b->rank[i] = (uint8_t)(1 + numbered);
        }
    }
    if (!found)
        unknown_size(b, span, wanted);
    uint32_t first;
    if (found && met_map_get(b->given, name, &first)) {
        met_diag *d = met_diag_add(c->session, MET_DIAG_size_value, span, "`%.*s` is set twice", MET_STR_ARGS(name));
        met_diag_note(d, b->places.at[first], "the first is here");
        found = false;
    }
    met_map_set(b->given, name, (uint32_t)b->places.count);
    MET_PUSH(c->arena, &b->places, span);
    b->failed = b->failed || !found;
}

/* A decimal number from 1 to 2^48. */
static bool read_size(const char *text, uint32_t begin, uint32_t end, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (begin == end || end - begin > 18)
        return false;
    for (uint32_t i = begin; i < end; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *ret_value = value;
    return value > 0 && value <= (uint64_t)1 << 48;
}

static void trim(const char *text, uint32_t *begin, uint32_t *end)
{
    while (*begin < *end && text[*begin] == ' ')
        ++*begin;
    while (*end > *begin && text[*end - 1] == ' ')
        --*end;
}

static void read_setting(binding *b, const char *text, uint32_t begin, uint32_t end)
{
    met_session *session = b->circuit->session;
    trim(text, &begin, &end);
    uint32_t equals = begin;
    while (equals < end && text[equals] != '=')
        equals++;
    if (equals == end || equals == begin) {
        met_diag *d = met_diag_add(session, MET_DIAG_size_value, (met_span){ b->source, begin, end }, "this is not a setting of a size");
        met_diag_help(d, "write name=value, with commas between: h=8,d=64");
        b->failed = true;
        return;
    }
    uint32_t name_end = equals, value_begin = equals + 1;
    trim(text, &begin, &name_end);
    trim(text, &value_begin, &end);
    uint64_t value = 0;
    if (!read_size(text, value_begin, end, &value)) {
        met_diag *d = met_diag_add(session, MET_DIAG_size_value, (met_span){ b->source, value_begin, end }, "a size is a positive integer");
        met_diag_help(d, "from 1 to 2^48");
        b->failed = true;
        return;
    }
    set_size(b, (met_span){ b->source, begin, name_end }, (met_str){ text + begin, name_end - begin }, value);
}

static const met_dim *bound_value(void *context, met_size symbol)
{
    const binding *b = context;
    const met_symbol *s = &b->symbols[symbol.id];
    return b->circuit->symbols[symbol.id].value ? NULL : s->value;
}

static met_circuit *rewritten(binding *b)
{
    const met_circuit *old = b->circuit;
    met_circuit *c = met_arena_copy(old->arena, old, 1, sizeof *old);
    met_rewrite rewrite = { old->session, bound_value, b, false };
    met_axis *axes = met_arena_copy(old->arena, old->axes, old->axis_count, sizeof *axes);
    for (uint32_t i = 0; i < old->axis_count; i++)
        axes[i].size = met_rewrite_dim(&rewrite, axes[i].size);
    met_node *nodes = met_arena_copy(old->arena, old->nodes, old->node_count, sizeof *nodes);
    for (uint32_t i = 0; i < old->node_count; i++)
        met_rewrite_node(&rewrite, &nodes[i]);
    met_edge *edges = met_arena_copy(old->arena, old->edges, old->edge_count, sizeof *edges);
    c->axes = axes;
    c->nodes = nodes;
    c->edges = edges;
    c->symbols = b->symbols;
    if (rewrite.overflow) {
        met_span whole = { 0 };
        if (b->source)
            whole = (met_span){ b->source, 0, (uint32_t)met_session_source(old->session, b->source)->text.length };
        met_diag_add(old->session, MET_DIAG_size_value, whole, "with these, a size does not fit 64 bits");
        return NULL;
    }
    if (!met_circuit_derive_guards(c->session, axes, edges, nodes, c->node_count) || !met_circuit_check(c))
        return NULL;
    return c;
}

static bool read_settings(binding *b, const char *settings)
{
    const met_circuit *c = b->circuit;
    size_t length = strlen(settings);
    b->source = met_session_add_source(c->session, "--set", settings, length);
    if (b->source == 0)
        return false;
    b->before = met_arena_copy(c->arena, b->symbols, c->symbol_count, sizeof *b->symbols);
    b->rank = MET_NEW_ARRAY(c->arena, uint8_t, c->symbol_count);
    b->given = met_map_new(c->arena);
    b->places.count = 0;
    for (uint32_t begin = 0; begin < length;) {
        uint32_t end = begin;
        while (end < length && settings[end] != ',')
            end++;
        read_setting(b, settings, begin, end);
        begin = end + 1;
    }
    return !b->failed;
}

met_circuit *met_circuit_bind_each(const met_circuit *circuit, size_t count, const char *const *settings)
{
    binding b = { .circuit = circuit };
    b.symbols = met_arena_copy(circuit->arena, circuit->symbols, circuit->symbol_count, sizeof *b.symbols);
    for (size_t i = 0; i < count; i++)
        if (!read_settings(&b, settings[i]))
            return NULL;
    return rewritten(&b);
}

met_circuit *met_circuit_bind(const met_circuit *circuit, const char *settings)
{
    return met_circuit_bind_each(circuit, 1, &settings);
}

met_circuit *met_circuit_bind_symbols(const met_circuit *circuit, const uint64_t *sizes)
{
    binding b = { .circuit = circuit };
    b.symbols = met_arena_copy(circuit->arena, circuit->symbols, circuit->symbol_count, sizeof *b.symbols);
    for (uint32_t s = 0; s < circuit->symbol_count; s++)
        if (sizes[s] && !b.symbols[s].value)
            b.symbols[s].value = met_dim_constant(circuit->arena, sizes[s]);
    return rewritten(&b);
}
