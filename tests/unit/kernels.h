/* Tests of kernels: a program's settled circuit, a kernel of some of its nodes, and what it looks like as text. */
#ifndef MET_TEST_KERNELS_H
#define MET_TEST_KERNELS_H

#include "circuits.h"
#include "derive/derivation.h"
#include "ir/point.h"

static inline const met_circuit *primitives_of(met_session *session, const char *program, const char *set,
                                               met_numerics numerics)
{
    const met_circuit *circuit = met_expand(circuit_of(session, program, set), numerics);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

static inline const met_circuit *settled_of(met_session *session, const char *program, const char *set,
                                            met_numerics numerics, met_division division)
{
    met_point point = met_point_of(MET_F32);
    point.numerics = numerics;
    point.division = division;
    const met_circuit *circuit = met_circuit_settle(circuit_of(session, program, set), &point);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

/* The kernel of nodes begin … end - 1; NULL with a refusal. Fails if it breaks its own rules. */
static inline const met_kernel *kernel_of(const met_circuit *circuit, uint32_t begin, uint32_t end, const char *stream,
                                          met_refusal *ret_refusal)
{
    met_node_id *nodes = met_arena_alloc(circuit->arena, end - begin, sizeof *nodes);
    for (uint32_t n = begin; n < end; n++)
        nodes[n - begin].id = n;
    met_derive_options options = { .stream = stream };
    const met_kernel *kernel = met_kernel_derive(circuit, end - begin, nodes, &options, ret_refusal);
    const char *fault = kernel ? met_kernel_check(kernel) : NULL;
    if (fault)
        fail_msg("%s", fault);
    return kernel;
}

/* The whole circuit as one kernel. */
static inline const met_kernel *whole_kernel(const met_circuit *circuit, const char *stream)
{
    met_refusal refusal;
    const met_kernel *kernel = kernel_of(circuit, 0, circuit->node_count, stream, &refusal);
    if (!kernel)
        fail_msg("%s", refusal.reason);
    return kernel;
}

#endif
