/* Every fold of the kernels of every architecture at toy size, in every mode, by every planner, on every class that this machine
 * has, in f32, bf16 and f16: revealed through the kernel by itself and compared with its record. Minutes. */
#include <stdio.h>
#include <time.h>

#include "../unit/kernel_search.h"
#include "base/digest.h"
#include "base/map.h"
#include "host/model.h"
#include "host/subject_parts.h"
#include "../unit/on_compiler.h"

typedef struct tally { unsigned programs, folds, same, one, revealed, lost; } tally;

static tally total;

static void check_fold(const char *name, const met_program *program, met_execution *execution, uint32_t group, uint32_t step)
{
    const met_kernel *kernel = program->plan->groups[group];
    uint32_t node = kernel->steps[step].node.id;
    const met_tree *declared = declared_record(program, node);
    if (!declared)
        return;
    total.folds++;
    clock_t begin = clock();
    search *s = search_fold(session, program, execution, group, step, declared);
    if (s->n < 2) { total.one++; return; }
    if (s->found) total.revealed++; else total.lost++;
    met_text text = met_text_new(session->arena);
    met_tree_print_brief(&text, declared, MET_F32);
    if (!s->found || getenv("VERBOSE"))
    printf("%s group %u step %u of %u: %s %s n=%u live=%u %s: %s guesses %lu, %.2fs\n", name, group, step, kernel->step_count, program->plan->circuit->nodes[node].op->name,
           met_sym_text(session, program->plan->circuit->edges[program->plan->circuit->nodes[node].outs[0].id].name), (unsigned)s->n, (unsigned)s->live, met_text_done(&text),
           s->found ? "ok" : "LOST", s->guesses, (double)(clock() - begin) / CLOCKS_PER_SEC);
    if (s->found && s->guesses > 50) {
        printf("   kind %d answer %d a %s b %s largest %s one %s square %d scale %g turned %d fills", s->fold.kind, s->fold.answer,
          met_sym_text(session, program->plan->circuit->edges[s->fold.a.edge].name), s->fold.b.used ? met_sym_text(session, program->plan->circuit->edges[s->fold.b.edge].name) : "-",
          s->fold.largest.used ? met_sym_text(session, program->plan->circuit->edges[s->fold.largest.edge].name) : "-", s->fold.one.used ? met_sym_text(session, program->plan->circuit->edges[s->fold.one.edge].name) : "-", s->fold.square, s->fold.scale, (int)s->turned);
        for (uint32_t k = 0; k < s->in_count; k++) printf(" %s%s=%g", s->ins[k].counts ? "*" : "", met_sym_text(session, program->plan->circuit->edges[s->ins[k].value->edge.id].name), s->fills[s->ins[k].value->edge.id]);
        printf("\n");
    }
    if (!s->found && s->other) printf("   last %s\n", s->other);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    setup(NULL);
    static const char *const planners[] = { "none", "fused", "greedy" };
    static const char *const classes[] = { "cpu-avx512" };
    static const char *const dtypes[] = { "f32", "bf16" };
    met_map *known = met_map_new(session->arena);
    size_t name_count;
    const char *const *names = met_model_names(session, NULL, &name_count);
    for (size_t m = 0; m < name_count; m++) {
        if (argc > 1 && strcmp(argv[1], names[m])) continue;
        if (strchr(names[m], '-')) continue;
        met_model_request request = { .name = names[m], .toy = true };
        size_t mode_count;
        const char *const *modes = met_model_mode_names(session, &request, &mode_count);
        for (size_t k = 0; k < mode_count; k++)
        for (size_t d = getenv("BF") != NULL; d < (getenv("BF") ? 2 : 1); d++)
        for (size_t p = 0; p < 3; p++)
        for (size_t c = 0; c < 1; c++) {
            request.mode = modes[k];
            request.default_format = dtypes[d];
            const met_circuit *circuit = met_model_load(session, &request);
            met_eval_options options = { .dtype = dtypes[d] };
            const met_subject *subject = circuit ? met_subject_new(circuit, &options, 0, NULL) : NULL;
            met_way way = { .planner = planners[p], .hardware = classes[c], .mode = modes[k] };
            const met_program *program = subject ? met_subject_program(subject, &way, met_class_find(classes[c])) : NULL;
            char name[256];
            snprintf(name, sizeof name, "%s %s %s %s@%s", names[m], modes[k], dtypes[d], planners[p], classes[c]);
            if (!program) { printf("%s: no program %s\n", name, met_session_diagnostics_text(session)); continue; }
            unsigned fresh = 0;
            total.programs++;
            met_execution *execution = NULL;
            for (uint32_t l = 0; l < program->launch_count; l++) {
                const met_launch *launch = &program->launches[l];
                const met_program_source *source = &program->sources[launch->source];
                uint32_t seen;
                char key[200];
                snprintf(key, sizeof key, "%s %s", program->class->name, met_digest(session->arena, met_str_of(source->own)));
                if (launch->record_count == 0 || met_map_get(known, met_str_of(key), &seen)) continue;
                met_map_set(known, met_str_of(met_arena_text(session->arena, key, strlen(key))), 1);
                fresh++;
                if (argc > 2) continue;
                if (!execution) execution = met_execution_new(session, program, compiler, NULL);
                for (uint32_t s = 0; s < program->plan->groups[launch->group]->step_count; s++)
                    check_fold(name, program, execution, launch->group, s);
            }
            met_execution_free(execution);
            printf("%s: %u new of %u\n", name, fresh, program->source_count);
            fflush(stdout);
        }
    }
    printf("programs %u folds %u revealed %u one term %u lost %u\n", total.programs, total.folds, total.revealed, total.one, total.lost);
    return 0;
}
