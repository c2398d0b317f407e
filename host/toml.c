#include "host/toml.h"

#include <string.h>

#include "base/value.h"
#include "host/encoding.h"
#include "host/toml_builder.h"

/* Where lines begin, and where every MARK-th code point is: turns a line and a column into a byte offset in constant
 * time, so that long lines cost no more than short ones. */
enum { MARK = 64 };

typedef struct line_start {
    uint32_t offset;
    uint32_t ordinal; /* code points before it */
} line_start;

struct met_toml_builder {
    met_session *session;
    uint32_t source;
    met_str text;
    met_arena *scratch;
    MET_VEC(line_start) lines;
    MET_VEC(uint32_t) marks;
    uint32_t points; /* code points in the text */
};

static bool continues(const met_toml_builder *builder, size_t at)
{
    return at < builder->text.length && ((unsigned char)builder->text.at[at] & 0xC0) == 0x80;
}

static void index_text(met_toml_builder *builder)
{
    met_str text = builder->text;
    uint32_t at = 0;
    /* toml++ does not count a byte order mark. */
    if (text.length >= 3 && memcmp(text.at, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    MET_PUSH(builder->scratch, &builder->lines, ((line_start){ at, 0 }));
    while (at < text.length) {
        if (builder->points % MARK == 0)
            MET_PUSH(builder->scratch, &builder->marks, at);
        builder->points++;
        bool newline = text.at[at] == '\n';
        at++;
        while (continues(builder, at))
            at++;
        if (newline)
            MET_PUSH(builder->scratch, &builder->lines, ((line_start){ at, builder->points }));
    }
}

static uint32_t offset_of(const met_toml_builder *builder, uint32_t line, uint32_t column)
{
    if (line == 0 || column == 0)
        return 0;
    if (line > builder->lines.count)
        return (uint32_t)builder->text.length;
    uint64_t ordinal = (uint64_t)builder->lines.at[line - 1].ordinal + column - 1;
    if (ordinal >= builder->points)
        return (uint32_t)builder->text.length;
    uint32_t at = builder->marks.at[ordinal / MARK];
    for (uint64_t left = ordinal % MARK; left > 0; left--)
        for (at++; continues(builder, at);)
            at++;
    return at;
}

static met_span span_of(const met_toml_builder *builder, met_toml_region region)
{
    met_span span = { builder->source, offset_of(builder, region.begin_line, region.begin_column),
                      offset_of(builder, region.end_line, region.end_column) };
    if (span.end < span.begin)
        span.end = span.begin;
    return span;
}

static met_place place_of(const met_toml_builder *builder, met_toml_region region)
{
    return (met_place){ .span = span_of(builder, region) };
}

/* The stretch of a string token between its quotes, if that is the string. */
static met_span content_of(const met_toml_builder *builder, met_span token, met_str string)
{
    const char *text = builder->text.at;
    uint32_t begin = token.begin, end = token.end;
    met_span none = { token.source, begin, begin };
    if (end - begin < 2 || (text[begin] != '"' && text[begin] != '\''))
        return none;
    uint32_t quotes = 1;
    if (end - begin >= 6 && text[begin + 1] == text[begin] && text[begin + 2] == text[begin])
        quotes = 3;
    begin += quotes;
    end -= quotes;
    if (quotes == 3 && end - begin >= 2 && text[begin] == '\r' && text[begin + 1] == '\n')
        begin += 2;
    else if (quotes == 3 && end > begin && text[begin] == '\n')
        begin++;
    if (!met_str_equal((met_str){ text + begin, end - begin }, string))
        return none;
    return (met_span){ token.source, begin, end };
}

met_value *met_toml_bool(met_toml_builder *builder, met_toml_region region, bool b)
{
    return met_value_bool(builder->session, place_of(builder, region), b);
}

met_value *met_toml_integer(met_toml_builder *builder, met_toml_region region, int64_t i)
{
    return met_value_integer(builder->session, place_of(builder, region), i);
}

met_value *met_toml_float(met_toml_builder *builder, met_toml_region region, double d)
{
    return met_value_float(builder->session, place_of(builder, region), d);
}

met_value *met_toml_string(met_toml_builder *builder, met_toml_region region, const char *text, size_t length)
{
    met_place place = place_of(builder, region);
    place.content = content_of(builder, place.span, (met_str){ text, length });
    return met_value_string(builder->session, place, text, length);
}

met_value *met_toml_list(met_toml_builder *builder, met_toml_region region)
{
    return met_value_list(builder->session, place_of(builder, region));
}

met_value *met_toml_table(met_toml_builder *builder, met_toml_region region)
{
    return met_value_table(builder->session, place_of(builder, region));
}

void met_toml_append(met_toml_builder *builder, met_value *list, met_value *item)
{
    met_value_append(builder->session, list, item);
}

void met_toml_add(met_toml_builder *builder, met_value *table, const char *key, size_t key_length,
                  met_toml_region key_region, met_value *item)
{
    met_value_add(builder->session, table, key, key_length, place_of(builder, key_region), item);
}

met_value *met_toml_date(met_toml_builder *builder, met_toml_region region)
{
    met_diag *diag = met_diag_add(builder->session, MET_DIAG_toml, span_of(builder, region),
                                  "dates and times have no use here");
    met_diag_help(diag, "write it as a string, in quotes");
    return met_value_null(builder->session, place_of(builder, region));
}

void met_toml_no_memory(void)
{
    met_out_of_memory();
}

void met_toml_fail(met_toml_builder *builder, met_toml_region region, const char *message, size_t length)
{
    met_span span = span_of(builder, region);
    if (span.end == span.begin && span.end < builder->text.length)
        span.end++;
    if (length > 0 && message[length - 1] == '.')
        length--;
    met_diag_add(builder->session, MET_DIAG_toml, span, "%.*s", MET_STR_ARGS(((met_str){ message, length })));
}

/* Just past the string that begins at `at`, or the end of the text. */
static size_t skip_string(met_str text, size_t at)
{
    char quote = text.at[at];
    bool escapes = quote == '"';
    size_t quotes = 1;
    if (text.length - at >= 3 && text.at[at + 1] == quote && text.at[at + 2] == quote)
        quotes = 3;
    for (at += quotes; at < text.length; at++) {
        if (escapes && text.at[at] == '\\') {
            at++;
            continue;
        }
        if (quotes == 1 && (text.at[at] == quote || text.at[at] == '\n'))
            return at + 1;
        if (quotes == 3 && text.length - at >= 3 && memcmp(text.at + at, quote == '"' ? "\"\"\"" : "'''", 3) == 0) {
            at += 3;
            while (at < text.length && text.at[at] == quote) /* up to two more belong to the string */
                at++;
            return at;
        }
    }
    return text.length;
}

/* A dotted key nests one table per part, and toml++ bounds only values: a key of a million parts would end its
 * recursion, and ours, badly. This counts dots between anything that ends a key; false with a diagnostic. */
static bool check_keys(met_session *session, uint32_t source, met_str text)
{
    uint32_t dots = 0;
    for (size_t at = 0; at < text.length;) {
        char c = text.at[at];
        if (c == '"' || c == '\'') {
            at = skip_string(text, at);
            continue;
        }
        if (c == '#')
            while (at < text.length && text.at[at] != '\n')
                at++;
        if (c == '.')
            dots++;
        else if (strchr("\n=,[]{}#", c))
            dots = 0;
        if (dots >= MET_TOML_KEY_PARTS) {
            met_span span = { source, (uint32_t)at, (uint32_t)at + 1 };
            met_diag_add(session, MET_DIAG_too_deep, span, "a key of more than %d parts", MET_TOML_KEY_PARTS);
            return false;
        }
        at++;
    }
    return true;
}

met_value *met_toml_read(met_session *session, uint32_t source)
{
    met_str text = met_session_source(session, source)->text;
    if (text.length > MET_TOML_LIMIT) {
        met_diag_add(session, MET_DIAG_input_too_large, (met_span){ source, 0, 0 },
                     "a TOML file of more than %zu bytes", MET_TOML_LIMIT);
        return NULL;
    }
    if (!met_encoding_check(session, source) || !check_keys(session, source, text))
        return NULL;
    size_t errors = session->errors;
    met_toml_builder builder = { .session = session, .source = source, .text = text, .scratch = met_arena_new() };
    index_text(&builder);
    met_value *root = met_toml_parse(&builder, text.at, text.length);
    met_arena_free(builder.scratch);
    return session->errors == errors ? root : NULL;
}
