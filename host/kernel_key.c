#include "host/kernel_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "host/cpu.h"
#include "plan/planner.h"

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const met_node_id *)a)->id, y = ((const met_node_id *)b)->id;
    return (x > y) - (x < y);
}

const char *met_kernel_computes(met_arena *arena, const met_derivation *facts, const met_kernel *kernel)
{
    met_arena *scratch = met_arena_new();
    met_node_id *nodes = MET_NEW_ARRAY(scratch, met_node_id, kernel->step_count);
    for (uint32_t s = 0; s < kernel->step_count; s++)
        nodes[s] = kernel->steps[s].node;
    qsort(nodes, kernel->step_count, sizeof *nodes, by_id);
    met_text shape = met_text_new(scratch);
    met_shape_print(&shape, facts, kernel->step_count, nodes);
    const char *digest = met_digest(arena, met_str_of(met_text_done(&shape)));
    met_arena_free(scratch);
    return digest;
}

const char *met_kernel_code(met_arena *arena, size_t count, const char *const *keys)
{
    if (count == 1)
        return keys[0];
    met_text all = met_text_new(arena);
    for (size_t k = 0; k < count; k++)
        met_text_format(&all, "%s\n", keys[k]);
    return met_digest(arena, met_str_of(met_text_done(&all)));
}

uint32_t met_group_launches(const met_program *program, uint32_t group, uint32_t *ret_first)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        if (program->launches[l].group != group || program->launches[l].constant)
            continue;
        if (count++ == 0)
            *ret_first = l;
    }
    return count;
}

const char *met_kernel_code_now(const met_derivation *facts, const met_point *point, const met_kernel *kernel,
                                const met_class *class, uint32_t threads, met_compiler *compiler)
{
    met_session *session = facts->circuit->session;
    const met_plan *plan = met_plan_of_groups(facts, point, MET_PLANNER_LOWERED, 1, &kernel);
    met_realize_options options = { .threads = threads };
    const met_program *program = met_realize(plan, class, &options);
    uint32_t first = 0, count = program ? met_group_launches(program, 0, &first) : 0;
    if (count == 0)
        return NULL;
    const char **keys = MET_NEW_ARRAY(session->arena, const char *, count);
    for (uint32_t l = 0; l < count; l++) {
        met_unit *unit = MET_NEW(session->arena, met_unit);
        *unit = (met_unit){ .text = program->sources[program->launches[first + l].source].text,
                            .flags = met_cpu_flags(session, class->name) };
        met_compiler_key(compiler, unit);
        keys[l] = unit->key;
    }
    return met_kernel_code(session->arena, count, keys);
}
