/* Pictures of curves: where points, marks and names stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/curve.h"
#include "draw/measure.h"

static const char *draw(met_session *session, uint32_t count, const met_curve *curves, bool binary)
{
    met_curve_plot plot = { "a title & more", "x", "y", binary, count, curves };
    const char *svg = met_curve_svg(session, &plot, NULL);
    assert_non_null(svg);
    return svg;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* The number after `key` in the element that holds `text`. */
static int attribute(const char *svg, const char *text, const char *key)
{
    const char *at = strstr(svg, text);
    assert_non_null(at);
    while (*at != '<')
        at--;
    at = strstr(at, key);
    assert_non_null(at);
    return atoi(at + strlen(key));
}

/* A power law is a straight line, from corner to corner of its scales. */
static void straight(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    double x[] = { 1e3, 1e4, 1e5 }, y[] = { 1e8, 1e7, 1e6 };
    met_curve curve = { "law", 3, x, y, false };
    const char *line = strstr(draw(session, 1, &curve, false), "<path class=\"k c0\"");
    int px[3], py[3];
    assert_non_null(line);
    assert_int_equal(sscanf(strstr(line, "d=\"") + 3, "M%d %dL%d %dL%d %d", &px[0], &py[0], &px[1], &py[1], &px[2], &py[2]), 6);
    assert_int_equal(px[1] - px[0], px[2] - px[1]);
    assert_int_equal(py[1] - py[0], py[2] - py[1]);
    assert_true(py[2] > py[0]); /* it falls */
    met_session_free(session);
}

/* Where there is no value there is no line. */
static void gaps(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    double x[] = { 1, 10, 100, 1000, 10000 }, y[] = { NAN, 5, 2, NAN, 1 };
    met_curve curve = { "c", 5, x, y, false };
    const char *svg = strdup(strstr(draw(session, 1, &curve, false), "class=\"k c0\""));
    *strstr((char *)svg, "/>") = 0;
    assert_int_equal(count_of(svg, "M"), 2);
    assert_int_equal(count_of(svg, "L"), 1);
    free((char *)svg);
    /* nothing at all is a picture as well */
    double none[] = { NAN, NAN, NAN, NAN, NAN };
    met_curve empty = { "e", 5, x, none, false };
    draw(session, 1, &empty, false);
    met_session_free(session);
}

/* Lines that end at one place have their names one above the other. */
static void names_apart(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    double x[] = { 10, 100 }, y[4][2];
    static const char *const names[] = { "alpha", "beta", "gamma", "delta" };
    static const char *const marks[] = { ">alpha<", ">beta<", ">gamma<", ">delta<" };
    met_curve curves[4];
    for (int place = 0; place < 3; place++) { /* at the top, in the middle, at the bottom */
        for (int c = 0; c < 4; c++) {
            y[c][0] = c == 0 ? (place == 0 ? 1 : 1000) : 30;
            y[c][1] = place == 0 ? 1000 : place == 1 ? 40 : 1;
            curves[c] = (met_curve){ names[c], 2, x, y[c], c > 1 };
        }
        const char *svg = draw(session, 4, curves, false);
        int height = met_measure_height(&met_measure_pixels, MET_FACE_GLYPH);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                assert_true(abs(attribute(svg, marks[a], " y=\"") - attribute(svg, marks[b], " y=\"")) >= height);
    }
    met_session_free(session);
}

static void scales(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    double x[] = { 1024, 1048576 }, y[] = { 100, 1 };
    met_curve curve = { "c", 2, x, y, false };
    const char *binary = draw(session, 1, &curve, true), *decimal = draw(session, 1, &curve, false);
    assert_non_null(strstr(binary, ">1 KiB<"));
    assert_non_null(strstr(binary, ">1 MiB<"));
    assert_non_null(strstr(decimal, ">10⁴<"));
    assert_null(strstr(decimal, "KiB"));
    assert_non_null(strstr(decimal, "a title &amp; more"));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),
        cmocka_unit_test(gaps),
        cmocka_unit_test(names_apart),
        cmocka_unit_test(scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
