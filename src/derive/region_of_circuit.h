/* Nodes of a circuit as a scalar region. */
#ifndef MET_DERIVE_REGION_OF_CIRCUIT_H
#define MET_DERIVE_REGION_OF_CIRCUIT_H

#include "derive/derivation.h"
#include "derive/region.h"

/* Nodes (ascending) of a circuit of primitives, as values over the loops that a kernel of them would have. Reads by id from
 * what is made inside are sums that select; what is read by id from outside is an input. NULL with a refusal. */
const met_region *met_region_of_circuit(const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                                        const met_node_id *nodes, met_refusal *ret_refusal);

#endif
