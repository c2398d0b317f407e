/* Binding: sizes get values. */
#include <string.h>

#include "base/diag.h"
#include "ir/check.h"
#include "ir/circuit.h"
#include "ir/names.h"
#include "ir/rewrite.h"

typedef enum way { NOT_SET, SET_WITH_OTHERS, SET_ALONE } way;

typedef struct binding {
    const met_circuit *circuit;
    uint32_t source; /* of the settings, for diagnostics */
    met_symbol *symbols;
    way *ways;        /* by symbol: how it got its value … */
    met_span *places; /* … and where */
    bool failed;
} binding;

/* What the circuit has, for a setting of something else. */
static void help_with_sizes(met_diag *d, const met_circuit *c, met_str wanted)
{
    const char **names = MET_NEW_ARRAY(c->arena, const char *, c->symbol_count);
    size_t count = 0;
    met_text list = met_text_new(c->arena);
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        if (c->symbols[i].value)
            continue;
        names[count] = met_sym_text(c->session, c->symbols[i].name);
        if (count < 24)
            met_text_format(&list, "%s%s", count ? ", " : "", names[count]);
        else if (count == 24)
            met_text_put(&list, ", …");
        count++;
    }
    const char *near = met_nearest(wanted, names, count);
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
        if (!same || !c->symbols[i].value || !met_dim_is_constant(c->symbols[i].value, &value))
            continue;
        met_diag *d = met_diag_add(c->session, MET_DIAG_unknown_size, span, "the size `%.*s` is %llu already", MET_STR_ARGS(name),
                                   (unsigned long long)value);
        met_diag_help(d, "a size that has a value keeps it");
        return;
    }
    met_diag *d = met_diag_add(c->session, MET_DIAG_unknown_size, span, "the circuit has no free size `%.*s`", MET_STR_ARGS(name));
    help_with_sizes(d, c, name);
}

/* A numbered name means one size, and wins over the plain name, which means all of that label. */
static void set_size(binding *b, met_span span, met_str name, uint64_t value)
{
    const met_circuit *c = b->circuit;
    met_sym wanted = met_intern(c->session, name);
    way how = met_name_base(c->session, wanted).id != wanted.id ? SET_ALONE : SET_WITH_OTHERS;
    bool found = false;
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        met_sym own = how == SET_ALONE ? c->symbols[i].name : c->symbols[i].label;
        if (own.id != wanted.id || c->symbols[i].value)
            continue;
        if (!found && b->ways[i] == how) {
            met_diag *d = met_diag_add(c->session, MET_DIAG_size_value, span, "`%.*s` is set twice", MET_STR_ARGS(name));
            met_diag_note(d, b->places[i], "the first is here");
            b->failed = true;
            return;
        }
        found = true;
        if (b->ways[i] > how)
            continue;
        b->ways[i] = how;
        b->places[i] = span;
        b->symbols[i].value = met_dim_constant(c->arena, value);
    }
    if (!found)
        unknown_size(b, span, wanted);
    b->failed = b->failed || !found;
}

static void read_setting(binding *b, const char *text, uint32_t begin, uint32_t end)
{
    met_session *session = b->circuit->session;
    while (begin < end && text[begin] == ' ')
        begin++;
    while (end > begin && text[end - 1] == ' ')
        end--;
    met_span span = { b->source, begin, end };
    uint32_t equals = begin;
    while (equals < end && text[equals] != '=')
        equals++;
    if (equals == end || equals == begin) {
        met_diag *d = met_diag_add(session, MET_DIAG_size_value, span, "this is not a setting of a size");
        met_diag_help(d, "write name=value, with commas between: h=8,d=64");
        b->failed = true;
        return;
    }
    uint64_t value = 0;
    bool number = equals + 1 < end && end - equals < 20;
    for (uint32_t i = equals + 1; i < end && number; i++) {
        number = text[i] >= '0' && text[i] <= '9';
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!number || value == 0 || value > (uint64_t)1 << 48) {
        met_diag *d = met_diag_add(session, MET_DIAG_size_value, (met_span){ b->source, equals + 1, end }, "a size is a positive integer");
        met_diag_help(d, "from 1 to 2^48");
        b->failed = true;
        return;
    }
    set_size(b, (met_span){ b->source, begin, equals }, (met_str){ text + begin, equals - begin }, value);
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
        met_span whole = { b->source, 0, (uint32_t)met_session_source(old->session, b->source)->text.length };
        met_diag_add(old->session, MET_DIAG_size_value, whole, "with these, a size does not fit 64 bits");
        return NULL;
    }
    if (!met_circuit_derive_guards(c->session, axes, edges, nodes, c->node_count) || !met_circuit_check(c))
        return NULL;
    return c;
}

met_circuit *met_circuit_bind(const met_circuit *circuit, const char *settings)
{
    size_t length = strlen(settings);
    binding b = { .circuit = circuit, .source = met_session_add_source(circuit->session, "--set", settings, length) };
    if (b.source == 0)
        return NULL;
    b.symbols = met_arena_copy(circuit->arena, circuit->symbols, circuit->symbol_count, sizeof *b.symbols);
    b.ways = MET_NEW_ARRAY(circuit->arena, way, circuit->symbol_count);
    b.places = MET_NEW_ARRAY(circuit->arena, met_span, circuit->symbol_count);
    for (uint32_t begin = 0; begin < length;) {
        uint32_t end = begin;
        while (end < length && settings[end] != ',')
            end++;
        read_setting(&b, settings, begin, end);
        begin = end + 1;
    }
    return b.failed ? NULL : rewritten(&b);
}
