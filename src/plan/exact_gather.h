/* The groups from which the exact planner chooses: all matches of all rules that apply, regions that derivation accepts, and
 * single nodes. */
#ifndef MET_PLAN_EXACT_GATHER_H
#define MET_PLAN_EXACT_GATHER_H

#include "plan/exact_cover.h"
#include "plan/lower_parts.h"

/* How large a derived region may be, and how many sets are looked at from one lowest node. */
#define MET_REGION_NODES 12
#define MET_REGION_SETS 2048
/* What looking at sets may take in all, in neighbours and in what nodes read and make; and how much more than an equal share
 * of what is left one lowest node may have. Circuits of models need less than 200 a node. */
#define MET_REGION_WORK(node_count) (((uint64_t)1 << 19) + 256 * (uint64_t)(node_count))
#define MET_REGION_SHARES 8

/* What one search for matches may take, and all of them, in nodes that are looked at; what a match counts, and what one
 * does whose rule minds formats, so that its elements are looked for again. */
#define MET_MATCH_STEPS ((uint64_t)1 << 16)
#define MET_MATCH_WORK ((uint64_t)1 << 24)
#define MET_MATCH_COST 512
#define MET_MINDING_COST 2048

/* How many combinations of formats of what it reads one candidate may have, and how many all may have. */
#define MET_FORMAT_VARIANTS 256
#define MET_ALL_VARIANTS 65536

typedef struct met_format_set {
    MET_VEC(met_format) at;
} met_format_set;

typedef struct met_gathering {
    met_lower_task *task;
    met_map *known;         /* candidates by their nodes (and rule, where formats are changed at all) */
    MET_VEC(met_candidate) all;
    double *single;         /* by node: the least price of it alone, INFINITY without one */
    met_format_set **stored; /* by edge: the formats in which candidates store it; NULL: as the circuit says */
    met_format *at_hand;    /* by edge: the format in which the variant at hand finds it; as the circuit says between uses */
    uint64_t match_work, region_work; /* that are left */
    uint32_t variants;      /* so far */
    bool limited;           /* some matches, sets or variants were left out */
    MET_VEC(met_format) formats;
} met_gathering;

/* Adds a candidate, or keeps the cheaper one of two that are the same nodes and formats. */
void met_gathering_add(met_gathering *g, const met_candidate *candidate);
/* Takes note of what its node costs alone, if it is one. */
void met_gathering_note_single(met_gathering *g, const met_candidate *candidate);
/* Regions whose lowest node is `seed`: connected and convex, grown node by node, with at most one node that reads weights
 * unless those that do share what they read. */
void met_gathering_grow(met_gathering *g, uint32_t seed);

/* In the session's arena. */
met_gathering *met_gathering_new(met_lower_task *task);
/* Whether formats of other groups depend on the rule, or its place does on theirs. */
bool met_rule_minds_formats(const met_rule *rule);
/* As a problem for the solver (exact_formats.c): every candidate once for each way in which what it reads may be stored, at its
 * price then; without those that cost more than their nodes do one by one. (*ret_candidates)[i] is number i's. */
met_cover_problem met_gathering_problem(met_gathering *g, const met_candidate *const **ret_candidates);

#endif
