#include "realize/prune.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "realize/writer.h"

typedef enum piece_kind { PIECE_DEFINITION, PIECE_DIRECTIVE } piece_kind;

/* A definition or a directive, with the comment before it. */
typedef struct piece {
    piece_kind kind;
    met_str comment, text;
    bool apart; /* an empty line stands before it */
    bool dropped;
} piece;

typedef struct pruner {
    met_arena *arena;
    met_map *needed; /* identifiers */
    MET_VEC(piece) pieces;
} pruner;

static const char *line_end(const char *line)
{
    size_t length = strcspn(line, "\n");
    return line + length + (line[length] == '\n');
}

/* Where a line ends without the comment and the spaces at its end. */
static const char *code_end(const char *line, const char *end)
{
    if (end > line && end[-1] == '\n')
        end--;
    if (end - line >= 4 && memcmp(end - 2, "*/", 2) == 0)
        for (end -= 2; end - line >= 2 && memcmp(end, "/*", 2) != 0; end--)
            continue;
    while (end > line && end[-1] == ' ')
        end--;
    return end;
}

static char line_last(const char *line, const char *end)
{
    end = code_end(line, end);
    return end > line ? end[-1] : '\n';
}

/* A use of a macro that makes a definition: NAME(…) on one line or more, without anything after it. */
static bool is_macro(const char *text)
{
    while (met_is_word(*text))
        text++;
    return *text == '(';
}

const char *met_definition_end(const char *text)
{
    bool macro = false, begun = false;
    for (const char *line = text; *line; line = line_end(line)) {
        const char *end = line_end(line);
        bool code = line[0] != ' ' && line[0] != '#' && line[0] != '/' && line[0] != '\n';
        char last = line_last(line, end);
        macro = begun ? macro : code && is_macro(line);
        begun = begun || code;
        if (line[0] == '}' || (code && (last == ';' || last == '}')) || (macro && last == ')'))
            return end;
    }
    return text + strlen(text);
}

/* --- Cutting --- */

static void add_piece(pruner *p, piece_kind kind, const char *library, const char *comment, const char *begin, const char *end)
{
    piece new = { .kind = kind, .comment = { comment, (size_t)(begin - comment) }, .text = { begin, (size_t)(end - begin) } };
    new.apart = comment > library + 1 && comment[-2] == '\n';
    MET_PUSH(p->arena, &p->pieces, new);
}

/* A directive with the lines that continue it. */
static const char *directive_end(const char *text)
{
    const char *line = text, *end = line_end(line);
    while (line_last(line, end) == '\\') {
        line = end;
        end = line_end(line);
    }
    return end;
}

static const char *comment_end(const char *text)
{
    const char *close = strstr(text, "*/");
    return close ? line_end(close) : text + strlen(text);
}

static void cut(pruner *p, const char *library)
{
    const char *comment = library; /* where the comment, or nothing, before the next piece begins */
    for (const char *at = library; *at;) {
        if (at[0] == '\n') {
            comment = ++at;
        } else if (at[0] == '/' && at[1] == '*') {
            at = comment_end(at);
        } else if (at[0] == '#') {
            const char *end = directive_end(at);
            add_piece(p, PIECE_DIRECTIVE, library, comment, at, end);
            at = comment = end;
        } else {
            const char *end = met_definition_end(at);
            add_piece(p, PIECE_DEFINITION, library, comment, at, end);
            at = comment = end;
        }
    }
}

/* --- What is needed --- */

/* The next identifier or number from *at on; an empty one at the end. */
static met_str next_word(const char **at, const char *end)
{
    while (*at < end && !met_is_word(**at))
        (*at)++;
    const char *begin = *at;
    while (*at < end && met_is_word(**at))
        (*at)++;
    return (met_str){ begin, (size_t)(*at - begin) };
}

static void need_all(pruner *p, met_str text)
{
    const char *at = text.at;
    for (met_str word; (word = next_word(&at, text.at + text.length)).length > 0;)
        met_map_set(p->needed, word, 1);
}

static bool begins_with(met_str text, const char *begin)
{
    return text.length > strlen(begin) && memcmp(text.at, begin, strlen(begin)) == 0;
}

static bool is_known(const pruner *p, met_str word)
{
    uint32_t known;
    return met_map_get(p->needed, word, &known);
}

/* typedef … name; */
static bool is_type_needed(const pruner *p, met_str text)
{
    const char *end = code_end(text.at, text.at + text.length), *name;
    while (end > text.at && !met_is_word(end[-1]))
        end--;
    for (name = end; name > text.at && met_is_word(name[-1]); name--)
        continue;
    return is_known(p, (met_str){ name, (size_t)(end - name) });
}

/* The name of a function or array is the word before the first parenthesis or bracket, that of a macro and of what a macro
 * defines the second word. An enumeration goes by any of its words. */
static bool is_needed(const pruner *p, const piece *one)
{
    const char *at = one->text.at, *end = at + one->text.length;
    if (begins_with(one->text, "typedef"))
        return is_type_needed(p, one->text);
    bool second = one->kind == PIECE_DIRECTIVE || is_macro(at), any = begins_with(one->text, "enum");
    met_str word = next_word(&at, end);
    if (second || any)
        word = next_word(&at, end);
    for (; word.length > 0; word = next_word(&at, end)) {
        bool names = any || second || (at < end && (*at == '(' || *at == '['));
        if (names && is_known(p, word))
            return true;
        if (names && !any)
            return false;
    }
    return false;
}

/* --- Conditions around nothing --- */

static bool is_directive(const piece *at, const char *begin)
{
    return at->kind == PIECE_DIRECTIVE && begins_with(at->text, begin);
}

/* Drops the condition that ends at the piece if no branch of it has anything left. */
static void drop_empty(pruner *p, size_t last)
{
    for (size_t i = last; i-- > 0;) {
        const piece *before = &p->pieces.at[i];
        if (is_directive(before, "#if") && !before->dropped) {
            for (; i <= last; i++)
                p->pieces.at[i].dropped = true;
            return;
        }
        if (!before->dropped && !is_directive(before, "#el"))
            return;
    }
}

const char *met_prune(met_arena *arena, const char *library, const char *text)
{
    pruner p = { .arena = arena, .needed = met_map_new(arena) };
    met_text out = met_text_new(arena);
    need_all(&p, met_str_of(text));
    cut(&p, library);
    for (size_t i = p.pieces.count; i-- > 0;) {
        piece *at = &p.pieces.at[i];
        bool defines = at->kind == PIECE_DEFINITION || begins_with(at->text, "#define");
        at->dropped = defines && !is_needed(&p, at);
        if (!at->dropped)
            need_all(&p, at->text);
    }
    for (size_t i = 0; i < p.pieces.count; i++)
        if (is_directive(&p.pieces.at[i], "#endif"))
            drop_empty(&p, i);
    bool apart = false;
    for (size_t i = 0; i < p.pieces.count; i++) {
        const piece *at = &p.pieces.at[i];
        apart = apart || at->apart;
        if (at->dropped)
            continue;
        if (apart && out.length > 0)
            met_text_char(&out, '\n');
        apart = false;
        met_text_str(&out, at->comment);
        met_text_str(&out, at->text);
    }
    return met_text_done(&out);
}
