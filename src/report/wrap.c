#include "report/wrap.h"

#include <string.h>

met_wrap met_wrap_start(met_text *out, size_t indent, const char *label)
{
    met_text_repeat(out, ' ', indent);
    met_text_put(out, label);
    size_t column = indent + met_columns(met_str_of(label));
    return (met_wrap){ out, column, column };
}

void met_wrap_word(met_wrap *w, const char *word)
{
    size_t columns = met_columns(met_str_of(word));
    if (w->column > w->left && w->column + 1 + columns > MET_WRAP_WIDTH) {
        met_text_char(w->out, '\n');
        met_text_repeat(w->out, ' ', w->left);
        w->column = w->left;
    } else if (w->column > w->left) {
        met_text_char(w->out, ' ');
        w->column++;
    }
    met_text_put(w->out, word);
    w->column += columns;
}

void met_wrap_words(met_wrap *w, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        met_wrap_word(w, met_arena_text(w->out->arena, text, length));
        text += length + (text[length] == ' ');
    }
}

void met_wrap_line(met_text *out, size_t indent, size_t columns, const char *label, const char *words)
{
    met_text name = met_text_new(out->arena);
    met_text_put(&name, label);
    met_text_pad(&name, 0, columns);
    if (met_columns(met_str_of(label)) >= columns)
        met_text_char(&name, ' ');
    met_wrap w = met_wrap_start(out, indent, met_text_done(&name));
    met_wrap_words(&w, words);
    met_text_char(out, '\n');
}
