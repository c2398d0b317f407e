/* What is known of every program of a source: ranges, search, and where the bound comes from. */
#include "met/straight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "budget/fpcore.h"
#include "budget/straight_search.h"

enum { TEXT_WIDTH = 48 };

static const uint64_t usual_work = 1000000;

/* A relative bound is a by-product: it gets a part of the work. */
enum { RELATIVE_PART = 4 };

/* The program's text there, blanks run together and cut where it is long. */
static const char *text_of(met_session *session, met_span span)
{
    met_text out = met_text_new(session->arena);
    const met_source *source = met_session_source(session, span.source);
    bool blank = false;
    for (uint32_t i = span.begin; i < span.end; i++) {
        char c = source->text.at[i];
        bool space = c == ' ' || (c >= '\t' && c <= '\r');
        if (!space && blank)
            met_text_char(&out, ' ');
        if (!space)
            met_text_char(&out, c >= 0x20 && c < 0x7f ? c : '?');
        blank = space;
        if (out.length > TEXT_WIDTH) {
            met_text_put(&out, " …");
            break;
        }
    }
    return met_text_done(&out);
}

static int by_share(const void *a, const void *b)
{
    const met_straight_term *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->span.begin != y->span.begin ? (x->span.begin < y->span.begin ? -1 : 1) : (x->span.end < y->span.end ? -1 : 1);
}

static void set_terms(met_session *session, const met_straight_program *program, const met_straight_values *values,
                      met_straight_answer *answer)
{
    met_straight_term *terms = MET_NEW_ARRAY(session->arena, met_straight_term, program->result + 1);
    for (size_t i = 0; i <= program->result; i++) {
        double share = met_straight_share(&values[i]);
        if (share > 0)
            terms[answer->term_count++] = (met_straight_term){ text_of(session, program->nodes.at[i].span), program->nodes.at[i].span, share };
    }
    qsort(terms, answer->term_count, sizeof *terms, by_share);
    answer->terms = terms;
}

/* What is in the way of a bound: the first operation that has none. */
static const char *why_none(met_session *session, const met_straight_program *program, const met_straight_values *values)
{
    met_text out = met_text_new(session->arena);
    size_t i = met_straight_unbounded(program, values);
    const met_straight_node *node = &program->nodes.at[i];
    double largest = met_interval_magnitude(values[i].exact);
    met_text_format(&out, "`%s` ", text_of(session, node->span));
    if (node->code == MET_STRAIGHT_CONST) {
        met_text_format(&out, "is above the largest number of %s", node->format->name);
    } else if (node->code == MET_STRAIGHT_DIV) {
        double least = met_interval_mignitude(values[node->args[1]].near);
        met_text_put(&out, least == 0 ? "divides by what may be " : "divides by what may be as small as ");
        met_text_double_digits(&out, least, 2);
    } else {
        met_text_put(&out, isfinite(largest) && largest > node->format->highest ? "may overflow" : "is steep without limit, or may overflow");
    }
    return met_text_done(&out);
}

static const char *why_open(met_session *session, const met_straight_program *program)
{
    met_text out = met_text_new(session->arena);
    for (size_t i = 0; i < program->arg_count; i++) {
        const met_straight_arg *arg = &program->args[i];
        if (isfinite(arg->range.lo) && isfinite(arg->range.hi))
            continue;
        met_text_put(&out, out.length ? ", `" : "no range is given for `");
        met_text_clean(&out, arg->name);
        met_text_char(&out, '`');
    }
    return out.length ? met_text_done(&out) : NULL;
}

static void set_arguments(met_session *session, const met_straight_program *program, const met_interval *worst, met_straight_answer *answer)
{
    met_straight_argument *arguments = MET_NEW_ARRAY(session->arena, met_straight_argument, program->arg_count);
    for (size_t i = 0; i < program->arg_count; i++) {
        const met_straight_arg *arg = &program->args[i];
        met_interval there = worst ? worst[i] : arg->range;
        arguments[i] = (met_straight_argument){ met_arena_text(session->arena, arg->name.at, arg->name.length), arg->range.lo,
                                                arg->range.hi, there.lo, there.hi };
    }
    answer->argument_count = program->arg_count;
    answer->arguments = arguments;
}

static bool uses_library(const met_straight_program *program)
{
    for (size_t i = 0; i <= program->result; i++)
        if (met_straight_ops[program->nodes.at[i].code].rounding == MET_ROUNDING_LIBRARY)
            return true;
    return false;
}

/* The bounds themselves; false if there is nowhere to look. */
static bool search(met_session *session, const met_straight_program *program, const met_straight_options *options,
                   met_straight_answer *answer)
{
    met_interval *range = MET_NEW_ARRAY(session->arena, met_interval, program->arg_count);
    met_straight_model model = { options->rounded_inputs, options->ulps > 0 ? options->ulps : 1 };
    uint64_t work = options->work ? options->work : usual_work;
    bool empty = false;
    for (size_t i = 0; i < program->arg_count; i++) {
        range[i] = program->args[i].range;
        empty = empty || range[i].lo > range[i].hi;
    }
    met_straight_found found = { .empty = true };
    if (!empty)
        found = met_straight_search(session->arena, program, &model, range, MET_STRAIGHT_ABSOLUTE, work);
    if (found.empty) {
        answer->why = "no arguments fulfil the conditions";
        return false;
    }
    *answer = (met_straight_answer){ .absolute = found.bound, .reached = found.reached, .relative = INFINITY, .lo = found.result.lo,
                                     .hi = found.result.hi, .always_defined = found.defined, .boxes = found.boxes };
    set_arguments(session, program, found.worst, answer);
    if (isfinite(found.bound)) {
        set_terms(session, program, found.values, answer);
        met_straight_found relative = met_straight_search(session->arena, program, &model, range, MET_STRAIGHT_RELATIVE, work / RELATIVE_PART);
        answer->relative = relative.bound;
        answer->boxes += relative.boxes;
    } else {
        answer->why = why_none(session, program, found.values);
    }
    return true;
}

static met_straight_answer answer_of(met_session *session, met_straight_program *program, const met_straight_options *options)
{
    met_straight_answer answer = { .absolute = INFINITY, .relative = INFINITY, .lo = -INFINITY, .hi = INFINITY };
    set_arguments(session, program, NULL, &answer);
    answer.why = why_open(session, program);
    if (!answer.why)
        search(session, program, options, &answer);
    met_text name = met_text_new(session->arena);
    met_text_clean(&name, program->name);
    answer.name = met_text_done(&name);
    answer.precision = program->format->name;
    answer.library = uses_library(program);
    answer.conditions = program->conditions.count;
    answer.ignored = program->ignored;
    return answer;
}

/* Puts the options' ranges in place of the program's; counts what was used. */
static void use_options(met_straight_program *program, const met_straight_options *options, size_t *used)
{
    for (size_t k = 0; k < options->range_count; k++) {
        for (size_t i = 0; i < program->arg_count; i++) {
            if (!met_str_is(program->args[i].name, options->ranges[k].name))
                continue;
            program->args[i].range = (met_interval){ options->ranges[k].lo, options->ranges[k].hi };
            used[k]++;
        }
    }
    if (!options->box_only)
        return;
    program->ignored += program->conditions.count;
    program->conditions.count = 0;
    for (size_t i = 0; i < program->nodes.count; i++)
        program->nodes.at[i].within = met_interval_whole();
}

const met_straight_answer *met_straight_bound(met_session *session, uint32_t source, const met_straight_options *options,
                                              size_t *ret_count)
{
    const met_fpcore_list *list = met_fpcore_read(session, source);
    size_t *used = MET_NEW_ARRAY(session->arena, size_t, options->range_count);
    if (!list)
        return NULL;
    met_straight_answer *answers = MET_NEW_ARRAY(session->arena, met_straight_answer, list->count);
    for (size_t i = 0; i < list->count; i++)
        use_options(list->programs[i], options, used);
    for (size_t k = 0; k < options->range_count; k++) {
        if (used[k])
            continue;
        met_diag_add(session, MET_DIAG_unknown_name, (met_span){ 0 }, "no program has an argument `%s`", options->ranges[k].name);
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++)
        answers[i] = answer_of(session, list->programs[i], options);
    *ret_count = list->count;
    return answers;
}
