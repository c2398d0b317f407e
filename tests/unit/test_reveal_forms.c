/* Everything that the generator can make, by the list that it gives of itself (realize/form.h): of every form that folds, with each
 * value of its parameters and for each class that this machine has, the folds of a kernel are revealed and compared with their
 * records. A kernel whose own text, below the header of its class, is one that was revealed for another class is not run again. */
#include "form_samples.h"
#include "kernel_search.h"

#include <stdio.h>

#include "on_compiler.h"

/* Kernels of a form that are tried, smallest first. */
enum { TRIES = 3 };

typedef struct candidate {
    const char *name;
    const met_program *program;
    uint32_t launch;
} candidate;

typedef enum outcome { NOTHING, NO_FOLD, SAME_TEXT, REVEALED, HIDDEN } outcome;
static const char *const outcome_names[] = { "not reached", "no fold that rounds", "the same text", "revealed", "hidden" };

/* Forms of which no kernel shows its folds. */
static const struct {
    const char *value, *why;
} cannot[] = {
    { "activation=i32", "terms are whole numbers of 32 bits, of which none swallows all the others" },
};

static const char *why_hidden(const char *point)
{
    for (size_t k = 0; k < sizeof cannot / sizeof *cannot; k++)
        if (strstr(point, cannot[k].value))
            return cannot[k].why;
    return NULL;
}

/* Where the text is known already, one point in so many is run for another class all the same: the lanes are the class's own. */
enum { SAME_TEXT_STEP = 6 };
#ifdef __SANITIZE_ADDRESS__
enum { POINT_STEP = 4 };
#else
enum { POINT_STEP = 1 };
#endif

typedef struct forms {
    const met_class *class;
    uint32_t count;
    const met_form_point *points;
    candidate *candidates; /* TRIES a point */
    outcome *outcomes;
} forms;

/* What was revealed, by own text. */
typedef struct known_texts {
    MET_VEC(const char *) at;
} known_texts;

static uint32_t steps_of(const met_program *program, uint32_t launch)
{
    return program->plan->groups[program->launches[launch].group]->step_count;
}

static const char *own_text(const candidate *c)
{
    return c->program->sources[c->program->launches[c->launch].source].own;
}

static bool has_fold(const met_program *program, uint32_t launch)
{
    const met_launch *l = &program->launches[launch];
    const met_kernel *kernel = l->group == MET_NONE ? NULL : program->plan->groups[l->group];
    for (uint32_t s = 0; kernel && s < kernel->step_count; s++)
        if (declared_record(program, kernel->steps[s].node.id))
            return true;
    return false;
}

/* Few steps first, and what is kept in f32: behind a narrower store the last places of a sum may not show. */
static uint32_t effort(const candidate *c)
{
    const met_program *program = c->program;
    const met_kernel *kernel = program->plan->groups[program->launches[c->launch].group];
    uint32_t narrow = 0;
    for (uint32_t v = 0; v < kernel->value_count; v++)
        narrow += kernel->values[v].is_output && edge_dtype(kernel->circuit, kernel->values[v].edge.id) != MET_F32;
    return 100 * narrow + kernel->step_count;
}

static void insert(candidate *list, candidate c)
{
    for (size_t k = 0; k < TRIES; k++)
        if (list[k].program && strcmp(own_text(&list[k]), own_text(&c)) == 0)
            return;
    for (size_t k = 0; k < TRIES; k++) {
        candidate here = list[k];
        if (here.program && effort(&here) <= effort(&c))
            continue;
        list[k] = c;
        if (!here.program)
            return;
        c = here;
    }
}

static void collect(void *context, const char *name, const met_program *program)
{
    forms *f = context;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        uint32_t p = 0;
        while (!same_point(met_form_of(program, l), &f->points[p]))
            p++;
        if (has_fold(program, l))
            insert(f->candidates + p * TRIES, (candidate){ name, program, l });
        else if (f->outcomes[p] == NOTHING)
            f->outcomes[p] = NO_FOLD;
    }
}

static bool is_known(const known_texts *known, const char *text)
{
    for (size_t k = 0; k < known->at.count; k++)
        if (strcmp(known->at.at[k], text) == 0)
            return true;
    return false;
}

/* Whether every fold of the launch's kernel that has two terms or more is what it is declared to be. */
static bool reveal_kernel(const candidate *c)
{
    met_execution *execution = met_execution_new(session, c->program, compiler, NULL);
    if (!execution)
        fail_msg("%s\n%s", c->name, met_session_diagnostics_text(session));
    uint32_t group = c->program->launches[c->launch].group;
    bool good = true;
    for (uint32_t s = 0; s < steps_of(c->program, c->launch) && good; s++) {
        const met_tree *declared = declared_record(c->program, c->program->plan->groups[group]->steps[s].node.id);
        const search *found = declared ? search_fold(session, c->program, execution, group, s, declared) : NULL;
        good = !found || found->found;
        if (!good)
            print_message("%s, step %u: no input shows its fold%s%s\n", c->name, (unsigned)s, found->other ? "; another tree was " : "",
                          found->other ? found->other : "");
    }
    met_execution_free(execution);
    return good;
}

static void reveal_point(forms *f, uint32_t p, known_texts *known)
{
    for (size_t k = 0; k < TRIES && f->candidates[p * TRIES + k].program && f->outcomes[p] != REVEALED; k++) {
        const candidate *c = &f->candidates[p * TRIES + k];
        if (is_known(known, own_text(c)) && p % SAME_TEXT_STEP != 0) {
            f->outcomes[p] = SAME_TEXT;
            return;
        }
        f->outcomes[p] = reveal_kernel(c) ? REVEALED : HIDDEN;
        if (f->outcomes[p] == REVEALED)
            MET_PUSH(session->arena, &known->at, own_text(c));
    }
}

/* Recurrences and reads of tables are probed in ways that are written down. */
static bool is_written(const fold_circuit *c)
{
    return c->rows[0].node == SCAN || strstr(c->program, "expert");
}

static void reveal_rows(forms *f)
{
    static const met_dtype dtypes[] = { MET_F32, MET_BF16, MET_F16 };
    for (size_t i = 0; i < sizeof fold_circuits / sizeof *fold_circuits; i++)
        for (size_t d = 0; d < 3 && is_written(&fold_circuits[i]); d++) {
            fold_circuit c = fold_circuits[i];
            c.dtype = dtypes[d];
            const met_program *program = fold_program(session, &c, f->class->name, MET_PLANNER_NONE);
            met_execution *execution = met_execution_new(session, program, compiler, NULL);
            assert_non_null(execution);
            for (size_t k = 0; k < c.count; k++)
                check_row(session, &c, &c.rows[k], program, execution);
            met_execution_free(execution);
            for (uint32_t l = 0; l < program->launch_count; l++)
                for (uint32_t p = 0; p < f->count; p++)
                    if (same_point(met_form_of(program, l), &f->points[p]))
                        f->outcomes[p] = REVEALED;
        }
}

static void check_class(const met_class *class, known_texts *known)
{
    forms f = { .class = class };
    f.count = met_form_points(class, &f.points, session->arena);
    f.candidates = MET_NEW_ARRAY(session->arena, candidate, (size_t)f.count * TRIES);
    f.outcomes = MET_NEW_ARRAY(session->arena, outcome, f.count);
    each_sample(&(form_taker){ session, class, collect, &f });
    reveal_rows(&f);
    for (uint32_t p = 0; p < f.count; p += POINT_STEP) {
        const char *text = point_text(session, &f.points[p]), *why = why_hidden(text);
        reveal_point(&f, p, known);
        if (f.outcomes[p] == NOTHING || (f.outcomes[p] == HIDDEN && !why))
            fail_msg("%s: %s: %s", class->name, text, outcome_names[f.outcomes[p]]);
        print_message("%s: %s: %s%s%s\n", class->name, text, outcome_names[f.outcomes[p]], f.outcomes[p] == HIDDEN ? ": " : "",
                      f.outcomes[p] == HIDDEN ? why : "");
    }
}

static void every_form(void **state)
{
    (void)state;
    known_texts known = { { 0 } };
    const char *best = met_cpu_class(session, "cpu");
    check_class(met_class_find(best), &known);
    for (size_t c = 0; c < met_class_count; c++)
        if (strcmp(met_class_table[c].name, best) != 0 && met_cpu_can_run(session, met_class_table[c].name))
            check_class(&met_class_table[c], &known);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_form) };
    return cmocka_run_group_tests_name("reveal_forms", tests, setup, teardown);
}
