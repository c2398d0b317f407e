#include "host/probe.h"

#include <string.h>

#include "base/diag.h"
#include "host/cpu.h"
#include "host/energy.h"
#include "host/probe_kernels.h"

static const met_span nowhere;

/* What a sample moves through a cache for each core, and how often it goes through multiply-adds: long enough for the clock,
 * short enough for some samples to be undisturbed on a machine that does other things too. */
#define SAMPLE_BYTES ((uint64_t)16 << 20)
#define QUICK_BYTES ((uint64_t)4 << 20)
enum { SAMPLE_TIMES = 200, QUICK_TIMES = 100, SAMPLE_REPEATS = MET_SAMPLES, QUICK_REPEATS = 7 };
#define MEMORY_SET ((uint64_t)1 << 30)
#define QUICK_SET ((uint64_t)128 << 20)

enum { LINE = 64 };

typedef struct member_state {
    _Alignas(LINE) float sink;
    bool underflow; /* as a launch has it: host/execute.c */
    const char *fault;
} member_state;

typedef struct prober {
    met_session *session;
    const met_class *class;
    const met_probe_options *options;
    met_clock clock;
    met_probe_fn kernels[MET_PROBE_KERNELS];
    met_team *teams[2]; /* of all cores, of one */
    member_state *members;
    char *memory; /* what the cores go through, one after the other's */
    size_t memory_bytes;
    /* the present job */
    met_team *team;
    met_probe_fn kernel;
    uint64_t part; /* bytes of each core */
    uint64_t times;
} prober;

/* --- One figure --- */

static void work(void *context, uint32_t member)
{
    prober *p = context;
    member_state *self = &p->members[member];
    met_underflow_clear();
    p->kernel(p->memory + member * p->part, (int64_t)p->part, (int64_t)p->times, &self->sink);
    self->underflow = met_underflow_raised();
    self->fault = met_float_fault();
}

static bool run_job(void *context)
{
    prober *p = context;
    met_team_run(p->team, work, p);
    return true;
}

/* Seconds of a job, or how much it does in a second. */
static met_figure measure(prober *p, double amount)
{
    met_sampler sampler = { .clock = &p->clock, .repeats = p->options->quick ? QUICK_REPEATS : SAMPLE_REPEATS,
                            .budget_s = p->options->quick ? 0.05 : 0.5, .run = run_job, .context = p };
    met_sample sample;
    if (!met_sample_take(&sampler, &sample) || sample.min <= 0)
        return (met_figure){ .missing = "the clock did not move" };
    bool rate = amount > 0;
    return (met_figure){ NULL, rate ? amount / sample.min : sample.median, rate ? amount / sample.median : sample.median,
                         sample.spread, sample.repeats };
}

/* --- Kinds of figures --- */

static uint32_t cores_of(const prober *p, int which)
{
    return met_team_count(p->teams[which]);
}

/* Every core goes through a part of its own of the set, so often that a sample is long enough. */
static met_figure_pair bandwidth(prober *p, met_probe_kernel kernel, uint64_t part)
{
    uint64_t wanted = p->options->quick ? QUICK_BYTES : SAMPLE_BYTES;
    met_figure figures[2];
    p->kernel = p->kernels[kernel];
    p->part = part;
    p->times = part < wanted ? wanted / part : 1;
    for (int which = 0; which < 2; which++) {
        p->team = p->teams[which];
        figures[which] = measure(p, (double)part * (double)p->times * cores_of(p, which));
    }
    return (met_figure_pair){ figures[0], figures[1] };
}

static met_figure_pair flops(prober *p, met_probe_kernel kernel)
{
    met_figure figures[2];
    p->kernel = p->kernels[kernel];
    p->part = 0;
    p->times = p->options->quick ? QUICK_TIMES : SAMPLE_TIMES;
    for (int which = 0; which < 2; which++) {
        p->team = p->teams[which];
        figures[which] = measure(p, met_probe_flops(p->class, kernel) * (double)p->times * cores_of(p, which));
    }
    return (met_figure_pair){ figures[0], figures[1] };
}

static met_figure_pair launches(prober *p)
{
    met_figure figures[2];
    p->kernel = p->kernels[MET_PROBE_NOTHING];
    p->part = p->times = 0;
    for (int which = 0; which < 2; which++) {
        p->team = p->teams[which];
        figures[which] = measure(p, 0);
    }
    return (met_figure_pair){ figures[0], figures[1] };
}

static met_figure_pair dots(prober *p)
{
    static const char none[] = "the class has no instruction for it: bf16 runs as f32";
    if (strstr(met_cpu_flags(p->session, p->class->name), "avx512bf16"))
        return flops(p, MET_PROBE_DOT);
    return (met_figure_pair){ { .missing = none }, { .missing = none } };
}

/* --- Levels --- */

static const char *level_name(met_session *session, uint32_t level)
{
    met_text name = met_text_new(session->arena);
    met_text_format(&name, "l%u", level);
    return met_text_done(&name);
}

/* Half of a cache, so that what else it holds does not push out what is measured; of one that cores share, a part each. */
static uint64_t part_of_cache(uint64_t bytes, uint32_t shared_by)
{
    uint64_t part = bytes / 2 / shared_by / MET_PROBE_GRAIN * MET_PROBE_GRAIN;
    return part ? part : MET_PROBE_GRAIN;
}

/* Four times the largest cache, as far as half of the free memory goes. */
static uint64_t memory_set(const prober *p, uint64_t largest)
{
    uint64_t least = p->options->memory_set_bytes ? p->options->memory_set_bytes : p->options->quick ? QUICK_SET : MEMORY_SET;
    uint64_t set = largest > least / 4 ? 4 * largest : least, most = met_memory_free() / 2;
    if (p->options->quick && set > MEMORY_SET)
        set = MEMORY_SET;
    return set > most ? most : set;
}

static void plan_levels(const prober *p, met_probe *probe)
{
    met_cache_level caches[MET_CACHE_LEVELS];
    uint32_t count = met_cache_levels(caches), cores = cores_of(p, 0);
    met_probe_level *levels = MET_NEW_ARRAY(p->session->arena, met_probe_level, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shared = caches[i].shared_by < cores ? caches[i].shared_by : cores;
        levels[i] = (met_probe_level){ .name = level_name(p->session, caches[i].level), .capacity_bytes = caches[i].bytes,
                                       .shared_by = shared,
                                       .set_bytes = part_of_cache(caches[i].bytes, shared) * cores };
    }
    uint64_t largest = count ? caches[count - 1].bytes : 0, part = memory_set(p, largest) / cores / MET_PROBE_GRAIN;
    levels[count] = (met_probe_level){ .name = "dram", .capacity_bytes = probe->memory_bytes, .shared_by = cores,
                                       .set_bytes = (part ? part : 1) * MET_PROBE_GRAIN * cores };
    levels[count].partly_cached = levels[count].set_bytes < 2 * largest;
    probe->level_count = count + 1;
    probe->levels = levels;
}

/* Writing comes first: memory that nobody wrote is one page of zeros, which a cache holds. */
static void measure_levels(prober *p, met_probe *probe)
{
    met_probe_level *levels = MET_NEW_ARRAY(p->session->arena, met_probe_level, probe->level_count);
    memcpy(levels, probe->levels, probe->level_count * sizeof *levels);
    for (uint32_t i = probe->level_count; i-- > 0;) {
        uint64_t part = levels[i].set_bytes / cores_of(p, 0);
        levels[i].write = bandwidth(p, MET_PROBE_WRITE, part);
        levels[i].read = bandwidth(p, MET_PROBE_READ, part);
    }
    probe->levels = levels;
}

/* --- All of it --- */

/* The next word of a processor's name in lower case: letters and digits. What is in brackets, "(R)", is no word. */
static bool next_word(const char **at, met_text *word)
{
    word->length = 0;
    for (; **at; ++*at) {
        char c = **at >= 'A' && **at <= 'Z' ? (char)(**at - 'A' + 'a') : **at;
        bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (c == '(')
            while ((*at)[1] && **at != ')')
                ++*at;
        if (part)
            met_text_char(word, c);
        else if (word->length)
            break;
    }
    return word->length > 0;
}

/* "intel-xeon-gold-6226r-x8-avx512": what stands behind an "@" is a frequency, and every one is a processor. */
const char *met_probe_id(met_session *session, const char *class_name)
{
    enum { ROOM = 22 };
    met_text id = met_text_new(session->arena), word = met_text_new(session->arena);
    char *name = met_arena_text(session->arena, met_processor_name(session), strlen(met_processor_name(session)));
    name[strcspn(name, "@")] = 0;
    for (const char *at = name; next_word(&at, &word);) {
        if (strcmp(word.at, "processor") == 0 || strcmp(word.at, "cpu") == 0)
            continue;
        if (id.length + word.length + 1 > ROOM)
            break;
        met_text_format(&id, "%s%s", id.length ? "-" : "", word.at);
    }
    const char *class_word = strncmp(class_name, "cpu-", 4) == 0 ? class_name + 4 : class_name;
    met_text_format(&id, "%sx%u-%s", id.length ? "-" : "cpu-", (unsigned)met_cpu_count(), class_word);
    return met_text_done(&id);
}

static bool make_memory(prober *p, const met_probe *probe)
{
    for (uint32_t i = 0; i < probe->level_count; i++)
        if (probe->levels[i].set_bytes > p->memory_bytes)
            p->memory_bytes = (size_t)probe->levels[i].set_bytes;
    p->memory = met_pages_new(p->memory_bytes);
    if (!p->memory)
        met_diag_add(p->session, MET_DIAG_run, nowhere, "there are no %llu MiB of memory to measure with",
                     (unsigned long long)(p->memory_bytes >> 20));
    return p->memory != NULL;
}

static bool prepare(prober *p, met_compiler *compiler)
{
    uint32_t cores = met_cpu_count();
    /* the arena aligns for any type of C, which a cache line is beyond */
    char *lines = met_arena_alloc(p->session->arena, (size_t)cores + 1, sizeof(member_state));
    p->members = (member_state *)(void *)(lines + (LINE - (uintptr_t)lines % LINE) % LINE);
    if (!compiler || !met_probe_kernels(p->session, compiler, p->class, p->kernels))
        return false;
    p->teams[0] = met_team_new(p->session, cores, true);
    p->teams[1] = p->teams[0] ? met_team_new(p->session, 1, false) : NULL;
    return p->teams[1] != NULL;
}

static void describe(const prober *p, const char *id, met_probe *probe)
{
    *probe = (met_probe){ .id = id, .class_name = p->class->name, .processor = met_processor_name(p->session), .cores = cores_of(p, 0),
                          .memory_bytes = met_memory_bytes(),
                          .no_energy = met_energy_unavailable(met_energy_new(p->session)) };
    plan_levels(p, probe);
}

static void measure_all(prober *p, met_probe *probe)
{
    measure_levels(p, probe);
    probe->fma_f32 = flops(p, MET_PROBE_FMA);
    probe->dot_bf16 = dots(p);
    probe->launch = launches(p);
}

const met_probe *met_probe_run(met_session *session, const met_probe_options *options)
{
    const char *name = met_cpu_class(session, options->class_name ? options->class_name : "cpu");
    if (!name)
        return NULL;
    prober p = { .session = session, .class = met_class_find(name), .options = options,
                 .clock = options->clock.seconds ? options->clock : met_clock_real() };
    met_compiler *compiler = met_compiler_new(session, &(met_compiler_options){ .cache = options->cache });
    met_probe *probe = MET_NEW(session->arena, met_probe);
    /* before a team pins this thread to one core of those that the id counts */
    const char *id = options->id ? options->id : met_probe_id(session, name);
    bool good = prepare(&p, compiler);
    if (good)
        describe(&p, id, probe);
    good = good && make_memory(&p, probe);
    if (good)
        measure_all(&p, probe);
    met_team_free(p.teams[1]);
    met_team_free(p.teams[0]);
    met_pages_free(p.memory, p.memory_bytes);
    met_compiler_free(compiler);
    return good ? probe : NULL;
}
