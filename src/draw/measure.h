/* What a layout must know of the medium it is made for: distances, and how wide a text is. There are two media, pixels
 * (SVG; lengths are 1/16 px) and character cells (terminal). One layout serves both. */
#ifndef MET_DRAW_MEASURE_H
#define MET_DRAW_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What a piece of text is: decides its size and weight. */
typedef enum met_face {
    MET_FACE_AXIS,   /* names and sizes of axes, above their wires */
    MET_FACE_NAME,   /* names of arrays */
    MET_FACE_GLYPH,  /* names within glyphs */
    MET_FACE_LETTER, /* the one large letter of a plate: L, E */
    MET_FACE_TITLE,  /* titles of blocks */
    MET_FACE_TAG,    /* formats, counts, parameters */
    MET_FACE_COUNT
} met_face;

typedef struct met_measure {
    bool cells;
    bool mono;          /* the font has one width */
    int32_t pitch;      /* from wire to wire within a stack */
    int32_t above;      /* free height above the first wire of a stack, for its label */
    int32_t below;      /* free height under the last wire */
    int32_t item_gap;   /* between two items of a column; separators run in its middle */
    int32_t inner_gap;  /* from stack to stack at the entrance of an op */
    int32_t lead;       /* straight wire before a glyph and after a fork */
    int32_t pad;        /* around texts */
    int32_t over;       /* how far a glyph reaches beyond its outer wires */
    int32_t pocket;     /* from the last wire to a glyph that has no wire of its own */
    int32_t cup;        /* step between nested cups */
    int32_t plate_pad;  /* between a plate's border and what is inside, at the sides */
    int32_t plate_top;  /* for the title */
    int32_t plate_foot; /* for the repeat count */
    int32_t row_gap;    /* between the rows of a wrapped picture */
    int32_t slot;       /* height of a parameter's slot */
    int32_t margin;     /* around the picture */
    int32_t text_limit; /* texts within glyphs are shortened to this width */
} met_measure;

extern const met_measure met_measure_pixels;
extern const met_measure met_measure_cells;

/* Width of a text; every unknown character counts as one em. */
int32_t met_measure_text(const met_measure *measure, met_face face, met_str text);
/* Height of a line of text, and how far its baseline is below its top. */
int32_t met_measure_height(const met_measure *measure, met_face face);
int32_t met_measure_ascent(const met_measure *measure, met_face face);
/* Font size in px. */
int met_measure_size(met_face face);
bool met_measure_bold(met_face face);
/* The longest prefix that fits `width` together with an ellipsis; the whole text if it fits. */
met_str met_measure_clip(const met_measure *measure, met_face face, met_str text, int32_t width, bool *ret_clipped);

/* The code point at `at`, U+FFFD for bytes that are no UTF-8; ret_length bytes were read, from 1. */
uint32_t met_utf8_next(met_str text, size_t at, size_t *ret_length);

#endif
