#include "realize/contraction.h"

/* Made from kernels/classes by tools/embed.cmake. */
extern const unsigned char met_class_text_tile[];
extern const unsigned char met_class_text_pack[];
extern const unsigned char met_class_text_pairs[];

/* The k that run in one go: a panel of them lies in L2, a row tile in L1. */
enum { TILE_DEPTH = 512 };

void met_contraction_text(met_text *out, const met_class *class, bool pairs)
{
    met_text_format(out, "enum { TILE_ROWS = %u, TILE_VECTORS = %u, TILE_DEPTH = %d };\n\n",
                    (unsigned)class->tile_rows, (unsigned)(class->tile_lanes / MET_LANES), TILE_DEPTH);
    met_text_format(out, "%s\n%s\n", (const char *)met_class_text_tile, (const char *)met_class_text_pack);
    if (pairs)
        met_text_format(out, "%s\n", (const char *)met_class_text_pairs);
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

bool met_packed_words(const met_class *class, uint64_t depth, uint64_t lanes, uint64_t *ret_words)
{
    return met_packed_floats(class, depth / 2 + depth % 2, lanes, ret_words);
}

uint64_t met_contraction_room(const met_class *class)
{
    return (uint64_t)class->tile_lanes * TILE_DEPTH;
}
