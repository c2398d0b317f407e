#include "draw/kernel.h"

#include "base/diag.h"
#include "draw/drawing.h"
#include "eval/settled.h"
#include "met/draw.h"
#include "plan/planner.h"

/* All of the circuit as one kernel; NULL with a diagnostic. */
static const met_kernel *derive(const met_circuit *settled, const char *stream)
{
    if (settled->node_count == 0) {
        met_diag_add(settled->session, MET_DIAG_run, (met_span){ 0, 0, 0 }, "a circuit without nodes is no kernel");
        return NULL;
    }
    met_node_id *nodes = MET_NEW_ARRAY(settled->arena, met_node_id, settled->node_count);
    for (uint32_t n = 0; n < settled->node_count; n++)
        nodes[n].id = n;
    const met_derive_options options = { .stream = stream };
    met_refusal refusal;
    const met_kernel *kernel = met_kernel_derive(settled, settled->node_count, nodes, &options, &refusal);
    if (!kernel)
        met_plan_report(settled, &refusal);
    return kernel;
}

const char *met_draw_kernel(const met_circuit *circuit, const met_kernel_view *view, const met_draw_options *options)
{
    met_point point;
    if (!met_eval_point(circuit->session, &view->point, &point))
        return NULL;
    const met_circuit *settled = met_circuit_settle(circuit, &point);
    const met_kernel *kernel = settled ? derive(settled, view->stream) : NULL;
    if (!kernel)
        return NULL;
    met_tiling tiling;
    met_str bad;
    if (!met_tiling_make(kernel, met_str_of(view->tiles ? view->tiles : ""), &tiling, &bad)) {
        met_diag *diag = met_diag_add(circuit->session, MET_DIAG_usage, (met_span){ 0, 0, 0 },
                                      "`%.*s` is no tile: write LOOP=N, with N up to 1000000000", (int)bad.length, bad.at);
        for (uint32_t l = 0; l < kernel->loop_count; l++)
            if (kernel->loops[l].partition != MET_PARTITION_LOCAL)
                met_diag_note(diag, (met_span){ 0, 0, 0 }, "loop `%s`", met_sym_text(circuit->session, kernel->loops[l].name));
        return NULL;
    }
    met_draw_options whole = options ? *options : (met_draw_options){ .format = MET_DRAW_SVG };
    whole.whole = true;
    return met_draw_tiled(tiling.circuit, &tiling, &whole);
}
