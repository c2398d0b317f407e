/* Any bytes as a program: a circuit or diagnostics. A circuit is bound to small sizes and run, in f64 and in bf16 (there with
 * all divisions deferred and dot products in pairs), and its listing reads back to the same listing. */
#include <string.h>

#include "base/map.h"
#include "ir/circuit.h"
#include "met/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const met_circuit *circuit_of(met_session *session, const char *text, size_t length)
{
    uint32_t source = met_session_add_source(session, "fuzz", text, length);
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (!circuit && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    return circuit;
}

/* Small sizes for all, so that most circuits can be bound. */
static const char *settings(const met_circuit *circuit)
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

static void check_listing(met_session *session, const met_circuit *circuit)
{
    met_circuit bare = *circuit; /* a listing does not read back blocks */
    bare.block_count = 0;
    const char *listing = met_circuit_listing(&bare, true);
    const met_circuit *again = circuit_of(session, listing, strlen(listing));
    if (!again || strcmp(listing, met_circuit_listing(again, true)) != 0)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 12)
        return 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, (const char *)data, size);
    if (circuit && circuit->node_count < 500) {
        check_listing(session, circuit);
        const met_circuit *bound = met_circuit_bind(circuit, settings(circuit));
        static const char *const dtypes[] = { "f64", "bf16" };
        for (int d = 0; bound && d < 2; d++) {
            met_eval_options options = { .dtype = dtypes[d], .fill = "normal", .work_limit = 20000,
                                         .division = d ? "deferred" : NULL, .dot = d ? "pairs" : NULL };
            met_eval_run(bound, &options, 0, NULL);
        }
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
