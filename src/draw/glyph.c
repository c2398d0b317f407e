#include "draw/glyph.h"

#include <string.h>

const met_glyph_info met_glyph_table[MET_GLYPH_COUNT] = {
#define MET_GLYPH(id, meeting, width, over, inside, letter, cells) \
    [MET_GLYPH_##id] = { #id, MET_MEET_##meeting, width, over, MET_INSIDE_##inside, letter, cells },
#include "draw/glyph.def"
#undef MET_GLYPH
};

bool met_glyph_find(met_str name, met_glyph *ret_glyph)
{
    for (int i = 0; i < MET_GLYPH_COUNT; i++) {
        if (met_str_is(name, met_glyph_table[i].name)) {
            *ret_glyph = (met_glyph)i;
            return true;
        }
    }
    return false;
}

/* A cast's chevron falls or rises with the number of bits. */
static met_glyph cast_glyph(const met_circuit *circuit, const met_node *node)
{
    if (node->in_count == 0 || node->out_count == 0)
        return MET_GLYPH_cast;
    int before = met_dtype_table[circuit->edges[node->ins[0].id].format.dtype].bits;
    int after = met_dtype_table[circuit->edges[node->outs[0].id].format.dtype].bits;
    if (before == after)
        return MET_GLYPH_cast;
    return before > after ? MET_GLYPH_narrow : MET_GLYPH_widen;
}

met_glyph met_glyph_of(const met_circuit *circuit, const met_node *node)
{
    switch (node->op->id) {
    case MET_OP_mask_causal:
        return MET_GLYPH_mask_causal;
    case MET_OP_mask_window:
        return MET_GLYPH_mask_window;
    case MET_OP_mask_padding:
        return MET_GLYPH_mask_padding;
    case MET_OP_cast:
    case MET_OP_quantize:
    case MET_OP_dequantize:
        return cast_glyph(circuit, node);
    default:
        break;
    }
    met_glyph glyph = MET_GLYPH_box;
    met_glyph_find(met_str_of(node->op->glyph), &glyph);
    return glyph;
}
