/* Building circuits from C: terms, read from text or put together. A term is used up by the function that takes it.
 * NULL stands for a term that could not be made (the session has the reason); every function passes it on.
 *
 *     met_builder *b = met_builder_new(session);
 *     met_term *scores = met_term_read(b, "'q h d, x h d -> h q x' @ scale(d^-0.5)");
 *     met_term *mix = met_term_read(b, "softmax[x] @ 'h q x, x h d -> q h d'");
 *     met_circuit *attention = met_term_circuit(b, met_term_compose(b, scores, mix, (met_span){ 0 }), "attention", NULL);
 */
#ifndef MET_TERM_H
#define MET_TERM_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_builder met_builder;
typedef struct met_term met_term;

met_builder *met_builder_new(met_session *session);

/* Reads one expression of the language (docs/language.md). */
met_term *met_term_read(met_builder *builder, const char *text);

/* f, then g: `f @ g`. `span` is where diagnostics point; zero for nowhere. */
met_term *met_term_compose(met_builder *builder, met_term *f, met_term *g, met_span span);
/* f beside g: `f * g`. */
met_term *met_term_product(met_builder *builder, met_term *f, met_term *g);

/* The finished circuit, or NULL if the session has errors. `default_format` is the format of edges that nothing states ("f32" if NULL). */
met_circuit *met_term_circuit(met_builder *builder, met_term *term, const char *name, const char *default_format);

#ifdef __cplusplus
}
#endif
#endif
