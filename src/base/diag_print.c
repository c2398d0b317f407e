/* Diagnostics as text with the source underlined, and as JSON. */
#include "base/diag.h"
#include "base/json.h"

/* Of a very long line, the part of this many columns around the place is shown. */
enum { SHOWN = 100 };

typedef struct excerpt {
    met_str line;     /* the bytes shown */
    uint32_t number;  /* line number */
    size_t before;    /* columns of the line before the underline */
    size_t marks;     /* length of the underline */
    bool cut_left, cut_right;
} excerpt;

static size_t next_boundary(met_str text, size_t at)
{
    while (at < text.length && ((unsigned char)text.at[at] & 0xC0) == 0x80)
        at++;
    return at;
}

static excerpt excerpt_of(const met_source *source, met_span span)
{
    met_str text = source->text;
    size_t begin = span.begin < text.length ? span.begin : text.length;
    size_t end = span.end < text.length ? span.end : text.length;
    size_t first = begin, last = begin;
    while (first > 0 && text.at[first - 1] != '\n')
        first--;
    while (last < text.length && text.at[last] != '\n' && text.at[last] != '\r')
        last++;
    if (end > last || end < begin)
        end = last;
    excerpt e = { 0 };
    uint32_t column;
    met_source_position(source, (uint32_t)begin, &e.number, &column);
    if (begin - first > SHOWN / 2 && last - first > SHOWN) {
        first = next_boundary(text, begin - SHOWN / 2);
        e.cut_left = true;
    }
    if (last - first > SHOWN) {
        last = next_boundary(text, first + SHOWN);
        e.cut_right = true;
    }
    if (end > last)
        end = last;
    e.line = (met_str){ text.at + first, last - first };
    e.before = met_columns((met_str){ text.at + first, begin - first });
    e.marks = met_columns((met_str){ text.at + begin, end > begin ? end - begin : 0 });
    if (e.marks == 0)
        e.marks = 1;
    return e;
}

static void put_path(met_text *out, const char *path)
{
    met_text_clean(out, met_str_of(*path ? path : "/"));
    met_text_char(out, '\n');
}

static void put_place(met_text *out, const met_session *session, const met_label *label, char mark)
{
    if (label->span.source == 0) {
        if (label->path) {
            met_text_put(out, "  --> ");
            put_path(out, label->path);
        }
        if (label->text)
            met_text_format(out, "   = %s\n", label->text);
        return;
    }
    const met_source *source = met_session_source(session, label->span.source);
    if (label->path) {
        met_text_put(out, "  --> ");
        met_text_clean(out, source->name);
        met_text_put(out, ", at ");
        put_path(out, label->path);
        if (label->text)
            met_text_format(out, "   = %s\n", label->text);
        return;
    }
    uint32_t line, column;
    met_source_position(source, label->span.begin, &line, &column);
    met_text_put(out, "  --> ");
    met_text_clean(out, source->name);
    met_text_format(out, ":%u:%u\n", line, column);
    excerpt e = excerpt_of(source, label->span);
    met_text_format(out, "%5u | %s", e.number, e.cut_left ? "…" : "");
    met_text_clean(out, e.line);
    met_text_put(out, e.cut_right ? "…\n" : "\n");
    met_text_put(out, "      | ");
    met_text_repeat(out, ' ', e.before + (e.cut_left ? 1 : 0));
    met_text_repeat(out, mark, e.marks);
    if (label->text)
        met_text_format(out, " %s", label->text);
    met_text_char(out, '\n');
}

static void put_diag(met_text *out, const met_diag *diag)
{
    const met_code_info *info = &met_code_table[diag->code];
    met_text_format(out, "%s[%s]: %s\n", info->severity == MET_SEVERITY_ERROR ? "error" : "warning", info->text,
                    diag->message);
    put_place(out, diag->session, &diag->main, '^');
    for (size_t i = 0; i < diag->notes.count; i++)
        put_place(out, diag->session, &diag->notes.at[i], '-');
    for (size_t i = 0; i < diag->helps.count; i++)
        met_text_format(out, "   = help: %s\n", diag->helps.at[i]);
}

const char *met_session_diagnostics_text(met_session *session)
{
    met_text out = met_text_new(session->arena);
    for (size_t i = 0; i < session->diags.count; i++)
        put_diag(&out, session->diags.at[i]);
    if (session->suppressed)
        met_text_format(&out, "and %zu more\n", session->suppressed);
    return met_text_done(&out);
}

static void put_json_place(met_json *json, const char *key, const met_session *session, const met_label *label)
{
    met_json_open(json, key, '{');
    met_json_put_string(json, "text", label->text);
    if (label->span.source) {
        const met_source *source = met_session_source(session, label->span.source);
        uint32_t line, column;
        met_source_position(source, label->span.begin, &line, &column);
        met_json_put_str(json, "file", source->name);
        if (!label->path) {
            met_json_put_integer(json, "line", line);
            met_json_put_integer(json, "column", column);
            met_json_put_integer(json, "begin", label->span.begin);
            met_json_put_integer(json, "end", label->span.end);
        }
    }
    if (label->path)
        met_json_put_string(json, "path", label->path);
    met_json_close(json, '}');
}

static void put_json_diag(met_json *json, const met_diag *diag)
{
    const met_code_info *info = &met_code_table[diag->code];
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "severity", info->severity == MET_SEVERITY_ERROR ? "error" : "warning");
    met_json_put_string(json, "code", info->text);
    met_json_put_string(json, "message", diag->message);
    put_json_place(json, "place", diag->session, &diag->main);
    met_json_open(json, "notes", '[');
    for (size_t i = 0; i < diag->notes.count; i++)
        put_json_place(json, NULL, diag->session, &diag->notes.at[i]);
    met_json_close(json, ']');
    met_json_put_strings(json, "help", diag->helps.count, diag->helps.at);
    met_json_close(json, '}');
}

const char *met_session_diagnostics_json(met_session *session)
{
    met_text out = met_text_new(session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '[');
    for (size_t i = 0; i < session->diags.count; i++) {
        met_json_line(&json, 1);
        put_json_diag(&json, session->diags.at[i]);
    }
    if (session->diags.count > 0)
        met_json_line(&json, 0);
    met_json_close(&json, ']');
    return met_json_done(&json);
}
