#include "host/measured.h"

#include "base/map.h"
#include "base/session.h"
#include "host/kernel_key.h"
#include "host/machine.h"
#include "plan/region.h"

struct met_measured {
    met_measured_request request;
    met_session *session;
    met_compiler *compiler;
    const met_derivation *facts; /* of the settled circuit */
    met_realize_request realization;
    met_plan_options options;
    met_map *known; /* by shape: number of its answer */
    met_map *stale_known; /* by what it computes */
    MET_VEC(met_measured_answer) answers;
    MET_VEC(met_stale_row) stale;
};

met_measured *met_measured_new(const met_measured_request *request, met_compiler *compiler)
{
    const met_circuit *circuit = request->settled->circuit;
    met_measured *measured = MET_NEW(circuit->arena, met_measured);
    *measured = (met_measured){ .request = *request, .session = circuit->session, .compiler = compiler,
                                .facts = met_derivation_new(circuit), .known = met_map_new(circuit->arena),
                                .stale_known = met_map_new(circuit->arena) };
    if (request->threads == 0)
        measured->request.threads = met_cpu_count();
    measured->realization = (met_realize_request){ request->class, &request->settled->point };
    measured->options = (met_plan_options){ .capacity_bytes = request->class->l2_bytes, .accepts = met_realize_accepts_at,
                                            .context = &measured->realization };
    return measured;
}

/* --- One kernel --- */

/* Parameters of rank 2 and more, and states: what does not stay in a cache from one step to the next. */
static bool reads_memory(const met_kernel *kernel)
{
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        const met_edge *edge = &kernel->circuit->edges[kernel->values[v].edge.id];
        if (kernel->values[v].is_input && (edge->role == MET_EDGE_STATE || (edge->role == MET_EDGE_PARAMETER && edge->rank >= 2)))
            return true;
    }
    return false;
}

/* The code is worked out only where there is a row to compare it with. */
static met_evidence_verdict find(met_measured *measured, const met_kernel *kernel, met_evidence_row *ret_row)
{
    const met_measured_request *r = &measured->request;
    met_evidence_key key = { .computes = met_kernel_computes(measured->session->arena, measured->facts, kernel),
                             .device = r->device, .class_name = r->class->name, .threads = r->threads,
                             .caches = reads_memory(kernel) ? MET_CACHES_COLD : MET_CACHES_WARM, .blueprint = r->blueprint };
    met_evidence_verdict verdict = met_evidence_find(r->evidence, &key, ret_row);
    if (verdict == MET_EVIDENCE_ABSENT)
        return verdict;
    key.kernel = met_kernel_code_now(measured->facts, &r->settled->point, kernel, r->class, r->threads, measured->compiler);
    return key.kernel ? met_evidence_find(r->evidence, &key, ret_row) : MET_EVIDENCE_ABSENT;
}

static void add_stale(met_measured *measured, const met_evidence_row *row, met_evidence_verdict why)
{
    uint32_t number;
    met_str key = met_str_of(row->key.computes);
    if (met_map_get(measured->stale_known, key, &number))
        return;
    met_map_set(measured->stale_known, key, (uint32_t)measured->stale.count);
    MET_PUSH(measured->session->arena, &measured->stale, ((met_stale_row){ *row, why }));
}

static void add_kernel(met_measured *measured, const met_kernel *kernel, met_measured_answer *answer)
{
    met_evidence_row row;
    met_evidence_verdict verdict = find(measured, kernel, &row);
    if (verdict == MET_EVIDENCE_FRESH) {
        answer->seconds += row.median_s;
        answer->has_joules = answer->has_joules && row.has_joules;
        answer->joules += row.joules;
        return;
    }
    answer->verdict = answer->verdict == MET_EVIDENCE_FRESH ? verdict : answer->verdict;
    if (verdict != MET_EVIDENCE_ABSENT)
        add_stale(measured, &row, verdict);
}

/* --- Groups --- */

/* Of nodes of the settled circuit. */
static met_measured_answer measure(met_measured *measured, uint32_t count, const met_node_id *nodes)
{
    met_measured_answer answer = { .verdict = MET_EVIDENCE_FRESH, .has_joules = true };
    met_kernel_list list = { { 0 } };
    met_refusal refusal;
    if (!met_region_kernels(measured->facts, &measured->options, measured->session->arena, count, nodes, &list, &refusal))
        return (met_measured_answer){ .verdict = MET_EVIDENCE_ABSENT };
    for (size_t k = 0; k < list.at.count; k++)
        add_kernel(measured, list.at.at[k], &answer);
    answer.kernels = (uint32_t)list.at.count;
    answer.has_joules = answer.has_joules && answer.kernels > 0 && answer.verdict == MET_EVIDENCE_FRESH;
    answer.joules = answer.has_joules ? answer.joules : 0;
    return answer;
}

met_measured_answer met_measured_group(met_measured *measured, uint32_t count, const met_node_id *nodes)
{
    met_arena *scratch = met_arena_new();
    const met_settled *settled = measured->request.settled;
    uint32_t number, settled_count = met_settled_nodes(settled, count, nodes, NULL);
    met_node_id *list = MET_NEW_ARRAY(scratch, met_node_id, settled_count);
    met_settled_nodes(settled, count, nodes, list);
    met_text shape = met_text_new(scratch);
    met_shape_print(&shape, measured->facts, settled_count, list);
    met_str key = met_str_of(met_text_done(&shape));
    if (!met_map_get(measured->known, key, &number)) {
        met_measured_answer answer = measure(measured, settled_count, list);
        number = (uint32_t)measured->answers.count;
        MET_PUSH(measured->session->arena, &measured->answers, answer);
        met_map_set(measured->known, key, number);
    }
    met_arena_free(scratch);
    return measured->answers.at[number];
}

bool met_measured_seconds(void *context, uint32_t count, const met_node_id *nodes, double *ret_seconds)
{
    met_measured_answer answer = met_measured_group(context, count, nodes);
    if (answer.verdict == MET_EVIDENCE_FRESH)
        *ret_seconds = answer.seconds;
    return answer.verdict == MET_EVIDENCE_FRESH;
}

met_measured_laxity met_measured_laxity_of(met_measured *measured, uint32_t count, const met_node_id *nodes)
{
    met_measured_answer whole = met_measured_group(measured, count, nodes);
    met_measured_laxity laxity = { .known = whole.verdict == MET_EVIDENCE_FRESH, .whole_s = whole.seconds,
                                   .energy_known = whole.has_joules, .missing = whole.verdict, .node = { MET_NONE } };
    double joules = 0;
    for (uint32_t n = 0; n < count; n++) {
        met_measured_answer part = met_measured_group(measured, 1, &nodes[n]);
        if (laxity.known && part.verdict != MET_EVIDENCE_FRESH) {
            laxity.known = false;
            laxity.missing = part.verdict;
            laxity.node = nodes[n];
        }
        laxity.parts_s += part.seconds;
        joules += part.joules;
        laxity.energy_known = laxity.energy_known && (part.has_joules || part.kernels == 0);
    }
    laxity.energy_known = laxity.energy_known && laxity.known;
    laxity.seconds = laxity.known ? laxity.parts_s - laxity.whole_s : 0;
    laxity.joules = laxity.energy_known ? joules - whole.joules : 0;
    return laxity;
}

const met_stale_row *met_measured_stale(const met_measured *measured, size_t *ret_count)
{
    *ret_count = measured->stale.count;
    return measured->stale.at;
}
