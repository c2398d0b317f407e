/* Every fold of the kernels of every architecture at toy size: in every mode, by the planners none, fused and greedy, on every class
 * that this machine has, in f32, bf16 and f16. Each is revealed through its kernel by itself and compared with its record; kernels
 * of one text are one. Folds that no guess shows are printed: in large kernels, and behind stores of 16 bits, in which the last
 * place of a normalizer is not seen. usage: slow_reveal_kernels [MODEL…] */
#include <stdio.h>

#include "../unit/kernel_search.h"

#include "base/digest.h"
#include "base/map.h"
#include "host/model.h"
#include "host/subject_parts.h"

#include "../unit/on_compiler.h"

typedef struct tally {
    unsigned programs, kernels, revealed, single, narrow, unseen;
} tally;

typedef struct walk {
    met_map *known; /* texts, by class */
    tally total;
    char name[256]; /* of the program at hand */
} walk;

/* Whether something that the kernel makes is kept in fewer bits than f32 has. */
static bool is_narrow(const met_kernel *kernel)
{
    bool narrow = false;
    for (uint32_t v = 0; v < kernel->value_count; v++)
        narrow = narrow || edge_dtype(kernel->circuit, kernel->values[v].edge.id) == MET_BF16 ||
                 edge_dtype(kernel->circuit, kernel->values[v].edge.id) == MET_F16;
    return narrow;
}

static void check_fold(walk *w, const met_program *program, met_execution *execution, uint32_t group, uint32_t step)
{
    const met_kernel *kernel = program->plan->groups[group];
    uint32_t node = kernel->steps[step].node.id;
    const met_tree *declared = declared_record(program, node);
    if (!declared || is_scan(kernel->circuit, node)) /* see test_reveal_forms */
        return;
    const search *s = search_fold(session, program, execution, group, step, declared);
    w->total.single += s->n < 2;
    w->total.revealed += s->found;
    if (s->n < 2 || s->found)
        return;
    w->total.narrow += is_narrow(kernel);
    w->total.unseen += !is_narrow(kernel);
    printf("  %s, kernel %u of %u nodes: %s of %u terms is not seen%s%s\n", w->name, (unsigned)group, (unsigned)kernel->step_count,
           met_sym_text(session, kernel->circuit->edges[kernel->circuit->nodes[node].outs[0].id].name), (unsigned)s->n,
           is_narrow(kernel) ? ", behind 16 bits" : "", s->guesses > SEARCH_GUESSES ? ", guesses ended" : "");
}

static bool is_new(walk *w, const met_program *program, const met_launch *launch)
{
    uint32_t number;
    const char *text = program->sources[launch->source].own;
    met_text key = met_text_new(session->arena);
    met_text_format(&key, "%s %s", program->class->name, met_digest(session->arena, met_str_of(text)));
    met_str name = met_str_of(met_text_done(&key));
    if (launch->group == MET_NONE || met_map_get(w->known, name, &number))
        return false;
    met_map_set(w->known, name, 1);
    return true;
}

static void check_program(walk *w, const met_program *program)
{
    met_execution *execution = NULL;
    w->total.programs++;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        if (program->launches[l].record_count == 0 || !is_new(w, program, &program->launches[l]))
            continue;
        execution = execution ? execution : met_execution_new(session, program, compiler, NULL);
        if (!execution)
            fail_msg("%s: %s", w->name, met_session_diagnostics_text(session));
        w->total.kernels++;
        for (uint32_t s = 0; s < program->plan->groups[program->launches[l].group]->step_count; s++)
            check_fold(w, program, execution, program->launches[l].group, s);
    }
    met_execution_free(execution);
}

/* --- The product --- */

static void check_ways(walk *w, const met_model_request *request)
{
    static const char *const planners[] = { "none", "fused", "greedy" };
    const met_circuit *circuit = met_model_load(session, request);
    met_eval_options options = { .dtype = request->default_format };
    const met_subject *subject = circuit ? met_subject_new(circuit, &options, 0, NULL) : NULL;
    for (size_t c = 0; c < met_class_count; c++)
        for (size_t p = 0; p < 3 && met_cpu_can_run(session, met_class_table[c].name); p++) {
            met_way way = { .planner = planners[p], .hardware = met_class_table[c].name, .mode = request->mode };
            const met_program *program = subject ? met_subject_program(subject, &way, &met_class_table[c]) : NULL;
            snprintf(w->name, sizeof w->name, "%s %s %s %s@%s", request->name, request->mode, request->default_format, planners[p],
                     met_class_table[c].name);
            if (!program)
                fail_msg("%s: %s", w->name, met_session_diagnostics_text(session));
            check_program(w, program);
        }
}

static void check_model(walk *w, const char *name)
{
    static const char *const dtypes[] = { "f32", "bf16", "f16" };
    met_model_request request = { .name = name, .toy = true };
    size_t mode_count;
    const char *const *modes = met_model_mode_names(session, &request, &mode_count);
    for (size_t m = 0; m < mode_count; m++)
        for (size_t d = 0; d < 3; d++) {
            request.mode = modes[m];
            request.default_format = dtypes[d];
            check_ways(w, &request);
        }
    printf("%s: so far %u programs, %u kernels of different text; folds: %u revealed, %u of one term, %u behind 16 bits, %u not seen\n",
           name, w->total.programs, w->total.kernels, w->total.revealed, w->total.single, w->total.narrow, w->total.unseen);
    fflush(stdout);
}

static bool is_wanted(int argc, char **argv, const char *name)
{
    bool wanted = argc == 1 && !strchr(name, '-'); /* llama-3.1-8b is a llama */
    for (int i = 1; i < argc; i++)
        wanted = wanted || strcmp(argv[i], name) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    if (setup(NULL) != 0)
        return 1;
    walk w = { .known = met_map_new(session->arena) };
    size_t count;
    const char *const *names = met_model_names(session, NULL, &count);
    for (size_t m = 0; m < count; m++)
        if (is_wanted(argc, argv, names[m]))
            check_model(&w, names[m]);
    teardown(NULL);
    return w.total.revealed == 0;
}
