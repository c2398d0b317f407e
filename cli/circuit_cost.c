/* met circuit cost: what a circuit moves through a memory, fused and unfused. */
#include "cli/cli.h"
#include "host/theme.h"
#include "met/cost.h"

static const cli_option own_options[] = {
    { "levels", 0, "NAME=SIZE,…", "the levels, outermost first: M=16384 in values, L2=1MiB,L1=32KiB in bytes" },
    { "hardware", 0, "NAME", "the levels of a class instead: cpu-avx512, …" },
    { "granule", 0, "KIND=N,…", "tiles are multiples of N: tile=16 (groups), stream=16, or a loop by name" },
    { "liveness", 0, "KIND", "full (the default) or tiles: whether scores, statistics and accumulators take room" },
    { "planner", 0, "NAME", "list the kernels of fused or none alone; totals are of both" },
    { "nesting", 0, "KIND", "fit (the default) or divide: tiles of a level in those of the level outside" },
    { "dtype", 0, "DTYPE", "format of what nothing else states: f32 (the default), bf16, f16 or f64" },
    { "division", 0, "PLACE", "where normalizers divide: default, deferred or eager" },
    { "curve", 0, "NAME=A..B", "traffic against capacity, from A to B, as a table: M=1e3..1e7" },
    { "output", 'o', "FILE", "of --curve: draw it there, as SVG" },
    { "theme", 0, "NAME", "of the drawing: paper (the default), blueprint, or a file" },
    { 0 },
};

static int draw_curve(const cli_request *request, const met_circuit *circuit, const met_cost_options *options, const char *range)
{
    const char *theme = cli_value(request, "theme");
    const met_value *colours = theme ? met_theme_load(request->session, theme) : NULL;
    if (theme && !colours)
        return cli_failed(request);
    return cli_answer(request, cli_value(request, "output"), met_cost_curve_svg(circuit, options, range, colours));
}

static int cost(const cli_request *request)
{
    met_cost_options options = {
        .levels = cli_value(request, "levels"),     .hardware = cli_value(request, "hardware"),
        .granules = cli_value(request, "granule"),  .liveness = cli_value(request, "liveness"),
        .planner = cli_value(request, "planner"),   .nesting = cli_value(request, "nesting"),
        .dtype = cli_value(request, "dtype"),       .division = cli_value(request, "division"),
    };
    const char *range = cli_value(request, "curve");
    bool drawn = cli_value(request, "output") != NULL;
    if ((drawn || cli_value(request, "theme")) && !range) {
        cli_usage_error(request, "--output and --theme are for the drawing of --curve");
        return CLI_BAD_INPUT;
    }
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    if (!circuit)
        return cli_failed(request);
    if (drawn)
        return draw_curve(request, circuit, &options, range);
    bool json = cli_flag(request, "json");
    if (range)
        return cli_answer(request, NULL, json ? met_cost_curve_json(circuit, &options, range) : met_cost_curve_table(circuit, &options, range));
    return cli_answer(request, NULL, json ? met_cost_json(circuit, &options) : met_cost_table(circuit, &options));
}

static const cli_option *const options_of_verb[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_cost = {
    .noun = "circuit", .verb = "cost", .arguments = "CIRCUIT",
    .summary = "says what a circuit moves through each level of a memory, fused and unfused",
    .options = options_of_verb, .run = cost,
};
