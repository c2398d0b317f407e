/* From an architecture with its dims settled to a circuit: inputs, prologue, layers, epilogue. */
#include "lang/arch.h"

#include <string.h>

enum { OUTPUTS = 16, AXES = 16 };

typedef struct assembly {
    met_arch *arch;
    met_lang *lang;
    met_scope *scope;
    met_map *values; /* name → value: inputs, parameters, what steps have made */
    bool streaming;
    met_value_id stream;
    uint32_t output_count;
    met_value_id outputs[OUTPUTS]; /* of the last step */
    uint32_t over_count;
    met_axis_id over[AXES]; /* what the mode repeats the model over: the first axes of every input */
} assembly;

static void set_value(assembly *a, met_sym name, met_value_id value)
{
    met_map_set_pair(a->values, name.id, 0, value.id);
}

static bool known_value(const assembly *a, met_sym name, met_value_id *ret_value)
{
    return met_map_get_pair(a->values, name.id, 0, &ret_value->id);
}

/* --- Sources --- */

static bool make_axes(assembly *a, const met_value *list, const char *what, met_axis_id *ret_axes)
{
    met_arch *arch = a->arch;
    if (!met_value_expect(arch->session, list, MET_VALUE_LIST, what))
        return false;
    if (list->items.count > AXES) {
        met_diag_at(arch->session, MET_DIAG_rank, &list->place, "more than %d axes", AXES);
        return false;
    }
    for (size_t i = 0; i < list->items.count; i++) {
        met_arch_dim *dim = met_arch_dim_named(arch, list->items.at[i], "an axis", MET_ARCH_SIZE);
        if (!dim)
            return false;
        ret_axes[i] = met_builder_axis(arch->builder, dim->name, dim->size, list->items.at[i]->place.span);
    }
    return true;
}

static bool make_over(assembly *a)
{
    const met_value *over = a->arch->over;
    if (!over)
        return true;
    if (!make_axes(a, over, "over", a->over))
        return false;
    a->over_count = (uint32_t)over->items.count;
    return true;
}

/* The mode's axes come first in an input. Blocks are written for one of what it repeats them over and are lifted where
 * they meet the inputs, their states with them; parameters are of all alike. */
static bool make_source(assembly *a, const met_arch_entry *e, met_edge_role role)
{
    met_arch *arch = a->arch;
    met_axis_id axes[2 * AXES];
    uint32_t over = role == MET_EDGE_INPUT ? a->over_count : 0;
    met_format format;
    const met_value *list = met_value_require(arch->session, e->value, "axes"), *spelling = met_value_get(e->value, "format");
    memcpy(axes, a->over, over * sizeof *axes);
    if (!list || !make_axes(a, list, "axes", axes + over))
        return false;
    if (spelling && (spelling->kind != MET_VALUE_STRING || !met_format_parse(spelling->string, &format))) {
        met_diag *d = met_diag_at(arch->session, MET_DIAG_format, &spelling->place, "this is not a format");
        met_diag_help(d, "formats are %s", met_format_spellings());
        return false;
    }
    met_array_spec spec = { .name = e->name, .role = role, .rank = over + (uint32_t)list->items.count, .axes = axes,
                            .format = spelling ? &format : NULL, .span = e->key_place.span };
    set_value(a, e->name, met_scope_source(a->scope, &spec));
    return true;
}

static bool make_inputs(assembly *a)
{
    static const char *const known[] = { "axes", "format" };
    const met_arch_entries *inputs = &a->arch->tables[MET_ARCH_INPUTS];
    bool good = true;
    for (size_t i = 0; i < inputs->list.count; i++) {
        const met_arch_entry *e = &inputs->list.at[i];
        good = met_value_expect(a->arch->session, e->value, MET_VALUE_TABLE, "an input") &&
               met_value_only(a->arch->session, e->value, known, 2) && make_source(a, e, MET_EDGE_INPUT) && good;
    }
    return good;
}

/* A parameter of the model, made when it is first wanted. `same` and `when`: another one stands in its place while a
 * switch is on. */
static bool shared_parameter(assembly *a, const met_arch_entry *e, met_value_id *ret_value)
{
    static const char *const known[] = { "axes", "format", "same", "when" };
    met_arch *arch = a->arch;
    if (!met_value_expect(arch->session, e->value, MET_VALUE_TABLE, "a parameter") ||
        !met_value_only(arch->session, e->value, known, 4))
        return false;
    const met_value *same = met_value_get(e->value, "same"), *when = met_value_get(e->value, "when");
    if (same && (when = met_value_require(arch->session, e->value, "when"))) {
        met_sym other;
        const met_arch_dim *dim = met_arch_dim_named(arch, when, "when", MET_ARCH_SWITCH);
        if (!dim || !met_arch_word(arch, same, "same", &other))
            return false;
        const met_arch_entry *twin = met_arch_entry_by(arch, MET_ARCH_PARAMETERS, other);
        if (!twin || met_value_get(twin->value, "same")) {
            met_diag_at(arch->session, MET_DIAG_model, &same->place, "`%s` is not a parameter of its own",
                        met_sym_text(arch->session, other));
            return false;
        }
        if (dim->on)
            return known_value(a, other, ret_value) || shared_parameter(a, twin, ret_value);
    }
    return (!same || when) && make_source(a, e, MET_EDGE_PARAMETER) && known_value(a, e->name, ret_value);
}

/* --- Steps --- */

static bool find_value(assembly *a, met_sym name, const met_value *step, met_value_id *ret_value)
{
    if (known_value(a, name, ret_value))
        return true;
    const met_arch_entry *e = met_arch_entry_by(a->arch, MET_ARCH_PARAMETERS, name);
    if (e && e->value->kind == MET_VALUE_TABLE)
        return shared_parameter(a, e, ret_value);
    met_diag *d = met_diag_at(a->arch->session, MET_DIAG_model, &step->place,
                              "`%.*s` reads `%s`, which is no input and no parameter of the model",
                              MET_STR_ARGS(step->string), met_sym_text(a->arch->session, name));
    met_diag_help(d, "the first input of a block is the stream; further ones are found by name");
    return false;
}

/* The arrays that a block reads, in its order. */
static bool find_inputs(assembly *a, const met_lang_signature *signature, const met_value *step, met_value_id *ret_values,
                        uint32_t *ret_count)
{
    bool stream = a->streaming;
    *ret_count = 0;
    if (!signature->typed && stream)
        ret_values[(*ret_count)++] = a->stream;
    for (uint32_t i = 0; i < signature->port_count; i++) {
        met_value_id *value = &ret_values[*ret_count];
        if (signature->ports[i].role != MET_EDGE_INPUT)
            continue;
        if (stream)
            *value = a->stream;
        else if (!find_value(a, signature->ports[i].name, step, value))
            return false;
        stream = false;
        ++*ret_count;
    }
    return true;
}

static bool run_step(assembly *a, const met_value *step, met_sym path)
{
    met_arch *arch = a->arch;
    met_lang_use use = { .span = step->place.span, .path = path };
    met_lang_signature signature;
    if (!met_arch_word(arch, step, "a block", &use.definition))
        return false;
    use.block = use.definition;
    if (!met_lang_lookup(a->lang, use.definition, &signature)) {
        size_t count;
        met_diag *d = met_diag_at(arch->session, MET_DIAG_model, &step->place, "there is no block `%.*s`",
                                  MET_STR_ARGS(step->string));
        const char *const *names = met_arch_names(arch, MET_ARCH_BLOCKS, &count);
        const char *near = met_nearest(step->string, names, count);
        if (near)
            met_diag_help(d, "did you mean `%s`?", near);
        return false;
    }
    uint32_t count;
    met_value_id *values = MET_NEW_ARRAY(arch->arena, met_value_id, signature.port_count + 1);
    if (!find_inputs(a, &signature, step, values, &count) ||
        !met_lang_call(a->lang, a->scope, &use, count, values, NULL, OUTPUTS, a->outputs, &a->output_count))
        return false;
    for (uint32_t i = 0; i < a->output_count && i < signature.output_count; i++)
        set_value(a, signature.outputs[i], a->outputs[i]);
    a->streaming = a->output_count > 0;
    a->stream = a->outputs[0];
    return true;
}

static bool run_chain(assembly *a, const met_value *chain, met_sym path)
{
    if (!met_value_expect(a->arch->session, chain, MET_VALUE_LIST, "a chain of blocks"))
        return false;
    for (size_t i = 0; i < chain->items.count; i++)
        if (!run_step(a, chain->items.at[i], path))
            return false;
    return true;
}

static bool run_part(assembly *a, const char *name)
{
    met_sym none = { 0 };
    const met_arch_entry *e = met_arch_entry_of(a->arch, MET_ARCH_MODEL, name);
    return !e || run_chain(a, e->value, none);
}

static bool start_stream(assembly *a)
{
    met_sym name;
    const met_arch_entry *e = met_arch_entry_of(a->arch, MET_ARCH_MODEL, "stream");
    if (!e)
        return true;
    if (!met_arch_word(a->arch, e->value, "stream", &name))
        return false;
    a->streaming = known_value(a, name, &a->stream);
    a->outputs[0] = a->stream;
    a->output_count = a->streaming;
    if (!a->streaming)
        met_diag_at(a->arch->session, MET_DIAG_model, &e->value->place, "there is no input `%s`",
                    met_sym_text(a->arch->session, name));
    return a->streaming;
}

/* --- Layers --- */

static bool run_layer(assembly *a, const met_arch_layout *l, uint64_t index)
{
    met_arch *arch = a->arch;
    met_text path = met_text_new(arch->arena);
    met_text_format(&path, "%.*s.%llu", MET_STR_ARGS(l->path), (unsigned long long)index);
    met_sym name = met_intern(arch->session, (met_str){ met_text_done(&path), path.length });
    return run_chain(a, arch->tables[MET_ARCH_KINDS].list.at[l->kinds[index]].value, name);
}

static bool run_layers(assembly *a)
{
    met_arch *arch = a->arch;
    met_arch_layout l;
    if (!met_arch_layout_of(arch, &l))
        return false;
    size_t kinds = arch->tables[MET_ARCH_KINDS].list.count;
    uint32_t *families = MET_NEW_ARRAY(arch->arena, uint32_t, kinds), *seen = MET_NEW_ARRAY(arch->arena, uint32_t, kinds);
    for (size_t k = 0; k < kinds; k++)
        families[k] = met_builder_family(arch->builder);
    bool good = true;
    for (uint64_t i = 0; good && i < l.count; i++) {
        uint32_t kind = l.kinds[i];
        met_sym title = arch->tables[MET_ARCH_KINDS].list.at[kind].name;
        met_block_id block = met_builder_open_block(arch->builder, title, families[kind], seen[kind]++, l.totals[kind]);
        good = run_layer(a, &l, i);
        met_builder_close_block(arch->builder, block);
    }
    return good;
}

/* --- The whole --- */

static void set_constants(const met_arch *arch, met_lang *lang)
{
    for (size_t i = 0; i < arch->dims.count; i++) {
        const met_arch_dim *dim = &arch->dims.at[i];
        met_lang_constant constant = { .name = dim->name, .number = dim->number, .size = dim->size, .word = dim->word };
        if (dim->kind == MET_ARCH_SWITCH || ((dim->kind == MET_ARCH_COUNT || dim->kind == MET_ARCH_SIZE) && !dim->size))
            continue;
        constant.kind = dim->kind == MET_ARCH_NUMBER ? MET_LANG_NUMBER :
                        dim->kind == MET_ARCH_WORD   ? MET_LANG_WORD :
                                                       MET_LANG_SIZE;
        met_lang_set(lang, &constant);
    }
}

met_circuit *met_arch_circuit(met_arch *arch, met_format default_format)
{
    static const char *const known[] = { "mode", "stream", "prologue", "epilogue" };
    assembly a = { .arch = arch, .lang = met_lang_new(arch->builder), .scope = met_scope_new(arch->builder),
                   .values = met_map_new(arch->arena) };
    set_constants(arch, a.lang);
    if (!met_arch_only(arch, MET_ARCH_MODEL, known, 4) || !met_arch_define(arch, a.lang) || !make_over(&a) || !make_inputs(&a) ||
        !start_stream(&a) || !run_part(&a, "prologue") ||
        !run_layers(&a) || !run_part(&a, "epilogue"))
        return NULL;
    if (!a.streaming) {
        met_diag_add(arch->session, MET_DIAG_model, (met_span){ 0 }, "`%s` has nothing to run: no prologue, no stream",
                     met_sym_text(arch->session, arch->name));
        return NULL;
    }
    met_term *term = met_scope_close(a.scope, a.output_count, a.outputs);
    return term ? met_builder_freeze(arch->builder, term, arch->name, default_format) : NULL;
}
