/* How far the scores of prompts' tokens may be apart between two sides: each is off from what the circuit is over the reals by at
 * most its budget (src/budget), so they are apart by at most the sum. Of prefill alone: what decode reads from caches is off
 * already, which a budget of one run does not count. */
#include <math.h>

#include "budget/circuit.h"
#include "host/model_run_parts.h"
#include "host/subject_parts.h"

/* How far the scores of a run may be off. NULL, or why there is no proven bound. */
static const char *scores_error(const met_course_step *step, double *ret_error)
{
    const met_subject *subject = step->subject;
    const met_plan_numerics *numerics = step->outcome->numerics;
    bool *undeclared = MET_NEW_ARRAY(subject->session->arena, bool, subject->circuit->node_count);
    for (uint32_t n = 0; n < subject->circuit->node_count; n++)
        undeclared[n] = numerics->nodes[n].folds && (numerics->nodes[n].source == MET_NUMERICS_UNDECLARED || numerics->nodes[n].code_group);
    met_budget_request request = { .trees = met_numerics_trees(numerics), .undeclared = undeclared, .options = &subject->options,
                                   .in_count = subject->in_count, .ins = subject->ins, .whole = true };
    met_diag_mark mark = met_session_mark(subject->session);
    const met_budget *budget = met_budget_of(subject->settled, &request);
    if (!budget)
        return met_session_take_message(subject->session, mark);
    if (budget->refused)
        return "a fold truncates, or nobody declares how it goes";
    for (size_t r = 0; r < budget->result_count; r++)
        if (budget->results[r].edge.id == subject->circuit->outputs[0].id)
            *ret_error = budget->results[r].error;
    return isfinite(*ret_error) ? NULL : "the bound is infinite";
}

void met_model_budget(size_t count, const met_course *of_a, const met_course *of_b, met_transcript_diff *report)
{
    double largest = 0;
    for (size_t p = 0; p < count; p++) {
        double error_a = INFINITY, error_b = INFINITY;
        const char *why = scores_error(&of_a[p].steps[0], &error_a);
        why = why ? why : scores_error(&of_b[p].steps[0], &error_b);
        if (why) {
            report->tolerance_why = why;
            return;
        }
        largest = fmax(largest, nextafter(error_a + error_b, INFINITY));
    }
    report->derived = true;
    report->tolerance = largest;
    report->tolerance_why = "the bounds of both sides' distance from the reals, added";
}
