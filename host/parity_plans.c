#include "host/parity_plans.h"

#include <stddef.h>
#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "host/blueprint.h"
#include "host/subject_parts.h"
#include "host/way_numerics.h"
#include "parity/remedy.h"
#include "realize/writer.h"

typedef struct pair {
    const met_subject *subject;
    met_way a, b;
    const met_lowering *of_a, *of_b;
    const met_plan_parity *parity;
} pair;

static bool compare(pair *p)
{
    p->of_a = met_subject_lowering(p->subject, &p->a);
    p->of_b = p->of_a ? met_subject_lowering(p->subject, &p->b) : NULL;
    if (!p->of_b)
        return false;
    met_parity_side a = { met_way_numerics(p->subject, &p->a, p->of_a), p->of_a->stored };
    met_parity_side b = { a.numerics ? met_way_numerics(p->subject, &p->b, p->of_b) : NULL, p->of_b->stored };
    p->parity = b.numerics ? met_plan_compare(&a, &b) : NULL;
    return p->parity != NULL;
}

/* --- Options and settings --- */

#define OPTION(name) offsetof(met_eval_options, name)

/* Options of the numerics point, and the settings by which plans are for it. */
static const struct {
    const char *name;
    ptrdiff_t option; /* of met_eval_options */
    const char *value, *setting;
} points[] = {
    { "--dot pairs --setting dot=pairs", OPTION(dot), "pairs", "dot=pairs" },
    { "--dot f32 --setting dot=f32", OPTION(dot), "f32", "dot=f32" },
    { "--division eager", OPTION(division), "eager", NULL },
    { "--division deferred", OPTION(division), "deferred", NULL },
    { "--numerics pow2", OPTION(numerics), "pow2", NULL },
    { "--numerics float --setting float_rescale=on", OPTION(numerics), "float", "float_rescale=on" },
};

/* Settings that are said with the point, or that change no number. */
static const char *const beside[] = { "dot", "rescale", "operand", "float_rescale" };

static bool is_beside(const char *setting)
{
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
        if (strcmp(beside[k], setting) == 0)
            return true;
    return false;
}

typedef struct option_list {
    MET_VEC(met_parity_option) at;
} option_list;

static const char **option_of(met_eval_options *options, ptrdiff_t option)
{
    return (const char **)(void *)((char *)options + option);
}

/* Whether plans and trees are what they were: what is tried has no say in them. */
static bool changes_nothing(const pair *base, const pair *then)
{
    uint32_t count = base->subject->circuit->node_count;
    if (then->subject != base->subject || strcmp(met_lowering_digest(base->of_a), met_lowering_digest(then->of_a)) != 0 ||
        strcmp(met_lowering_digest(base->of_b), met_lowering_digest(then->of_b)) != 0)
        return false;
    for (uint32_t n = 0; n < count; n++)
        if (!met_tree_equal(&base->parity->a.numerics->nodes[n].tree, &then->parity->a.numerics->nodes[n].tree) ||
            !met_tree_equal(&base->parity->b.numerics->nodes[n].tree, &then->parity->b.numerics->nodes[n].tree))
            return false;
    return true;
}

/* Whether kernels of a class cannot be written for this. */
static bool is_refused(const pair *p)
{
    const met_plan_numerics *sides[] = { p->parity->a.numerics, p->parity->b.numerics };
    const met_lowering *lowerings[] = { p->of_a, p->of_b };
    for (int side = 0; side < 2; side++)
        for (uint32_t n = 0; lowerings[side]->hardware->class_name && n < p->subject->circuit->node_count; n++)
            if (sides[side]->nodes[n].folds && sides[side]->nodes[n].source == MET_NUMERICS_UNDECLARED)
                return true;
    return false;
}

/* What comes of both plans with this: `one` says what is tried. Nothing is said of what they refuse, or of what changes nothing. */
static void attempt(const pair *base, option_list *list, pair *then, met_parity_option one)
{
    met_session *session = base->subject->session;
    met_diag_mark mark = met_session_mark(session);
    if (compare(then) && !is_refused(then) && !changes_nothing(base, then)) {
        one.verdict = then->parity->verdict;
        one.left = then->parity->counts[MET_VERDICT_DIFFERENT] + then->parity->counts[MET_VERDICT_UNKNOWN];
        one.priced = base->of_a->device && base->of_b->device;
        one.a_seconds = then->of_a->price.seconds - base->of_a->price.seconds;
        one.b_seconds = then->of_b->price.seconds - base->of_b->price.seconds;
        MET_PUSH(session->arena, &list->at, one);
    }
    met_session_take_message(session, mark);
}

/* At another point of both. */
static void attempt_point(const pair *base, option_list *list, const char *name, ptrdiff_t option, const char *value, const char *setting)
{
    met_session *session = base->subject->session;
    met_diag_mark mark = met_session_mark(session);
    met_eval_options options = base->subject->options;
    *option_of(&options, option) = value;
    pair then = *base;
    then.a.setting = setting ? setting : base->a.setting;
    then.b.setting = setting ? setting : base->b.setting;
    then.subject = met_subject_to_plan(base->subject->settled->written, &options, base->subject->in_count, base->subject->ins);
    met_session_take_message(session, mark);
    if (then.subject && !met_point_equal(&then.subject->point, &base->subject->point))
        attempt(base, list, &then, (met_parity_option){ .name = name });
}

static void attempt_settings(const pair *base, option_list *list)
{
    const met_lkb *lkb = base->of_a->lkb;
    for (uint32_t s = 0; !base->a.setting && !base->b.setting && s < lkb->setting_count; s++) {
        const met_setting_kind *kind = &lkb->settings[s];
        const char *own = met_hardware_setting(base->of_a->hardware, kind->name);
        for (uint32_t v = 0; !is_beside(kind->name) && v < kind->values.count; v++) {
            const char *setting = met_format_text(lkb->session->arena, "%s=%s", kind->name, kind->values.names[v]);
            pair then = *base;
            then.a.setting = then.b.setting = setting;
            if (!own || strcmp(own, kind->values.names[v]) != 0)
                attempt(base, list, &then, (met_parity_option){ .name = met_format_text(lkb->session->arena, "--setting %s", setting) });
        }
    }
}

/* By the interpreter a side adds up in whatever way: what no kernels of its class do. The other side then runs as well, if its
 * class is one that is emulated. */
static void attempt_interpreter(const pair *base, option_list *list, const met_remedy *remedy, const char *tree)
{
    met_arena *arena = base->subject->session->arena;
    met_way way = { .planner = "none", .hardware = "interpreter", .tree = tree };
    const char *side = remedy->of_a ? "a" : "b";
    const met_subject *own = met_subject_of_way(base->subject, &way);
    met_parity_side a = base->parity->a, b = base->parity->b;
    if (!own)
        return;
    *(remedy->of_a ? &a : &b) = (met_parity_side){ met_numerics_of_point(own->settled), NULL };
    const met_plan_parity *parity = met_plan_compare(&a, &b);
    const char *emulate = (remedy->of_a ? base->of_b : base->of_a)->hardware->class_name ? "" : " --emulate";
    met_parity_option one = { .name = met_format_text(arena, "--%s none@interpreter --tree-%s '%s'%s", side, side, tree, emulate), .side = side,
                              .remedy = remedy, .verdict = parity->verdict,
                              .left = parity->counts[MET_VERDICT_DIFFERENT] + parity->counts[MET_VERDICT_UNKNOWN] };
    MET_PUSH(arena, &list->at, one);
}

/* The trees that either side folds along where they differ, for all folds of both, or of the side that would change. Declared
 * trees are what they are: no option of such a side changes them. */
static void attempt_trees(const pair *base, option_list *list, const met_remedies *remedies)
{
    met_arena *arena = base->subject->session->arena;
    for (uint32_t k = 0; k < remedies->count; k++) {
        const met_remedy *remedy = &remedies->at[k];
        const char *side = remedy->of_a ? "a" : "b";
        met_text text = met_text_new(arena);
        met_tree_print(&text, &remedy->tree, MET_F32);
        const char *tree = met_text_done(&text);
        pair then = *base;
        (remedy->of_a ? &then.a : &then.b)->tree = tree;
        attempt_point(base, list, met_format_text(arena, "--tree '%s'", tree), OPTION(tree), tree, NULL);
        if ((remedy->of_a ? base->of_a : base->of_b)->hardware->class_name)
            attempt(base, list, &then, (met_parity_option){ .name = met_format_text(arena, "--tree-%s '%s'", side, tree), .side = side,
                                                            .remedy = remedy });
        if (remedy->price == MET_REMEDY_NO_UNIT)
            attempt_interpreter(base, list, remedy, tree);
    }
}

/* The dot product of either side alone, where its kernels are written. */
static void attempt_dots(const pair *base, option_list *list)
{
    static const struct {
        const char *name, *side, *dot;
    } dots[] = { { "--dot-a pairs", "a", "pairs" }, { "--dot-a f32", "a", "f32" }, { "--dot-b pairs", "b", "pairs" }, { "--dot-b f32", "b", "f32" } };
    for (size_t k = 0; k < sizeof dots / sizeof *dots; k++) {
        pair then = *base;
        bool of_a = *dots[k].side == 'a';
        (of_a ? &then.a : &then.b)->dot = dots[k].dot;
        const met_subject *own = met_subject_of_way(base->subject, of_a ? &then.a : &then.b);
        bool written = (of_a ? base->of_a : base->of_b)->hardware->class_name != NULL;
        if (written && own && !met_point_equal(&own->point, &base->subject->point))
            attempt(base, list, &then, (met_parity_option){ .name = dots[k].name, .side = dots[k].side });
    }
}

/* Whether something stays unknown at every point: a class that is not written for says nothing of it. */
static bool is_open(const pair *p)
{
    const met_plan_numerics *sides[] = { p->parity->a.numerics, p->parity->b.numerics };
    const met_lowering *lowerings[] = { p->of_a, p->of_b };
    for (int side = 0; side < 2; side++)
        for (uint32_t n = 0; !lowerings[side]->hardware->class_name && n < p->subject->circuit->node_count; n++)
            if (sides[side]->nodes[n].source == MET_NUMERICS_UNDECLARED)
                return true;
    return false;
}

const met_parity_report *met_subject_parity(const met_subject *subject, const met_way *a, const met_way *b)
{
    pair base = { .subject = subject, .a = *a, .b = *b };
    if (!compare(&base))
        return NULL;
    met_parity_report *report = MET_NEW(subject->session->arena, met_parity_report);
    *report = (met_parity_report){ .parity = base.parity, .a = base.of_a, .b = base.of_b };
    if (base.parity->verdict == MET_VERDICT_SAME)
        return report;
    option_list list = { { 0 } };
    base.a.lkb = base.of_a->lkb; /* not read again for every attempt */
    base.b.lkb = base.of_b->lkb;
    report->remedies = met_remedies_of(base.parity, base.of_a, base.of_b);
    for (size_t k = 0; !is_open(&base) && k < sizeof points / sizeof *points; k++)
        attempt_point(&base, &list, points[k].name, points[k].option, points[k].value, points[k].setting);
    if (!is_open(&base)) {
        attempt_dots(&base, &list);
        attempt_trees(&base, &list, &report->remedies);
    }
    attempt_settings(&base, &list);
    report->option_count = (uint32_t)list.at.count;
    report->options = list.at.at;
    return report;
}
