#include "draw/measure.h"

#include <stddef.h>

enum { PX = 16 };

const met_measure met_measure_pixels = {
    .pitch = 17 * PX,
    .above = 13 * PX,
    .below = 7 * PX,
    .item_gap = 14 * PX,
    .inner_gap = 38 * PX,
    .lead = 10 * PX,
    .pad = 4 * PX,
    .over = 10 * PX,
    .pocket = 19 * PX,
    .cup = 9 * PX,
    .plate_pad = 10 * PX,
    .plate_top = 22 * PX,
    .plate_foot = 12 * PX,
    .row_gap = 26 * PX,
    .slot = 19 * PX,
    .margin = 14 * PX,
    .text_limit = 110 * PX,
};

const met_measure met_measure_cells = {
    .cells = true,
    .mono = true,
    .pitch = 2,
    .above = 1,
    .below = 1,
    .item_gap = 1,
    .inner_gap = 4,
    .lead = 1,
    .pad = 1,
    .over = 0,
    .pocket = 2,
    .cup = 2,
    .plate_pad = 2,
    .plate_top = 1,
    .plate_foot = 1,
    .row_gap = 2,
    .slot = 1,
    .margin = 0,
    .text_limit = 18,
};

static const struct {
    int size;
    bool bold;
} faces[MET_FACE_COUNT] = {
    [MET_FACE_AXIS] = { 10, false },   [MET_FACE_NAME] = { 13, true },  [MET_FACE_GLYPH] = { 11, false },
    [MET_FACE_LETTER] = { 15, true },  [MET_FACE_TITLE] = { 12, true }, [MET_FACE_TAG] = { 9, false },
};

static const struct {
    uint32_t code;
    uint16_t regular, bold;
} advances[] = {
#define MET_ADVANCE(code, regular, bold) { code, regular, bold },
#include "draw/advances.def"
#undef MET_ADVANCE
};

enum { EM = 1024, MONO = 617 }; /* at 16 px in 1/64 px; DejaVu Sans Mono has one advance */

static int32_t advance(bool bold, uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof advances / sizeof *advances;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (advances[middle].code == code)
            return bold ? advances[middle].bold : advances[middle].regular;
        if (advances[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return EM;
}

uint32_t met_utf8_next(met_str text, size_t at, size_t *ret_length)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = { { 0x80, 0, 0 }, { 0xE0, 0xC0, 0x80 }, { 0xF0, 0xE0, 0x800 }, { 0xF8, 0xF0, 0x10000 } };
    unsigned char first = (unsigned char)text.at[at];
    *ret_length = 1;
    for (size_t extra = 0; extra < 4; extra++) {
        if ((first & forms[extra].mask) != forms[extra].lead)
            continue;
        if (extra >= text.length - at)
            break;
        uint32_t code = first & (unsigned char)~forms[extra].mask;
        for (size_t i = 1; i <= extra; i++) {
            unsigned char next = (unsigned char)text.at[at + i];
            if ((next & 0xC0) != 0x80)
                return 0xFFFD;
            code = code << 6 | (next & 0x3Fu);
        }
        if (code < forms[extra].least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return 0xFFFD;
        *ret_length = extra + 1;
        return code;
    }
    return 0xFFFD;
}

/* Width of one character, in 1/64 px at 16 px, or in cells. */
static int64_t raw_advance(const met_measure *measure, met_face face, uint32_t code)
{
    if (measure->cells)
        return 1;
    return measure->mono && code < 0x3000 ? MONO : advance(faces[face].bold, code);
}

static int32_t to_length(const met_measure *measure, met_face face, int64_t raw)
{
    if (raw > 1000000)
        raw = 1000000; /* a text of 1000 ems: clipped before it is drawn */
    return (int32_t)(measure->cells ? raw : (raw * faces[face].size + 63) / 64);
}

int32_t met_measure_text(const met_measure *measure, met_face face, met_str text)
{
    int64_t raw = 0;
    size_t length;
    for (size_t i = 0; i < text.length; i += length)
        raw += raw_advance(measure, face, met_utf8_next(text, i, &length));
    return to_length(measure, face, raw);
}

int32_t met_measure_height(const met_measure *measure, met_face face)
{
    return measure->cells ? 1 : faces[face].size * PX;
}

int32_t met_measure_ascent(const met_measure *measure, met_face face)
{
    return measure->cells ? 0 : faces[face].size * PX * 13 / 16;
}

int met_measure_size(met_face face)
{
    return faces[face].size;
}

bool met_measure_bold(met_face face)
{
    return faces[face].bold;
}

met_str met_measure_clip(const met_measure *measure, met_face face, met_str text, int32_t width, bool *ret_clipped)
{
    *ret_clipped = met_measure_text(measure, face, text) > width;
    if (!*ret_clipped)
        return text;
    int32_t left = width - met_measure_text(measure, face, met_str_of("\xE2\x80\xA6"));
    int64_t raw = 0;
    size_t length;
    size_t end = 0;
    for (; end < text.length; end += length) {
        raw += raw_advance(measure, face, met_utf8_next(text, end, &length));
        if (to_length(measure, face, raw) > left)
            break;
    }
    return (met_str){ text.at, end };
}
