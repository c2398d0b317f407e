/* Shared by the tests of drawings: the golden set, and a checker for the part of XML that pictures use. */
#ifndef MET_TESTS_DRAW_SAMPLES_H
#define MET_TESTS_DRAW_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/drawing.h"
#include "host/file.h"
#include "ir/circuit.h"

/* --- The pictures --- */

typedef struct sample {
    const char *name;
    const char *sizes;
    size_t limit; /* bytes of its SVG */
} sample;

static const sample samples[] = {
    { "attention", "q=128,x=1024,h=32,d=64,d.2=64", 12000 },
    { "causal", "q=128,x=1024,h=32,d=64,d.2=64", 12000 },
    { "multihead", "q=128,m=4096,h=32,d=128,d.2=128", 30000 },
    { "mlp", "n=128,m=4096,f=14336", 12000 },
    { "llama", "n=1024,m=4096,g=8,r=4,d=128,d.2=128,f=14336", 30000 },
    { "selfattention", "n=77,m=64", 12000 },
    { "convolution", "c=3", 12000 },
    { "diagonal", "n=12", 12000 },
    { "views", "c=3", 12000 },
    { "layers32", "n=1024,m=4096", 60000 },
    { "ops", "b=2,n=128", 60000 },
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static inline met_circuit *read_sample(met_session *session, const sample *s, bool bound)
{
    char path[256];
    snprintf(path, sizeof path, MET_ROOT_DIR "/tests/golden/draw/%s.met", s->name);
    uint32_t source = met_file_source(session, path);
    met_circuit *circuit = source ? met_circuit_read(session, source, NULL) : NULL;
    if (circuit && bound)
        circuit = met_circuit_bind(circuit, s->sizes);
    if (!circuit)
        fail_msg("%s: %s", s->name, met_session_diagnostics_text(session));
    return circuit;
}

enum { LOOKED_AT = 100 }; /* nodes; the checks compare everything with everything */

/* Calls `check` for every sample, free and bound, in pixels and in cells, as a summary and whole, wide and wrapped. */
static inline void each_drawing(void (*check)(const char *name, const met_drawing *drawing))
{
    for (size_t i = 0; i < SAMPLES * 16; i++) {
        met_session *session = met_session_new();
        const sample *s = &samples[i / 16];
        bool cells = i & 2;
        met_draw_options options = { .format = cells ? MET_DRAW_TERMINAL : MET_DRAW_SVG, .whole = i & 4 };
        options.width = !(i & 8) ? -1 : cells ? 70 : 700;
        met_circuit *circuit = read_sample(session, s, i & 1);
        if (!options.whole || circuit->node_count <= LOOKED_AT) {
            met_drawing *drawing = met_drawing_new(circuit, &options);
            assert_non_null(drawing);
            check(s->name, drawing);
            met_drawing_free(drawing);
        }
        met_session_free(session);
    }
}

static inline bool overlap(met_box a, met_box b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static inline void check_labels(const char *name, const met_drawing *drawing)
{
    const met_scene *s = &drawing->figure.scene;
    met_box page = { 0, 0, drawing->figure.width, drawing->figure.height };
    for (size_t i = 0; i < s->notes.count; i++) {
        const met_note *a = &s->notes.at[i];
        if (a->box.x < page.x || a->box.y < page.y || a->box.x + a->box.w > page.w || a->box.y + a->box.h > page.h)
            fail_msg("%s: `%.*s` leaves the picture", name, MET_STR_ARGS(a->text));
        for (size_t k = i + 1; k < s->notes.count; k++)
            if (overlap(a->box, s->notes.at[k].box))
                fail_msg("%s: `%.*s` and `%.*s` overlap", name, MET_STR_ARGS(a->text), MET_STR_ARGS(s->notes.at[k].text));
        for (size_t k = 0; k < s->marks.count; k++)
            if (overlap(a->box, s->marks.at[k].box) && a->node != s->marks.at[k].node)
                fail_msg("%s: `%.*s` lies on a foreign glyph", name, MET_STR_ARGS(a->text));
    }
    for (size_t i = 0; i < s->marks.count; i++)
        for (size_t k = i + 1; k < s->marks.count; k++)
            assert_false(overlap(s->marks.at[i].box, s->marks.at[k].box));
}

/* --- XML --- */

/* Well-formedness of the part of XML that is written here: elements, attributes, the five entities, UTF-8. */
static inline const char *xml_error(const char *at)
{
    char stack[64][16];
    size_t depth = 0;
    bool seen = false;
    while (*at) {
        if (*at != '<') {
            if (*at == '&' && strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) && strncmp(at, "&quot;", 6))
                return "a bare &";
            if ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t')
                return "a control character";
            size_t length;
            met_utf8_next((met_str){ at, strnlen(at, 4) }, 0, &length);
            if ((unsigned char)*at >= 0x80 && length == 1)
                return "not UTF-8";
            if (depth == 0 && *at != '\n')
                return "text outside the root";
            at += length;
            continue;
        }
        bool closing = *++at == '/';
        at += closing;
        size_t length = strcspn(at, " />\n");
        if (length == 0 || length > 15)
            return "a bad name";
        if (closing) {
            if (depth == 0 || strncmp(stack[depth - 1], at, length) || stack[depth - 1][length])
                return "a wrong end tag";
            depth--;
            at += length;
            if (*at++ != '>')
                return "a bad end tag";
            continue;
        }
        if ((depth == 0 && seen) || depth == 64)
            return "a second root, or too deep";
        seen = true;
        memcpy(stack[depth], at, length);
        stack[depth++][length] = 0;
        for (at += length; *at == ' ';) {
            at += 1 + strcspn(at + 1, "=<>\"");
            if (strncmp(at, "=\"", 2))
                return "a bad attribute";
            at += 2 + strcspn(at + 2, "\"<");
            if (*at++ != '"')
                return "a bad attribute value";
        }
        if (*at == '/') {
            at++;
            depth--;
        }
        if (*at++ != '>')
            return "a bad start tag";
    }
    return depth == 0 && seen ? NULL : "an open element";
}

#endif
