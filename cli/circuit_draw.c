/* met circuit draw: the string diagram, as a picture, a page or text. */
#include "cli/drawing.h"

static const cli_option own_options[] = {
    { "whole", 0, NULL, "open every block and draw every repetition" },
    { 0 },
};

static int draw(const cli_request *request)
{
    met_draw_options options = { .whole = cli_flag(request, "whole") };
    const char *output;
    if (!cli_read_drawing(request, &options, &output))
        return CLI_BAD_INPUT;
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    const char *text = circuit && cli_load_theme(request, &options) ? met_draw(circuit, &options) : NULL;
    return cli_answer(request, output, text);
}

static const cli_option *const options[] = { cli_drawing_options, own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_draw = {
    .noun = "circuit", .verb = "draw", .arguments = "CIRCUIT",
    .summary = "draws a circuit as a string diagram: SVG, a page, or text",
    .options = options, .run = draw,
};
