/* Region texts: statements, the loops that names carry, and which values are wanted outside. */
#include <string.h>

#include "derive/region_read.h"

static met_str text_of(const met_region_reader *r, const met_token *token)
{
    return met_sym_str(r->parser.session, token->name);
}

static uint32_t loop_of(met_region_reader *r, met_str name)
{
    for (uint32_t i = 0; i < r->loops.count; i++)
        if (met_str_is(name, r->loops.at[i].name))
            return i;
    if (r->loops.count == MET_KERNEL_LOOPS)
        return MET_NONE;
    met_region_loop loop = { met_arena_text(r->arena, name.at, name.length),
                             met_dim_symbol(r->arena, (met_size){ (uint32_t)r->loops.count }) };
    MET_PUSH(r->arena, &r->loops, loop);
    return (uint32_t)r->loops.count - 1;
}

static met_str loop_name(void *context, met_size symbol)
{
    const met_region *region = context;
    return met_str_of(symbol.id < region->loop_count ? region->loops[symbol.id].name : "k");
}

bool met_region_read_axes(met_region_reader *r, met_token_kind end, met_loops *ret_loops, const met_dim **ret_slots)
{
    *ret_loops = 0;
    *ret_slots = NULL;
    bool slots = false;
    while (!met_parse_accept(&r->parser, end)) {
        slots = met_parse_accept(&r->parser, MET_TOKEN_ARROW) != NULL || slots;
        met_token *name = met_parse_expect(&r->parser, MET_TOKEN_NAME, "brackets hold names of axes");
        if (!name)
            return false;
        uint32_t loop = loop_of(r, text_of(r, name));
        if (loop == MET_NONE) {
            met_parse_fail(&r->parser, MET_DIAG_input_too_large, name->span, "a region with more than 64 axes");
            return false;
        }
        if (slots)
            *ret_slots = r->loops.at[loop].size;
        else
            *ret_loops |= (met_loops)1 << loop;
    }
    return true;
}

static met_loops loops_of(const met_region_reader *r, const met_scalar *e)
{
    met_loops loops = 0;
    if (e->kind == MET_SCALAR_INPUT && e->input != MET_REGION_STATE)
        return r->values.at[e->input].loops;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        loops |= e->arguments[i] ? loops_of(r, e->arguments[i]) : 0;
    return loops;
}

uint32_t met_region_define(met_region_reader *r, met_region_value value)
{
    if (r->values.count == MET_REGION_VALUES) {
        met_parse_fail(&r->parser, MET_DIAG_input_too_large, value.span, "a region with more than 4096 values");
        return MET_NONE;
    }
    if (value.e)
        value.loops = loops_of(r, value.e) & ~value.reduced;
    if (value.slots)
        for (uint32_t i = 0; i < r->loops.count; i++)
            if (value.slots == r->loops.at[i].size)
                value.loops |= value.slot_loop = (met_loops)1 << i;
    MET_PUSH(r->arena, &r->values, value);
    met_map_set(r->numbers, met_str_of(value.name), (uint32_t)r->values.count - 1);
    return (uint32_t)r->values.count - 1;
}

/* Axes are what stands between brackets; a name is free if no statement defines it. */
typedef struct scan {
    met_map *defined, *declared;
    MET_VEC(uint32_t) free; /* tokens of free names, in order of appearance */
} scan;

static void note_axes(met_region_reader *r, uint32_t at)
{
    const met_token *tokens = r->parser.tokens.at;
    bool slots = false;
    for (uint32_t i = at + 1; i < tokens[at].match; i++) {
        slots = slots || tokens[i].kind == MET_TOKEN_ARROW;
        uint32_t before = (uint32_t)r->loops.count, loop = tokens[i].kind == MET_TOKEN_NAME ? loop_of(r, text_of(r, &tokens[i])) : before;
        if (slots && loop == before && r->loops.count > before) /* more than 64 are reported where they are read */
            r->slots |= (met_loops)1 << loop;
    }
}

/* NAME [ … ] or @NAME [ … ] as a whole statement; `at` is the name. */
static bool is_declaration(const met_region_reader *r, uint32_t at)
{
    const met_token *tokens = r->parser.tokens.at;
    uint32_t start = at > 0 && tokens[at - 1].kind == MET_TOKEN_AT ? at - 1 : at;
    bool starts = start == 0 || tokens[start - 1].kind == MET_TOKEN_SEMICOLON || tokens[start - 1].kind == MET_TOKEN_NEWLINE;
    if (!starts || tokens[at].kind != MET_TOKEN_NAME || tokens[at + 1].kind != MET_TOKEN_LBRACKET ||
        tokens[at + 1].match == MET_TOKEN_UNMATCHED)
        return false;
    met_token_kind after = tokens[tokens[at + 1].match + 1].kind;
    return after == MET_TOKEN_SEMICOLON || after == MET_TOKEN_NEWLINE || after == MET_TOKEN_END;
}

static void scan_names(met_region_reader *r, scan *found)
{
    const met_token *tokens = r->parser.tokens.at;
    uint32_t count = r->parser.tokens.count;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (tokens[i].kind == MET_TOKEN_NAME && tokens[i + 1].kind == MET_TOKEN_ASSIGN)
            met_map_set(found->defined, text_of(r, &tokens[i]), i);
    uint32_t brackets_end = 0, seen;
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (tokens[i].kind == MET_TOKEN_LBRACKET && tokens[i].match != MET_TOKEN_UNMATCHED) {
            note_axes(r, i);
            brackets_end = tokens[i].match;
        }
        bool named = i > 0 && tokens[i].kind == MET_TOKEN_LPAREN && tokens[i - 1].kind == MET_TOKEN_NAME;
        bool size = named && met_str_is(text_of(r, &tokens[i - 1]), "size");
        if (size && tokens[i].match != MET_TOKEN_UNMATCHED) { /* the size of an axis, not a value */
            note_axes(r, i);
            brackets_end = tokens[i].match;
        }
        bool called = tokens[i + 1].kind == MET_TOKEN_LPAREN || tokens[i + 1].kind == MET_TOKEN_LBRACKET;
        if (tokens[i].kind != MET_TOKEN_NAME || i < brackets_end || (called && !is_declaration(r, i)))
            continue;
        if (met_map_get(found->defined, text_of(r, &tokens[i]), &seen) || met_map_get(found->declared, text_of(r, &tokens[i]), &seen))
            continue;
        met_map_set(found->declared, text_of(r, &tokens[i]), i);
        MET_PUSH(r->arena, &found->free, i);
    }
}

static bool is_listed(const met_region_rules *rules, met_str name)
{
    for (uint32_t i = 0; i < rules->static_count; i++)
        if (met_str_is(name, rules->statics[i]))
            return true;
    return false;
}

static bool define_inputs(met_region_reader *r, const scan *found, const met_region_rules *rules)
{
    met_loops all = r->loops.count == MET_KERNEL_LOOPS ? ~(met_loops)0 : ((met_loops)1 << r->loops.count) - 1;
    all &= ~r->slots;
    met_loops stream = 0;
    for (uint32_t i = 0; rules->stream && i < r->loops.count; i++)
        if (strcmp(r->loops.at[i].name, rules->stream) == 0)
            stream = (met_loops)1 << i;
    for (size_t i = 0; i < found->free.count; i++) {
        const met_token *token = &r->parser.tokens.at[found->free.at[i]];
        met_region_value value = { .name = met_sym_text(r->parser.session, token->name), .input = true, .span = token->span };
        value.loops = is_listed(rules, text_of(r, token)) ? all & ~stream : all;
        value.positive = strncmp(value.name, "eps", 3) == 0;
        if (met_region_define(r, value) == MET_NONE)
            return false;
    }
    return true;
}

/* v[x d]: a free name that carries these axes and no others; @w[x d]: a weight. */
static bool read_declaration(met_region_reader *r)
{
    bool parameter = met_parse_accept(&r->parser, MET_TOKEN_AT) != NULL;
    met_token *name = met_parse_accept(&r->parser, MET_TOKEN_NAME);
    met_loops loops;
    const met_dim *slots;
    uint32_t number;
    met_parse_accept(&r->parser, MET_TOKEN_LBRACKET);
    if (!met_region_read_axes(r, MET_TOKEN_RBRACKET, &loops, &slots))
        return false;
    met_str text = text_of(r, name);
    if (!met_map_get(r->numbers, text, &number) || !r->values.at[number].input) {
        met_diag_add(r->parser.session, MET_DIAG_duplicate_name, name->span, "`%.*s` is defined: its axes follow from that",
                     MET_STR_ARGS(text));
        return false;
    }
    r->values.at[number].loops = loops;
    r->values.at[number].parameter = parameter;
    return true;
}

static bool read_definition(met_region_reader *r)
{
    met_token *name = met_parse_expect(&r->parser, MET_TOKEN_NAME, "a statement is `name = formula`");
    uint32_t number;
    if (!name || !met_parse_expect(&r->parser, MET_TOKEN_ASSIGN, "a statement is `name = formula`"))
        return false;
    met_str text = text_of(r, name);
    if (met_map_get(r->numbers, text, &number)) {
        met_diag_add(r->parser.session, MET_DIAG_duplicate_name, name->span, "`%.*s` is defined twice", MET_STR_ARGS(text));
        return false;
    }
    r->target = name->name;
    r->unnamed = 0;
    size_t before = r->values.count;
    met_region_part part = met_region_read_formula(r);
    if (!part.e)
        return false;
    const char *own = met_sym_text(r->parser.session, name->name);
    met_region_value *last = r->values.count > before ? &r->values.at[r->values.count - 1] : NULL;
    if (last && part.e->kind == MET_SCALAR_INPUT && part.e->input == r->values.count - 1) { /* a fold and nothing else */
        last->name = own;
        met_map_set(r->numbers, text, (uint32_t)r->values.count - 1);
        return true;
    }
    return met_region_define(r, (met_region_value){ .name = own, .e = part.e, .span = name->span }) != MET_NONE;
}

static bool read_statements(met_region_reader *r)
{
    for (;;) {
        while (met_parse_accept(&r->parser, MET_TOKEN_SEMICOLON) || met_parse_accept(&r->parser, MET_TOKEN_NEWLINE))
            ;
        if (met_parse_at(&r->parser, MET_TOKEN_END))
            return true;
        bool marked = met_parse_at(&r->parser, MET_TOKEN_AT);
        bool declares = is_declaration(r, marked ? r->parser.at + 1 : r->parser.at);
        if (!(declares ? read_declaration(r) : read_definition(r)))
            return false;
        bool ends = met_parse_at(&r->parser, MET_TOKEN_END) || met_parse_at(&r->parser, MET_TOKEN_SEMICOLON) ||
                    met_parse_at(&r->parser, MET_TOKEN_NEWLINE);
        if (!ends) {
            met_parse_unexpected(&r->parser, "`;` or the end of the text");
            return false;
        }
    }
}

static void mark_read(const met_scalar *e, bool *read)
{
    if (e->kind == MET_SCALAR_INPUT && e->input != MET_REGION_STATE)
        read[e->input] = true;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        if (e->arguments[i])
            mark_read(e->arguments[i], read);
}

static const met_region *finish(met_region_reader *r)
{
    bool *read = MET_NEW_ARRAY(r->arena, bool, r->values.count);
    for (size_t i = 0; i < r->values.count; i++)
        if (r->values.at[i].e)
            mark_read(r->values.at[i].e, read);
    for (size_t i = 0; i < r->values.count; i++)
        r->values.at[i].output = !read[i] && !r->values.at[i].input;
    met_region *region = MET_NEW(r->arena, met_region);
    *region = (met_region){ .arena = r->arena, .loop_count = (uint32_t)r->loops.count, .value_count = (uint32_t)r->values.count,
                            .loops = r->loops.at, .values = r->values.at, .size_name = loop_name };
    region->size_context = region;
    return region;
}

const met_region *met_region_read(met_session *session, met_span span, const met_region_rules *rules)
{
    met_region_reader reader = { .parser = { .session = session, .arena = session->arena }, .arena = session->arena };
    met_region_reader *r = &reader;
    scan found = { met_map_new(r->arena), met_map_new(r->arena), { 0 } };
    if (!met_lex(session, span, &r->parser.tokens))
        return NULL;
    r->numbers = met_map_new(r->arena);
    scan_names(r, &found);
    if (rules->stream && r->loops.count == 0)
        loop_of(r, met_str_of(rules->stream));
    if (!define_inputs(r, &found, rules) || !read_statements(r))
        return NULL;
    const met_region *region = finish(r);
    for (uint32_t i = 0; i < region->value_count; i++)
        if (!region->values[i].input)
            return region;
    return met_parse_fail(&r->parser, MET_DIAG_syntax, span, "a region defines at least one value");
}
