/* L by perturbation: of every group, for every array that it reads, unless it was measured before. */
#include "base/digest.h"
#include "budget/circuit_parts.h"
#include "plan/shape.h"

static void put_array(met_text *bytes, const double *values, uint64_t count)
{
    met_text_bytes(bytes, (const char *)values, (size_t)count * sizeof *values);
}

/* Digests of what is measured: the shape of the nodes, and every array that they read. */
static met_amplify_key key_of(met_survey *s, const met_budget_group *group, const met_amplify_group *real)
{
    uint32_t count = real->end - real->begin;
    met_node_id *nodes = MET_NEW_ARRAY(s->analysis.scratch, met_node_id, count);
    met_text shape = met_text_new(s->analysis.scratch), data = met_text_new(s->analysis.scratch);
    for (uint32_t n = 0; n < count; n++) {
        const met_node *node = &s->exact.circuit->nodes[real->begin + n];
        nodes[n].id = real->begin + n;
        for (uint32_t k = 0; k < node->in_count; k++) {
            uint32_t edge = node->ins[k].id, producer = s->exact.circuit->edges[edge].producer.id;
            if (producer == MET_NONE || producer < real->begin)
                put_array(&data, s->exact.values[edge], s->exact.elements[edge]);
        }
    }
    met_shape_print(&shape, s->facts, count, nodes);
    return (met_amplify_key){ .computes = met_digest(s->arena, (met_str){ met_text_done(&shape), shape.length }),
                              .data = met_digest(s->arena, (met_str){ met_text_done(&data), data.length }),
                              .ops = group->ops, .seed = real->seed };
}

static bool measure_read(met_survey *s, met_budget_read *read, met_amplify_group *real, met_amplify_key *key)
{
    const met_budget_measure *measure = s->request->measure;
    met_amplification *found = MET_NEW_ARRAY(s->arena, met_amplification, real->result_count);
    bool stored = measure->find != NULL;
    for (uint32_t k = 0; stored && k < real->result_count; k++) {
        key->result = k;
        const met_amplification *one = measure->find(measure->context, key);
        stored = one != NULL;
        if (one)
            found[k] = *one;
    }
    if (!stored && !measure->keep)
        return true;
    real->read = s->twin[read->edge.id];
    if (!stored && !met_amplify(real, found))
        return false;
    for (uint32_t k = 0; !stored && k < real->result_count; k++) {
        key->result = k;
        if (found[k].directions > 0)
            measure->keep(measure->context, key, &found[k]);
    }
    read->measures = true;
    read->estimates = found;
    return true;
}

bool met_budget_measure_group(met_survey *s, met_budget_group *group)
{
    met_amplify_group real = { .run = &s->exact, .begin = s->real->begin[group->written_begin],
                               .end = s->real->begin[group->written_end], .seed = s->request->measure->seed };
    uint32_t *results = MET_NEW_ARRAY(s->analysis.scratch, uint32_t, group->result_count);
    for (size_t k = 0; k < group->result_count; k++) {
        results[k] = s->twin[s->budget->results[group->first + k].edge.id];
        if (results[k] == MET_NONE)
            return true;
    }
    real.results = results;
    real.result_count = (uint32_t)group->result_count;
    if (real.begin == real.end || group->result_count == 0)
        return true;
    met_amplify_key key = key_of(s, group, &real);
    for (size_t k = 0; k < group->read_count; k++) {
        key.read = (uint32_t)k;
        if (s->twin[group->reads[k].edge.id] != MET_NONE && !measure_read(s, &group->reads[k], &real, &key))
            return false;
    }
    return true;
}
