#include "host/kernel_bench.h"

#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "host/cpu.h"
#include "host/energy.h"
#include "host/kernel_key.h"
#include "host/plan_pair.h"
#include "host/subject_parts.h"
#include "lkb/lkb.h"
#include "plan/planner.h"
#include "plan/region.h"
#include "realize/form.h"

static const met_span nowhere;

/* Counters of energy are renewed about a thousand times a second: they are read over this long. */
#define ENERGY_SECONDS 0.2

typedef struct bencher {
    met_session *session;
    const met_subject *subject;
    const met_bench_options *options;
    met_clock clock;
    const met_program *program;
    const met_lowering *lowering; /* of planners of whole ops; NULL */
    met_execution *execution;
    const met_derivation *facts;
    met_energy *energy;
    met_map *known; /* by computes and kernel: its number */
    MET_VEC(met_bench_kernel) kernels;
    uint32_t first, count; /* launches of the present group */
} bencher;

/* --- Runs of a group --- */

static bool run_group(void *context)
{
    bencher *b = context;
    for (uint32_t l = 0; l < b->count; l++)
        if (!met_execution_launch(b->execution, b->first + l))
            return false;
    return true;
}

static bool flush_group(void *context)
{
    bencher *b = context;
    for (uint32_t l = 0; l < b->count; l++)
        if (!met_execution_flush(b->execution, b->first + l))
            return false;
    return true;
}

static met_sampler sampler_of(bencher *b, bool cold)
{
    enum { REPEATS = 31 };
    return (met_sampler){ .clock = &b->clock, .repeats = b->options->repeats ? b->options->repeats : REPEATS,
                          .budget_s = b->options->budget_s > 0 ? b->options->budget_s : 0.5,
                          .prepare = cold ? flush_group : NULL, .run = run_group, .context = b };
}

/* Joules of one run, over many. */
static bool measure_energy(bencher *b, met_bench_kernel *kernel)
{
    size_t runs = 0;
    double begin = b->clock.seconds(b->clock.context);
    if (met_energy_unavailable(b->energy))
        return true;
    met_energy_begin(b->energy);
    do {
        if (!run_group(b))
            return false;
        runs++;
    } while (b->clock.seconds(b->clock.context) - begin < ENERGY_SECONDS);
    double joules = met_energy_end(b->energy);
    if (joules > 0) {
        kernel->joules = joules / (double)runs;
        kernel->has_joules = true;
    }
    return true;
}

static bool measure(bencher *b, met_bench_kernel *kernel)
{
    met_sampler warm = sampler_of(b, false), cold = sampler_of(b, true);
    kernel->has_cold = flush_group(b);
    return run_group(b) && met_sample_take(&warm, &kernel->warm) && measure_energy(b, kernel) &&
           (!kernel->has_cold || met_sample_take(&cold, &kernel->cold));
}

/* --- What a group is --- */

static const char *nodes_of(bencher *b, const met_kernel *kernel)
{
    enum { SHOWN = 40 };
    met_text text = met_text_new(b->session->arena);
    for (uint32_t s = 0; s < kernel->step_count && s < SHOWN; s++)
        met_text_format(&text, "%s%s", s ? ", " : "", b->subject->circuit->nodes[kernel->steps[s].node.id].op->name);
    if (kernel->step_count > SHOWN)
        met_text_format(&text, " and %u more", (unsigned)(kernel->step_count - SHOWN));
    return met_text_done(&text);
}

/* Among the whole ops that a kernel's nodes come from, the one with this number, or the first later one; MET_NONE: no more. */
static uint32_t origin_from(const bencher *b, const met_kernel *kernel, uint32_t from)
{
    uint32_t least = MET_NONE;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        uint32_t origin = b->subject->settled->origin[kernel->steps[s].node.id];
        if (origin >= from && origin < least)
            least = origin;
    }
    return least;
}

static const char *name_of(bencher *b, const met_kernel *kernel)
{
    met_text text = met_text_new(b->session->arena);
    uint32_t n = origin_from(b, kernel, 0);
    if (b->lowering && n != MET_NONE) {
        const met_lowering_group *group = &b->lowering->groups[b->lowering->group_of[n]];
        for (uint32_t k = 0; k < group->kernels.count; k++)
            met_text_format(&text, "%s%s", k ? "," : "", group->kernels.names[k]);
        return met_text_done(&text);
    }
    for (; n != MET_NONE; n = origin_from(b, kernel, n + 1))
        met_text_format(&text, "%s%s", text.length ? " " : "", b->subject->settled->written->nodes[n].op->name);
    return met_text_done(&text);
}

static const char *sizes_of(bencher *b, const met_kernel *kernel)
{
    met_text text = met_text_new(b->session->arena);
    for (uint32_t l = 0; l < kernel->loop_count; l++) {
        uint64_t size;
        if (!met_circuit_size(b->subject->circuit, kernel->loops[l].axis, &size))
            continue;
        met_text_format(&text, "%s%s=%llu", text.length ? " " : "", met_sym_text(b->session, kernel->loops[l].name),
                        (unsigned long long)size);
    }
    return met_text_done(&text);
}

static bool has_core(const bencher *b, const met_kernel *kernel, const met_family *family)
{
    for (uint32_t s = 0; s < kernel->step_count && family->core.count > 0; s++) {
        uint32_t origin = b->subject->settled->origin[kernel->steps[s].node.id];
        if (met_name_list_has(&family->core, b->subject->settled->written->nodes[origin].op->name))
            return true;
    }
    return family->core.count == 0;
}

/* The first family of the class that the generator's form is of and whose core op the kernel has; its point as the form says it. */
static void name_family(bencher *b, const met_kernel *kernel, met_bench_kernel *entry)
{
    const met_form_point *form = met_form_of(b->program, b->first);
    const met_hardware *hardware = b->options->hardware;
    met_text point = met_text_new(b->session->arena);
    for (uint32_t p = 0; form && p < form->param_count; p++)
        met_text_format(&point, "%s%s=%s", p ? " " : "", form->params[p], form->values[p]);
    entry->name = form ? form->form : "";
    entry->point = met_text_done(&point);
    for (uint32_t f = 0; form && hardware && f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        if (!family->form || strcmp(family->form, form->form) != 0 || !has_core(b, kernel, family))
            continue;
        entry->family = family->id;
        return;
    }
}

static void describe(bencher *b, const met_kernel *kernel, met_bench_kernel *entry)
{
    met_arena *arena = b->session->arena;
    const char **keys = MET_NEW_ARRAY(arena, const char *, b->count);
    for (uint32_t l = 0; l < b->count; l++)
        keys[l] = met_execution_kernel_key(b->execution, b->program->launches[b->first + l].source);
    *entry = (met_bench_kernel){ .of = name_of(b, kernel), .nodes = nodes_of(b, kernel), .sizes = sizes_of(b, kernel), .family = "", .name = "", .point = "",
                                 .computes = met_kernel_computes(arena, b->facts, kernel),
                                 .kernel = met_kernel_code(arena, b->count, keys), .launches = b->count, .count = 1 };
    name_family(b, kernel, entry);
}

/* One that was measured before runs once, for those after it. */
static bool bench_group(bencher *b, uint32_t group)
{
    met_bench_kernel entry;
    uint32_t number;
    b->count = met_group_launches(b->program, group, &b->first);
    if (b->count == 0)
        return true;
    describe(b, b->program->plan->groups[group], &entry);
    met_text key = met_text_new(b->session->arena);
    met_text_format(&key, "%s%s", entry.computes, entry.kernel);
    met_str name = met_str_of(met_text_done(&key));
    if (met_map_get(b->known, name, &number)) {
        b->kernels.at[number].count++;
        return run_group(b);
    }
    met_map_set(b->known, name, (uint32_t)b->kernels.count);
    if (!measure(b, &entry))
        return false;
    MET_PUSH(b->session->arena, &b->kernels, entry);
    return true;
}

static bool bench_all(bencher *b)
{
    if (!met_subject_fill(b->subject, b->execution) || !met_execution_run(b->execution))
        return false;
    for (uint32_t g = 0; g < b->program->plan->group_count; g++)
        if (!bench_group(b, g))
            return false;
    return true;
}

/* --- The whole --- */

/* New tokens times sequences: the sizes that circuits call n and b. */
static uint64_t rows_of(const met_circuit *circuit)
{
    uint64_t rows = 1;
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        uint64_t size;
        const met_symbol *symbol = &circuit->symbols[s];
        const char *label = met_sym_text(circuit->session, symbol->label);
        bool counts = strcmp(label, "n") == 0 || strcmp(label, "b") == 0;
        if (counts && symbol->value && met_dim_is_constant(symbol->value, &size) && size <= INT64_MAX / rows)
            rows *= size;
    }
    return rows;
}

static const met_bench *result_of(bencher *b, const char *hardware)
{
    met_bench *bench = MET_NEW(b->session->arena, met_bench);
    met_text name = met_text_new(b->session->arena);
    met_text_format(&name, "%s@%s", b->options->way.planner, hardware);
    *bench = (met_bench){ .name = met_text_done(&name), .class_name = b->program->class->name,
                          .threads = b->options->way.threads ? b->options->way.threads : 1, .pinned = b->options->way.pinned,
                          .rows = rows_of(b->subject->circuit), .kernel_count = b->kernels.count, .kernels = b->kernels.at,
                          .no_energy = met_energy_unavailable(b->energy) };
    for (size_t k = 0; k < b->kernels.count; k++) {
        bench->warm_s += b->kernels.at[k].warm.median * b->kernels.at[k].count;
        bench->cold_s += b->kernels.at[k].cold.median * b->kernels.at[k].count;
    }
    return bench;
}

static const met_bench *run_bench(bencher *b, met_compiler *compiler, const char *hardware)
{
    const met_way *way = &b->options->way;
    met_execute_options options = { .threads = way->threads, .pinned = way->pinned };
    b->execution = met_execution_new(b->session, b->program, compiler, &options);
    bool good = b->execution && bench_all(b);
    met_execution_free(b->execution);
    if (good && b->kernels.count == 0) {
        met_diag_add(b->session, MET_DIAG_run, nowhere, "the circuit computes nothing that a kernel could do");
        good = false;
    }
    return good ? result_of(b, hardware) : NULL;
}

/* Every op of the circuit as written by itself: one kernel, or as few as it takes. */
static const met_program *program_of_ops(const met_subject *subject, const met_way *way, const met_class *class)
{
    const met_settled *settled = subject->settled;
    met_arena *arena = subject->session->arena;
    const met_derivation *facts = met_derivation_new(settled->circuit);
    met_realize_request accepts = { class, &subject->point };
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &accepts };
    met_kernel_list list = { { 0 } };
    for (uint32_t n = 0; n < settled->written->node_count; n++) {
        met_refusal refusal;
        if (!met_region_kernels(facts, &options, arena, settled->begin[n + 1] - settled->begin[n],
                                settled->nodes + settled->begin[n], &list, &refusal)) {
            met_plan_report(facts->circuit, &refusal);
            return NULL;
        }
    }
    const met_plan *plan = met_plan_of_groups(facts, &subject->point, MET_PLANNER_LOWERED, (uint32_t)list.at.count, list.at.at);
    return met_realize(plan, class, &(met_realize_options){ .threads = way->threads, .tiles = way->tiles });
}

static const met_program *program_of(const met_subject *subject, const met_way *way, const char *class_name, const met_lowering *lowering)
{
    const met_class *class = met_class_find(class_name);
    return strcmp(way->planner, "ops") == 0 ? program_of_ops(subject, way, class) : met_subject_program_of(subject, way, class, lowering);
}

const met_bench *met_kernel_bench(const met_subject *subject, const met_bench_options *options)
{
    met_session *session = subject->session;
    const char *hardware = met_cpu_class(session, options->way.hardware);
    bool lowers = met_way_lowers(&options->way);
    const met_lowering *lowering = hardware && lowers ? met_subject_lowering(subject, &options->way) : NULL;
    const met_program *program = hardware && (lowering || !lowers) ? program_of(subject, &options->way, hardware, lowering) : NULL;
    met_compiler *compiler = program ? met_compiler_new(session, &(met_compiler_options){ .cache = options->way.cache }) : NULL;
    if (!compiler)
        return NULL;
    bencher b = { .session = session, .subject = subject, .options = options, .program = program, .lowering = lowering,
                  .clock = options->clock.seconds ? options->clock : met_clock_real(),
                  .facts = met_derivation_new(subject->circuit), .energy = met_energy_new(session),
                  .known = met_map_new(session->arena) };
    const met_bench *bench = run_bench(&b, compiler, hardware);
    met_compiler_free(compiler);
    return bench;
}

/* --- Rows --- */

static met_evidence_row row_of(const met_bench *bench, const met_bench_kernel *kernel, met_caches caches)
{
    const met_sample *sample = caches == MET_CACHES_COLD ? &kernel->cold : &kernel->warm;
    bool joules = caches == MET_CACHES_WARM && kernel->has_joules;
    return (met_evidence_row){
        .key = { .computes = kernel->computes, .class_name = bench->class_name, .threads = bench->threads, .caches = caches,
                 .kernel = kernel->kernel },
        .family = kernel->family, .name = kernel->name, .point = kernel->point, .nodes = kernel->nodes, .sizes = kernel->sizes,
        .rows = bench->rows, .launches = kernel->launches, .repeats = (uint32_t)sample->repeats, .min_s = sample->min,
        .median_s = sample->median, .spread = sample->spread,
        .has_joules = joules, .joules = joules ? kernel->joules : 0,
    };
}

const met_evidence_row *met_bench_rows(met_session *session, const met_bench *bench, const char *device, const char *blueprint,
                                       int64_t measured_at, size_t *ret_count)
{
    met_evidence_row *rows = MET_NEW_ARRAY(session->arena, met_evidence_row, 2 * bench->kernel_count);
    size_t count = 0;
    for (size_t k = 0; k < bench->kernel_count; k++)
        for (int cold = 0; cold < 1 + bench->kernels[k].has_cold; cold++)
            rows[count++] = row_of(bench, &bench->kernels[k], cold ? MET_CACHES_COLD : MET_CACHES_WARM);
    for (size_t r = 0; r < count; r++) {
        rows[r].key.device = device;
        rows[r].key.blueprint = blueprint;
        rows[r].measured_at = measured_at;
    }
    *ret_count = count;
    return rows;
}
