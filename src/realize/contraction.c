#include "realize/contraction.h"

/* Made from kernels/classes by tools/embed.cmake. */
extern const unsigned char met_class_text_tile[];
extern const unsigned char met_class_text_pack[];

void met_contraction_text(met_text *out, const met_class *class)
{
    met_text_format(out, "enum { TILE_ROWS = %u, TILE_VECTORS = %u };\n\n", class->tile_rows,
                    class->tile_lanes / MET_LANES);
    met_text_format(out, "%s\n%s\n", (const char *)met_class_text_tile, (const char *)met_class_text_pack);
}

const char *met_contraction_format(met_dtype dtype)
{
    return dtype == MET_F32 ? "FORMAT_F32" : dtype == MET_BF16 ? "FORMAT_BF16" : dtype == MET_F16 ? "FORMAT_F16" : NULL;
}

bool met_packed_floats(const met_class *class, uint64_t depth, uint64_t lanes, uint64_t *ret_floats)
{
    uint64_t panels = lanes / class->tile_lanes + (lanes % class->tile_lanes != 0);
    return !__builtin_mul_overflow(panels * class->tile_lanes, depth, ret_floats) &&
           panels <= UINT64_MAX / class->tile_lanes;
}
