#include "host/auditing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/departs.h"
#include "audit/drift.h"
#include "audit/forks.h"
#include "base/diag.h"
#include "base/json.h"
#include "host/auditing_parts.h"
#include "host/cpu.h"
#include "host/file.h"
#include "host/model.h"
#include "parity/precision.h"

void met_auditing_say(const met_auditing *auditing, const char *format, ...)
{
    char text[200];
    va_list arguments;
    if (!auditing->request.progress)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    auditing->request.progress(auditing->request.progress_context, text);
}

met_auditing *met_auditing_new(met_session *session, const met_auditing_request *request)
{
    met_auditing *auditing = MET_NEW(session->arena, met_auditing);
    *auditing = (met_auditing){ .session = session, .request = *request, .lkb = request->lkb };
    const met_device *device;
    if (request->hardware && !met_lkb_target(request->lkb, request->hardware, &device, &auditing->only))
        return NULL;
    met_auditing_say(auditing, "loading toys");
    if (!met_auditing_load_toys(auditing))
        return NULL;
    auditing->auditor = met_tag_auditor_new(request->lkb, auditing->toy_count, auditing->toys);
    auditing->classes = MET_NEW_ARRAY(session->arena, met_class_audit, request->lkb->hardware_count);
    return auditing;
}

/* --- Tags --- */

static bool check_tags(met_auditing *auditing, met_class_audit *class_audit)
{
    const met_hardware *hardware = class_audit->hardware;
    met_tag_audit *audits = MET_NEW_ARRAY(auditing->session->arena, met_tag_audit, hardware->rule_count + 1);
    bool good = true;
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        met_auditing_say(auditing, "records of %s on %s", hardware->rules[r]->id, hardware->id);
        audits[r] = met_tag_check(auditing->auditor, hardware, hardware->rules[r]);
        good = audits[r].good && good;
    }
    class_audit->audits = audits;
    class_audit->equations = met_tag_equations(hardware->rule_count, audits);
    return good;
}

/* --- Drift --- */

typedef struct places {
    met_session *session;
    const char *kernels;
} places;

/* Files of points are in the source tree that the kernels directory is part of. */
static bool file_exists(void *context, const char *file)
{
    const places *p = context;
    met_text path = met_text_new(p->session->arena);
    met_text_format(&path, "%s/../%s", p->kernels, file);
    return met_file_exists(met_text_done(&path));
}

static bool check_drift(met_auditing *auditing, const met_hardware *hardware)
{
    places p = { auditing->session, met_kernels_directory(auditing->session, auditing->request.kernels) };
    const met_class *class = hardware->class_name ? met_class_find(hardware->class_name) : NULL;
    met_text sources = met_text_new(auditing->session->arena);
    met_drift_facts facts = { .context = &p };
    if (!p.kernels)
        return false;
    met_text_format(&sources, "%s/../src", p.kernels);
    facts.exists = met_file_is_directory(met_text_done(&sources)) ? file_exists : NULL; /* an installed blueprint has no sources */
    if (class)
        facts.form_count = met_form_points(class, &facts.forms, auditing->session->arena);
    return met_drift_check(auditing->lkb, hardware, &facts) == 0;
}

/* --- Precision --- */

/* Whether the plans of all toys on the class are as precise as their formats and the policy want, the first that is not is told;
 * and whether what rules say to do in less happens. */
static bool check_precision(met_auditing *auditing, const met_hardware *hardware)
{
    bool good = true;
    met_auditing_say(auditing, "precision on %s", hardware->id);
    for (uint32_t r = 0; r < hardware->rule_count; r++)
        good = met_departs_check(auditing->auditor, hardware, hardware->rules[r]) && good;
    for (uint32_t t = 0; t < auditing->toy_count; t++) {
        const met_toy *toy = auditing->toys[t];
        met_lower_options options = { .lkb = auditing->lkb, .hardware = hardware, .mode = toy->mode, .rows = 1, .partial = true };
        const met_lowering *lowering = met_lower(toy->circuit, MET_LOWER_GREEDY, &options);
        if (!lowering || !met_lowering_is_precise(lowering))
            return false;
    }
    return good;
}

/* --- Forks --- */

const char *met_auditing_forks(const met_lkb *lkb)
{
    met_text text = met_text_new(lkb->session->arena);
    met_forks_print(&text, lkb);
    return met_text_done(&text);
}

static bool check_forks(met_auditing *auditing)
{
    met_session *session = auditing->session;
    const char *kernels = met_kernels_directory(session, auditing->request.kernels), *bytes = "", *wanted = met_auditing_forks(auditing->lkb);
    size_t length = 0;
    met_text path = met_text_new(session->arena);
    if (!kernels)
        return false;
    met_text_format(&path, "%s/FORKS.md", kernels);
    if (met_file_exists(met_text_done(&path)) && !met_file_read(session, met_text_done(&path), 1 << 20, &bytes, &length))
        return false;
    if (length == strlen(wanted) && memcmp(bytes, wanted, length) == 0)
        return true;
    met_diag *d = met_diag_add(session, MET_DIAG_stale, (met_span){ 0, 0, 0 }, "`FORKS.md` is not what the blueprint says");
    met_diag_help(d, "met lkb report --forks writes it anew");
    return false;
}

/* --- The check --- */

/* Microtests of a class that this machine can run. */
static bool run_class(met_auditing *auditing, met_class_audit *class_audit, met_compiler *compiler)
{
    const char *class_name = class_audit->hardware->class_name;
    if (!class_name || !met_cpu_can_run(auditing->session, class_name))
        return true;
    return met_auditing_run_class(auditing, class_audit, compiler);
}

bool met_auditing_tags(met_auditing *auditing)
{
    if (auditing->tagged)
        return auditing->tags_good;
    auditing->tagged = auditing->tags_good = true;
    for (uint32_t h = 0; h < auditing->lkb->hardware_count; h++) {
        const met_hardware *hardware = &auditing->lkb->hardware[h];
        if (auditing->only && auditing->only != hardware)
            continue;
        met_class_audit *class_audit = &auditing->classes[auditing->class_count++];
        class_audit->hardware = hardware;
        auditing->tags_good = check_tags(auditing, class_audit) && auditing->tags_good;
    }
    return auditing->tags_good;
}

bool met_auditing_check(met_auditing *auditing, bool run)
{
    met_compiler *compiler = NULL;
    if (run && !(compiler = met_compiler_new(auditing->session, &(met_compiler_options){ .cache = auditing->request.cache })))
        return false;
    bool good = met_auditing_tags(auditing);
    for (uint32_t c = 0; c < auditing->class_count; c++) {
        good = check_drift(auditing, auditing->classes[c].hardware) && good;
        good = check_precision(auditing, auditing->classes[c].hardware) && good;
        good = (!run || run_class(auditing, &auditing->classes[c], compiler)) && good;
    }
    good = (auditing->only || check_forks(auditing)) && good;
    met_compiler_free(compiler);
    return good;
}

/* --- What it found --- */

static uint32_t count_tags(const met_hardware *hardware, met_tag tag)
{
    uint32_t found = 0;
    for (uint32_t r = 0; r < hardware->rule_count; r++)
        found += hardware->rules[r]->tag == tag;
    return found;
}

const char *met_auditing_check_text(const met_auditing *auditing)
{
    met_text text = met_text_new(auditing->session->arena);
    met_text_format(&text, "%u toys\n", (unsigned)auditing->toy_count);
    for (uint32_t c = 0; c < auditing->class_count; c++) {
        const met_class_audit *one = &auditing->classes[c];
        met_text_format(&text, "%-12s  %u of %u rules are equations, %u differ", one->hardware->id, (unsigned)one->equations,
                        (unsigned)one->hardware->rule_count, (unsigned)count_tags(one->hardware, MET_TAG_DIFFERS));
        if (one->ran)
            met_text_format(&text, "; %u runs, %u the same, %u void", (unsigned)one->run_count, (unsigned)one->same_count,
                            (unsigned)one->void_count);
        met_text_put(&text, one->hardware->class_name ? "\n" : " (by declared trees)\n");
    }
    return met_text_done(&text);
}

const char *met_auditing_check_json(const met_auditing *auditing)
{
    static const met_json_field of_runs[] = {
        { "runs", offsetof(met_class_audit, run_count), MET_JSON_U32 },
        { "same", offsetof(met_class_audit, same_count), MET_JSON_U32 },
        { "void", offsetof(met_class_audit, void_count), MET_JSON_U32 },
        { 0 },
    };
    met_text text = met_text_new(auditing->session->arena);
    met_json json = met_json_new(&text);
    met_json_open(&json, NULL, '{');
    met_json_put_integer(&json, "toys", auditing->toy_count);
    met_json_open(&json, "classes", '[');
    for (uint32_t c = 0; c < auditing->class_count; c++) {
        const met_class_audit *one = &auditing->classes[c];
        met_json_open(&json, NULL, '{');
        met_json_put_string(&json, "id", one->hardware->id);
        met_json_put_integer(&json, "rules", one->hardware->rule_count);
        met_json_put_integer(&json, "equations", one->equations);
        if (one->ran)
            met_json_put_fields(&json, of_runs, one);
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
