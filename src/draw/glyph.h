/* Glyphs: what stands for an op in a picture. The table says how a glyph meets its wires and how large it is; its
 * outline belongs to the theme. */
#ifndef MET_DRAW_GLYPH_H
#define MET_DRAW_GLYPH_H

#include "ir/circuit.h"

typedef enum met_glyph {
#define MET_GLYPH(id, ...) MET_GLYPH_##id,
#include "draw/glyph.def"
#undef MET_GLYPH
    MET_GLYPH_COUNT
} met_glyph;

/* How an op's wires meet its glyph. */
typedef enum met_meeting {
    MET_MEET_BOX,  /* target wires end at the glyph, degree wires pass round it */
    MET_MEET_CUP,  /* no glyph: contracted wires are joined, shared ones meet at dots */
    MET_MEET_SUM,  /* no glyph: summed wires end at a dot */
    MET_MEET_VIEW, /* wires that keep their index pass, the others end at the glyph */
    MET_MEET_FORK  /* target wires meet at an open circle */
} met_meeting;

/* What is written within. */
typedef enum met_inside { MET_INSIDE_NOTHING, MET_INSIDE_LETTER, MET_INSIDE_NAME, MET_INSIDE_INDEX } met_inside;

typedef struct met_glyph_info {
    const char *name;
    met_meeting meeting;
    int width; /* px; texts within widen it */
    int over;  /* px beyond the outer wires */
    met_inside inside;
    const char *letter; /* LETTER */
    const char *cells;  /* in a terminal; NULL: the op's name */
} met_glyph_info;

extern const met_glyph_info met_glyph_table[MET_GLYPH_COUNT];

/* The glyph of a node. */
met_glyph met_glyph_of(const met_circuit *circuit, const met_node *node);
bool met_glyph_find(met_str name, met_glyph *ret_glyph);

#endif
