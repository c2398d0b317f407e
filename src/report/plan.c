#include "report/plan.h"

#include <string.h>

#include "base/diag.h"
#include "parity/precision.h"
#include "plan/lower_sites.h"
#include "plan/roofline.h"
#include "realize/lower_target.h"

static const met_span nowhere;

typedef struct planning {
    const met_circuit *circuit;
    met_session *session;
    const met_lkb *lkb;
    const met_plan_request *request;
    met_lowerer planner;
    const met_device *device;
    const met_hardware *hardware;
    met_pricing pricing;
    met_lower_options options;
} planning;

/* --- The request --- */

static bool find_planner(planning *p)
{
    const char *name = p->request->planner ? p->request->planner : "greedy";
    if (met_lowerer_find(met_str_of(name), &p->planner))
        return true;
    met_diag *diag = met_diag_add(p->session, MET_DIAG_usage, nowhere, "there is no planner `%s`", name);
    met_diag_help(diag, "it is none, greedy or exact");
    return false;
}

static const met_device *first_device(const met_lkb *lkb, const char *class_id)
{
    for (uint32_t d = 0; d < lkb->device_count; d++)
        if (strcmp(lkb->devices[d].class_id, class_id) == 0)
            return &lkb->devices[d];
    return NULL;
}

static bool find_target(planning *p)
{
    if (!met_lkb_target(p->lkb, p->request->hardware, &p->device, &p->hardware))
        return false;
    if (!p->device && p->planner == MET_LOWER_EXACT)
        p->device = first_device(p->lkb, p->hardware->id);
    if (p->device || p->planner != MET_LOWER_EXACT)
        return true;
    met_diag *diag = met_diag_add(p->session, MET_DIAG_plan, nowhere, "the planner `exact` compares prices, and `%s` has no device", p->hardware->id);
    met_diag_help(diag, "name a device, or take another planner");
    return false;
}

static bool read_settings(planning *p)
{
    const met_plan_request *request = p->request;
    met_setting *settings = MET_NEW_ARRAY(p->session->arena, met_setting, request->setting_count + request->lever_count);
    uint32_t count = 0;
    for (size_t i = 0; i < request->setting_count; i++) {
        const char *text = request->settings[i], *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) {
            met_diag_add(p->session, MET_DIAG_usage, nowhere, "`%s` is not NAME=VALUE", text);
            return false;
        }
        settings[count++] = (met_setting){ met_arena_text(p->session->arena, text, (size_t)(equals - text)), equals + 1 };
    }
    for (size_t i = 0; i < request->lever_count; i++)
        settings[count++] = (met_setting){ request->levers[i], "on" };
    p->options.settings = settings;
    p->options.setting_count = count;
    return true;
}

static const char *setting_of(const planning *p, const char *name)
{
    for (uint32_t i = p->options.setting_count; i-- > 0;)
        if (strcmp(p->options.settings[i].name, name) == 0)
            return p->options.settings[i].value;
    return met_hardware_setting(p->hardware, name);
}

/* --- Prices, regions, records --- */

static bool ask_measured(void *context, uint32_t count, const met_node_id *nodes, double *ret_seconds)
{
    const planning *p = context;
    double seconds = 0;
    bool found = p->request->measured(p->request->measured_context, count, &nodes->id, &seconds);
    *ret_seconds = found ? seconds : *ret_seconds;
    return found;
}

static bool add_prices(planning *p)
{
    if (!p->device)
        return true;
    p->pricing = (met_pricing){ .workload = met_workload_new(p->circuit), .device = p->device,
                                .no_fp4_unit = !met_name_list_has(&p->hardware->capabilities, "fp4_unit"),
                                .measured = p->request->measured ? ask_measured : NULL, .context = p };
    p->options.pricing = &p->pricing;
    return p->pricing.workload != NULL;
}

/* Which regions are one kernel, and what its arithmetic is where the class is realized here. Elsewhere only the exact planner
 * takes regions, so that the others need not settle the circuit. */
static bool add_derivation(planning *p)
{
    if (!p->hardware->class_name && p->planner != MET_LOWER_EXACT)
        return true;
    const met_lower_target *target = met_lower_target_new(p->circuit, p->hardware, p->device, setting_of(p, "dot"));
    if (!target)
        return false;
    p->options.region = met_region_is_kernel;
    p->options.region_context = target->judge;
    if (target->class) {
        p->options.record = met_settled_record;
        p->options.record_context = target->judge;
    }
    return true;
}

const met_lowering *met_plan_circuit(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request)
{
    planning *p = MET_NEW(circuit->session->arena, planning);
    *p = (planning){ .circuit = circuit, .session = circuit->session, .lkb = lkb, .request = request };
    p->options = (met_lower_options){ .lkb = lkb, .mode = request->mode ? request->mode : "run", .rows = request->rows ? request->rows : 1,
                                      .partial = request->partial, .explain = request->explain };
    if (!find_planner(p) || !find_target(p) || !read_settings(p))
        return NULL;
    p->options.hardware = p->hardware;
    if (!add_prices(p) || !add_derivation(p))
        return NULL;
    const met_lowering *lowering = met_lower(circuit, p->planner, &p->options);
    return lowering && met_lowering_is_precise(lowering) ? lowering : NULL;
}

const char *met_lowering_text(const met_lowering *lowering)
{
    met_text out = met_text_new(lowering->circuit->session->arena);
    met_lowering_print(&out, lowering);
    return met_text_done(&out);
}

/* --- One time an operation --- */

static void put_nodes_title(met_text *out, const planning *p)
{
    const met_plan_request *request = p->request;
    met_str name = met_sym_str(p->session, p->circuit->name);
    met_text_str(out, name.length ? name : met_str_of("the circuit"));
    met_text_format(out, " on %s, %s, %llu row%s", p->device->id, request->mode ? request->mode : "run", (unsigned long long)request->rows,
                    request->rows == 1 ? "" : "s");
    if (request->context)
        met_text_format(out, ", context %llu", (unsigned long long)request->context);
    met_text_put(out, "\n");
}

/* What a step makes: tokens, where the mode says that rows are some. */
static double tokens_of(const char *mode, uint64_t rows)
{
    return !mode || strcmp(mode, "run") == 0 ? 0 : (double)rows;
}

const char *met_plan_nodes_report(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request, bool json)
{
    planning p = { .circuit = circuit, .session = circuit->session, .lkb = lkb, .request = request };
    if (!find_target(&p))
        return NULL;
    if (!p.device)
        p.device = first_device(lkb, p.hardware->id);
    if (!p.device) {
        met_diag_add(p.session, MET_DIAG_plan, nowhere, "times are of a device, and `%s` has none", p.hardware->id);
        return NULL;
    }
    uint32_t count;
    const met_site *sites = add_prices(&p) ? met_lower_sites(&p.pricing, lkb, &count) : NULL;
    if (!sites)
        return NULL;
    met_arena *arena = p.session->arena;
    const met_roofline *roofline = met_roofline_new(&p.pricing, count, sites);
    if (json)
        return met_roofline_json(arena, roofline);
    met_text out = met_text_new(arena);
    put_nodes_title(&out, &p);
    met_roofline_print(&out, arena, roofline);
    double tokens = tokens_of(request->mode, request->rows);
    if (tokens > 0 && roofline->seconds > 0) {
        met_text_put(&out, "tokens/s        ");
        met_text_double_digits(&out, tokens / roofline->seconds, 4);
        met_text_char(&out, '\n');
    }
    return met_text_done(&out);
}

/* --- What stays in memory --- */

bool met_plan_fit(const met_lowering *lowering, const met_plan_request *request, met_memory *ret_memory, met_fit *ret_fit)
{
    const met_circuit *resident = request->resident ? request->resident : lowering->circuit;
    const met_workload *own = lowering->device ? met_workload_new(lowering->circuit) : NULL;
    const met_workload *kept = own && resident != lowering->circuit ? met_workload_new(resident) : own;
    if (!kept)
        return false;
    bool several = strcmp(lowering->mode, "multi_seq") == 0;
    double sequences = several ? (double)lowering->rows : 1;
    double context = (double)request->context + (several ? 1 : (double)lowering->rows);
    *ret_memory = met_memory_of(kept, resident == lowering->circuit ? sequences : 1);
    *ret_fit = met_fit_of(ret_memory, (double)lowering->device->memory_bytes, lowering->device->usable, sequences, context,
                          met_fit_activations(lowering, own));
    return true;
}

double met_plan_tokens(const met_lowering *lowering)
{
    return tokens_of(lowering->mode, lowering->rows);
}
