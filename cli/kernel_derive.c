/* met kernel derive: the kernel term of a circuit or of a region text, or why there is none. */
#include <string.h>

#include "cli/cli.h"
#include "host/file.h"
#include "met/kernel.h"

static const cli_option own_options[] = {
    { "stream", 0, "AXIS", "the axis to stream; without it, the one along which folds depend on each other" },
    { "region", 0, NULL, "CIRCUIT is a region text: m = max[x] s; y = sum[x] exp(s - m)*v" },
    { "static", 0, "NAMES", "of a region text: names that do not carry the stream" },
    { 0 },
};

static const char *term_of_region(const cli_request *request, const met_kernel_question *question, bool *ret_streams)
{
    const char *text = request->arguments[0];
    bool file = strcmp(text, "-") == 0 || met_file_exists(text);
    uint32_t source = file ? met_file_source(request->session, text) :
                             met_session_add_source(request->session, "<region>", text, strlen(text));
    return source ? met_kernel_term_of_region(request->session, source, question, ret_streams) : NULL;
}

static int derive(const cli_request *request)
{
    met_kernel_question question = { cli_value(request, "stream"), cli_value(request, "static"), cli_flag(request, "json") };
    bool streams = false;
    const char *text = NULL;
    if (cli_flag(request, "region")) {
        text = term_of_region(request, &question, &streams);
    } else if (question.statics) {
        cli_usage_error(request, "--static is of region texts: write --region too");
    } else {
        const met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
        text = circuit ? met_kernel_term_of_circuit(circuit, &question, &streams) : NULL;
    }
    if (!text)
        return cli_failed(request);
    return cli_answer_check(request, text, streams);
}

static const cli_option *const options[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_kernel_derive = {
    .noun = "kernel", .verb = "derive", .arguments = "CIRCUIT",
    .summary = "derives the kernel term: state, head, body and tail along a stream; or says what forbids it",
    .options = options, .run = derive,
};
