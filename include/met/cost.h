/* What running a circuit moves through the levels of a memory: kernel by kernel, fused and unfused, exact for the sizes
 * given, as formulas where sizes are free. docs/cost.md explains the numbers. */
#ifndef MET_COST_H
#define MET_COST_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is the default throughout. */
typedef struct met_cost_options {
    const char *levels;   /* "M=16384" or "L2=1MiB,L1=32KiB", the outermost first: in values, or in bytes (B, KiB, MiB, GiB) */
    const char *hardware; /* a class whose levels are meant, instead of `levels`: "cpu-avx512" */
    const char *granules; /* "tile=16,stream=16", or loops by name: "q=64" */
    const char *liveness; /* "full" or "tiles" */
    const char *planner;  /* whose kernels are listed: "fused" or "none"; the totals are always of both. NULL: both */
    const char *dtype;    /* format of edges that nothing states: "f32", "bf16" … */
    const char *division; /* where normalizers divide: "default", "deferred" or "eager" */
    const char *nesting;  /* "fit" or "divide": whether tiles of a level must divide those of the level outside it */
} met_cost_options;

/* A table, or the same as JSON (docs/cost.md). NULL with diagnostics. Lives as long as the session. */
const char *met_cost_table(const met_circuit *circuit, const met_cost_options *options);
const char *met_cost_json(const met_circuit *circuit, const met_cost_options *options);

/* Traffic against capacity, fused and unfused together; `range` is "M=1e3..1e7", in values or bytes. The picture is an
 * SVG; `theme` as for met_draw, or NULL. */
const char *met_cost_curve_table(const met_circuit *circuit, const met_cost_options *options, const char *range);
const char *met_cost_curve_json(const met_circuit *circuit, const met_cost_options *options, const char *range);
const char *met_cost_curve_svg(const met_circuit *circuit, const met_cost_options *options, const char *range,
                               const met_value *theme);

#ifdef __cplusplus
}
#endif
#endif
