#include "draw/kernel.h"

#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "draw/drawing.h"
#include "eval/settled.h"
#include "met/draw.h"
#include "plan/planner.h"
#include "realize/program.h"

static const met_span nowhere;

/* All of the circuit as one kernel; NULL with a diagnostic. */
static const met_kernel *derive(const met_derivation *facts, const char *stream)
{
    const met_circuit *settled = facts->circuit;
    if (settled->node_count == 0) {
        met_diag_add(settled->session, MET_DIAG_run, nowhere, "a circuit without nodes is no kernel");
        return NULL;
    }
    met_node_id *nodes = MET_NEW_ARRAY(settled->arena, met_node_id, settled->node_count);
    for (uint32_t n = 0; n < settled->node_count; n++)
        nodes[n].id = n;
    const met_derive_options options = { .stream = stream };
    met_refusal refusal;
    const met_kernel *kernel = met_derivation_kernel(facts, settled->arena, settled->node_count, nodes, &options, &refusal);
    if (!kernel)
        met_plan_report(settled, &refusal);
    return kernel;
}

/* --- The tiles that a class chooses --- */

static bool sizes_are_bound(const met_circuit *circuit)
{
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        if (circuit->symbols[s].value)
            continue;
        met_diag_add(circuit->session, MET_DIAG_unbound, nowhere, "the size `%s` has no value, and tiles depend on sizes",
                     met_sym_text(circuit->session, circuit->symbols[s].name));
        return false;
    }
    return true;
}

/* The class's own words, "q 96, x 512"; NULL with a diagnostic. */
static const char *chosen_tiles(const met_derivation *facts, const met_point *point, const met_kernel *kernel,
                                const met_kernel_view *view)
{
    met_session *session = facts->circuit->session;
    const met_class *class = met_class_find(view->hardware);
    if (!class) {
        met_diag_add(session, MET_DIAG_usage, nowhere, "there is no class of kernels `%s`", view->hardware);
        return NULL;
    }
    if (!sizes_are_bound(facts->circuit))
        return NULL;
    if (!met_realize_accepts((void *)(uintptr_t)class, kernel)) {
        met_diag_add(session, MET_DIAG_run, nowhere, "`%s` cannot make one kernel of all of this", view->hardware);
        return NULL;
    }
    const met_kernel **groups = MET_NEW(facts->circuit->arena, const met_kernel *);
    *groups = kernel;
    const met_plan *plan = met_plan_of_groups(facts, point, MET_PLANNER_FUSED, 1, groups);
    const met_realize_options options = { .tiles = view->tiles };
    const met_program *program = met_realize(plan, class, &options);
    for (uint32_t l = 0; program && l < program->launch_count; l++)
        if (program->launches[l].group == 0)
            return program->launches[l].tiles ? program->launches[l].tiles : "";
    return program ? "" : NULL;
}

/* "q*r 96, x 512" as sizes of loops, "x=512": rows that are several loops at once have no sizes of their own. */
static met_str sizes_of(const met_kernel *kernel, const char *words)
{
    met_text sizes = met_text_new(kernel->circuit->arena);
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, ","), name = strcspn(at, " ");
        if (name < length && met_tiling_loop(kernel, (met_str){ at, name }) != MET_NONE) {
            met_text_put(&sizes, sizes.length ? "," : "");
            met_text_bytes(&sizes, at, name);
            met_text_char(&sizes, '=');
            met_text_bytes(&sizes, at + name + 1, length - name - 1);
        }
        at += length;
        at += strspn(at, ", ");
    }
    return (met_str){ met_text_done(&sizes), sizes.length };
}

static void refuse_tile(const met_kernel *kernel, met_str bad)
{
    met_session *session = kernel->circuit->session;
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "`%.*s` is no tile: write LOOP=N, with N up to 1000000000",
                                  MET_STR_ARGS(bad));
    for (uint32_t l = 0; l < kernel->loop_count; l++)
        if (kernel->loops[l].partition != MET_PARTITION_LOCAL)
            met_diag_note(diag, nowhere, "loop `%s`", met_sym_text(session, kernel->loops[l].name));
}

const char *met_draw_kernel(const met_circuit *circuit, const met_kernel_view *view, const met_draw_options *options)
{
    met_point point;
    if (!met_eval_point(circuit->session, &view->point, &point))
        return NULL;
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    const met_derivation *facts = settled ? met_derivation_new(settled) : NULL;
    const met_kernel *kernel = facts ? derive(facts, view->stream) : NULL;
    if (!kernel)
        return NULL;
    met_tiling tiling;
    met_str bad;
    if (!met_tiling_make(kernel, met_str_of(view->tiles ? view->tiles : ""), &tiling, &bad)) {
        refuse_tile(kernel, bad);
        return NULL;
    }
    if (view->hardware) {
        const char *chosen = chosen_tiles(facts, &point, kernel, view);
        if (!chosen || !met_tiling_make(kernel, sizes_of(kernel, chosen), &tiling, &bad))
            return NULL;
        met_text legend = met_text_new(settled->arena);
        met_text_format(&legend, "tiles of %s: %s", view->hardware, *chosen ? chosen : "as large as the loops");
        tiling.chosen = (met_str){ met_text_done(&legend), legend.length };
    }
    met_draw_options whole = options ? *options : (met_draw_options){ .format = MET_DRAW_SVG };
    whole.whole = true;
    return met_draw_tiled(tiling.circuit, &tiling, &whole);
}
