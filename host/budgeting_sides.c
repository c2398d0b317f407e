/* Whose trees a side of a budget folds along. */
#include <string.h>

#include "host/budgeting_parts.h"
#include "host/plan_pair.h"
#include "host/way_numerics.h"
#include "number/tree_compare.h"
#include "realize/writer.h"

static const met_plan_numerics *numerics_of(const met_subject *subject, const met_way *way)
{
    if (met_way_lowers(way)) {
        const met_lowering *lowering = met_subject_lowering(subject, way);
        return lowering ? met_way_numerics(subject, way, lowering) : NULL;
    }
    const char *name = met_way_class(subject->session, way);
    const met_program *program = name ? met_subject_program(subject, way, met_class_find(name)) : NULL;
    return program ? met_numerics_of_program(subject->settled, program) : NULL;
}

static const bool *undeclared_of(met_arena *arena, const met_plan_numerics *numerics)
{
    uint32_t count = numerics->settled->circuit->node_count;
    bool *undeclared = MET_NEW_ARRAY(arena, bool, count);
    for (uint32_t n = 0; n < count; n++)
        undeclared[n] = numerics->nodes[n].folds && (numerics->nodes[n].source == MET_NUMERICS_UNDECLARED || numerics->nodes[n].code_group);
    return undeclared;
}

/* `text` NULL, or the interpreter: the circuit's own trees. */
static bool read_side(const met_subject *subject, const met_budgeting *request, const char *mode, const char *text, met_budget_side *ret_side)
{
    met_arena *arena = subject->session->arena;
    met_way way = { .planner = "greedy", .hardware = text, .kernels = request->kernels, .mode = mode };
    *ret_side = (met_budget_side){ .name = text ? text : "the interpreter" };
    if (!text || strcmp(text, "interpreter") == 0)
        return true;
    if (strchr(text, '@') && !met_way_parse(subject->session, text, &way))
        return false;
    if (strcmp(way.hardware, "interpreter") == 0)
        return true;
    ret_side->name = strchr(text, '@') ? text : met_format_text(arena, "greedy@%s", text);
    ret_side->numerics = numerics_of(subject, &way);
    if (!ret_side->numerics)
        return false;
    ret_side->trees = met_numerics_trees(ret_side->numerics);
    ret_side->undeclared = undeclared_of(arena, ret_side->numerics);
    return true;
}

bool met_budgeting_sides(const met_subject *subject, const met_budgeting *request, const char *mode, met_budget_side ret_sides[2])
{
    return read_side(subject, request, mode, request->hardware, &ret_sides[0]) &&
           (!request->against || read_side(subject, request, mode, request->against, &ret_sides[1]));
}

bool met_budgeting_same(const met_settled *settled, const met_budget_side sides[2])
{
    const met_plan_numerics *point = met_numerics_of_point(settled);
    const met_plan_numerics *of_a = sides[0].numerics ? sides[0].numerics : point, *of_b = sides[1].numerics ? sides[1].numerics : point;
    met_arena *scratch = met_arena_new();
    bool same = true;
    for (uint32_t n = 0; same && n < settled->circuit->node_count; n++) {
        const met_node_numerics *x = &of_a->nodes[n], *y = &of_b->nodes[n];
        if (!x->folds)
            continue;
        bool declared = x->source != MET_NUMERICS_UNDECLARED && y->source != MET_NUMERICS_UNDECLARED && x->code_group == y->code_group;
        same = declared && met_tree_compare(scratch, &x->tree, &y->tree, x->terms).verdict == MET_VERDICT_SAME;
    }
    met_arena_free(scratch);
    return same;
}
