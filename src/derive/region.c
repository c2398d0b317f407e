/* What readers and users of regions share. */
#include "derive/region.h"

#include <string.h>

const met_region_fold_info met_region_fold_table[MET_REGION_FOLD_COUNT] = {
#define MET_REGION_FOLD(name, spelling, monoid, state) [MET_REGION_##name] = { spelling, MET_MONOID_##monoid, state },
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
