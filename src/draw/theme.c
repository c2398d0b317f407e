#include "draw/theme.h"

#include <string.h>

static const char *const colour_names[MET_COLOUR_COUNT] = {
#define MET_COLOUR(id, light, dark) [MET_COLOUR_##id] = #id,
#include "draw/colours.def"
#undef MET_COLOUR
};

static const char *const stroke_names[MET_STROKE_COUNT] = { "wire", "glyph", "rule", "tether", "dot" };

static const met_palette default_light = {
    .colour = {
#define MET_COLOUR(id, light, dark) [MET_COLOUR_##id] = light,
#include "draw/colours.def"
#undef MET_COLOUR
    },
    .axes = { 0x12427A, 0xB8410A, 0x0B7A52, 0xA042B0, 0xD18C05, 0x1FA3FA, 0x561407, 0x98909C },
};

static const met_palette default_dark = {
    .colour = {
#define MET_COLOUR(id, light, dark) [MET_COLOUR_##id] = dark,
#include "draw/colours.def"
#undef MET_COLOUR
    },
    .axes = { 0x2F7BD0, 0xE8742A, 0x4FE39A, 0xB2548A, 0xF7DF5E, 0xC7F3FB, 0x96794F, 0xA3A5D6 },
};

static const struct {
    met_glyph glyph;
    bool weighty;
    const char *outline, *shade, *detail;
} default_outlines[] = {
#define MET_OUTLINE(glyph, fill, outline, shade, detail) \
    { MET_GLYPH_##glyph, MET_COLOUR_##fill == MET_COLOUR_weight, outline, shade, detail },
#include "draw/outlines.def"
#undef MET_OUTLINE
};

static met_path known_path(met_arena *arena, const char *text)
{
    met_path path;
    const char *why;
    if (!met_path_read(arena, met_str_of(text), &path, &why))
        met_fatal("the default theme has a bad outline");
    return path;
}

void met_theme_default(met_arena *arena, met_theme *theme)
{
    *theme = (met_theme){ .name = met_str_of("paper"), .font = met_str_of("DejaVu Sans, Verdana, sans-serif") };
    static const int32_t strokes[MET_STROKE_COUNT] = { 28, 20, 26, 12, 104 };
    memcpy(theme->stroke, strokes, sizeof strokes);
    theme->light = default_light;
    theme->dark = default_dark;
    for (size_t i = 0; i < sizeof default_outlines / sizeof *default_outlines; i++) {
        met_theme_glyph *glyph = &theme->glyphs[default_outlines[i].glyph];
        glyph->weighty = default_outlines[i].weighty;
        glyph->outline = known_path(arena, default_outlines[i].outline);
        glyph->shade = known_path(arena, default_outlines[i].shade);
        glyph->detail = known_path(arena, default_outlines[i].detail);
    }
}

/* --- Reading --- */

static bool read_colour(met_session *s, const met_value *value, const char *what, uint32_t *ret_colour)
{
    met_str text;
    if (!met_value_to_string(s, value, what, &text))
        return false;
    uint32_t colour = 0;
    bool good = text.length == 7 && text.at[0] == '#';
    for (size_t i = 1; good && i < 7; i++) {
        char c = text.at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        good = digit < 16;
        colour = colour << 4 | digit;
    }
    if (!good) {
        met_diag *diag = met_diag_at(s, MET_DIAG_theme, &value->place, "`%s` is not a colour", what);
        met_diag_help(diag, "write a colour as \"#rrggbb\"");
        return false;
    }
    *ret_colour = colour;
    return true;
}

static bool read_axes(met_session *s, const met_value *list, met_palette *palette)
{
    if (!met_value_expect(s, list, MET_VALUE_LIST, "axes"))
        return false;
    if (list->items.count != MET_THEME_AXES) {
        met_diag_at(s, MET_DIAG_theme, &list->place, "`axes` has %zu colours, and there must be %d", list->items.count,
                    MET_THEME_AXES);
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < MET_THEME_AXES; i++)
        good = read_colour(s, list->items.at[i], "axes", &palette->axes[i]) && good;
    return good;
}

static bool read_palette(met_session *s, const met_value *table, const char *what, met_palette *palette)
{
    if (!table)
        return true;
    if (!met_value_expect(s, table, MET_VALUE_TABLE, what))
        return false;
    const char *known[MET_COLOUR_COUNT + 1];
    memcpy(known, colour_names, sizeof colour_names);
    known[MET_COLOUR_COUNT] = "axes";
    bool good = met_value_only(s, table, known, MET_COLOUR_COUNT + 1);
    for (size_t i = 0; i < MET_COLOUR_COUNT; i++) {
        const met_value *value = met_value_get(table, colour_names[i]);
        good = (!value || read_colour(s, value, colour_names[i], &palette->colour[i])) && good;
    }
    const met_value *axes = met_value_get(table, "axes");
    return (!axes || read_axes(s, axes, palette)) && good;
}

/* Names of fonts, separated by commas: letters, digits, spaces and hyphens. */
static bool read_font(met_session *s, const met_value *table, met_theme *theme)
{
    static const char *const known[] = { "family", "metrics" };
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,-";
    if (!table)
        return true;
    if (!met_value_expect(s, table, MET_VALUE_TABLE, "font"))
        return false;
    bool good = met_value_only(s, table, known, 2);
    const met_value *family = met_value_get(table, "family");
    met_str text;
    if (family && (good = met_value_to_string(s, family, "family", &text) && good)) {
        bool clean = text.length > 0 && text.length <= 120;
        for (size_t i = 0; clean && i < text.length; i++)
            clean = text.at[i] && strchr(allowed, text.at[i]);
        if (!clean)
            met_diag_at(s, MET_DIAG_theme, &family->place,
                        "`family` is not a list of font names (letters, digits, spaces, hyphens; at most 120)");
        good = good && clean;
        theme->font = text;
    }
    const met_value *metrics = met_value_get(table, "metrics");
    if (metrics && (good = met_value_to_string(s, metrics, "metrics", &text) && good)) {
        theme->mono = met_str_is(text, "dejavu-sans-mono");
        if (!theme->mono && !met_str_is(text, "dejavu-sans")) {
            met_diag *diag = met_diag_at(s, MET_DIAG_theme, &metrics->place, "there are no metrics of that name");
            met_diag_help(diag, "known metrics: dejavu-sans, dejavu-sans-mono");
            good = false;
        }
    }
    return good;
}

static bool read_strokes(met_session *s, const met_value *table, met_theme *theme)
{
    if (!table)
        return true;
    if (!met_value_expect(s, table, MET_VALUE_TABLE, "stroke"))
        return false;
    bool good = met_value_only(s, table, stroke_names, MET_STROKE_COUNT);
    for (size_t i = 0; i < MET_STROKE_COUNT; i++) {
        const met_value *value = met_value_get(table, stroke_names[i]);
        double width;
        if (!value)
            continue;
        if (!met_value_to_number(s, value, stroke_names[i], &width)) {
            good = false;
        } else if (!(width >= 0.25 && width <= 12)) {
            met_diag_at(s, MET_DIAG_theme, &value->place, "`%s` is not a width from 0.25 to 12 px", stroke_names[i]);
            good = false;
        } else {
            theme->stroke[i] = (int32_t)(width * 16 + 0.5);
        }
    }
    return good;
}

static bool read_outline(met_session *s, const met_value *table, const char *key, met_path *path)
{
    const met_value *value = met_value_get(table, key);
    met_str text;
    const char *why;
    if (!value)
        return true;
    if (!met_value_to_string(s, value, key, &text))
        return false;
    if (met_path_read(s->arena, text, path, &why))
        return true;
    met_diag *diag = met_diag_at(s, MET_DIAG_theme, &value->place, "`%s` is not an outline", key);
    met_diag_help(diag, "%s", why);
    return false;
}

static bool read_glyph(met_session *s, const met_entry *entry, met_theme *theme)
{
    static const char *const known[] = { "outline", "shade", "detail", "fill" };
    met_glyph which;
    if (!met_glyph_find(entry->key, &which)) {
        met_diag_at(s, MET_DIAG_field, &entry->key_place, "there is no glyph `%.*s`", MET_STR_ARGS(entry->key));
        return false;
    }
    if (!met_value_expect(s, entry->value, MET_VALUE_TABLE, "glyph"))
        return false;
    met_theme_glyph *glyph = &theme->glyphs[which];
    bool good = met_value_only(s, entry->value, known, 4);
    good = read_outline(s, entry->value, "outline", &glyph->outline) && good;
    good = read_outline(s, entry->value, "shade", &glyph->shade) && good;
    good = read_outline(s, entry->value, "detail", &glyph->detail) && good;
    const met_value *fill = met_value_get(entry->value, "fill");
    met_str text;
    if (fill && (good = met_value_to_string(s, fill, "fill", &text) && good)) {
        glyph->weighty = met_str_is(text, "weight");
        if (!glyph->weighty && !met_str_is(text, "glyph")) {
            met_diag_at(s, MET_DIAG_theme, &fill->place, "`fill` is neither \"glyph\" nor \"weight\"");
            good = false;
        }
    }
    return good;
}

bool met_theme_read(met_session *s, const met_value *table, met_theme *theme)
{
    static const char *const known[] = { "name", "font", "stroke", "light", "dark", "glyphs" };
    met_theme_default(s->arena, theme);
    if (!met_value_expect(s, table, MET_VALUE_TABLE, "theme"))
        return false;
    bool good = met_value_only(s, table, known, sizeof known / sizeof *known);
    const met_value *name = met_value_get(table, "name");
    if (name)
        good = met_value_to_string(s, name, "name", &theme->name) && good;
    good = read_font(s, met_value_get(table, "font"), theme) && good;
    good = read_strokes(s, met_value_get(table, "stroke"), theme) && good;
    good = read_palette(s, met_value_get(table, "light"), "light", &theme->light) && good;
    good = read_palette(s, met_value_get(table, "dark"), "dark", &theme->dark) && good;
    const met_value *glyphs = met_value_get(table, "glyphs");
    if (!glyphs)
        return good;
    if (!met_value_expect(s, glyphs, MET_VALUE_TABLE, "glyphs"))
        return false;
    for (size_t i = 0; i < glyphs->entries.count; i++)
        good = read_glyph(s, &glyphs->entries.at[i], theme) && good;
    return good;
}
