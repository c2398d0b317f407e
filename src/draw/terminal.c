/* The picture on a character grid. Strokes are collected as the four arms of each cell, so that corners, tees and crossings
 * come out by themselves; where only two wires pass at right angles they are drawn as crossing. */
#include <string.h>

#include "draw/drawing.h"

enum { NORTH = 1, EAST = 2, SOUTH = 4, WEST = 8 };

typedef struct grid_cell {
    unsigned arms;     /* of wires */
    unsigned frame;    /* of plates' borders */
    uint32_t code;     /* a character that covers what is below; 0: none */
    uint32_t axis;     /* of the last wire here, or MET_NONE */
    bool coloured;
    uint32_t dash;     /* the character of a separator, under everything else */
} grid_cell;

typedef struct grid {
    int32_t width, height;
    grid_cell *cells;
} grid;

static grid_cell *at(const grid *g, int32_t x, int32_t y)
{
    static grid_cell outside;
    if (x < 0 || y < 0 || x >= g->width || y >= g->height)
        return &outside;
    return &g->cells[(size_t)y * (size_t)g->width + (size_t)x];
}

static void arm(const grid *g, int32_t x, int32_t y, unsigned arms, const met_wire *w)
{
    grid_cell *cell = at(g, x, y);
    cell->arms |= arms;
    cell->axis = w->axis;
    cell->coloured = true;
}

/* A level stretch that fills the cells [x0, x1). */
static void level(const grid *g, int32_t x0, int32_t x1, int32_t y, const met_wire *w)
{
    for (int32_t x = x0; x < x1; x++)
        arm(g, x, y, EAST | WEST, w);
}

/* An upright from row a to row b in column x; the ends point to the given sides. */
static void upright(const grid *g, int32_t x, int32_t a, int32_t b, unsigned side_a, unsigned side_b, const met_wire *w)
{
    int32_t low = a < b ? a : b;
    int32_t high = a < b ? b : a;
    arm(g, x, a, side_a | (a < b ? SOUTH : NORTH), w);
    arm(g, x, b, side_b | (a < b ? NORTH : SOUTH), w);
    for (int32_t y = low + 1; y < high; y++)
        arm(g, x, y, NORTH | SOUTH, w);
}

static void put_wire(const grid *g, const met_wire *w)
{
    if (w->kind == MET_WIRE_CUP) {
        upright(g, w->x1, w->y0, w->y1, WEST, WEST, w);
        return;
    }
    if (w->y0 == w->y1) {
        level(g, w->x0, w->x1, w->y0, w);
        return;
    }
    level(g, w->x0, w->bend, w->y0, w);
    if (w->jog_x < 0) {
        upright(g, w->bend, w->y0, w->y1, WEST, EAST, w);
        level(g, w->bend + 1, w->x1, w->y1, w);
        return;
    }
    upright(g, w->bend, w->y0, w->jog_y, WEST, EAST, w);
    level(g, w->bend + 1, w->jog_x, w->jog_y, w);
    upright(g, w->jog_x, w->jog_y, w->y1, WEST, EAST, w);
    level(g, w->jog_x + 1, w->x1, w->y1, w);
}

static void put_text(const grid *g, int32_t x, int32_t y, met_str text)
{
    size_t length;
    for (size_t i = 0; i < text.length; i += length) {
        uint32_t code = met_utf8_next(text, i, &length);
        bool bad = code < 0x20 || (code >= 0x7F && code < 0xA0);
        grid_cell *cell = at(g, x++, y);
        cell->code = bad ? 0xFFFD : code;
        cell->coloured = false;
    }
}

static void put_plate(const grid *g, const met_plate *p)
{
    met_box b = p->box;
    for (int32_t x = b.x; x < b.x + b.w; x++) {
        at(g, x, b.y)->frame |= (x > b.x ? WEST : 0u) | (x + 1 < b.x + b.w ? EAST : 0u);
        at(g, x, b.y + b.h - 1)->frame |= (x > b.x ? WEST : 0u) | (x + 1 < b.x + b.w ? EAST : 0u);
    }
    for (int32_t y = b.y; y < b.y + b.h; y++) {
        at(g, b.x, y)->frame |= (y > b.y ? NORTH : 0u) | (y + 1 < b.y + b.h ? SOUTH : 0u);
        at(g, b.x + b.w - 1, y)->frame |= (y > b.y ? NORTH : 0u) | (y + 1 < b.y + b.h ? SOUTH : 0u);
    }
}

/* A glyph: its name between two borders, over the rows that it spans; the borders show where wires end. */
static void put_mark(const grid *g, const met_mark *mark)
{
    met_box b = mark->box;
    uint32_t bare_left = b.h > 1 ? 0x2502 : '[';
    uint32_t bare_right = b.h > 1 ? 0x2502 : ']';
    for (int32_t y = b.y; y < b.y + b.h; y++) {
        for (int32_t x = b.x; x < b.x + b.w; x++) {
            at(g, x, y)->code = ' ';
            at(g, x, y)->coloured = false;
        }
        if (mark->glyph == MET_GLYPH_group || mark->glyph == MET_GLYPH_stream) {
            at(g, b.x, y)->code = 0x27E8;
            at(g, b.x + b.w - 1, y)->code = 0x27E9;
            continue;
        }
        at(g, b.x, y)->code = at(g, b.x - 1, y)->arms & EAST ? 0x2524 : bare_left;
        at(g, b.x + b.w - 1, y)->code = at(g, b.x + b.w, y)->arms & WEST ? 0x251C : bare_right;
    }
}

static void fill(const grid *g, const met_drawing *d)
{
    const met_scene *s = &d->figure.scene;
    for (size_t i = 0; i < s->plates.count; i++)
        put_plate(g, &s->plates.at[i]);
    for (size_t i = 0; i < s->rules.count; i++) {
        const met_rule *r = &s->rules.at[i];
        for (int32_t x = r->x0; x < r->x1; x++)
            at(g, x, r->y0)->dash = 0x254C;
        for (int32_t y = r->y0; r->x0 == r->x1 && y <= r->y1; y++)
            at(g, r->x0, y)->dash = 0x254E;
    }
    for (size_t i = 0; i < s->wires.count; i++)
        put_wire(g, &s->wires.at[i]);
    for (size_t i = 0; i < s->tethers.count; i++) {
        const met_tether *t = &s->tethers.at[i];
        for (int32_t y = t->y0 + (t->reach == MET_REACH_UP ? 0 : 1); y < t->y1 + (t->reach == MET_REACH_DOWN ? 1 : 0); y++) {
            at(g, t->x, y)->frame |= NORTH | SOUTH;
            if (t->reach != MET_REACH_NONE && at(g, t->x, y)->arms)
                at(g, t->x, y)->code = 0x253C;
        }
    }
    for (size_t i = 0; i < s->dots.count; i++) {
        grid_cell *cell = at(g, s->dots.at[i].x, s->dots.at[i].y);
        cell->code = s->dots.at[i].kind == MET_DOT_FULL ? 0x25CF : 0x25CB;
        cell->axis = s->dots.at[i].axis;
        cell->coloured = true;
    }
    for (size_t i = 0; i < s->marks.count; i++)
        put_mark(g, &s->marks.at[i]);
    for (size_t i = 0; i < s->notes.count; i++)
        put_text(g, s->notes.at[i].box.x, s->notes.at[i].box.y, s->notes.at[i].text);
}

/* --- Characters --- */

/* By arms: north 1, east 2, south 4, west 8. */
static const uint32_t strokes[16] = { ' ',    0x2575, 0x2576, 0x2570, 0x2577, 0x2502, 0x256D, 0x251C,
                                      0x2574, 0x256F, 0x2500, 0x2534, 0x256E, 0x2524, 0x252C, 0x253C };
static const char plain_strokes[] = " |-+||++-+-++++|";

static uint32_t to_ascii(uint32_t code)
{
    static const struct {
        uint32_t code;
        char ascii;
    } table[] = { { 0x25CF, '*' }, { 0x25CB, 'o' }, { 0x2026, '~' }, { 0xD7, 'x' },     { 0xB7, '.' },
                { 0x2524, '[' }, { 0x251C, ']' }, { 0x2502, '|' }, { 0x254C, '.' }, { 0x254E, ':' },
                { 0x253C, '+' }, { 0x27E8, '<' }, { 0x27E9, '>' } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return (uint32_t)table[i].ascii;
    return code < 0x7F ? code : '?';
}

static uint32_t character(const grid_cell *cell, bool ascii)
{
    if (cell->code)
        return ascii ? to_ascii(cell->code) : cell->code;
    unsigned arms = cell->arms ? cell->arms : cell->frame; /* a wire interrupts a border that it passes */
    if (arms && ascii)
        return arms == 15 ? '+' : (uint32_t)plain_strokes[arms];
    if (arms)
        return strokes[arms];
    if (cell->dash)
        return ascii ? to_ascii(cell->dash) : cell->dash;
    return ' ';
}

static void put_utf8(met_text *out, uint32_t code)
{
    if (code < 0x80) {
        met_text_char(out, (char)code);
    } else if (code < 0x800) {
        met_text_char(out, (char)(0xC0 | code >> 6));
        met_text_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        met_text_char(out, (char)(0xE0 | code >> 12));
        met_text_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        met_text_char(out, (char)(0x80 | (code & 0x3F)));
    } else {
        met_text_char(out, (char)(0xF0 | code >> 18));
        met_text_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
        met_text_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        met_text_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

/* Colours of the 256-colour palette, in the order of the theme's axes. */
static int terminal_colour(const met_drawing *d, const grid_cell *cell)
{
    static const int colours[MET_THEME_AXES] = { 33, 208, 36, 175, 178, 117, 137, 247 };
    if (!cell->coloured || cell->axis == MET_NONE || (!cell->arms && !cell->code))
        return -1;
    return colours[d->hue[cell->axis] % MET_THEME_AXES];
}

static void put_row(met_text *out, const met_drawing *d, const grid *g, int32_t y, bool ascii, bool colour)
{
    int32_t end = g->width;
    while (end > 0 && character(at(g, end - 1, y), ascii) == ' ')
        end--;
    int now = -1;
    for (int32_t x = 0; x < end; x++) {
        const grid_cell *cell = at(g, x, y);
        int wanted = colour ? terminal_colour(d, cell) : -1;
        if (wanted != now && wanted >= 0)
            met_text_format(out, "\033[38;5;%dm", wanted);
        else if (wanted != now)
            met_text_put(out, "\033[0m");
        now = wanted;
        put_utf8(out, character(cell, ascii));
    }
    if (now >= 0)
        met_text_put(out, "\033[0m");
    met_text_char(out, '\n');
}

/* A picture may be large in one direction only. */
#define GRID_LIMIT ((int64_t)1 << 26)

void met_terminal_print(met_text *out, const met_drawing *d, bool ascii, bool colour)
{
    grid g = { d->figure.width, d->figure.height, NULL };
    if ((int64_t)g.width * g.height > GRID_LIMIT) {
        met_text_put(out, "the picture is too large for a terminal\n");
        return;
    }
    g.cells = MET_NEW_ARRAY(d->arena, grid_cell, (size_t)g.width * (size_t)g.height);
    for (int64_t i = 0; i < (int64_t)g.width * g.height; i++)
        g.cells[i].axis = MET_NONE;
    fill(&g, d);
    for (int32_t y = 0; y < g.height; y++)
        put_row(out, d, &g, y, ascii, colour);
}
