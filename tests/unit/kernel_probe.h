/* Folds of generated kernels as black boxes: arrays are set so that one fold's terms are what revealing asks for
 * (reveal/reveal.h), kernels are run, and one number is read off what they make. Owns where terms stand in arrays, and what of
 * the results is the answer. */
#ifndef MET_TEST_KERNEL_PROBE_H
#define MET_TEST_KERNEL_PROBE_H

#include <math.h>
#include <string.h>

#include "host/execute.h"
#include "number/encode.h"
#include "reveal/reveal.h"

/* Elements of an edge's array, term by term: first, first + step, …, or those of a list. Inputs and parameters have the first
 * edges of a circuit, in that order. */
typedef struct kernel_line {
    bool used;
    uint32_t edge;
    uint64_t first, step;
    const uint64_t *at;
} kernel_line;

typedef enum kernel_answer {
    ANSWER_ELEMENT, /* of the result */
    ANSWER_LARGEST, /* of its elements beside the terms: a normalizer seen beside its largest term */
    ANSWER_AT_ZERO, /* of those, the one whose term is 0: what is subtracted from all */
    ANSWER_CHANGE   /* the element less what it is when all terms are 0 */
} kernel_answer;

typedef struct kernel_fold {
    met_probe_kind kind;
    uint64_t n;
    bool scaled;
    kernel_line a, b;    /* b of DOT */
    kernel_line b_too;   /* gets the same as b */
    kernel_line largest; /* gets 1 where a is largest, 0 elsewhere: a row of values that one weight picks */
    kernel_line one;     /* its first element is 1 */
    double scale;        /* of a: so that squares of what swallows stay finite; 0: 1 */
    double cap;          /* a passes cap·tanh(a/cap) before it is a term; 0: it does not */
    bool square;         /* the fold adds a itself, where revealing takes it to add squares */
    kernel_answer answer;
    uint32_t result;     /* an output of the circuit, by number; where there are launches, an edge */
    uint64_t element;    /* beside term i: element + i, or … */
    const uint64_t *elements; /* … of this list */
    double fill[8];      /* by edge: what stands everywhere else */
    const double *fills; /* the same for all edges */
    uint64_t call_limit;   /* calls after which there is no answer; 0: none */
    uint32_t launch_count; /* the kernels by themselves, everything that they read being set; 0: the whole program */
    const uint32_t *launches;
} kernel_fold;

typedef struct kernel_subject {
    kernel_fold fold;
    met_execution *execution;
    const met_circuit *circuit;
    double *passed; /* what a becomes before it is set */
    double at_rest; /* CHANGE: the element when all terms are 0 */
    uint64_t calls;
} kernel_subject;

static inline met_dtype edge_dtype(const met_circuit *circuit, uint32_t edge)
{
    return (met_dtype)circuit->edges[edge].format.dtype;
}

static inline void put_element(unsigned char *bytes, met_dtype dtype, uint64_t at, double value)
{
    uint64_t bits = met_encode(dtype, value, MET_RNE, MET_OVERFLOW_INF);
    size_t size = (size_t)met_dtype_table[dtype].bits / 8;
    memcpy(bytes + at * size, &bits, size); /* little-endian */
}

static inline double get_element(const unsigned char *bytes, met_dtype dtype, uint64_t at)
{
    uint64_t bits = 0;
    size_t size = (size_t)met_dtype_table[dtype].bits / 8;
    memcpy(&bits, bytes + at * size, size);
    return met_decode(dtype, bits);
}

static inline uint64_t line_place(const kernel_line *line, uint64_t i)
{
    return line->at ? line->at[i] : line->first + i * line->step;
}

static inline unsigned char *line_array(const kernel_subject *s, const kernel_line *line)
{
    size_t bytes;
    return line->used ? met_execution_array(s->execution, (met_edge_id){ line->edge }, &bytes) : NULL;
}

static inline void put_line(const kernel_subject *s, const kernel_line *line, const double *values)
{
    unsigned char *at = line_array(s, line);
    for (uint64_t i = 0; at && i < s->fold.n; i++)
        put_element(at, edge_dtype(s->circuit, line->edge), line_place(line, i), values[i]);
}

static inline void put_largest(const kernel_subject *s, const double *a)
{
    const kernel_line *line = &s->fold.largest;
    unsigned char *at = line_array(s, line);
    uint64_t largest = 0;
    for (uint64_t i = 1; i < s->fold.n; i++)
        largest = a[i] > a[largest] ? i : largest;
    for (uint64_t i = 0; at && i < s->fold.n; i++)
        put_element(at, edge_dtype(s->circuit, line->edge), line_place(line, i), i == largest);
}

static inline double read_answer(const kernel_subject *s, const double *a)
{
    const kernel_fold *fold = &s->fold;
    size_t bytes;
    met_edge_id out = fold->launch_count ? (met_edge_id){ fold->result } : s->circuit->outputs[fold->result];
    const unsigned char *at = met_execution_array(s->execution, out, &bytes);
    met_dtype dtype = edge_dtype(s->circuit, out.id);
    double found = get_element(at, dtype, fold->elements ? fold->elements[0] : fold->element);
    for (uint64_t i = 0; i < fold->n; i++) {
        uint64_t beside = fold->elements ? fold->elements[i] : fold->element + i;
        if (fold->answer == ANSWER_LARGEST)
            found = fmax(found, get_element(at, dtype, beside));
        else if (fold->answer == ANSWER_AT_ZERO && a[i] == 0)
            return get_element(at, dtype, beside);
    }
    return found - (fold->answer == ANSWER_CHANGE ? s->at_rest : 0);
}

static inline double passed(const kernel_fold *fold, double a)
{
    double scaled = (fold->square ? a * a : a) * (fold->scale != 0 ? fold->scale : 1);
    return fold->cap == 0 ? scaled : scaled <= -fold->cap ? -INFINITY : fold->cap * atanh(scaled / fold->cap);
}

static inline bool run_kernels(const kernel_subject *s)
{
    bool good = true;
    for (uint32_t l = 0; l < s->fold.launch_count && good; l++)
        good = met_execution_launch(s->execution, s->fold.launches[l]);
    return s->fold.launch_count ? good : met_execution_run(s->execution);
}

static inline bool run_fold(void *context, const double *a, const double *b, double c, double *ret_result)
{
    kernel_subject *s = context;
    (void)c;
    if (s->fold.call_limit && ++s->calls > s->fold.call_limit)
        return false;
    for (uint64_t i = 0; i < s->fold.n; i++)
        s->passed[i] = passed(&s->fold, a[i]);
    put_line(s, &s->fold.a, s->passed);
    if (b) {
        put_line(s, &s->fold.b, b);
        put_line(s, &s->fold.b_too, b);
    }
    put_largest(s, a);
    if (!run_kernels(s))
        return false;
    *ret_result = read_answer(s, a);
    return true;
}

static inline void fill_array(const kernel_subject *s, uint32_t edge)
{
    size_t bytes = 0, size = (size_t)met_dtype_table[edge_dtype(s->circuit, edge)].bits / 8;
    double value = s->fold.fills ? s->fold.fills[edge] : s->fold.fill[edge];
    unsigned char *at = met_execution_array(s->execution, (met_edge_id){ edge }, &bytes);
    for (size_t i = 0; at && i < bytes / size; i++)
        put_element(at, edge_dtype(s->circuit, edge), i, value);
    if (s->fold.one.used && s->fold.one.edge == edge)
        put_element(at, edge_dtype(s->circuit, edge), line_place(&s->fold.one, 0), 1);
}

/* What the kernels read: all inputs and parameters, or whatever some launches do. */
static inline void fill_arrays(const kernel_subject *s, const met_program *program)
{
    for (uint32_t edge = 0; edge < s->circuit->input_count + s->circuit->parameter_count && s->fold.launch_count == 0; edge++)
        fill_array(s, edge);
    for (uint32_t l = 0; l < s->fold.launch_count; l++) {
        const met_launch *launch = &program->launches[s->fold.launches[l]];
        for (uint32_t a = 0; a < launch->array_count; a++)
            if (program->buffers[launch->arrays[a]].edge.id != MET_NONE)
                fill_array(s, program->buffers[launch->arrays[a]].edge.id);
    }
}

/* A probe of the fold. Sets all arrays once. It lives in the arena, and as long as the execution does. */
static inline met_black_box kernel_probe(met_arena *arena, met_execution *execution, const met_program *program,
                                         const kernel_fold *fold)
{
    const met_circuit *circuit = program->plan->circuit;
    kernel_subject *s = MET_NEW(arena, kernel_subject);
    double *zeros = MET_NEW_ARRAY(arena, double, fold->n);
    *s = (kernel_subject){ .fold = *fold, .execution = execution, .circuit = circuit };
    s->passed = MET_NEW_ARRAY(arena, double, fold->n);
    fill_arrays(s, program);
    s->fold.answer = ANSWER_ELEMENT;
    if (fold->answer == ANSWER_CHANGE)
        run_fold(s, zeros, fold->kind == MET_PROBE_DOT ? zeros : NULL, 0, &s->at_rest);
    s->fold.answer = fold->answer;
    uint32_t result = fold->launch_count ? fold->result : circuit->outputs[fold->result].id;
    return (met_black_box){ .kind = fold->kind, .n = fold->n, .scaled = fold->scaled, .run = run_fold, .context = s,
                            .input = edge_dtype(circuit, fold->a.edge), .output = edge_dtype(circuit, result) };
}

#endif
