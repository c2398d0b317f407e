/* Models: architecture and configuration in, circuit out. */
#include "met/model.h"

#include "lang/arch.h"

/* The number of layers that the caller wants, whatever the configuration says. */
static bool override_layers(met_arch *arch, uint32_t layers)
{
    const met_arch_entry *count = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "count");
    met_arch_dim *dim = count ? met_arch_dim_named(arch, count->value, "count", MET_ARCH_COUNT) : NULL;
    if (!dim) {
        if (!count)
            met_diag_add(arch->session, MET_DIAG_model, (met_span){ 0 }, "`%s` has no layers to count",
                         met_sym_text(arch->session, arch->name));
        return false;
    }
    arch->layers_cut = true;
    dim->known = true;
    dim->size = met_dim_constant(arch->arena, layers);
    return true;
}

met_circuit *met_model_read(met_session *session, const met_value *value, const met_model_options *options)
{
    static const met_model_options defaults = { 0 };
    const met_model_options *o = options ? options : &defaults;
    met_format format = met_format_of(MET_F32);
    if (o->default_format && !met_format_parse(met_str_of(o->default_format), &format)) {
        met_diag *d = met_diag_add(session, MET_DIAG_format, (met_span){ 0 }, "`%s` is not a format", o->default_format);
        met_diag_help(d, "formats are %s", met_format_spellings());
        return NULL;
    }
    met_arch *arch = met_arch_read(session, value, o->part, o->part_context);
    if (!arch || (o->config && !met_config_apply(arch, o->config)) || (o->toy && !met_arch_toy(arch, o->toy_sizes, o->toy_grows)) ||
        (o->layers && !override_layers(arch, o->layers)))
        return NULL;
    if (!met_arch_settle(arch, met_builder_new(session), o->mode) || (o->toy && !o->layers && !met_arch_toy_check(arch, o->toy_grows)))
        return NULL;
    met_circuit *circuit = met_arch_circuit(arch, format);
    if (circuit && o->weights)
        circuit = met_arch_weights(circuit, o->weights, !arch->layers_cut);
    return circuit && o->activations ? met_arch_activations(circuit, o->activations) : circuit;
}

const char *const *met_model_modes(met_session *session, const met_value *value, const met_model_options *options,
                                   size_t *ret_count)
{
    met_arch *arch = met_arch_read(session, value, options->part, options->part_context);
    return arch ? met_arch_names(arch, MET_ARCH_MODES, ret_count) : NULL;
}
