/* Curves over logarithmic scales. Like circuits, they are SVG with integers in 1/16 px and all looks in one style block. */
#include "draw/curve.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "draw/drawing.h"

enum { PX = 16, LEFT = 64 * PX, TOP = 46 * PX, BOTTOM = 52 * PX, WIDE = 500 * PX, HIGH = 300 * PX, PAD = 6 * PX, MARK = 4 * PX };

typedef struct frame {
    met_arena *arena;
    const met_curve_plot *plot;
    met_theme theme;
    met_measure measure;
    double x0, x1, y0, y1; /* logarithms to base 10 at the borders */
} frame;

/* --- Scales --- */

static int32_t x_of(const frame *f, double x)
{
    return LEFT + (int32_t)lround((log10(x) - f->x0) / (f->x1 - f->x0) * WIDE);
}

static int32_t y_of(const frame *f, double y)
{
    return TOP + HIGH - (int32_t)lround((log10(y) - f->y0) / (f->y1 - f->y0) * HIGH);
}

static bool drawn(const met_curve *curve, uint32_t i)
{
    return isfinite(curve->y[i]) && curve->y[i] > 0;
}

static void find_scales(frame *f)
{
    double low = INFINITY, high = 0, first = INFINITY, last = 0;
    for (uint32_t c = 0; c < f->plot->curve_count; c++)
        for (uint32_t i = 0; i < f->plot->curves[c].count; i++) {
            const met_curve *curve = &f->plot->curves[c];
            first = fmin(first, curve->x[i]);
            last = fmax(last, curve->x[i]);
            if (!drawn(curve, i))
                continue;
            low = fmin(low, curve->y[i]);
            high = fmax(high, curve->y[i]);
        }
    bool any = high > 0;
    f->x0 = log10(first);
    f->x1 = log10(last);
    f->y0 = any ? log10(low) : 0;
    f->y1 = any ? log10(high) : 1;
    double air = fmax(0.06 * (f->y1 - f->y0), 0.05);
    f->y0 -= air;
    f->y1 += air;
}

/* --- Marks on the scales --- */

static const char *mark_text(const frame *f, double at, bool binary)
{
    static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB" };
    static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    met_text text = met_text_new(f->arena);
    if (binary) {
        int unit = 0;
        for (; unit < 4 && at >= 1024; unit++)
            at /= 1024;
        met_text_double(&text, at);
        met_text_format(&text, "%s", units[unit]);
        return met_text_done(&text);
    }
    int power = (int)floor(log10(at) + 1e-9);
    double leading = at / pow(10, power);
    if (fabs(leading - 1) > 1e-6) {
        met_text_double_digits(&text, leading, 3);
        met_text_put(&text, "·");
    }
    met_text_put(&text, "10");
    if (power >= 10)
        met_text_put(&text, digits[power / 10 % 10]);
    met_text_put(&text, digits[(power < 0 ? -power : power) % 10]);
    return met_text_done(&text);
}

typedef struct marks {
    double at[64];
    uint32_t count;
} marks;

/* Between two logarithms: powers of ten, with 2 and 5 of them where there are few; or every second, fourth … power of two. */
static marks find_marks(double from, double to, bool binary)
{
    marks m = { .count = 0 };
    double base = binary ? log10(2) : 1;
    int first = (int)ceil(from / base - 1e-9), last = (int)floor(to / base + 1e-9), step = 1;
    while ((last - first) / step > 8)
        step *= 2;
    for (int power = first - 1; power <= last; power++) {
        static const double parts[] = { 1, 2, 5 };
        bool dense = !binary && last - first < 3;
        for (int k = 0; k < (dense ? 3 : 1) && m.count < 64; k++) {
            double at = power * base + log10(parts[k]);
            if (at >= from - 1e-9 && at <= to + 1e-9 && power % step == 0)
                m.at[m.count++] = binary ? ldexp(1, power) : pow(10, at);
        }
    }
    return m;
}

/* --- Printing --- */

static void put_style(met_text *out, const frame *f)
{
    const int32_t *stroke = f->theme.stroke;
    met_text_put(out, "<style>text{font-family:");
    met_text_str(out, f->theme.font);
    met_text_format(out, "}.N{font-size:%dpx;font-weight:700}.G{font-size:%dpx}.A{font-size:%dpx}", met_measure_size(MET_FACE_NAME) * PX,
                    met_measure_size(MET_FACE_GLYPH) * PX, met_measure_size(MET_FACE_AXIS) * PX);
    met_text_format(out, "path{fill:none;stroke-linejoin:round}.k{stroke-width:%d}.m{stroke-width:%d}.h{stroke-width:%d}",
                    stroke[MET_STROKE_wire] * 3 / 2, stroke[MET_STROKE_glyph], stroke[MET_STROKE_tether]);
    for (int dark = 0; dark < 2; dark++) {
        const met_palette *p = dark ? &f->theme.dark : &f->theme.light;
        if (dark && memcmp(&f->theme.light, p, sizeof *p) == 0)
            break;
        met_text_put(out, dark ? "@media(prefers-color-scheme:dark){" : "");
        met_text_format(out, ".P{fill:#%06x}.t{fill:#%06x}.u{fill:#%06x}.h{stroke:#%06x}.m{stroke:#%06x}",
                        (unsigned)p->colour[MET_COLOUR_paper], (unsigned)p->colour[MET_COLOUR_ink], (unsigned)p->colour[MET_COLOUR_muted],
                        (unsigned)p->colour[MET_COLOUR_rim], (unsigned)p->colour[MET_COLOUR_rule]);
        for (uint32_t c = 0; c < f->plot->curve_count; c++)
            if (!f->plot->curves[c].minor)
                met_text_format(out, ".c%u{stroke:#%06x}.n%u{fill:#%06x}", c, (unsigned)p->axes[c % MET_THEME_AXES], c,
                                (unsigned)p->axes[c % MET_THEME_AXES]);
        met_text_put(out, dark ? "}" : "");
    }
    met_text_put(out, "</style>\n");
}

/* `anchor`: start, middle or end. */
static void put_text(met_text *out, const char *classes, int32_t x, int32_t y, const char *anchor, const char *text)
{
    met_text_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">", classes, x, y, anchor);
    met_xml_put(out, met_str_of(text));
    met_text_put(out, "</text>\n");
}

static void put_grid(met_text *out, const frame *f, const marks *xs, const marks *ys)
{
    met_text_put(out, "<path class=\"h\" d=\"");
    for (uint32_t i = 0; i < xs->count; i++)
        met_text_format(out, "M%d %dV%d", x_of(f, xs->at[i]), TOP, TOP + HIGH + MARK);
    for (uint32_t i = 0; i < ys->count; i++)
        met_text_format(out, "M%d %dH%d", LEFT - MARK, y_of(f, ys->at[i]), LEFT + WIDE);
    met_text_put(out, "\"/>\n");
    int32_t last = INT32_MIN;
    for (uint32_t i = 0; i < xs->count; i++) {
        const char *text = mark_text(f, xs->at[i], f->plot->x_binary);
        int32_t wide = met_measure_text(&f->measure, MET_FACE_AXIS, met_str_of(text)), x = x_of(f, xs->at[i]);
        if (x - wide / 2 < last + PAD) /* no room beside the one before */
            continue;
        put_text(out, "A u", x, TOP + HIGH + MARK + 12 * PX, "middle", text);
        last = x + wide / 2;
    }
    for (uint32_t i = 0; i < ys->count; i++)
        put_text(out, "A u", LEFT - MARK - 3 * PX, y_of(f, ys->at[i]) + 3 * PX + 8, "end", mark_text(f, ys->at[i], false));
}

/* Points in the middle of a level stretch are left out. */
static void put_line(met_text *out, const frame *f, uint32_t number)
{
    static const char *const dashes[] = { "", "112 56", "32 48", "128 48 32 48" };
    const met_curve *curve = &f->plot->curves[number];
    met_text_format(out, "<path class=\"%s c%u\"%s%s%s d=\"", curve->minor ? "m" : "k", number, number % 4 ? " stroke-dasharray=\"" : "",
                    dashes[number % 4], number % 4 ? "\"" : "");
    bool pen = false;
    for (uint32_t i = 0; i < curve->count; i++) {
        bool inner = pen && i + 1 < curve->count && drawn(curve, i + 1) && drawn(curve, i);
        if (inner && y_of(f, curve->y[i]) == y_of(f, curve->y[i - 1]) && y_of(f, curve->y[i]) == y_of(f, curve->y[i + 1]))
            continue;
        if (drawn(curve, i))
            met_text_format(out, "%s%d %d", pen ? "L" : "M", x_of(f, curve->x[i]), y_of(f, curve->y[i]));
        pen = drawn(curve, i);
    }
    met_text_put(out, "\"/>\n");
}

/* Where the names of the lines stand: at their ends, moved apart so that none covers another. */
static void place_names(const frame *f, int32_t *ret_y)
{
    int32_t height = met_measure_height(&f->measure, MET_FACE_GLYPH) + PX;
    uint32_t count = f->plot->curve_count, order[MET_CURVES];
    for (uint32_t c = 0; c < count; c++) {
        const met_curve *curve = &f->plot->curves[c];
        ret_y[c] = TOP + HIGH;
        for (uint32_t i = 0; i < curve->count; i++)
            if (drawn(curve, i))
                ret_y[c] = y_of(f, curve->y[i]);
        uint32_t k = c;
        for (; k > 0 && ret_y[order[k - 1]] > ret_y[c]; k--)
            order[k] = order[k - 1];
        order[k] = c;
    }
    int32_t lowest = TOP + HIGH;
    for (uint32_t k = count; k-- > 0; lowest = ret_y[order[k]] - height)
        ret_y[order[k]] = ret_y[order[k]] < lowest ? ret_y[order[k]] : lowest;
    int32_t highest = TOP;
    for (uint32_t k = 0; k < count; k++) {
        ret_y[order[k]] = ret_y[order[k]] > highest ? ret_y[order[k]] : highest;
        highest = ret_y[order[k]] + height;
    }
}

static void put_names(met_text *out, const frame *f)
{
    int32_t y[MET_CURVES];
    place_names(f, y);
    for (uint32_t c = 0; c < f->plot->curve_count; c++) {
        const met_curve *curve = &f->plot->curves[c];
        met_text classes = met_text_new(f->arena);
        met_text_put(&classes, "G ");
        if (curve->minor)
            met_text_put(&classes, "u");
        else
            met_text_format(&classes, "n%u", c);
        put_text(out, met_text_done(&classes), LEFT + WIDE + PAD, y[c] + 4 * PX, "start", curve->name);
    }
}

static void put_labels(met_text *out, const frame *f)
{
    put_text(out, "N t", LEFT, TOP - 26 * PX, "start", f->plot->title);
    put_text(out, "G u", LEFT, TOP - 9 * PX, "start", f->plot->y_label);
    put_text(out, "G u", LEFT + WIDE, TOP + HIGH + 36 * PX, "end", f->plot->x_label);
}

static int32_t names_width(const frame *f)
{
    int32_t widest = 0;
    for (uint32_t c = 0; c < f->plot->curve_count; c++) {
        int32_t wide = met_measure_text(&f->measure, MET_FACE_GLYPH, met_str_of(f->plot->curves[c].name));
        widest = wide > widest ? wide : widest;
    }
    return widest;
}

static void put_picture(met_text *out, const frame *f)
{
    int32_t width = (LEFT + WIDE + names_width(f) + 2 * PAD + 8 * PX + PX - 1) / PX, height = (TOP + HIGH + BOTTOM) / PX;
    marks xs = find_marks(f->x0, f->x1, f->plot->x_binary), ys = find_marks(f->y0, f->y1, false);
    met_text_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" ", width, height);
    met_text_format(out, "viewBox=\"0 0 %d %d\">\n<title>", width * PX, height * PX);
    met_xml_put(out, met_str_of(f->plot->title));
    met_text_put(out, "</title>\n");
    put_style(out, f);
    met_text_format(out, "<rect class=\"P\" width=\"%d\" height=\"%d\"/>\n", width * PX, height * PX);
    put_grid(out, f, &xs, &ys);
    for (uint32_t c = f->plot->curve_count; c-- > 0;)
        put_line(out, f, c);
    put_names(out, f);
    put_labels(out, f);
    met_text_put(out, "</svg>\n");
}

const char *met_curve_svg(met_session *session, const met_curve_plot *plot, const met_value *theme)
{
    frame f = { .arena = session->arena, .plot = plot, .measure = met_measure_pixels };
    assert(plot->curve_count <= MET_CURVES);
    if (!theme)
        met_theme_default(session->arena, &f.theme);
    else if (!met_theme_read(session, theme, &f.theme))
        return NULL;
    f.measure.mono = f.theme.mono;
    find_scales(&f);
    met_text out = met_text_new(session->arena);
    put_picture(&out, &f);
    return met_text_done(&out);
}
