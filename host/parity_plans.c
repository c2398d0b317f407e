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
enum { NO_OPTION = -1 };

/* Options of the numerics point, and what the plans call them. */
static const struct {
    const char *name;
    ptrdiff_t option; /* of met_eval_options */
    const char *value, *setting;
} points[] = {
    { "--dot pairs", OPTION(dot), "pairs", "dot=pairs" },
    { "--dot f32", OPTION(dot), "f32", "dot=f32" },
    { "--division eager", OPTION(division), "eager", NULL },
    { "--division deferred", OPTION(division), "deferred", NULL },
    { "--numerics pow2", OPTION(numerics), "pow2", NULL },
    { "--numerics float", OPTION(numerics), "float", "float_rescale=on" },
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

/* What comes of both plans with this; nothing is said of what they refuse. */
static void attempt(const pair *base, option_list *list, const char *name, ptrdiff_t option, const char *value, const char *setting)
{
    met_session *session = base->subject->session;
    met_diag_mark mark = met_session_mark(session);
    met_eval_options options = base->subject->options;
    if (option != NO_OPTION)
        *option_of(&options, option) = value;
    pair then = *base;
    then.a.setting = then.b.setting = setting;
    then.subject = met_subject_to_plan(base->subject->settled->written, &options, base->subject->in_count, base->subject->ins);
    bool changed = then.subject && (option == NO_OPTION || !met_point_equal(&then.subject->point, &base->subject->point));
    if (changed && compare(&then)) {
        met_parity_option one = { .name = name, .verdict = then.parity->verdict,
                                  .left = then.parity->counts[MET_VERDICT_DIFFERENT] + then.parity->counts[MET_VERDICT_UNKNOWN],
                                  .priced = base->of_a->device && base->of_b->device,
                                  .a_seconds = then.of_a->price.seconds - base->of_a->price.seconds,
                                  .b_seconds = then.of_b->price.seconds - base->of_b->price.seconds };
        MET_PUSH(session->arena, &list->at, one);
    }
    met_session_take_message(session, mark);
}

static void attempt_settings(const pair *base, option_list *list)
{
    const met_lkb *lkb = base->of_a->lkb;
    for (uint32_t s = 0; s < lkb->setting_count; s++) {
        const met_setting_kind *kind = &lkb->settings[s];
        const char *own = met_hardware_setting(base->of_a->hardware, kind->name);
        for (uint32_t v = 0; !is_beside(kind->name) && v < kind->values.count; v++) {
            const char *setting = met_format_text(lkb->session->arena, "%s=%s", kind->name, kind->values.names[v]);
            if (!own || strcmp(own, kind->values.names[v]) != 0)
                attempt(base, list, met_format_text(lkb->session->arena, "--setting %s", setting), NO_OPTION, NULL, setting);
        }
    }
}

/* The trees that either side folds along where they differ, for all folds. */
static void attempt_trees(const pair *base, option_list *list, const met_remedies *remedies)
{
    met_arena *arena = base->subject->session->arena;
    for (uint32_t k = 0; k < remedies->count; k++) {
        met_text tree = met_text_new(arena);
        met_tree_print(&tree, &remedies->at[k].tree, MET_F32);
        const char *text = met_text_done(&tree);
        attempt(base, list, met_format_text(arena, "--tree '%s'", text), OPTION(tree), text, NULL);
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
    report->remedies = met_remedies_of(base.parity, base.of_a, base.of_b);
    for (size_t k = 0; !is_open(&base) && k < sizeof points / sizeof *points; k++)
        attempt(&base, &list, points[k].name, points[k].option, points[k].value, points[k].setting);
    if (!is_open(&base))
        attempt_trees(&base, &list, &report->remedies);
    attempt_settings(&base, &list);
    report->option_count = (uint32_t)list.at.count;
    report->options = list.at.at;
    return report;
}
