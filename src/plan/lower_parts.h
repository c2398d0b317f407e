/* What planners of whole ops share: a task with everything that is asked of a circuit again and again, worked out once and,
 * since layers are alike, by shape.
 *
 *     lower.c           checks the request, runs a planner
 *     lower_task.c      the task; regions and records by shape
 *     lower_price.c     prices by shape and formats
 *     calibrate.c       prices of what was not measured, where other groups were
 *     lower_rules.c     settings, and whether a rule applies here at all
 *     match.c           where patterns fit
 *     greedy.c, lower_none.c, exact.c   planners: from a task to candidates that cover it
 *     lowering_build.c  from candidates to a lowering */
#ifndef MET_PLAN_LOWER_PARTS_H
#define MET_PLAN_LOWER_PARTS_H

#include "base/map.h"
#include "base/vec.h"
#include "plan/lower_flow.h"
#include "plan/lowering.h"

/* --- Shapes --- */

/* Numbers of node sets: equal numbers, equal answers of everything that is asked of them (prices, regions, records). */
typedef struct met_shapes met_shapes;

/* `workload` may be NULL. */
met_shapes *met_shapes_new(met_arena *arena, const met_derivation *facts, const met_workload *workload);
/* Numbers are given from 0 as they come up. Nodes ascending. */
uint32_t met_shape_number(met_shapes *shapes, uint32_t count, const met_node_id *nodes);

/* --- The task --- */

/* What matching asks of a node. */
typedef struct met_match_node {
    met_op_id op;
    const char *role;  /* of its weight, or NULL */
    bool has_weight, has_input;
    met_format weight; /* format of its first parameter */
    met_format input;  /* format of what it reads first */
    met_format makes;  /* format of its first result */
} met_match_node;

typedef struct met_lower_task {
    const met_circuit *circuit;
    const met_lower_options *options;
    met_session *session;
    met_arena *arena; /* the session's */
    const met_derivation *facts;
    const met_flow *flow;
    const met_match_node *nodes;
    uint32_t rule_count; /* rules that apply here, by priority from high to low, then by id */
    const met_rule *const *rules;
    bool changes_formats; /* some of them do */
    bool *marks; /* by node, all false between uses */
    bool *only;  /* by node, likewise: the nodes among which a match is looked for */
    met_shapes *shapes;
    met_map *prices, *regions, *records; /* numbers of the following, by shape */
    met_text key; /* of the price at hand */
    const double *scales; /* by family of the class: see plan/calibrate.h; NULL: none */
    MET_VEC(met_price) price_list;
    MET_VEC(const char *) record_list;
} met_lower_task;

/* A group that a planner may take. */
typedef struct met_candidate {
    uint32_t count;
    const met_node_id *nodes; /* ascending */
    met_group_source source;
    const met_rule *rule;     /* RULE */
    const met_family *family; /* DERIVED */
    double seconds;           /* if there are prices */
} met_candidate;

typedef struct met_candidates {
    MET_VEC(met_candidate) at;
} met_candidates;

/* NULL with diagnostics. The bare one serves matching alone, in any arena. */
met_lower_task *met_lower_task_bare(met_arena *arena, const met_circuit *circuit, const met_lower_options *options);
met_lower_task *met_lower_task_new(const met_circuit *circuit, const met_lower_options *options);

/* What a candidate makes and reads otherwise than the circuit says, given how all edges are stored (NULL: as it says, but for
 * what the candidate itself makes). In the task's arena. */
uint32_t met_lower_changes(const met_lower_task *task, const met_candidate *candidate, const met_format *stored,
                           const met_edge_change **ret_changes);
/* Equal keys, equal prices. */
void met_price_key(met_text *key, const met_circuit *circuit, met_shapes *shapes, const met_priced_group *group);
/* By shape. Prices are zero without a device. */
met_price met_lower_price_group(met_lower_task *task, met_priced_group group);
met_price met_lower_price(met_lower_task *task, const met_candidate *candidate, const met_format *stored);
/* Of one node as one kernel, all as the circuit says. */
met_price met_lower_price_node(met_lower_task *task, const met_node_id *node);
/* Whether derivation makes one kernel of them, and a family takes it. */
bool met_lower_derived(met_lower_task *task, uint32_t count, const met_node_id *nodes, met_candidate *ret_candidate);
/* Digest of what derivation says of their numerics, otherwise of what the family declares of its kernels; "undeclared". */
const char *met_lower_record(met_lower_task *task, const met_candidate *candidate);

/* --- Rules --- */

/* All settings that rules read must have values, and all that are given must be read. False with diagnostics. */
bool met_lower_settings_check(const met_circuit *circuit, const met_lower_options *options);
/* NULL if the rule applies at this mode, these rows and settings; otherwise why not, in words. */
const char *met_lower_bars(met_arena *arena, const met_lower_options *options, const met_rule *rule);

/* --- Formats --- */

/* Which element of its rule every node of a candidate is (rules only; by place among its nodes), by the first match of
 * exactly these nodes that may be a group. False if there is none. */
bool met_lower_elements(const met_lower_task *task, const met_candidate *candidate, uint32_t *ret_elements);
/* Whether some element says in which format, or that, what it makes is stored or handed on. */
bool met_rule_changes_formats(const met_rule *rule);
/* Called for each edge of which the candidate's rule says so. */
typedef void (*met_written_fn)(void *context, met_edge_change change);
void met_lower_writes(const met_lower_task *task, const met_candidate *candidate, met_written_fn fn, void *context);
/* Whether an edge stays inside of the candidate that makes it. */
bool met_lower_is_fused(const met_lower_task *task, const met_candidate *candidate, const uint32_t *elements, met_edge_id edge);
/* Whether a reader may find its first input in this format. `elements` NULL: no rule. */
bool met_lower_reads_as(const met_lower_task *task, const met_candidate *candidate, const uint32_t *elements, uint32_t place,
                        met_format stored);

/* Two groups that disagree about an edge. */
typedef struct met_conflict {
    uint32_t writer; /* among the candidates; MET_NONE if the circuit itself gives the format */
    uint32_t reader;
    met_edge_id edge;
    met_format stored;
} met_conflict;

/* Formats in which all edges are stored, given candidates that cover the circuit. False with the first conflict. */
bool met_lower_formats(const met_lower_task *task, uint32_t count, const met_candidate *candidates, met_format *ret_stored,
                       met_conflict *ret_conflict);

/* --- Planners: candidates that cover the circuit. False with diagnostics. --- */

bool met_lower_none(met_lower_task *task, met_candidates *ret_cover);
bool met_lower_greedy(met_lower_task *task, met_candidates *ret_cover);
/* The same cover, or false without a diagnostic. */
bool met_lower_greedy_quiet(met_lower_task *task, met_candidates *ret_cover);
/* No dearer than greedy's, if that is no more partial. */
bool met_lower_exact(met_lower_task *task, met_candidates *ret_cover, double *ret_bound, bool *ret_proven);

/* A node by itself, without a kernel: only in partial plans. */
met_candidate met_lower_placeholder(met_lower_task *task, uint32_t node);
/* A diagnostic for nodes that nothing covers: marks[n] is true. */
void met_lower_report_uncovered(const met_lower_task *task, const bool *marks);
void met_lower_report_conflict(const met_lower_task *task, const met_candidate *candidates, const met_conflict *conflict);

/* --- The lowering --- */

met_lowering *met_lowering_build(met_lower_task *task, met_lowerer planner, const met_candidates *cover);
/* For --explain: which rules matched in a group's nodes and did not get them. */
void met_lowering_explain(met_lower_task *task, met_lowering *lowering);

#endif
