/* How a verb ends: what it prints or writes, and its exit status. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "host/file.h"
#include "met/diagnose.h"

int cli_failed(const cli_request *request)
{
    static const char *const codes[] = { "file", "hardware", "compiler" };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (met_session_has_error(request->session, codes[i]))
            return CLI_ENVIRONMENT;
    return CLI_BAD_INPUT;
}

int cli_answer(const cli_request *request, const char *path, const char *text)
{
    if (!text)
        return cli_failed(request);
    if (path && strcmp(path, "-") != 0)
        return met_file_write(request->session, path, text, strlen(text)) ? CLI_DONE : CLI_ENVIRONMENT;
    return fputs(text, stdout) < 0 ? CLI_ENVIRONMENT : CLI_DONE;
}

int cli_answer_check(const cli_request *request, const char *text, bool good)
{
    int status = cli_answer(request, NULL, text);
    return status == CLI_DONE && !good ? CLI_CHECK_FAILED : status;
}
