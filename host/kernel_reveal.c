#include "host/kernel_reveal.h"

#include <math.h>
#include <string.h>

#include "base/session.h"
#include "number/encode.h"

typedef struct subject {
    met_kernel_fold fold;
    met_execution *execution;
    const met_circuit *circuit;
    double *squares;
    double at_rest; /* CHANGE: the element when all terms are 0 */
} subject;

static met_edge_id array_edge(const met_circuit *circuit, uint32_t array)
{
    return array < circuit->input_count ? circuit->inputs[array] : circuit->parameters[array - circuit->input_count];
}

static met_dtype dtype_of(const met_circuit *circuit, met_edge_id edge)
{
    return (met_dtype)circuit->edges[edge.id].format.dtype;
}

static size_t size_of(met_dtype dtype)
{
    return (size_t)met_dtype_table[dtype].bits / 8;
}

static void put_element(unsigned char *bytes, met_dtype dtype, uint64_t at, double value)
{
    uint64_t bits = met_encode(dtype, value, MET_RNE, MET_OVERFLOW_INF);
    size_t size = size_of(dtype);
    memcpy(bytes + at * size, &bits, size); /* little-endian */
}

static double get_element(const unsigned char *bytes, met_dtype dtype, uint64_t at)
{
    uint64_t bits = 0;
    size_t size = size_of(dtype);
    memcpy(&bits, bytes + at * size, size);
    return met_decode(dtype, bits);
}

static void put_line(const subject *s, const met_kernel_line *line, const double *values, double scale)
{
    size_t bytes;
    met_edge_id edge = array_edge(s->circuit, line->array);
    unsigned char *at = line->used ? met_execution_array(s->execution, edge, &bytes) : NULL;
    for (uint64_t i = 0; at && i < s->fold.n; i++) {
        put_element(at, dtype_of(s->circuit, edge), line->first + i * line->step, values[i] * scale);
    }
}

static uint64_t largest_of(uint64_t n, const double *values)
{
    uint64_t found = 0;
    for (uint64_t i = 1; i < n; i++) {
        found = values[i] > values[found] ? i : found;
    }
    return found;
}

static void put_largest(const subject *s, const double *a)
{
    const met_kernel_line *line = &s->fold.largest;
    size_t bytes;
    met_edge_id edge = array_edge(s->circuit, line->array);
    unsigned char *at = line->used ? met_execution_array(s->execution, edge, &bytes) : NULL;
    uint64_t largest = largest_of(s->fold.n, a);
    for (uint64_t i = 0; at && i < s->fold.n; i++) {
        put_element(at, dtype_of(s->circuit, edge), line->first + i * line->step, i == largest);
    }
}

static double read_answer(const subject *s, const double *a)
{
    size_t bytes;
    met_edge_id out = s->circuit->outputs[0];
    const unsigned char *at = met_execution_array(s->execution, out, &bytes);
    met_dtype dtype = dtype_of(s->circuit, out);
    double found = get_element(at, dtype, s->fold.element);
    for (uint64_t i = 0; i < s->fold.n; i++) {
        if (s->fold.answer == MET_ANSWER_LARGEST) {
            found = fmax(found, get_element(at, dtype, s->fold.element + i));
        } else if (s->fold.answer == MET_ANSWER_AT_ZERO && a[i] == 0) {
            return get_element(at, dtype, s->fold.element + i);
        }
    }
    return found - (s->fold.answer == MET_ANSWER_CHANGE ? s->at_rest : 0);
}

static bool run(void *context, const double *a, const double *b, double c, double *ret_result)
{
    const subject *s = context;
    double *squares = s->squares;
    (void)c;
    for (uint64_t i = 0; s->fold.square && i < s->fold.n; i++) {
        squares[i] = a[i] * a[i];
    }
    put_line(s, &s->fold.a, s->fold.square ? squares : a, s->fold.scale != 0 ? s->fold.scale : 1);
    if (b) {
        put_line(s, &s->fold.b, b, 1);
        put_line(s, &s->fold.b_too, b, 1);
    }
    put_largest(s, a);
    if (!met_execution_run(s->execution)) {
        return false;
    }
    *ret_result = read_answer(s, a);
    return true;
}

static void fill_arrays(const subject *s)
{
    for (uint32_t array = 0; array < s->circuit->input_count + s->circuit->parameter_count; array++) {
        met_edge_id edge = array_edge(s->circuit, array);
        size_t bytes = 0, size = size_of(dtype_of(s->circuit, edge));
        unsigned char *at = met_execution_array(s->execution, edge, &bytes);
        for (size_t i = 0; at && i < bytes / size; i++) {
            bool one = s->fold.one.used && s->fold.one.array == array && s->fold.one.first == i;
            put_element(at, dtype_of(s->circuit, edge), i, one ? 1 : s->fold.fill[array]);
        }
    }
}

met_black_box met_kernel_probe(met_session *session, met_execution *execution, const met_circuit *circuit,
                           const met_kernel_fold *fold)
{
    subject *s = MET_NEW(session->arena, subject);
    double *zeros = MET_NEW_ARRAY(session->arena, double, fold->n);
    *s = (subject){.fold = *fold, .execution = execution, .circuit = circuit};
    s->squares = MET_NEW_ARRAY(session->arena, double, fold->n);
    fill_arrays(s);
    s->fold.answer = MET_ANSWER_ELEMENT;
    if (fold->answer == MET_ANSWER_CHANGE) {
        run(s, zeros, fold->kind == MET_PROBE_DOT ? zeros : NULL, 0, &s->at_rest);
    }
    s->fold.answer = fold->answer;
    return (met_black_box){.kind = fold->kind, .n = fold->n, .scaled = fold->scaled, .run = run, .context = s,
                       .input = dtype_of(circuit, array_edge(circuit, fold->a.array)),
                       .output = dtype_of(circuit, circuit->outputs[0])};
}
