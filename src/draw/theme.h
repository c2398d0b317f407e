/* Themes: how pictures look, as data. Reading: docs/formats/theme.md. Everything in a theme that reaches a picture has been
 * checked: colours are numbers, fonts are names of letters, outlines are parsed paths. */
#ifndef MET_DRAW_THEME_H
#define MET_DRAW_THEME_H

#include "base/value.h"
#include "draw/glyph.h"
#include "draw/path.h"

typedef enum met_colour {
#define MET_COLOUR(id, ...) MET_COLOUR_##id,
#include "draw/colours.def"
#undef MET_COLOUR
    MET_COLOUR_COUNT
} met_colour;

#define MET_THEME_AXES 8

typedef struct met_palette {
    uint32_t colour[MET_COLOUR_COUNT]; /* 0xRRGGBB */
    uint32_t axes[MET_THEME_AXES];
} met_palette;

typedef enum met_stroke {
    MET_STROKE_wire,
    MET_STROKE_glyph,
    MET_STROKE_rule,
    MET_STROKE_tether,
    MET_STROKE_dot,
    MET_STROKE_COUNT
} met_stroke;

typedef struct met_theme_glyph {
    met_path outline, shade, detail;
    bool weighty; /* filled like a weight rather than like a plain glyph */
} met_theme_glyph;

typedef struct met_theme {
    met_str name, font;
    bool mono; /* measured as a font of one width */
    int32_t stroke[MET_STROKE_COUNT]; /* in 1/16 px */
    met_palette light, dark;
    met_theme_glyph glyphs[MET_GLYPH_COUNT];
} met_theme;

/* The theme that is built in. */
void met_theme_default(met_arena *arena, met_theme *ret_theme);
/* Reads a theme over the default. False with diagnostics. */
bool met_theme_read(met_session *session, const met_value *table, met_theme *ret_theme);

#endif
