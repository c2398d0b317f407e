/* Kernels from algebra: what of a circuit can be streamed along one of its axes with a state of fixed size, and the term
 * (head, body, state, tail) that does it; or why it cannot. docs/derive.md explains both. */
#ifndef MET_KERNEL_H
#define MET_KERNEL_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `stream` names the axis; NULL: met chooses. */
typedef struct met_kernel_question {
    const char *stream;
    const char *statics; /* of a region text: "n,eps", the names that do not carry the stream; NULL: none */
    bool json;
} met_kernel_question;

/* The term of a whole circuit, over the reals; composites are expanded. NULL with diagnostics, for instance if there is no
 * such axis; a refusal is an answer. `ret_streams` says which. NUL-terminated, lives as long as the session. */
const char *met_kernel_term_of_circuit(const met_circuit *circuit, const met_kernel_question *question, bool *ret_streams);

/* The term of a region text, `m = max[x] s; y = sum[x] exp(s - m)*v`. */
const char *met_kernel_term_of_region(met_session *session, uint32_t source, const met_kernel_question *question, bool *ret_streams);

#ifdef __cplusplus
}
#endif
#endif
