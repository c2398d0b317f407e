/* Tests that run circuits: programs in, flat arrays in and out. */
#ifndef MET_TEST_CIRCUITS_H
#define MET_TEST_CIRCUITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/circuit.h"
#include "met/eval.h"

/* Reads a program and binds its sizes ("" for none); fails with the diagnostics if that does not work. */
static inline const met_circuit *circuit_of(met_session *session, const char *program, const char *set)
{
    uint32_t source = met_session_add_source(session, "test", program, strlen(program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (circuit && *set)
        circuit = met_circuit_bind(circuit, set);
    if (!circuit)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return circuit;
}

/* Sizes for the circuits of support/random.h, by letters; the ones that the program did not name (a state's length) are called t. */
static inline const char *random_sizes_of(const met_circuit *circuit)
{
    static const struct {
        char letter;
        int size;
    } sizes[] = { { 'a', 2 }, { 'b', 3 }, { 'c', 1 }, { 'd', 4 }, { 'e', 2 }, { 't', 2 } };
    met_text text = met_text_new(circuit->arena);
    for (size_t k = 0; k < 6; k++) {
        bool free = false;
        for (uint32_t i = 0; i < circuit->symbol_count; i++) {
            met_str label = met_sym_str(circuit->session, circuit->symbols[i].label);
            free = free || (!circuit->symbols[i].value && label.length == 1 && label.at[0] == sizes[k].letter);
        }
        if (free)
            met_text_format(&text, "%s%c=%d", text.length ? "," : "", sizes[k].letter, sizes[k].size);
    }
    return met_text_done(&text);
}

static inline const met_eval_result *run_with(const met_circuit *circuit, const met_eval_options *options, size_t count,
                                              const met_named_tensor *ins)
{
    const met_eval_result *result = met_eval_run(circuit, options, count, ins);
    if (!result)
        fail_msg("%s", met_session_diagnostics_text(circuit->session));
    return result;
}

static inline const met_tensor *run_filled(const met_circuit *circuit, const char *dtype, const char *numerics, const char *fill)
{
    met_eval_options options = { .dtype = dtype, .numerics = numerics, .fill = fill, .seed = 7 };
    return run_with(circuit, &options, 0, NULL)->arrays[0].tensor;
}

/* Runs in f64, or as `options` say, on flat values for the inputs (and then parameters) in order. */
static inline const met_eval_result *run_flat(const met_circuit *circuit, const met_eval_options *options, size_t count,
                                              const double *const *values)
{
    met_session *session = circuit->session;
    met_named_tensor ins[16];
    assert_int_equal(count, circuit->input_count + circuit->parameter_count);
    for (uint32_t k = 0; k < count; k++) {
        met_edge_id id = k < circuit->input_count ? circuit->inputs[k] : circuit->parameters[k - circuit->input_count];
        const met_edge *edge = &circuit->edges[id.id];
        uint64_t shape[MET_RANK_LIMIT];
        for (uint32_t p = 0; p < edge->rank; p++)
            assert_true(met_circuit_size(circuit, edge->axes[p], &shape[p]));
        met_tensor *tensor = met_tensor_new(session, "f64", edge->rank, shape);
        memcpy(tensor->values, values[k], tensor->count * sizeof(double));
        ins[k] = (met_named_tensor){ met_sym_text(session, edge->name), tensor };
    }
    return run_with(circuit, options, count, ins);
}

/* Numbers separated by spaces; arrays by semicolons. Returns how many arrays. */
static inline size_t read_arrays(const char *text, double (*ret_arrays)[64], size_t *counts)
{
    size_t count = 0;
    counts[0] = 0;
    for (char *end; *text; text = end) {
        while (*text == ' ' || *text == ';')
            if (*text++ == ';')
                counts[++count] = 0;
        ret_arrays[count][counts[count]++] = strtod(text, &end);
        assert_ptr_not_equal(end, text);
    }
    return count + 1;
}

static inline void expect_close(const char *name, size_t count, const double *got, const double *want, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        bool same = got[i] == want[i] || (isnan(got[i]) && isnan(want[i])) || fabs(got[i] - want[i]) <= tolerance;
        if (!same)
            fail_msg("%s: element %zu is %.17g, not %.17g", name, i, got[i], want[i]);
    }
}

static inline void expect_same_bytes(const char *name, const met_tensor *a, const met_tensor *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        if (memcmp(&a->values[i], &b->values[i], sizeof(double)) != 0)
            fail_msg("%s: element %zu is %.17g in one and %.17g in the other", name, i, a->values[i], b->values[i]);
}

#endif
