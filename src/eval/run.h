/* Inside of the interpreter. A run has the sizes of all axes as numbers and an array of doubles for every edge. Each
 * node becomes a loop: its accesses and guards turn into linear functions of the loop's counters, and work goes in strips
 * along one index, so that what the strip does not touch is done once a strip. */
#ifndef MET_EVAL_RUN_H
#define MET_EVAL_RUN_H

#include "eval/settled.h"
#include "ir/point.h"
#include "ir/primitive.h"
#include "met/eval.h"

#define MET_STRIP 256 /* elements done at once */

typedef struct met_run {
    const met_circuit *circuit; /* settled */
    met_session *session;
    met_arena *arena; /* of the run: gone when it ends */
    met_eval_options options;
    bool wide;          /* arithmetic in f64, else in f32 */
    bool reals;         /* nothing is rounded to an edge's format: with wide arithmetic as near to the reals as double is */
    const met_point *point;
    const met_tree *trees; /* by node; NULL: the point's */
    const met_code_folds *codes; /* NULL: none */
    double **scale_of, **second_of; /* with codes: by edge with scales, of every value; else NULL */
    uint64_t *size;     /* by axis */
    uint64_t *elements; /* by edge */
    double **values;    /* by edge */
    double **before;    /* by edge, for somebody who asks: what a format with scales rounded; NULL */
    double *unit;       /* by edge: what is stored where a guard does not hold: 0, or -inf on the way to a maximum */
    uint64_t done, total;
} met_run;

/* constant + Σ by[i]·counter[i] over the indices of a loop. */
typedef struct met_linear {
    int64_t constant;
    int64_t *by;
} met_linear;

/* How an edge is read or written within a loop. */
typedef struct met_reader {
    double *values;
    met_linear offset; /* element number */
    bool checked;      /* may go outside of the array */
    bool round;        /* holds numbers that f32 does not */
    uint32_t rank;
    met_linear *at;    /* by position, if checked */
    int64_t *size;
    int64_t shift;     /* a table that is read by id: where the id's elements begin … */
    bool absent;       /* … or there is no such id */
} met_reader;

/* A guard in a loop's counters: live iff expression + sign·value ≥ 0. */
typedef struct met_gate {
    met_linear expression;
    int sign; /* 0: no value */
    met_reader value;
} met_gate;

typedef struct met_gates {
    uint32_t count;
    met_gate *at;
} met_gates;

/* A strip's live part: [lo, hi), and of that where live[t] if `masked`. */
typedef struct met_strip {
    int64_t lo, hi;
    bool masked;
    bool live[MET_STRIP];
} met_strip;

typedef struct met_loop {
    met_run *run;
    const met_node *node;
    met_primitive form;
    uint32_t index_count;
    int64_t *size;       /* by index */
    int64_t *counter;    /* by index: where the loop stands; the strip's begin at the strip's index */
    uint32_t kept_count; /* indices of the result, in its order … */
    uint32_t *kept;
    uint32_t fold_count; /* … and the reduced ones */
    uint32_t *folded;
    bool single;         /* strips have one element, because an id changes along them */
    uint32_t strip;      /* the index of strips, or MET_NONE for a single point */
    met_reader *in;
    met_reader *out;
    met_gates in_gates;  /* guards of all inputs */
    met_gates out_gates; /* guards of output 0 */
    bool failed;         /* a position does not fit 64 bits */
} met_loop;

/* --- sizes.c: what a run needs as numbers, checked against the limits. False with diagnostics. --- */
bool met_run_bind(met_run *run);
/* The same for somebody who wants the arrays that a run begins with, and no others. */
bool met_run_bind_sources(met_run *run);
/* By position of the edge; in the run's arena. */
uint64_t *met_run_shape(const met_run *run, const met_edge *edge);
uint64_t met_run_node_work(const met_run *run, const met_node *node);
/* A dim expression of a bound circuit. */
int64_t met_run_dim(const met_run *run, const met_dim *dim);

/* --- eval.c: a run step by step, for those who look at every edge. False with diagnostics. --- */
/* Binds sizes and sets the arrays that a run begins with. The circuit, session, arena, options, point, trees and how it
 * computes are set before. */
bool met_run_begin(met_run *run, size_t in_count, const met_named_tensor *ins);
bool met_run_node(met_run *run, const met_node *node);

/* --- sources.c --- */
/* Sets the arrays of inputs, states and parameters. With a taker, makes each for it alone. False with diagnostics. */
bool met_run_sources(met_run *run, size_t count, const met_named_tensor *ins, const met_source_taker *taker);

/* --- loop.c --- */
/* NULL with a diagnostic if a position is beyond what can be counted. */
met_loop *met_loop_new(met_run *run, const met_node *node);
int64_t met_linear_at(const met_loop *loop, const met_linear *linear);
/* Change along the strip. */
int64_t met_linear_step(const met_loop *loop, const met_linear *linear);
/* Narrows [lo, hi) to where begin + step·t ≥ 0. */
void met_strip_narrow(met_strip *strip, int64_t begin, int64_t step);
void met_strip_gates(const met_loop *loop, const met_gates *gates, met_strip *strip);
void met_strip_inside(const met_loop *loop, const met_reader *reader, met_strip *strip);
/* Reads the id that a read puts into its table's place, as the loop stands. Nothing for other forms. */
void met_loop_find_id(met_loop *loop);
/* Steps the counters of `indices` like an odometer, the last fastest; false when it has gone round. */
bool met_loop_next(met_loop *loop, uint32_t count, const uint32_t *indices);
/* How long the strip is that begins where the counter of its index stands; 1 for a single point. */
int64_t met_loop_strip_length(const met_loop *loop);
/* To the next strip; `count` indices, of which the last is the strip's. False, all counters at 0 again, after the last one. */
bool met_loop_next_strip(met_loop *loop, uint32_t count, const uint32_t *indices);
/* The tree along which the loop's node folds. */
met_tree met_loop_tree(const met_loop *loop);
/* Rounds to the format of an edge, unless the run is in the reals; formats with scales are rounded afterwards, as whole arrays. A NaN becomes the
 * canonical one. */
double met_run_round(const met_run *run, met_edge_id edge, double value);
/* Rounds an array whose format has scales. False with a diagnostic if they do not fit its shape. */
bool met_run_quantize(const met_run *run, met_edge_id edge, met_use use);

/* --- program.c: a formula as a postfix program over strips --- */
typedef struct met_program met_program;
met_program *met_program_new(const met_loop *loop, const met_scalar *e);
/* Values for t in [lo, hi) of the strip that begins at the loop's counters; ret_values[0] is t = lo. Reads outside of an
 * input give 0. The result is the program's own and stays until it runs again. */
const double *met_program_run(met_program *program, const met_loop *loop, int64_t lo, int64_t hi);

/* One function of a formula, as runs compute it. */
double met_run_apply(bool wide, met_scalar_fn fn, double a, double b, double c);

/* --- compute.c, pick.c, scan.c: nodes by form --- */
void met_run_map(met_loop *loop);
void met_run_fold(met_loop *loop);
void met_run_read(met_loop *loop);
void met_run_pick(met_loop *loop);
void met_run_scan(met_loop *loop);

#endif
