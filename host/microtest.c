#include "host/microtest.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "eval/settled.h"
#include "host/execute.h"
#include "ir/circuit.h"

struct met_trial {
    met_session *session;
    const met_program *program;
    met_execution *execution;
    bool rescales; /* some accumulator, by powers of two */
};

static bool rescales(const met_program *program)
{
    for (uint32_t l = 0; l < program->launch_count; l++)
        for (uint32_t r = 0; r < program->launches[l].record_count; r++)
            if (program->launches[l].records[r].tree.rescale == MET_RESCALE_POW2)
                return true;
    return false;
}

met_trial *met_trial_new(met_session *session, const met_program *program, met_compiler *compiler)
{
    met_execute_options options = { .threads = 1, .poison = true };
    met_trial *trial = MET_NEW(session->arena, met_trial);
    *trial = (met_trial){ session, program, met_execution_new(session, program, compiler, &options), rescales(program) };
    return trial->execution ? trial : NULL;
}

void met_trial_free(met_trial *trial)
{
    if (trial)
        met_execution_free(trial->execution);
}

/* --- Numbers --- */

const char *met_numbers_name(met_numbers numbers)
{
    static const char *const names[MET_NUMBERS_COUNT] = { "normal", "wave", "cancellation", "infinities", "subnormals" };
    return names[numbers];
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double hostile(uint64_t *state, met_numbers numbers)
{
    static const double tables[MET_NUMBERS_COUNT][8] = {
        [MET_NUMBERS_CANCEL] = { 1e8, -1e8, 0.0, -0.0, 1, -1, 3e-8, 0.5 },
        [MET_NUMBERS_INFINITE] = { INFINITY, -INFINITY, NAN, 0.0, -0.0, 1, -2, 0.25 },
        [MET_NUMBERS_TINY] = { 1e-40, -3e-42, 1.5e-45, 0.0, 1, 1e-38, -1, 0.5 },
    };
    uint64_t pick = next(state) % (numbers == MET_NUMBERS_INFINITE ? 200 : 12); /* few infinities: some rows stay finite */
    return pick < 8 ? tables[numbers][pick] : (double)(next(state) % 4001) / 1000 - 2;
}

/* Hostile numbers for arrays of floats; what holds integers is filled as ever. */
static const met_named_tensor *hostile_arrays(const met_circuit *circuit, met_numbers numbers, size_t *ret_count)
{
    met_session *session = circuit->session;
    size_t all = circuit->input_count + circuit->parameter_count;
    met_named_tensor *ins = MET_NEW_ARRAY(session->arena, met_named_tensor, all + 1);
    *ret_count = 0;
    for (uint32_t k = 0; k < all; k++) {
        met_edge_id id = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        const met_edge *edge = &circuit->edges[id.id];
        uint64_t shape[MET_RANK_LIMIT], state = 7919 * (k + 1) + (uint64_t)numbers;
        if (!met_format_is_float(edge->format))
            continue;
        for (uint32_t p = 0; p < edge->rank; p++)
            if (!met_circuit_size(circuit, edge->axes[p], &shape[p]))
                return NULL;
        met_tensor *tensor = met_tensor_new(session, "f64", edge->rank, shape);
        for (size_t i = 0; i < tensor->count; i++)
            tensor->values[i] = hostile(&state, numbers);
        ins[(*ret_count)++] = (met_named_tensor){ met_sym_text(session, edge->name), tensor };
    }
    return ins;
}

static void take(void *context, met_edge_id edge, size_t count, const double *values)
{
    met_execution_set(context, edge, count, values);
}

static bool run(met_trial *trial, met_numbers numbers)
{
    const met_circuit *circuit = trial->program->plan->circuit;
    met_eval_options options = { .fill = numbers == MET_NUMBERS_WAVE ? "wave" : "normal", .seed = 5 };
    size_t count = 0;
    const met_named_tensor *ins = numbers >= MET_NUMBERS_CANCEL ? hostile_arrays(circuit, numbers, &count) : NULL;
    met_source_taker taker = { take, trial->execution };
    return met_eval_sources(circuit, &options, count, ins, &taker) && met_execution_run(trial->execution);
}

/* --- Bytes --- */

static const char *describe(met_trial *a, met_edge_id edge, size_t at, const unsigned char *x, const unsigned char *y)
{
    met_session *session = a->session;
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "`%s` differs at byte %zu: %02x and %02x",
                    met_sym_text(session, a->program->plan->circuit->edges[edge.id].name), at, x[at], y[at]);
    return met_text_done(&text);
}

/* NULL if the edge has the same bytes in both. */
static const char *compare_edge(met_trial *a, met_trial *b, met_edge_id edge)
{
    size_t length_a = 0, length_b = 0;
    const unsigned char *x = met_execution_array(a->execution, edge, &length_a),
                        *y = met_execution_array(b->execution, edge, &length_b);
    for (size_t i = 0; x && y && i < length_a && i < length_b; i++)
        if (x[i] != y[i])
            return describe(a, edge, i, x, y);
    return (x == NULL) == (y == NULL) && length_a == length_b ? NULL : "a result is missing";
}

met_trial_verdict met_trial_compare(met_trial *a, met_trial *b, met_numbers numbers, const char **ret_why)
{
    const met_circuit *circuit = a->program->plan->circuit;
    *ret_why = NULL;
    if (!run(a, numbers) || !run(b, numbers))
        return MET_TRIAL_FAILED;
    for (uint32_t k = 0; !*ret_why && k < circuit->output_count; k++)
        *ret_why = compare_edge(a, b, circuit->outputs[k]);
    for (uint32_t k = 0; !*ret_why && k < circuit->state_count; k++)
        *ret_why = compare_edge(a, b, circuit->states[k].out);
    if (!*ret_why)
        return MET_TRIAL_SAME;
    bool underflow = (a->rescales && met_execution_underflow(a->execution)) ||
                     (b->rescales && met_execution_underflow(b->execution));
    return underflow ? MET_TRIAL_VOID : MET_TRIAL_DIFFERENT;
}
