/* What readers and users of regions share. */
#include "derive/region.h"

#include <string.h>

const met_region_fold_info met_region_fold_table[MET_REGION_FOLD_COUNT] = {
#define MET_REGION_FOLD(name, spelling, monoid) [MET_REGION_##name] = { spelling, MET_MONOID_##monoid },
#include "derive/fold.def"
#undef MET_REGION_FOLD
};

uint32_t met_region_loop_find(const met_region *region, const char *name)
{
    for (uint32_t i = 0; i < region->loop_count; i++)
        if (strcmp(region->loops[i].name, name) == 0)
            return i;
    return MET_NONE;
}

uint32_t met_scalar_weight(const met_scalar *e, uint32_t limit)
{
    uint32_t weight = 1;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3 && weight <= limit; i++)
        if (e->arguments[i])
            weight += met_scalar_weight(e->arguments[i], limit - weight);
    return weight;
}

typedef struct naming {
    const met_region *region;
    met_value_namer name;
    const void *context;
} naming;

static met_str size_name(void *context, met_size symbol)
{
    const met_region *region = ((const naming *)context)->region;
    return region->size_name(region->size_context, symbol);
}

static met_str index_name(void *context, uint32_t index)
{
    return met_str_of(((const naming *)context)->region->loops[index].name);
}

static void put_input(void *context, met_text *out, uint32_t input)
{
    const naming *names = context;
    met_text_put(out, names->name(names->context, input));
}

static bool is_value_name(void *context, met_str name)
{
    const met_region *region = ((const naming *)context)->region;
    for (uint32_t i = 0; i < region->value_count; i++)
        if (met_str_is(name, region->values[i].name))
            return true;
    return false;
}

void met_region_print_scalar(met_text *out, const met_scalar *scalar, const met_region *region, met_value_namer name,
                             const void *context)
{
    naming names = { region, name, context };
    met_scalar_names printing = { &names, size_name, index_name, is_value_name, put_input };
    if (met_scalar_weight(scalar, MET_REGION_FORMULA) > MET_REGION_FORMULA)
        met_text_put(out, "…");
    else
        met_scalar_print(out, scalar, &printing);
}

static bool reads_fold(const met_region *region, const bool *folded, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT)
        return e->input < region->value_count && folded[e->input];
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        if (e->arguments[i] && reads_fold(region, folded, e->arguments[i]))
            return true;
    return false;
}

/* Folds along the loop that read one. */
static uint32_t dependent_folds(const met_region *region, uint32_t loop, bool *folded)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->value_count; i++) {
        const met_region_value *value = &region->values[i];
        bool folds = value->reduced >> loop & 1;
        bool reads = value->e && reads_fold(region, folded, value->e);
        count += folds && reads;
        folded[i] = folds || reads;
    }
    return count;
}

uint32_t met_region_default_stream(const met_region *region)
{
    uint32_t best = MET_NONE, most[MET_KERNEL_LOOPS] = { 0 };
    bool *folded = MET_NEW_ARRAY(region->arena, bool, region->value_count);
    for (uint32_t loop = 0; loop < region->loop_count; loop++)
        most[loop] = dependent_folds(region, loop, folded);
    for (uint32_t i = region->value_count; i-- > 0;)
        for (uint32_t loop = 0; loop < region->loop_count; loop++)
            if ((region->values[i].reduced >> loop & 1) && (best == MET_NONE || most[loop] > most[best]))
                best = loop;
    return best;
}
