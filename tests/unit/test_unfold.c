/* Circuits as scalar regions: unfolded, streamed along every loop that allows it, and run, random circuits give what the
 * interpreter gives. */
#include "circuits.h"

#include "derive/evaluate.h"
#include "ir/affine.h"
#include "support/random.h"

#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 150
#endif

typedef struct sample {
    uint64_t seed;
    const met_circuit *circuit;
    const double *values[16]; /* of inputs, then parameters */
    const met_eval_result *result;
    const met_region *region;
    const double **inputs;
    uint64_t sizes[MET_KERNEL_LOOPS];
    bool outside, masked;
} sample;

static uint64_t size_of(const met_circuit *circuit, met_axis_id axis)
{
    uint64_t size = 0;
    assert_true(met_circuit_size(circuit, axis, &size));
    return size;
}

static met_edge_id source_of(const met_circuit *circuit, uint32_t k)
{
    return k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
}

/* Over the reals nothing rounds: circuits with narrow formats are left out. */
static bool rounds(const met_circuit *circuit)
{
    for (uint32_t i = 0; i < circuit->edge_count; i++) {
        met_format format = circuit->edges[i].format;
        if ((format.dtype != MET_F32 && format.dtype != MET_F64 && format.dtype != MET_I32) || format.granularity)
            return true;
    }
    return false;
}

/* A NaN is the largest of a selection, a maximum or "any", but no real number. */
static bool may_pick_nan(const char *program)
{
    static const char *const partial[] = { "sqrt", "log", "pow", "^", "recip", "div" };
    static const char *const picks[] = { "argmax", "top_k", "max[", "min[", "any[", "with=max", "with=min", "with=or", "maxnorm", "relu" };
    bool undefined = false, picked = false;
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        undefined = undefined || strstr(program, partial[i]);
    for (size_t i = 0; i < sizeof picks / sizeof *picks; i++)
        picked = picked || strstr(program, picks[i]);
    return undefined && picked;
}

static bool fill(sample *s)
{
    uint32_t count = s->circuit->input_count + s->circuit->parameter_count;
    if (count > 16 || rounds(s->circuit))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const met_edge *edge = &s->circuit->edges[source_of(s->circuit, k).id];
        size_t elements = 1;
        for (uint32_t p = 0; p < edge->rank; p++)
            elements *= size_of(s->circuit, edge->axes[p]);
        double *values = MET_NEW_ARRAY(s->circuit->arena, double, elements);
        met_fill("normal", s->seed, k, edge->format.dtype == MET_I32 ? 2 : 0, elements, values);
        s->values[k] = values;
    }
    return true;
}

/* The array that an input of the region reads, over its own loops: what stands at its place; 0 outside. */
static void gather_input(sample *s, uint32_t number)
{
    const met_region_value *value = &s->region->values[number];
    const met_edge *edge = &s->circuit->edges[value->edge];
    const double *from = NULL;
    for (uint32_t k = 0; k < s->circuit->input_count + s->circuit->parameter_count; k++)
        if (source_of(s->circuit, k).id == value->edge)
            from = s->values[k];
    assert_non_null(from);
    size_t count = 1;
    for (uint32_t l = 0; l < s->region->loop_count; l++)
        count *= value->loops >> l & 1 ? s->sizes[l] : 1;
    double *array = MET_NEW_ARRAY(s->region->arena, double, count);
    uint64_t at[MET_KERNEL_LOOPS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = 0;
        bool inside = true;
        for (uint32_t p = 0; p < edge->rank; p++) {
            int64_t position = value->at[p].constant;
            for (uint32_t t = 0; t < value->at[p].term_count; t++) {
                uint64_t size = 0;
                if (value->at[p].terms[t].kind == MET_TERM_INDEX)
                    position += value->at[p].terms[t].coefficient * (int64_t)at[value->at[p].terms[t].index];
                else
                    inside = met_dim_is_constant(value->at[p].terms[t].size, &size) && inside;
                position += value->at[p].terms[t].coefficient * (int64_t)size;
            }
            int64_t extent = (int64_t)size_of(s->circuit, edge->axes[p]);
            inside = inside && position >= 0 && position < extent;
            offset = offset * (uint64_t)extent + (uint64_t)position;
        }
        array[i] = inside ? from[offset] : 0;
        for (uint32_t l = s->region->loop_count; l-- > 0;) {
            if (!(value->loops >> l & 1))
                continue;
            if (++at[l] < s->sizes[l])
                break;
            at[l] = 0;
        }
    }
    s->inputs[number] = array;
}

/* Which output a value is: outputs are unfolded in order. MET_NONE where guards leave positions out. */
static const met_tensor *expected(const sample *s, uint32_t output)
{
    const met_edge *edge = &s->circuit->edges[s->circuit->outputs[output].id];
    const met_tensor *tensor = s->result->arrays[output].tensor;
    if (edge->guard_count)
        return NULL;
    for (size_t i = 0; i < tensor->count; i++)
        if (!isfinite(tensor->values[i]) || fabs(tensor->values[i]) > 1e6)
            return NULL;
    return tensor;
}

/* Whether the output stands in its region in the order of its axes, and has as many numbers. */
static bool comparable(const sample *s, const met_tensor *want, met_loops loops)
{
    size_t count = 1;
    for (uint32_t l = 0; l < s->region->loop_count; l++)
        count *= loops >> l & 1 ? s->sizes[l] : 1;
    return count == want->count && want->rank <= 1;
}

static void compare(const sample *s, const met_tensor *want, const double *got, const char *how)
{
    for (size_t i = 0; i < want->count; i++) {
        if (s->masked && (!isfinite(got[i]) || (want->values[i] == 0 && got[i] == 1)))
            return; /* a fold over nothing is 0 there, and its unit here */
        double size = fmax(1, fabs(want->values[i]));
        if (!(fabs(got[i] - want->values[i]) <= 1e-6 * size)) /* wrong formulas are wrong by far more */
            fail_msg("seed %llu, %s: number %zu is %.12g, not %.12g\n%s", (unsigned long long)s->seed, how, i, got[i], want->values[i],
                     met_circuit_listing(s->circuit, true));
    }
}

/* Whether some node reads what another made at computed positions, which may lie outside; what stands there is discarded
 * afterwards, but over the reals it may be undefined. */
static bool reads_outside(const met_circuit *circuit)
{
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        for (uint32_t k = 0; k < node->in_count; k++)
            for (uint32_t p = 0; p < node->in_access[k].rank; p++) {
                uint32_t index;
                if (!met_affine_is_index(node->in_access[k].at[p], &index) && circuit->edges[node->ins[k].id].producer.id != MET_NONE)
                    return true;
            }
    }
    return false;
}

static unsigned streams, refusals, compared;

static void stream_along(const sample *s, uint32_t loop, uint32_t value, const met_tensor *want)
{
    const met_stream_term *term = met_stream_derive(s->region, loop);
    if (!term->streams) {
        refusals++;
        return;
    }
    met_stream_run *run = met_stream_run_new(s->region->arena, term, s->sizes, s->inputs);
    double *state = MET_NEW_ARRAY(s->region->arena, double, met_stream_run_numbers(run));
    double *other = MET_NEW_ARRAY(s->region->arena, double, met_stream_run_numbers(run));
    met_stream_run_begin(run, state);
    met_stream_run_begin(run, other);
    met_stream_run_push(run, state, 0, s->sizes[loop] / 2);
    met_stream_run_push(run, other, s->sizes[loop] / 2, s->sizes[loop]);
    if (term->monoid)
        met_stream_run_combine(run, state, other);
    else
        met_stream_run_push(run, state, s->sizes[loop] / 2, s->sizes[loop]);
    for (uint32_t i = 0; i < term->value_count; i++) {
        bool whole = term->values[i].phase == MET_STREAM_TAIL || term->values[i].phase == MET_STREAM_STATE;
        if (term->values[i].origin != value || !whole)
            continue;
        const double *got = met_stream_run_value(run, state, i);
        if (isnan(got[0]) && s->outside)
            continue;
        compare(s, want, got, s->region->loops[loop].name);
        streams++;
    }
}

/* One output of its own, so that every value of the region belongs to it. */
static void check(sample *s, const met_circuit *expanded, uint32_t output)
{
    met_circuit one = *expanded;
    met_refusal refusal = { 0 };
    const met_tensor *want = expected(s, output);
    if (!want)
        return;
    one.output_count = 1;
    one.outputs = expanded->outputs + output;
    s->region = met_region_unfold(&one, &refusal);
    if (!s->region) {
        assert_non_null(refusal.reason);
        return;
    }
    s->inputs = MET_NEW_ARRAY(s->region->arena, const double *, s->region->value_count);
    for (uint32_t l = 0; l < s->region->loop_count; l++)
        assert_true(met_dim_is_constant(s->region->loops[l].size, &s->sizes[l]));
    uint32_t value = MET_NONE;
    for (uint32_t i = 0; i < s->region->value_count; i++) {
        if (s->region->values[i].input)
            gather_input(s, i);
        if (s->region->values[i].output)
            value = i;
    }
    if (!comparable(s, want, s->region->values[value].loops))
        return;
    compare(s, want, met_region_evaluate(s->region->arena, s->region, s->sizes, s->inputs, value), "whole");
    compared++;
    for (uint32_t loop = 0; loop < s->region->loop_count; loop++)
        stream_along(s, loop, value, want);
}

static void test_random_circuits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MET_PROPERTY_ROUNDS; seed++) {
        char program[8192];
        random_equations(seed, 3 + (unsigned)(seed % 6), program, sizeof program);
        met_session *session = met_session_new();
        sample s = { .seed = seed, .circuit = circuit_of(session, program, "") };
        const char *sizes = random_sizes_of(s.circuit);
        if (*sizes)
            s.circuit = met_circuit_bind(s.circuit, sizes);
        const met_circuit *expanded = met_circuit_expand(s.circuit, "real");
        assert_non_null(expanded);
        s.outside = reads_outside(expanded);
        for (uint32_t i = 0; i < expanded->edge_count; i++)
            s.masked = s.masked || expanded->edges[i].guard_count > 0;
        if (!may_pick_nan(program) && fill(&s)) {
            met_eval_options options = { .dtype = "f64", .numerics = "real" };
            s.result = run_flat(s.circuit, &options, s.circuit->input_count + s.circuit->parameter_count, s.values);
            for (uint32_t i = 0; i < expanded->output_count; i++)
                check(&s, expanded, i);
        }
        met_session_free(session);
    }
    print_message("compared %u, streams %u, refusals %u\n", compared, streams, refusals);
    assert_true(compared > 20 && streams > 20 && refusals > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_circuits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
