/* Kinds of layers as config.json has them: a word for each layer, or the numbers of those of one kind. */
#include "lang/arch.h"

/* The layers that there are: with --layers fewer than the list has, or more. */
static bool fits(const met_arch *arch, const met_arch_layout *l, size_t given)
{
    if (given == l->count || arch->layers_cut)
        return true;
    met_diag_at(arch->session, MET_DIAG_config_key, &arch->layers_said->place, "the list has %zu layers, and the model has %llu",
                given, (unsigned long long)l->count);
    return false;
}

static bool kinds_by_words(const met_arch *arch, const met_value *words, met_arch_layout *l)
{
    const met_value *said = arch->layers_said;
    if (!fits(arch, l, said->items.count))
        return false;
    for (uint64_t i = 0; i < l->count && said->items.count; i++) {
        const met_value *word = said->items.at[i % said->items.count];
        const met_value *kind = word->kind == MET_VALUE_STRING ? met_value_get(words, word->string.at) : NULL;
        if (kind) {
            if (!met_arch_layer_kind(arch, kind, &l->kinds[i]))
                return false;
            continue;
        }
        met_diag_at(arch->session, MET_DIAG_config_key, &word->place, "`%s` has no such kind of layer",
                    met_sym_text(arch->session, arch->name));
        return false;
    }
    return true;
}

static bool kinds_by_numbers(const met_arch *arch, const met_value *kind, met_arch_layout *l, bool *taken)
{
    const met_value *said = arch->layers_said;
    uint32_t k;
    if (!met_arch_layer_kind(arch, kind, &k))
        return false;
    for (size_t i = 0; i < said->items.count; i++) {
        const met_value *number = said->items.at[i];
        bool good = number->kind == MET_VALUE_INTEGER && number->integer >= 0;
        if (good && (uint64_t)number->integer >= l->count && arch->layers_cut)
            continue;
        if (!good || (uint64_t)number->integer >= l->count) {
            met_diag_at(arch->session, MET_DIAG_config_key, &number->place, "this is no number of a layer: the model has %llu",
                        (unsigned long long)l->count);
            return false;
        }
        if (taken[number->integer]) {
            met_diag_at(arch->session, MET_DIAG_config_key, &number->place, "layer %lld is named twice", (long long)number->integer);
            return false;
        }
        taken[number->integer] = true;
        l->kinds[number->integer] = k;
    }
    return true;
}

bool met_arch_kinds_of_config(const met_arch *arch, met_arch_layout *l, bool *taken)
{
    const met_value *words = met_value_get(arch->layers_by, "layers");
    if (!words)
        return kinds_by_numbers(arch, met_value_get(arch->layers_by, "layers_at"), l, taken);
    for (uint64_t i = 0; i < l->count; i++)
        taken[i] = arch->layers_said->items.count > 0;
    return kinds_by_words(arch, words, l);
}
