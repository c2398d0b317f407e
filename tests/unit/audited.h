/* Blueprints and plans made by hand, for tests of what the audit says of them. */
#ifndef MET_TEST_AUDITED_H
#define MET_TEST_AUDITED_H

#include "models.h"

#include "plan/lowering.h"

static inline const met_circuit *circuit_of(met_session *session, const char *program, const char *set)
{
    uint32_t source = met_session_add_source(session, "test", program, strlen(program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    circuit = circuit ? met_circuit_bind(circuit, set) : NULL;
    if (!circuit)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return circuit;
}

/* Every node by itself, every edge stored as it is; groups are then filled in by the test. */
static inline met_lowering *singles_of(const met_circuit *circuit, const met_hardware *hardware, met_lowering_group **ret_groups)
{
    met_arena *arena = circuit->arena;
    met_lowering *lowering = MET_NEW(arena, met_lowering);
    met_lowering_group *groups = MET_NEW_ARRAY(arena, met_lowering_group, circuit->node_count);
    uint32_t *group_of = MET_NEW_ARRAY(arena, uint32_t, circuit->node_count);
    met_edge_class *edges = MET_NEW_ARRAY(arena, met_edge_class, circuit->edge_count);
    met_format *stored = MET_NEW_ARRAY(arena, met_format, circuit->edge_count);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        met_node_id *node = MET_NEW(arena, met_node_id);
        *node = (met_node_id){ n };
        groups[n] = (met_lowering_group){ .node_count = 1, .nodes = node, .source = MET_GROUP_PLACEHOLDER };
        group_of[n] = n;
    }
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        edges[e] = MET_EDGE_MATERIALIZED;
        stored[e] = circuit->edges[e].format;
    }
    *lowering = (met_lowering){ .circuit = circuit, .hardware = hardware, .mode = "run", .rows = 1, .group_count = circuit->node_count,
                                .groups = groups, .group_of = group_of, .edges = edges, .stored = stored };
    *ret_groups = groups;
    return lowering;
}

#endif
