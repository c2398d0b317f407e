/* What targets that read programs share. */
#ifndef MET_FUZZ_PROGRAMS_H
#define MET_FUZZ_PROGRAMS_H

#include "base/map.h"
#include "ir/circuit.h"

static inline const met_circuit *circuit_of(met_session *session, const char *text, size_t length)
{
    uint32_t source = met_session_add_source(session, "fuzz", text, length);
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (!circuit && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    return circuit;
}

/* Small sizes for all, so that most circuits can be bound. */
static inline const char *settings(const met_circuit *circuit)
{
    met_text text = met_text_new(circuit->arena);
    met_map *set = met_map_new(circuit->arena); /* a name sets every size of its label */
    for (uint32_t i = 0; i < circuit->symbol_count; i++) {
        const met_symbol *symbol = &circuit->symbols[i];
        if (symbol->value || met_map_get_pair(set, symbol->label.id, 0, &(uint32_t){ 0 }))
            continue;
        met_map_set_pair(set, symbol->label.id, 0, 1);
        met_text_format(&text, "%s%s=%u", text.length ? "," : "", met_sym_text(circuit->session, symbol->label), 2 + i % 2);
    }
    return met_text_done(&text);
}

#endif
