/* The matrix of plans: models × devices × modes. A plan is made once for a class, since greedy plans know no prices, and priced
 * on each of its devices. Every model has a session of its own, so that memory is that of one model. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/file.h"
#include "host/model.h"
#include "host/planning.h"
#include "plan/fit.h"
#include "plan/lowering.h"
#include "realize/lower_target.h"

enum { CONTEXT = 4096 };

typedef struct matrix_mode {
    const char *mode;
    uint64_t rows;
    bool caches; /* after CONTEXT tokens */
} matrix_mode;

static const matrix_mode modes[] = {
    { "decode", 1, true },      { "multi_seq", 16, true }, { "multi_seq", 128, true }, { "verify", 8, true },
    { "prefill", 4096, false }, { "prefill", 32768, false }, { "encode", 512, false },
};

/* Plans whose whole text is kept. */
static const struct {
    const char *model, *class_id;
    matrix_mode mode;
} kept[] = {
    { "llama-3.1-8b", "hopper", { "decode", 1, true } },
    { "qwen3-8b", "b200", { "prefill", 4096, false } },
    { "bert-base", "cpu-avx512", { "encode", 512, false } },
    { "mixtral-8x7b", "hopper", { "multi_seq", 16, true } },
};

typedef struct matrix {
    met_session *session; /* of the result */
    const met_planning *planning;
    const met_lkb *lkb;
    met_text table;
    MET_VEC(met_file_text) files;
    const char *folder;
} matrix;

/* One model in one mode. */
typedef struct subject {
    matrix *matrix;
    met_session *session;
    const char *model;
    const matrix_mode *mode;
    const met_circuit *circuit;
    const met_workload *workload;
    met_memory memory;
    met_lower_target *target; /* of the classes that are realized, which settle a circuit alike */
} subject;

/* --- Models --- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t met_planning_models(met_session *session, const char *kernels, const char **names)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/models", kernels);
    DIR *directory = opendir(met_text_done(&path));
    uint32_t count = 0;
    for (struct dirent *entry; directory && count < MET_PLANNING_MODELS && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            names[count++] = met_arena_text(session->arena, entry->d_name, strlen(entry->d_name));
    if (directory)
        closedir(directory);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

static bool has_mode(const subject *s, const char *mode)
{
    size_t count;
    met_model_request request = { .name = s->model, .kernels = s->matrix->planning->kernels };
    const char *const *names = met_model_mode_names(s->session, &request, &count);
    for (size_t i = 0; names && i < count; i++)
        if (strcmp(names[i], mode) == 0)
            return true;
    return false;
}

static const met_circuit *load(const subject *s, const matrix_mode *mode)
{
    met_model_request model = { .name = s->model, .kernels = s->matrix->planning->kernels, .mode = mode->mode };
    met_plan_request request = { .mode = mode->mode, .rows = mode->rows, .context = mode->caches ? CONTEXT : 0 };
    met_circuit *circuit = met_model_load(s->session, &model);
    if (circuit && strcmp(mode->mode, "encode") == 0)
        circuit = met_circuit_bind(circuit, "b=1");
    return circuit ? met_plan_bind(circuit, &request) : NULL;
}

/* --- Rows of the table --- */

/* 4 digits, or all of a large whole number. */
static void put_figure(met_text *out, double figure)
{
    if (figure >= 1000)
        met_text_double(out, nearbyint(figure));
    else
        met_text_double_digits(out, figure, 4);
}

static uint32_t count_open(const met_lowering *lowering)
{
    uint32_t open = 0;
    for (uint32_t g = 0; g < lowering->group_count; g++)
        open += lowering->groups[g].source == MET_GROUP_PLACEHOLDER;
    return open;
}

/* Devices that a file of the repository states: those of this machine's user are none of the matrix's business. */
static bool is_public(const met_lkb *lkb, const met_device *device)
{
    met_str name = met_session_source(lkb->session, device->span.source)->name, end = met_str_of("DEVICES.toml");
    return name.length >= end.length && met_str_equal((met_str){ name.at + name.length - end.length, end.length }, end);
}

/* A plan, and what is the same of it on all devices. */
typedef struct planned {
    const met_lowering *lowering;
    const char *digest;
    double activations;
} planned;

static void put_row(const subject *s, const planned *p, const met_device *device, const met_price *price)
{
    met_text *out = &s->matrix->table;
    double sequences = strcmp(s->mode->mode, "multi_seq") == 0 ? (double)s->mode->rows : 1;
    double tokens = (s->mode->caches ? CONTEXT : 0) + (double)(sequences > 1 ? 1 : s->mode->rows);
    met_fit fit = met_fit_of(&s->memory, (double)device->memory_bytes, device->usable, sequences, tokens,
                             p->activations);
    met_text_format(out, "| %s | %s | %llu | ", device->id, s->mode->mode, (unsigned long long)s->mode->rows);
    put_figure(out, price->seconds * 1e3);
    met_text_put(out, " | ");
    put_figure(out, (double)s->mode->rows / price->seconds);
    met_text_put(out, " | ");
    put_figure(out, fit.needed / 1e9);
    met_text_format(out, " | %s | %u | %u | %.12s |\n", fit.fits ? "yes" : "no", p->lowering->group_count, count_open(p->lowering), p->digest);
}

static void keep_text(const subject *s, const met_lowering *lowering)
{
    matrix *m = s->matrix;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        if (strcmp(kept[k].model, s->model) != 0 || strcmp(kept[k].class_id, lowering->hardware->id) != 0 ||
            strcmp(kept[k].mode.mode, s->mode->mode) != 0 || kept[k].mode.rows != s->mode->rows)
            continue;
        met_text path = met_text_new(m->session->arena), text = met_text_new(m->session->arena);
        met_text_format(&path, "%s/%s.%s-%llu.%s.txt", m->folder, s->model, s->mode->mode, (unsigned long long)s->mode->rows, lowering->hardware->id);
        met_lowering_print(&text, lowering);
        MET_PUSH(m->session->arena, &m->files, ((met_file_text){ met_text_done(&path), met_text_done(&text), text.length }));
    }
}

static bool plan_class(subject *s, const met_hardware *hardware)
{
    met_pricing pricings[64];
    uint32_t count = 0;
    const met_lkb *lkb = s->matrix->lkb;
    for (uint32_t d = 0; d < lkb->device_count && count < 64; d++)
        if (strcmp(lkb->devices[d].class_id, hardware->id) == 0 && is_public(lkb, &lkb->devices[d]))
            pricings[count++] = (met_pricing){ .workload = s->workload, .device = &lkb->devices[d],
                                               .no_fp4_unit = !met_name_list_has(&hardware->capabilities, "fp4_unit") };
    if (count == 0)
        return true;
    met_lower_options options = { .lkb = lkb, .hardware = hardware, .pricing = &pricings[0], .mode = s->mode->mode, .rows = s->mode->rows,
                                  .partial = true };
    if (hardware->class_name && !s->target)
        s->target = met_lower_target_new(s->circuit, hardware, NULL, met_hardware_setting(hardware, "dot"));
    if (hardware->class_name && s->target) {
        options.record = met_settled_record;
        options.record_context = s->target->judge;
    }
    const met_lowering *lowering = !hardware->class_name || s->target ? met_lower(s->circuit, MET_LOWER_GREEDY, &options) : NULL;
    if (!lowering)
        return false;
    met_price prices[64];
    met_lowering_prices(lowering, count, pricings, prices);
    planned p = { lowering, met_lowering_digest(lowering), met_fit_activations(lowering, s->workload) };
    for (uint32_t d = 0; d < count; d++)
        put_row(s, &p, pricings[d].device, &prices[d]);
    keep_text(s, lowering);
    return true;
}

static bool plan_mode(subject *s, const matrix_mode *mode, met_memory *memory)
{
    s->mode = mode;
    s->target = NULL;
    if (!has_mode(s, mode->mode))
        return true;
    s->circuit = load(s, mode);
    s->workload = s->circuit ? met_workload_new(s->circuit) : NULL;
    if (!s->workload)
        return false;
    /* what stays in memory is told by one sequence with its caches: the first mode, where there is one */
    if (mode == &modes[0] || !has_mode(s, modes[0].mode))
        *memory = met_memory_of(s->workload, 1);
    s->memory = *memory;
    for (uint32_t h = 0; h < s->matrix->lkb->hardware_count; h++)
        if (!plan_class(s, &s->matrix->lkb->hardware[h]))
            return false;
    return true;
}

/* Reads a model in every mode that it has. */
static bool read_model(const matrix *m, met_session *session, const char *model)
{
    subject s = { .matrix = (matrix *)(uintptr_t)m, .session = session, .model = model };
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        bool again = k > 0 && strcmp(modes[k].mode, modes[k - 1].mode) == 0;
        if (!again && has_mode(&s, modes[k].mode) && !load(&s, &modes[k]))
            return false;
    }
    return met_session_error_count(session) == 0;
}

/* What is wrong with a model is said before the long work, not within it; and where it stands: diagnostics of a session of its
 * own would go with that, so it is read once more. */
static bool check_model(const matrix *m, const char *model)
{
    met_session *session = met_session_new();
    bool good = read_model(m, session, model);
    met_session_free(session);
    return good || (read_model(m, m->session, model) && false);
}

static bool plan_model(matrix *m, const char *model)
{
    bool good = true;
    met_memory memory = { 0 };
    met_text_format(&m->table, "\n## %s\n\n| device | mode | rows | ms | tokens/s | GB | fits | groups | novel | digest |\n"
                    "|---|---|---:|---:|---:|---:|---|---:|---:|---|\n", model);
    for (size_t k = 0; k < sizeof modes / sizeof *modes && good; k++) {
        met_session *session = met_session_new();
        subject s = { .matrix = m, .session = session, .model = model };
        good = plan_mode(&s, &modes[k], &memory);
        if (!good) { /* its diagnostics go with its session: once more where they stay */
            met_diag_add(m->session, MET_DIAG_plan, (met_span){ 0 }, "%s cannot be planned in mode %s", model, modes[k].mode);
            s = (subject){ .matrix = m, .session = m->session, .model = model };
            (void)plan_mode(&s, &modes[k], &memory);
        }
        met_session_free(session);
    }
    return good;
}

/* --- Files --- */

static const char *stale_ones(const matrix *m)
{
    met_text out = met_text_new(m->session->arena);
    for (size_t f = 0; f < m->files.count; f++) {
        const char *bytes;
        size_t length;
        bool same = met_file_exists(m->files.at[f].path) &&
                    met_file_read(m->session, m->files.at[f].path, SIZE_MAX / 2, &bytes, &length) && length == m->files.at[f].length &&
                    memcmp(bytes, m->files.at[f].bytes, length) == 0;
        if (!same)
            met_text_format(&out, "%s is stale\n", m->files.at[f].path);
    }
    return met_text_done(&out);
}

bool met_planning_matrix(met_session *session, const met_planning *planning, bool check, const char **ret_stale)
{
    const char *kernels = met_kernels_directory(session, planning->kernels), *names[MET_PLANNING_MODELS];
    if (!kernels)
        return false;
    met_text path = met_text_new(session->arena), folder = met_text_new(session->arena);
    met_text_format(&folder, "%s/circuits/plans", kernels);
    met_text_format(&path, "%s/MATRIX.md", met_text_done(&folder));
    matrix m = { .session = session, .planning = planning, .lkb = met_planning_blueprint(session, planning), .table = met_text_new(session->arena), .folder = folder.at };
    if (!m.lkb)
        return false;
    met_text_format(&m.table, "# Plans of models on devices\n\nWritten by `met circuit plan --matrix`: greedy plans, modelled times of a step; "
                    "decode, multi_seq and verify after %d cached tokens. GB is weights, caches and what is alive between groups, against "
                    "the share of the memory that may be used; novel groups have no kernel.\n", CONTEXT);
    if (!check && !met_file_may_write(session, met_text_done(&path)))
        return false;
    uint32_t count = met_planning_models(session, kernels, names);
    for (uint32_t i = 0; i < count; i++)
        if (!check_model(&m, names[i]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (!plan_model(&m, names[i]))
            return false;
    MET_PUSH(session->arena, &m.files, ((met_file_text){ met_text_done(&path), met_text_done(&m.table), m.table.length }));
    *ret_stale = check ? stale_ones(&m) : "";
    return check || met_file_write_all(session, m.files.count, m.files.at);
}
