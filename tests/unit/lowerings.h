/* Tests of plans of whole ops: a blueprint in a few lines of TOML, a circuit in the language, and groups as text. */
#ifndef MET_TEST_LOWERINGS_H
#define MET_TEST_LOWERINGS_H

#include "cases.h"

#include "circuits.h"
#include "lkb/lkb.h"
#include "met/diagnose.h"
#include "plan/lowering.h"

/* --- A blueprint in a few lines --- */

static const char families[] =
    "[[tree]]\nid = \"t\"\ntree = \"sequential\"\n"
    "[roles]\nq = [\"wq\"]\nk = [\"wk\"]\nv = [\"wv\"]\ngate = [\"wg\"]\nup = [\"wu\"]\n"
    "[[family]]\nid = \"all\"\nsummary = \"everything\"\nform = \"rows\"\n"
    "ops = [\"linear\", \"rmsnorm\", \"add\", \"exp\", \"neg\", \"abs\", \"silu\", \"mul\", \"sqrt\", \"quantize\", \"dequantize\"]\n"
    "kernels = [\"k\", \"k1\", \"k2\"]\nderived = \"k\"\ntree = { k = \"t\", k1 = \"t\", k2 = \"t\" }\n"
    "pipeline.\"*\" = { in = \"f32\", compute = \"f32\", out = \"f32\" }\n"
    "[[family.param]]\nname = \"gain\"\nkind = \"policy\"\nfrom = \"param:gain\"\nabsent = \"none\"\n"
    "[[family.point]]\nvalues = { gain = [\"yes\", \"none\"] }\nhow = \"instantiation\"\nfiles = [\"rows.c\"]\n";
static const char hardware[] =
    "[capability]\nfma = \"one rounding\"\n"
    "[setting.residual]\nvalues = [\"bf16\", \"f32\"]\nsummary = \"s\"\n[setting.lever]\nvalues = [\"off\", \"on\"]\nsummary = \"l\"\n"
    "[class.c]\nsummary = \"c\"\ndefaults = { residual = \"bf16\", lever = \"off\" }\ncapabilities = [\"fma\"]\n";
static const char devices[] =
    "[[device]]\nid = \"d\"\nclass = \"c\"\nlevels = [{ name = \"dram\", capacity_bytes = 1073741824, bytes_per_s = 1e10 }]\n"
    "peak = { f32 = 1e11 }\nlaunch_s = 1e-6\nunits = 4\nmemory_bytes = 1073741824\nusable = 0.9\nsource = \"made up\"\n";

static inline const met_value *toml_of(met_session *session, const char *name, const char *text)
{
    const met_value *value = met_toml_read(session, met_session_add_source(session, name, text, strlen(text)));
    if (!value)
        fail_msg("%s", met_session_diagnostics_text(session));
    return value;
}

/* A rule of one line: id, priority, pattern, and what else it says. */
static inline void put_rule(met_text *out, const char *id, int priority, const char *pattern, const char *more)
{
    met_text_format(out, "[[rule]]\nid = \"%s\"\npattern = [%s]\nkernels = [\"k1\"]\npriority = %d\ncite = \"c\"\n", id, pattern, priority);
    met_text_format(out, "%s%s\n", more, strstr(more, "numerics") ? "" : "\nnumerics = \"reference\"");
}

static inline const met_lkb *blueprint_of(met_session *session, const char *rules)
{
    met_lkb_sources sources = { .families = toml_of(session, "families", families), .fusions = toml_of(session, "rules", rules),
                                .hardware = toml_of(session, "hardware", hardware), .devices = toml_of(session, "devices", devices) };
    const met_lkb *lkb = met_lkb_read(session, &sources);
    if (!lkb)
        fail_msg("%s", met_session_diagnostics_text(session));
    return lkb;
}

/* --- Planning --- */

typedef struct bench {
    met_session *session;
    const met_circuit *circuit;
    met_pricing pricing;
    met_lower_options options;
    met_text rules;
} bench;

static inline bench bench_of(const char *program, const char *set)
{
    bench b = { .session = met_session_new() };
    b.circuit = circuit_of(b.session, program, set);
    b.rules = met_text_new(b.session->arena);
    b.options = (met_lower_options){ .mode = "run", .rows = 1 };
    return b;
}

static inline const met_lowering *lower(bench *b, met_lowerer planner)
{
    if (!b->options.lkb) {
        b->options.lkb = blueprint_of(b->session, met_text_done(&b->rules));
        b->options.hardware = met_lkb_hardware(b->options.lkb, "c");
        b->pricing = (met_pricing){ .workload = met_workload_new(b->circuit), .device = met_lkb_device(b->options.lkb, "d") };
        b->options.pricing = &b->pricing;
    }
    const met_lowering *lowering = met_lower(b->circuit, planner, &b->options);
    const char *fault = lowering ? met_lowering_check(lowering) : NULL;
    if (fault)
        fail_msg("%s", fault);
    return lowering;
}

/* Groups as "rule:0,1 rule:2"; "novel" where there is no rule, "derived" where derivation has one. */
static inline const char *groups_of(const bench *b, const met_lowering *lowering)
{
    met_text out = met_text_new(b->session->arena);
    if (!lowering)
        return met_session_error_count(b->session) ? "refused" : "nothing";
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        met_text_format(&out, "%s%s:", g ? " " : "", group->rule ? group->rule->id : group->family ? "derived" : "novel");
        for (uint32_t i = 0; i < group->node_count; i++)
            met_text_format(&out, "%s%u", i ? "," : "", group->nodes[i].id);
    }
    return met_text_done(&out);
}

static inline void expect_plan(bench *b, met_lowerer planner, const char *wanted)
{
    assert_string_equal(groups_of(b, lower(b, planner)), wanted);
}

static inline void put_singles(bench *b)
{
    put_rule(&b->rules, "one", 10, "{ op = [\"linear\", \"rmsnorm\", \"add\", \"exp\", \"neg\", \"abs\", \"silu\", \"mul\", \"sqrt\"] }", "");
}

static const char chain[] = "x: n m\na = neg(x)\nb = exp(a)\nc = abs(b)\nd = sqrt(c)\n-> d\n";

#endif
