/* Folds of the kernels that met generates as black boxes: a program's inputs are set so that one fold's terms are what
 * revealing asks for (reveal/reveal.h), the program is run, and one number is read off its results. Owns where terms stand in
 * arrays, and what of the results is the answer; must not know the algorithms. */
#ifndef MET_HOST_KERNEL_REVEAL_H
#define MET_HOST_KERNEL_REVEAL_H

#include "host/execute.h"
#include "reveal/reveal.h"

/* Elements of an array, term by term: first, first + step, … Arrays are the circuit's inputs in order, then its parameters. */
typedef struct met_kernel_line {
    bool used;
    uint32_t array;
    uint64_t first, step;
} met_kernel_line;

typedef enum met_kernel_answer {
    MET_ANSWER_ELEMENT, /* of the first result */
    MET_ANSWER_LARGEST, /* of the first n elements from `element` on: a normalizer seen beside its largest term */
    MET_ANSWER_AT_ZERO, /* of those, the one whose term is 0: what is subtracted from all */
    MET_ANSWER_CHANGE   /* the element less what it is when all terms are 0 */
} met_kernel_answer;

typedef struct met_kernel_fold {
    met_probe_kind kind;
    uint64_t n;
    bool scaled;
    met_kernel_line a, b;   /* b of DOT */
    met_kernel_line b_too;  /* gets the same as b */
    met_kernel_line largest; /* gets 1 where a is largest, 0 elsewhere: a row of values that one weight picks */
    met_kernel_line one;    /* its first element is 1 */
    double scale;           /* of a: so that squares of what swallows stay finite; 0: 1 */
    bool square;            /* the fold adds a itself, where revealing takes it to add squares */
    met_kernel_answer answer;
    uint64_t element;
    double fill[8];         /* by array: what stands everywhere else */
} met_kernel_fold;

/* A probe of the fold. Sets all arrays once. It lives in the execution's session, and as long as the execution does. */
met_black_box met_kernel_probe(met_session *session, met_execution *execution, const met_circuit *circuit,
                           const met_kernel_fold *fold);

#endif
