#include "host/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "lkb/lkb.h"
#include "number/matrix_unit.h"

static const met_span nowhere;

/* --- Records by name --- */

static char *lower(met_arena *arena, const char *text, size_t length)
{
    char *copy = met_arena_text(arena, text, length);
    for (char *c = copy; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return copy;
}

/* "fp16" of the files is f16. */
static const char *input_of(met_arena *arena, const char *format)
{
    const char *input = lower(arena, format, strlen(format));
    return strcmp(input, "fp16") == 0 ? "f16" : input;
}

/* Splits "h100.e4m3"; false with a diagnostic that lists what there is. */
static bool parse_unit(met_session *session, const met_lkb *lkb, const char *text, const char **ret_gpu, const char **ret_input)
{
    const char *point = strchr(text, '.');
    *ret_gpu = point ? lower(session->arena, text, (size_t)(point - text)) : NULL;
    *ret_input = point ? input_of(session->arena, point + 1) : NULL;
    if (point && (met_lkb_unit_of(lkb, *ret_gpu, *ret_input, false) || met_lkb_unit_of(lkb, *ret_gpu, *ret_input, true)))
        return true;
    met_diag *diag = met_diag_add(session, MET_DIAG_unknown_name, nowhere, "there is no matrix unit `%s`", text);
    met_text names = met_text_new(session->arena);
    for (uint32_t u = 0; u < lkb->unit_count; u++) {
        const met_lkb_unit *unit = &lkb->units[u];
        for (uint32_t i = 0; unit->declared && !unit->half && i < unit->gpus.count * unit->inputs.count; i++)
            met_text_format(&names, "%s%s.%s", names.length ? ", " : "", unit->gpus.names[i / unit->inputs.count],
                            unit->inputs.names[i % unit->inputs.count]);
    }
    met_diag_help(diag, "there is: %s", met_text_done(&names));
    return false;
}

/* --- Running --- */

static void widen(size_t count, const uint32_t *words, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (double)met_value_f32(words[i]);
}

/* Any NaN is a NaN: payloads are nobody's claim. */
static bool same(uint32_t x, uint32_t y)
{
    bool both_nan = (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
    return x == y || both_nan;
}

static void run_lines(met_session *session, const met_lkb_unit *unit, const met_recorded *r, met_replayed *to)
{
    double *a = MET_NEW_ARRAY(session->arena, double, r->terms), *b = MET_NEW_ARRAY(session->arena, double, r->terms);
    for (size_t line = 0; line < r->lines; line++) {
        widen(r->terms, r->a + line * r->terms, a);
        widen(r->terms, r->b + line * r->terms, b);
        float c = unit->without_c ? 0 : met_value_f32(r->c[line]);
        uint32_t got = met_bits_f32(met_matrix_run(&unit->instruction, r->terms, a, b, c));
        if (same(got, r->d[line])) {
            to->matches++;
            continue;
        }
        if (to->first)
            continue;
        to->first = line + 1;
        to->a = r->a + line * r->terms;
        to->b = r->b + line * r->terms;
        to->c = met_bits_f32(c);
        to->recorded = r->d[line];
        to->got = got;
    }
}

static bool replay_one(met_session *session, const met_lkb *lkb, const char *gpu, const char *input, met_replayed *to)
{
    const met_lkb_unit *unit = met_lkb_unit_of(lkb, gpu, input, to->recording.half);
    met_text name = met_text_new(session->arena);
    met_text_format(&name, "%s.%s%s", gpu, input, to->recording.half ? "->f16" : "");
    to->name = met_text_done(&name);
    met_recorded recorded;
    if (!met_recording_read(session, &to->recording, &recorded))
        return false;
    to->lines = recorded.lines;
    to->terms = recorded.terms;
    to->unit = unit && unit->declared ? unit->id : NULL;
    if (to->unit)
        run_lines(session, unit, &recorded, to);
    return true;
}

const met_replayed *met_replay(met_session *session, const met_lkb *lkb, const char *directory, const char *unit, size_t *ret_count)
{
    const char *gpu = NULL, *input = NULL;
    size_t count;
    if (unit && !parse_unit(session, lkb, unit, &gpu, &input))
        return NULL;
    const met_recording *found = met_recordings_find(session, directory, &count);
    if (!found)
        return NULL;
    met_replayed *list = MET_NEW_ARRAY(session->arena, met_replayed, count);
    for (size_t i = 0; i < count; i++) {
        list[i].recording = found[i];
        const char *of_gpu = unit ? gpu : lower(session->arena, found[i].gpu, strlen(found[i].gpu));
        if (!replay_one(session, lkb, of_gpu, unit ? input : input_of(session->arena, found[i].format), &list[i]))
            return NULL;
    }
    *ret_count = count;
    return list;
}

bool met_replay_good(size_t count, const met_replayed *replayed)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = good && replayed[i].unit && replayed[i].matches == replayed[i].lines;
    return good;
}

/* --- Saying so --- */

static void put_words(met_text *t, const char *name, size_t count, const uint32_t *words)
{
    met_text_format(t, "  %-9s", name);
    for (size_t i = 0; i < count; i++)
        met_text_format(t, "%s%08x", i % 7 ? " " : i ? "\n            " : " ", (unsigned)words[i]);
    met_text_char(t, '\n');
}

const char *met_replay_text(met_session *session, size_t count, const met_replayed *replayed)
{
    met_text t = met_text_new(session->arena);
    for (size_t i = 0; i < count; i++) {
        const met_replayed *r = &replayed[i];
        met_text_format(&t, "%s\n  %s, ", r->recording.path, r->name);
        if (!r->unit) {
            met_text_format(&t, "%zu lines: no such unit is declared\n", r->lines);
            continue;
        }
        met_text_format(&t, "unit %s: %zu of %zu lines\n", r->unit, r->matches, r->lines);
        if (!r->first)
            continue;
        met_text_format(&t, "  line %zu is the first that differs\n", r->first);
        put_words(&t, "a", r->terms, r->a);
        put_words(&t, "b", r->terms, r->b);
        put_words(&t, "c", 1, &r->c);
        put_words(&t, "recorded", 1, &r->recorded);
        put_words(&t, "emulated", 1, &r->got);
    }
    return met_text_done(&t);
}

static void put_json_word(met_json *json, const char *key, uint32_t word)
{
    char text[9];
    snprintf(text, sizeof text, "%08x", (unsigned)word);
    met_json_put_string(json, key, text);
}

static void put_json_words(met_json *json, const char *name, size_t count, const uint32_t *words)
{
    met_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        put_json_word(json, NULL, words[i]);
    met_json_close(json, ']');
}

static void put_json_line(met_json *json, const met_replayed *r)
{
    met_json_open(json, "first", '{');
    met_json_put_integer(json, "line", r->first);
    put_json_words(json, "a", r->terms, r->a);
    put_json_words(json, "b", r->terms, r->b);
    put_json_word(json, "c", r->c);
    put_json_word(json, "recorded", r->recorded);
    put_json_word(json, "emulated", r->got);
    met_json_close(json, '}');
}

const char *met_replay_json(met_session *session, size_t count, const met_replayed *replayed)
{
    met_text t = met_text_new(session->arena);
    met_json json = met_json_new_compact(&t);
    met_json_open(&json, NULL, '{');
    met_json_open(&json, "recordings", '[');
    for (size_t i = 0; i < count; i++) {
        const met_replayed *r = &replayed[i];
        met_json_open(&json, NULL, '{');
        met_json_put_string(&json, "path", r->recording.path);
        met_json_put_string(&json, "name", r->name);
        met_json_put_string(&json, "unit", r->unit);
        met_json_put_integer(&json, "lines", r->lines);
        met_json_put_integer(&json, "matches", r->matches);
        if (r->first)
            put_json_line(&json, r);
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    met_json_put_flag(&json, "good", met_replay_good(count, replayed));
    met_json_close(&json, '}');
    return met_json_done(&json);
}
