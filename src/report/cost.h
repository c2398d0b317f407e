/* The report on costs: what was asked, the kernels of both ways to run a circuit, and what each moves at each level.
 *   cost_request.c  reads options
 *   cost_kernels.c  the kernels: one for each op, and those of the fused plan
 *   cost.c          puts the report together
 *   cost_text.c, cost_json.c  print it
 *   curve.c         traffic over a range of capacities */
#ifndef MET_REPORT_COST_H
#define MET_REPORT_COST_H

#include "base/vec.h"
#include "cost/form.h"
#include "cost/of_kernel.h"
#include "cost/solve.h"
#include "met/cost.h"
#include "plan/plan.h"

#define MET_REPORT_LEVELS 8

typedef struct met_report_level {
    const char *name;
    uint64_t capacity; /* values or bytes */
} met_report_level;

typedef struct met_report_range {
    const char *name;
    double from, to;
} met_report_range;

typedef struct met_report_request {
    uint32_t level_count;
    met_report_level levels[MET_REPORT_LEVELS];
    met_report_range range; /* of a curve */
    met_cost_view view;
    met_cost_nesting nesting;
    met_point point;
    bool listed[2]; /* by planner: whether its kernels are listed */
} met_report_request;

/* What a kernel moves through one level. One whose rows do not fit goes through it in parts, node by node. */
typedef struct met_report_passage {
    bool feasible, in_parts;
    double traffic;
    met_cost_solution solution; /* unless in parts */
    double real;                /* the least with real tiles; NaN: there is none */
    double bound;               /* proven; NaN: there is none */
    double turned;              /* groups and streams exchanged; NaN: that does not fit, or nothing is streamed */
    double restreamed;          /* with local loops streamed inside; NaN: there is none */
} met_report_passage;

/* A kernel, and how many are like it. */
typedef struct met_report_kernel met_report_kernel;
typedef MET_VEC(met_report_kernel) met_report_kernels;
struct met_report_kernel {
    const met_kernel *kernel;
    const char *name;
    uint32_t count;
    const met_cost_problem *problem; /* as asked for */
    const met_cost_problem *tiles;   /* with the tiles of arrays only: what the closed form is of */
    bool has_form;
    met_cost_form form;
    const met_cost_problem *restreamed; /* with local loops streamed inside the stream; NULL: there are none */
    const met_cost_problem *restreamed_tiles;
    bool has_restreamed_form;
    met_cost_form restreamed_form;
    met_report_kernels parts;        /* one for each of its nodes, if there are several and nothing streams */
    met_report_passage at[MET_REPORT_LEVELS];
};

/* One way to run the circuit. */
typedef struct met_report_plan {
    met_planner planner;
    uint32_t kernel_count;
    met_report_kernels kernels;       /* different ones */
    bool feasible[MET_REPORT_LEVELS]; /* the following mean something */
    double traffic[MET_REPORT_LEVELS], floor;
    double restreamed[MET_REPORT_LEVELS]; /* of every kernel the better of its own schedule and the restreamed one */
} met_report_plan;

typedef struct met_report {
    met_session *session;
    met_report_request request;
    bool bound_sizes; /* otherwise there are only formulas */
    met_report_plan plans[2]; /* by planner */
} met_report;

/* False with diagnostics. `range` may be NULL; with it, no levels are needed. */
bool met_report_request_read(const met_circuit *circuit, const met_cost_options *options, const char *range,
                             met_report_request *ret_request);

/* The kernels of both ways, unsolved: problems, forms and counts. False with diagnostics. */
bool met_report_kernels_find(const met_circuit *circuit, const met_report_request *request, met_report *ret_report);
/* What a kernel moves through one level; NaN if it does not fit, infinite if it does not fit 64 bits. */
double met_report_traffic(met_arena *arena, const met_report_kernel *kernel, uint64_t capacity);
/* A diagnostic that says the latter. */
void met_report_beyond(met_session *session, const met_report_kernel *kernel);

/* NULL with diagnostics. */
const met_report *met_report_cost(const met_circuit *circuit, const met_cost_options *options);

/* A number of values or bytes as traffic has it, out of fractions. */
double met_report_amount(const met_report_kernel *kernel, double fractions);
const char *met_report_unit(const met_report_request *request);
/* Digits of a whole number that is exact in a double, otherwise six significant ones. */
void met_report_number(met_text *out, double number);

#endif
