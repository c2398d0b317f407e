/* Parts of drawings by themselves: counting crossings, spreading, measuring texts, palettes, themes, the XML checker. */
#include "draw_samples.h"

#include "draw/spread.h"
#include "host/theme.h"
#include "host/toml.h"

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void counting_random_pairs(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        met_arena *arena = met_arena_new();
        met_pair pairs[60];
        size_t count = random_below(61);
        for (size_t i = 0; i < count; i++)
            pairs[i] = (met_pair){ (int32_t)random_below(20) - 10, (int32_t)random_below(20) - 10 };
        uint64_t seen = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++)
                seen += (pairs[i].from < pairs[k].from && pairs[i].to > pairs[k].to) ||
                        (pairs[i].from > pairs[k].from && pairs[i].to < pairs[k].to);
        assert_int_equal(met_count_crossings(arena, pairs, count), seen);
        met_arena_free(arena);
    }
}

/* --- Spreading --- */

enum { RANGE = 14 };

static int32_t spread_cost(size_t pulls, const met_pull *pull, const int32_t *place)
{
    int32_t cost = 0;
    for (size_t i = 0; i < pulls; i++)
        cost += pull[i].weight * abs(pull[i].place - place[pull[i].item]);
    return cost;
}

static void spreading_is_optimal(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        met_arena *arena = met_arena_new();
        int32_t distance[3] = { 0, (int32_t)random_below(4), (int32_t)random_below(4) };
        met_pull pulls[6];
        size_t count = 0;
        for (uint32_t item = 0; item < 3; item++)
            for (uint32_t k = random_below(3); k > 0; k--)
                pulls[count++] = (met_pull){ item, 3 + (int32_t)random_below(8), 1 + (int32_t)random_below(3) };
        int32_t place[3];
        met_spread(arena, 3, distance, count, pulls, place);
        assert_true(place[1] - place[0] >= distance[1] && place[2] - place[1] >= distance[2]);
        int32_t best = INT32_MAX;
        for (int32_t a = -RANGE; a < 2 * RANGE; a++) {
            for (int32_t b = a + distance[1]; b < 2 * RANGE; b++) {
                for (int32_t c = b + distance[2]; c < 2 * RANGE; c++) {
                    int32_t cost = spread_cost(count, pulls, (int32_t[]){ a, b, c });
                    best = cost < best ? cost : best;
                }
            }
        }
        assert_int_equal(spread_cost(count, pulls, place), best);
        met_arena_free(arena);
    }
}

static void xml_is_checked(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "<a>", "<a></b>", "<a x=1/>", "<a x=\"<\"/>", "<a/><b/>", "<a>&</a>", "<a>\x01</a>",
                                       "<a>\xff</a>", "x<a/>", "<a x=\"1\" y></a>" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!xml_error(bad[i]))
            fail_msg("taken for XML: %s", bad[i]);
    assert_null(xml_error("<a x=\"1\" y=\"&quot;\"><b/>&lt;\xC3\x97</a>\n"));
}

static void texts_are_measured(void **state)
{
    (void)state;
    const met_measure *m = &met_measure_pixels;
    int32_t narrow = met_measure_text(m, MET_FACE_AXIS, met_str_of("i"));
    int32_t wide = met_measure_text(m, MET_FACE_AXIS, met_str_of("W"));
    assert_true(narrow > 0 && wide > 3 * narrow);
    assert_int_equal(met_measure_text(&met_measure_cells, MET_FACE_AXIS, met_str_of("\xC3\x97" "a")), 2);
    bool clipped;
    met_str kept = met_measure_clip(m, MET_FACE_AXIS, met_str_of("a long name of an axis"), 5 * wide, &clipped);
    assert_true(clipped && kept.length > 0 && kept.length < 22);
    assert_true(met_measure_text(m, MET_FACE_AXIS, kept) <= 5 * wide);
    kept = met_measure_clip(m, MET_FACE_AXIS, met_str_of("q"), 5 * wide, &clipped);
    assert_true(!clipped && kept.length == 1);
    assert_true(met_str_is(met_short_name(met_str_of("layers.0.attention.wq"), 1), "wq"));
    assert_true(met_str_is(met_short_name(met_str_of("mha.linear.w.2"), 2), "linear.w.2"));
    assert_true(met_str_is(met_short_name(met_str_of("d.2"), 1), "d.2"));
    assert_true(met_str_is(met_short_name(met_str_of("..."), 1), "..."));
}

/* --- Colours --- */

static double channel(uint32_t colour, int shift)
{
    double c = ((colour >> shift) & 255) / 255.0;
    return c <= 0.04045 ? c / 12.92 : __builtin_pow((c + 0.055) / 1.055, 2.4);
}

typedef struct lab {
    double l, a, b;
} lab;

static double root(double t)
{
    return t > 0.008856 ? __builtin_cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* Linear RGB to CIELAB (D65). */
static lab to_lab(const double *rgb)
{
    double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
    double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
    return (lab){ 116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z)) };
}

/* Full colour-vision deficiencies as matrices on linear RGB (Machado, Oliveira and Fernandes, 2009). */
static const double deficiencies[4][9] = {
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
    { 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998 },
    { 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881 },
    { 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900 },
};

static lab seen_as(uint32_t colour, const double *m)
{
    double c[3] = { channel(colour, 16), channel(colour, 8), channel(colour, 0) };
    double seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = m[3 * i] * c[0] + m[3 * i + 1] * c[1] + m[3 * i + 2] * c[2];
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    }
    return to_lab(seen);
}

static double contrast(uint32_t a, uint32_t b)
{
    double l[2];
    for (int i = 0; i < 2; i++) {
        uint32_t c = i ? b : a;
        l[i] = 0.2126 * channel(c, 16) + 0.7152 * channel(c, 8) + 0.0722 * channel(c, 0) + 0.05;
    }
    return l[0] > l[1] ? l[0] / l[1] : l[1] / l[0];
}

static double least_distance(const met_palette *p)
{
    double least = 1e9;
    for (int d = 0; d < 4; d++) {
        for (int i = 0; i < MET_THEME_AXES; i++) {
            for (int k = i + 1; k < MET_THEME_AXES; k++) {
                lab a = seen_as(p->axes[i], deficiencies[d]);
                lab b = seen_as(p->axes[k], deficiencies[d]);
                double distance = __builtin_sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
                least = distance < least ? distance : least;
            }
        }
    }
    return least;
}

static void check_palette(const char *name, const met_palette *p)
{
    const uint32_t *c = p->colour;
    print_message("%s: least distance of two axes %.1f\n", name, least_distance(p));
    assert_true(least_distance(p) >= 15);
    for (int i = 0; i < MET_THEME_AXES; i++)
        assert_true(contrast(p->axes[i], c[MET_COLOUR_paper]) >= 2.5 && contrast(p->axes[i], c[MET_COLOUR_block]) >= 2.3);
    for (int i = 0; i < MET_THEME_AXES; i++)
        assert_true(contrast(p->axes[i], c[MET_COLOUR_kernel]) >= 2.3 && contrast(p->axes[i], c[MET_COLOUR_stream]) >= 2.3);
    static const met_colour grounds[] = { MET_COLOUR_paper, MET_COLOUR_block, MET_COLOUR_glyph,
                                          MET_COLOUR_weight, MET_COLOUR_kernel, MET_COLOUR_stream };
    for (size_t g = 0; g < sizeof grounds / sizeof *grounds; g++) {
        assert_true(contrast(c[MET_COLOUR_ink], c[grounds[g]]) >= 4.5);
        assert_true(contrast(c[MET_COLOUR_muted], c[grounds[g]]) >= 4.5);
    }
}

static void colours_can_be_told_apart(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    static const char *const names[] = { "paper", "blueprint" };
    for (size_t i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, MET_ROOT_DIR "/share/themes/%s.toml", names[i]);
        met_theme theme;
        met_value *table = met_theme_load(session, path);
        if (!table || !met_theme_read(session, table, &theme))
            fail_msg("%s", met_session_diagnostics_text(session));
        check_palette(names[i], &theme.light);
        check_palette(names[i], &theme.dark);
    }
    met_session_free(session);
}

/* --- Themes --- */

static void default_is_the_file(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_circuit *c = read_sample(session, &samples[10], false);
    met_draw_options options = { .theme = met_theme_load(session, MET_ROOT_DIR "/share/themes/paper.toml") };
    assert_non_null(options.theme);
    assert_string_equal(met_draw(c, &options), met_draw(c, NULL));
    options.theme = met_theme_load(session, MET_ROOT_DIR "/share/themes/blueprint.toml");
    const char *other = met_draw(c, &options);
    assert_non_null(other);
    assert_null(xml_error(other));
    assert_string_not_equal(other, met_draw(c, NULL));
    met_session_free(session);
}

static void bad_themes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        { "colour = 1", "colour" },
        { "[light]\nink = \"red\"", "#rrggbb" },
        { "[light]\nink = \"#12345g\"", "#rrggbb" },
        { "[light]\nink = \"#123456;}\"", "#rrggbb" },
        { "[light]\nink = 7", "ink" },
        { "[light]\ninc = \"#000000\"", "inc" },
        { "[dark]\naxes = [\"#000000\"]", "must be 8" },
        { "[dark]\naxes = 1", "axes" },
        { "[font]\nfamily = \"x;}</style><script>\"", "font names" },
        { "[font]\nfamily = \"\"", "font names" },
        { "[font]\nmetrics = \"arial\"", "dejavu-sans" },
        { "[stroke]\nwire = 100", "0.25 to 12" },
        { "[stroke]\nwire = nan", "0.25 to 12" },
        { "[stroke]\nwire = \"1\"", "wire" },
        { "[glyphs.sofmax]\noutline = \"\"", "sofmax" },
        { "[glyphs.softmax]\noutline = \"M0 0L1 1\\\"/><script>\"", "commands" },
        { "[glyphs.softmax]\noutline = \"m0 0\"", "commands" },
        { "[glyphs.softmax]\noutline = \"L0 0\"", "starts with M" },
        { "[glyphs.softmax]\noutline = \"M0\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 2\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 99999999999\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 .12345\"", "coordinate" },
        { "[glyphs.softmax]\nfill = \"red\"", "fill" },
        { "[glyphs.softmax]\nshadow = \"\"", "shadow" },
        { "glyphs = 1", "glyphs" },
        { "glyphs.softmax = 1", "glyph" },
        { "light = 1", "light" },
        { "name = 1", "name" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        met_session *session = met_session_new();
        met_circuit *c = read_sample(session, &samples[0], false);
        uint32_t source = met_session_add_source(session, "theme.toml", bad[i][0], strlen(bad[i][0]));
        met_draw_options options = { .theme = met_toml_read(session, source) };
        assert_non_null(options.theme);
        assert_null(met_draw(c, &options));
        const char *text = met_session_diagnostics_text(session);
        if (!strstr(text, bad[i][1]) || !strstr(text, "theme.toml:"))
            fail_msg("%s\n%s", bad[i][0], text);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_random_pairs),
        cmocka_unit_test(spreading_is_optimal),
        cmocka_unit_test(xml_is_checked),
        cmocka_unit_test(texts_are_measured),
        cmocka_unit_test(colours_can_be_told_apart),
        cmocka_unit_test(default_is_the_file),
        cmocka_unit_test(bad_themes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
