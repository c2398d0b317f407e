#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "met/diagnose.h"

const met_code_info met_code_table[MET_DIAG_COUNT] = {
#define MET_DIAG(name, text, severity, meaning) [MET_DIAG_##name] = { text, MET_SEVERITY_##severity, meaning },
#include "base/diag.def"
#undef MET_DIAG
};

/* Messages quote the input; this keeps a hostile one from filling the screen. */
enum { MESSAGE_LIMIT = 600 };

static const char *format_message(met_arena *arena, const char *format, va_list arguments)
{
    char buffer[MESSAGE_LIMIT];
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    if (length < 0)
        met_fatal("a message cannot be formatted");
    size_t kept = (size_t)length < sizeof buffer ? (size_t)length : sizeof buffer - 1;
    while (kept > 0 && kept < (size_t)length && ((unsigned char)buffer[kept] & 0xC0) == 0x80)
        kept--; /* never cut a code point */
    met_text text = met_text_new(arena);
    met_text_clean(&text, (met_str){ buffer, kept });
    return met_text_done(&text);
}

met_diag *met_diag_add(met_session *session, met_code code, met_span span, const char *format, ...)
{
    met_diag *diag = MET_NEW(session->arena, met_diag);
    diag->session = session;
    diag->code = code;
    diag->main.span = span;
    bool error = met_code_table[code].severity == MET_SEVERITY_ERROR;
    if (error)
        session->errors++;
    else
        session->warnings++;
    if (session->diags.count >= MET_DIAG_LIMIT) {
        session->suppressed++;
        diag->message = "";
        return diag;
    }
    va_list arguments;
    va_start(arguments, format);
    diag->message = format_message(session->arena, format, arguments);
    va_end(arguments);
    MET_PUSH(session->arena, &session->diags, diag);
    return diag;
}

void met_diag_label(met_diag *diag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diag->main.text = format_message(diag->session->arena, format, arguments);
    va_end(arguments);
}

void met_diag_note(met_diag *diag, met_span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    met_label label = { span, NULL, format_message(diag->session->arena, format, arguments) };
    va_end(arguments);
    MET_PUSH(diag->session->arena, &diag->notes, label);
}

void met_diag_help(met_diag *diag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_message(diag->session->arena, format, arguments);
    va_end(arguments);
    MET_PUSH(diag->session->arena, &diag->helps, text);
}

void met_diag_path(met_diag *diag, const char *path)
{
    diag->main.path = met_arena_text(diag->session->arena, path, strlen(path));
}

/* Levenshtein distance, where exchanging two neighbours counts once too; given up beyond names of 40 bytes. */
static size_t distance(met_str a, met_str b)
{
    enum { LONGEST = 40 };
    if (a.length > LONGEST || b.length > LONGEST)
        return LONGEST;
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *oldest = before;
        before = last, last = row, row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t best = last[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return row[b.length];
}

const char *met_nearest(met_str wanted, const char *const *names, size_t count)
{
    enum { LONGEST_WANTED = 40 };
    const char *nearest = NULL;
    if (wanted.length > LONGEST_WANTED)
        return NULL;
    size_t least = wanted.length < 4 ? 2 : wanted.length / 3 + 1;
    bool letter = wanted.length == 1; /* every other letter would be near: only its other case is */
    for (size_t i = 0; i < count; i++) {
        if (letter && !(names[i][0] && !names[i][1] && (names[i][0] ^ wanted.at[0]) == ('a' ^ 'A')))
            continue;
        size_t d = distance(wanted, met_str_of(names[i]));
        if (d < least) {
            least = d;
            nearest = names[i];
        }
    }
    return nearest;
}

void met_source_position(const met_source *source, uint32_t offset, uint32_t *ret_line, uint32_t *ret_column)
{
    uint32_t line = 1;
    uint32_t start = 0;
    if (offset > source->text.length)
        offset = (uint32_t)source->text.length;
    for (uint32_t i = 0; i < offset; i++) {
        if (source->text.at[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    *ret_line = line;
    *ret_column = (uint32_t)met_columns((met_str){ source->text.at + start, offset - start }) + 1;
}

/* --- met/diagnose.h --- */

static met_code code_of(const char *text)
{
    for (int i = 0; i < MET_DIAG_COUNT; i++)
        if (strcmp(met_code_table[i].text, text) == 0)
            return (met_code)i;
    met_fatal("a diagnostic has an unknown code");
}

void met_diagnose(met_session *session, const char *code, const char *message, const char *help)
{
    met_diag *diag = met_diag_add(session, code_of(code), (met_span){ 0 }, "%s", message);
    if (help)
        met_diag_help(diag, "%s", help);
}

void met_diagnose_help(met_session *session, const char *help)
{
    if (session->diags.count)
        met_diag_help(session->diags.at[session->diags.count - 1], "%s", help);
}

bool met_session_has_error(const met_session *session, const char *code)
{
    met_code wanted = code_of(code);
    for (size_t i = 0; i < session->diags.count; i++)
        if (session->diags.at[i]->code == wanted)
            return true;
    return false;
}

const char *met_did_you_mean(const char *wanted, const char *const *names, size_t count)
{
    return met_nearest(met_str_of(wanted), names, count);
}
