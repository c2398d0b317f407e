#include "cli/plan_pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/values.h"
#include "met/plan.h"

typedef struct scale {
    double least;
    const char *unit;
} scale;

static scale scale_of(double amount, const scale *scales, int count)
{
    int k = 0;
    while (k + 1 < count && fabs(amount) < scales[k].least)
        k++;
    return scales[k];
}

static scale time_scale(double seconds)
{
    static const scale scales[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } };
    return scale_of(seconds, scales, 3);
}

static scale byte_scale(double bytes)
{
    static const scale scales[] = { { 1e12, "TB" }, { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "kB" } };
    return scale_of(bytes, scales, 4);
}

static void print_side(const char *letter, const met_plan_side *side)
{
    enum { LEFT = 3 };
    char words[256];
    scale time = time_scale(side->seconds), bytes = byte_scale(side->bytes);
    int used = snprintf(words, sizeof words, "%s: %" PRIu32 " group%s", side->name, side->groups, side->groups == 1 ? "" : "s");
    if (side->device && used < (int)sizeof words)
        used += snprintf(words + used, sizeof words - (size_t)used, ", %.4g %s and %.4g %s modelled on %s", side->seconds / time.least,
                         time.unit, side->bytes / bytes.least, bytes.unit, side->device);
    if (!side->runs && used < (int)sizeof words)
        snprintf(words + used, sizeof words - (size_t)used, "; %s, its kernels cannot run here", side->emulated ? "emulated" : "planned only");
    printf("%-*s", LEFT, letter);
    cli_print_wrapped(words, LEFT, LEFT);
}

/* " b takes …": sums of prices in another order are the same. */
static void print_more(double a_seconds, double b_seconds)
{
    double more = b_seconds - a_seconds;
    if (fabs(more) <= 1e-9 * fmax(a_seconds, b_seconds))
        printf("b takes as long\n");
    else
        printf("b takes %+.4g %s\n", more / time_scale(more).least, time_scale(more).unit);
}

void cli_print_plans(const met_plan_pair *pair)
{
    bool priced = pair->a.device && pair->b.device;
    print_side("a", &pair->a);
    print_side("b", &pair->b);
    printf("%" PRIu32 " group%s of the same nodes in both%s", pair->same, pair->same == 1 ? "" : "s", priced ? "; for them " : "\n");
    if (priced)
        print_more(pair->same_a_seconds, pair->same_b_seconds);
    for (uint32_t k = 0; k < pair->change_count; k++) {
        const met_plan_change *change = &pair->changes[k];
        if (change->count == 1)
            printf("%s\n", change->ops);
        else
            printf("%s, %" PRIu32 " times\n", change->ops, change->count);
        printf("  a %s\n  b %s\n", change->a, change->b);
        if (priced) {
            printf("  ");
            print_more(change->a_seconds * change->count, change->b_seconds * change->count);
        }
    }
    if (priced) {
        printf("in all ");
        print_more(pair->a.seconds, pair->b.seconds);
    }
}

met_circuit *cli_load_bound(const cli_request *request, const char *argument, bool planned)
{
    met_plan_request plan = { .mode = cli_value(request, "mode") };
    if (!cli_read_count_within(request, "rows", 1, UINT64_MAX, &plan.rows) ||
        !cli_read_count_within(request, "context", 1, UINT64_MAX, &plan.context))
        return NULL;
    met_circuit *circuit = cli_load_circuit(request, argument);
    return circuit && (planned || plan.rows || plan.context) ? met_plan_bind(circuit, &plan) : circuit;
}
