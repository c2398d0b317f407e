#include "realize/class.h"

#include <string.h>

/* Made from kernels/classes by tools/embed.cmake. */
extern const unsigned char met_class_text_scalar[];
extern const unsigned char met_class_text_avx2[];
extern const unsigned char met_class_text_avx512[];

const met_class met_class_table[] = {
    {
        .name = "cpu-scalar",
        .text = (const char *)met_class_text_scalar,
        .flags = "",
        .features = "",
        .more_features = "fma", /* else fma is a call */
        .more_flags = "-mfma",
        .tile_rows = 2,
        .tile_lanes = 16,
        .l1_bytes = 32 << 10,
        .l2_bytes = 512 << 10,
    },
    {
        .name = "cpu-avx2",
        .text = (const char *)met_class_text_avx2,
        .flags = "-mavx2 -mfma -mf16c",
        .features = "avx2 fma f16c",
        .more_features = "",
        .more_flags = "",
        .tile_rows = 6,
        .tile_lanes = 16,
        .l1_bytes = 32 << 10,
        .l2_bytes = 512 << 10,
    },
    {
        .name = "cpu-avx512",
        .text = (const char *)met_class_text_avx512,
        .flags = "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c",
        .features = "avx512f avx512bw avx512dq avx512vl avx2 fma f16c",
        .more_features = "avx512_bf16",
        .more_flags = "-mavx512bf16",
        .tile_rows = 6,
        .tile_lanes = 64,
        .l1_bytes = 32 << 10,
        .l2_bytes = 1 << 20,
    },
};
const size_t met_class_count = sizeof met_class_table / sizeof *met_class_table;

const met_class *met_class_find(const char *name)
{
    for (size_t i = 0; i < met_class_count; i++)
        if (strcmp(met_class_table[i].name, name) == 0)
            return &met_class_table[i];
    return NULL;
}
