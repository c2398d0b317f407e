/* Circuits: reading, binding, printing, exporting. A circuit lives as long as its session and never changes; binding
 * returns another. See docs/language.md for what can be read. */
#ifndef MET_CIRCUIT_H
#define MET_CIRCUIT_H

#include "met/session.h"
#include "met/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_circuit met_circuit;

/* Reads a program in the expression language from a source. NULL with diagnostics. `default_format` is the format of
 * edges that nothing states ("f32" if NULL). */
met_circuit *met_circuit_read(met_session *session, uint32_t source, const char *default_format);

/* Reads the JSON form (docs/formats/circuit-json.md). NULL with diagnostics. */
met_circuit *met_circuit_from_json(met_session *session, const met_value *json);

/* Binds sizes. `settings` is "h=8,d=64,d.2=32": a name binds every free size shown under it, a numbered name one of
 * them. NULL with diagnostics (unknown name, not a positive integer, a required division that is not exact). */
met_circuit *met_circuit_bind(const met_circuit *circuit, const char *settings);

/* The same for several settings, one after the other: each sees what the earlier ones left free. */
met_circuit *met_circuit_bind_each(const met_circuit *circuit, size_t count, const char *const *settings);

/* A circuit of primitives that means the same: every composite replaced by its expansion, the divisions of softmax-like
 * normalizers behind the contractions that they meet. `numerics` is "real" (the
 * formulas over the reals), "float" (softmax by exp of differences) or "pow2" (softmax by powers of two). */
met_circuit *met_circuit_expand(const met_circuit *circuit, const char *numerics);

/* The listing: a program in the language, with types as comments. Repetitions are shown once unless `whole`; without
 * repetitions, or with `whole`, it reads back to the same circuit. NUL-terminated, lives as long as the session. */
const char *met_circuit_listing(const met_circuit *circuit, bool whole);

/* The JSON form: canonical, so that writing what was read gives the same bytes. */
const char *met_circuit_json(const met_circuit *circuit);

/* Counts for totals: parameters (elements) and flops of one run; false if a size is unbound or the count does not fit. */
bool met_circuit_parameter_count(const met_circuit *circuit, uint64_t *ret_count);
bool met_circuit_flops(const met_circuit *circuit, uint64_t *ret_flops);

#ifdef __cplusplus
}
#endif
#endif
