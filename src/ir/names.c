#include "ir/names.h"

#include "base/text.h"

struct met_namer {
    met_session *session;
    met_map *taken; /* names given out */
    met_map *counts; /* base → last number tried */
};

met_namer *met_namer_new(met_session *session)
{
    met_namer *namer = MET_NEW(session->arena, met_namer);
    namer->session = session;
    namer->taken = met_map_new(session->arena);
    namer->counts = met_map_new(session->arena);
    return namer;
}

met_sym met_name_base(met_session *session, met_sym name)
{
    met_str text = met_sym_str(session, name);
    size_t length = text.length;
    while (length > 0 && text.at[length - 1] >= '0' && text.at[length - 1] <= '9')
        length--;
    bool numbered = length > 1 && length < text.length && text.at[length - 1] == '.';
    return numbered ? met_intern(session, (met_str){ text.at, length - 1 }) : name;
}

bool met_namer_take(met_namer *namer, met_sym exact)
{
    met_str name = met_sym_str(namer->session, exact);
    if (met_map_get(namer->taken, name, NULL))
        return false;
    met_map_set(namer->taken, name, 1);
    return true;
}

met_sym met_namer_unique(met_namer *namer, met_sym wanted)
{
    met_sym base = met_name_base(namer->session, wanted);
    met_str base_text = met_sym_str(namer->session, base);
    uint32_t count = 0;
    met_map_get(namer->counts, base_text, &count);
    met_sym name;
    do {
        count++;
        met_text text = met_text_new(namer->session->arena);
        met_text_str(&text, base_text);
        if (count > 1)
            met_text_format(&text, ".%u", count);
        name = met_intern(namer->session, (met_str){ met_text_done(&text), text.length });
    } while (!met_namer_take(namer, name));
    met_map_set(namer->counts, base_text, count);
    return name;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool met_name_valid(met_str name)
{
    bool start = true, good = name.length > 0 && is_letter(name.at[0]);
    for (size_t i = 0; good && i < name.length; i++) {
        char c = name.at[i];
        bool dot = c == '.';
        good = dot ? !start && i + 1 < name.length : is_letter(c) || (c >= '0' && c <= '9');
        start = dot;
    }
    return good;
}
