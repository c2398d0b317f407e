/* met kernel draw: the kernel that a circuit becomes, as a picture. */
#include "cli/drawing.h"

static const cli_option own_options[] = {
    { "stream", 0, "LOOP", "the loop to stream; otherwise derivation chooses" },
    { "tiles", 0, "LIST", "sizes of tiles to write on the hexagons: q=32,x=128" },
    { "hardware", 0, "NAME", "a class of kernels, such as cpu-avx512: the tiles that it chooses" },
    { "division", 0, "PLACE", "of normalizers before a contraction: default, deferred or eager" },
    { 0 },
};

static int draw(const cli_request *request)
{
    met_draw_options options = { .whole = true };
    const char *output, *dtype = cli_value(request, "dtype");
    if (!cli_read_drawing(request, &options, &output))
        return CLI_BAD_INPUT;
    const met_kernel_view view = {
        .point = { .dtype = dtype ? dtype : "f32", .numerics = cli_value(request, "numerics"),
                   .division = cli_value(request, "division") },
        .stream = cli_value(request, "stream"), .tiles = cli_value(request, "tiles"),
        .hardware = cli_value(request, "hardware"),
    };
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    bool ready = circuit && cli_load_theme(request, &options);
    const char *text = ready ? met_draw_kernel(circuit, &view, &options) : NULL;
    return cli_answer(request, output, text);
}

static const cli_option *const options[] = { cli_drawing_options, own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_kernel_draw = {
    .noun = "kernel", .verb = "draw", .arguments = "CIRCUIT",
    .summary = "draws the kernel that a circuit becomes: plates, tiles and what is kept",
    .options = options, .run = draw,
};
