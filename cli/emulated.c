#include "cli/emulated.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/options.h"
#include "met/diagnose.h"

enum { LEFT = 4 /* of lines below a fold */, ROOM = 512 };

static uint32_t count_of(const met_outcome *outcome, bool as_declared)
{
    uint32_t count = 0;
    for (size_t i = 0; i < outcome->emulated_count; i++)
        count += (outcome->emulated[i].why == NULL) == as_declared ? outcome->emulated[i].count : 0;
    return count;
}

static void print_row(const met_emulated *row)
{
    char words[ROOM];
    printf("  %s", row->op);
    if (row->count > 1)
        printf(", %" PRIu32 " times", row->count);
    printf("%s%s\n%*s", *row->kernel ? ", by " : "", row->kernel, LEFT, "");
    if (row->why)
        snprintf(words, sizeof words, "as the point has it, %s: %s", row->tree, row->why);
    else
        snprintf(words, sizeof words, "along %s%s%s: %s", row->tree_id, row->unit ? ", of the unit " : "", row->unit ? row->unit : "", row->tree);
    cli_print_wrapped(words, LEFT, LEFT);
}

void cli_print_emulated(const met_outcome *outcome)
{
    if (outcome->emulated_count == 0)
        return;
    printf("%s; folds as the class declares them: %" PRIu32 ", others: %" PRIu32 "\n", outcome->name, count_of(outcome, true), count_of(outcome, false));
    for (size_t i = 0; i < outcome->emulated_count; i++)
        print_row(&outcome->emulated[i]);
}

void cli_note_emulated(const cli_request *request, const met_outcome *outcome)
{
    char message[160];
    uint32_t count = count_of(outcome, false);
    snprintf(message, sizeof message, "%" PRIu32 " fold%s did not go as on the class", count, count == 1 ? "" : "s");
    if (count)
        met_diagnose(request->session, "note", message, "without --out, or with --json, they are listed");
}
