/* The budget of a circuit: its ops as they were written, each with ε and with L for what it reads, and their composition,
 * block by block. Owns which nodes belong together and the numbers of every one of them; must not print.
 *
 * A group is an op of the circuit as it was written, or several where one cannot be told from the next: a division that is
 * deferred behind a contraction makes softmax and contraction one. A segment is a block: what it reads from before it counts
 * as exact, since products of L over a model say nothing. */
#ifndef MET_BUDGET_CIRCUIT_H
#define MET_BUDGET_CIRCUIT_H

#include "budget/amplify.h"
#include "budget/analysis.h"
#include "budget/budget.h"
#include "ir/settle_trace.h"
#include "met/eval.h"

/* What a group reads and may be off: arrays of numbers, but no parameters. */
typedef struct met_budget_read {
    met_edge_id edge;      /* of the settled circuit */
    const char *name;
    size_t from;           /* which result of the budget it is; SIZE_MAX: from before the segment, so exact but for … */
    const struct met_budget_source *off; /* … a source that is off already; else NULL */
    double rms;            /* of its finite values */
    bool measures;         /* there is an estimate */
    const met_amplification *estimates; /* by result of the group */
} met_budget_read;

/* An array that a group makes and something behind it reads, or that leaves the circuit. */
typedef struct met_budget_result {
    met_edge_id edge;
    const char *name;
    const char *format;
    size_t group;     /* that makes it */
    bool discrete;    /* integers: right or wrong, not near */
    bool leaves;      /* the segment */
    bool apart;       /* every element moves with one of the group's reads alone, as those of caches and what is appended do */
    uint64_t elements;
    double rms;       /* of its finite values */
    double store;     /* the most that storing numbers of these sizes in the format may round; NaN where that is not known beforehand */
    double eps;       /* the most that the group's own roundings do to an element, on these inputs */
    double eps_q99;   /* … and what they do to all but 1 % of the elements */
    const double *L;  /* by read: the most that an element moves for a unit change of all that is read, near these inputs */
    double error;     /* the most that all since the segment's begin do, carried element by element */
    double measured;  /* distance from the reals */
    const double *errors, *reals; /* by element, of what leaves the circuit: `error`, and the reals; NULL: 0, and there are none */
    bool open;        /* an element may have no real value */
    met_choices choices; /* that it is under */
} met_budget_result;

/* An array that a run begins with and that is off already: a cache that another run has written. */
typedef struct met_budget_source {
    const char *name;
    uint64_t elements;
    const double *values; /* as that run had it: a format of its own here rounds them once more */
    const double *errors; /* by element, at most; NULL: 0 */
    const double *reals;  /* what it is over the reals; NULL: as given, within `errors` */
    bool open;            /* an element may have no real value */
    met_budget_kind kind; /* of the errors */
    met_choices choices;  /* that they are under */
    double error;         /* the largest of them: found by met_budget_of */
} met_budget_source;

typedef struct met_budget_group {
    const char *ops;       /* "softmax, einsum" */
    const char *why;       /* where ε comes from: its folds, functions and stores */
    size_t segment;
    uint32_t written_begin, written_end; /* its nodes of the circuit as written */
    uint32_t begin, end;                 /* and of the settled one */
    size_t read_count, result_count;
    met_budget_read *reads;
    bool assumed;          /* a fold of it is undeclared: taken to be the worst tree of f32 additions */
    const char *condition; /* what the bounds since the segment's begin hold under; NULL: nothing */
    size_t first;          /* its results are this one and those after it */
} met_budget_group;

typedef struct met_budget_segment {
    const char *name;      /* "layer.attention", of a repetition "layer.1.attention"; the circuit's if it has no blocks */
    bool again;            /* a repetition of one before */
    size_t begin, end;     /* groups */
} met_budget_segment;

typedef struct met_budget {
    const met_settled *settled;
    size_t segment_count, group_count, result_count;
    const met_budget_segment *segments;
    met_budget_group *groups;
    met_budget_result *results; /* in an order in which they can be made */
    double lambda;         /* of the probabilistic form, or 0 */
    bool refused;          /* it does not hold: a fold truncates, or is undeclared */
    double folds;          /* elements folded, here and in the runs before */
    double failure;        /* probability that it fails somewhere */
    const double *const *values; /* by settled edge: of results, what the run made; else NULL */
} met_budget;

/* Where the L of a group are estimated: those that were measured before are found; what is not is measured if there is somebody
 * to keep it. */
typedef struct met_budget_measure {
    const met_amplification *(*find)(void *context, const met_amplify_key *key);
    void (*keep)(void *context, const met_amplify_key *key, const met_amplification *found);
    void *context;
    uint64_t seed;
} met_budget_measure;

typedef struct met_budget_request {
    const met_tree *trees;   /* by node of the settled circuit; NULL: the point's */
    const bool *undeclared;  /* by node: the tree is not declared by anybody; NULL */
    const met_eval_options *options; /* fill, seed, limits */
    size_t in_count;
    const met_named_tensor *ins;
    size_t source_count;     /* of inputs, states and parameters those that are not exact */
    const met_budget_source *sources;
    const met_budget *before; /* of the run that has made them: the probabilistic form may fail there, too; NULL */
    bool whole;              /* one segment */
    double lambda;           /* 0: bounds */
    const met_budget *beside; /* another side of the same settled circuit: segments begin with its values; NULL */
    const met_budget_measure *measure;
} met_budget_request;

/* Runs the circuit and bounds what it computes. In the session's arena. NULL with diagnostics: those of a run. */
const met_budget *met_budget_of(const met_settled *settled, const met_budget_request *request);

/* Whether a result of a group depends on what it reads at all: where not, an L of 0 is a matter of structure, not of values. */
bool met_budget_depends(const met_budget *budget, const met_budget_group *group, size_t read, size_t result);

/* What a source that a group reads is off by to begin with, on all sides, and of which kind that is. */
double met_budget_off_by(size_t side_count, const met_budget *const *sides, size_t group, size_t read, met_budget_kind *ret_kind);

/* One implementation, or two that differ by at most the sum of what both are off: ε of both sides, and the larger L. */
typedef enum met_budget_terms { MET_TERMS_BOUND, MET_TERMS_ESTIMATE } met_budget_terms;
/* By result. Of BOUND in the unit of the values; of ESTIMATE relative to each array's root mean square: ε by its 99 % quantile,
 * L as measured where it was, else the bound scaled alike. */
const met_budget_distance *met_budget_compose(met_arena *arena, size_t side_count, const met_budget *const *sides,
                                              met_budget_terms terms);

#endif
