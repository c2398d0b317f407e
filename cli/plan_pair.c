#include "cli/plan_pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/run_options.h"
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

static void print_json_side(const char *letter, const met_plan_side *side)
{
    printf("\"%s\":{\"name\":\"%s\",\"groups\":%" PRIu32 ",\"digest\":\"%s\",\"runs\":%s", letter, side->name, side->groups,
           side->digest, side->runs ? "true" : "false");
    if (side->device)
        printf(",\"device\":\"%s\",\"seconds\":%.17g,\"bytes\":%.17g", side->device, side->seconds, side->bytes);
    printf("},");
}

void cli_print_plans_json(const met_plan_pair *pair)
{
    printf("\"plans\":{");
    print_json_side("a", &pair->a);
    print_json_side("b", &pair->b);
    printf("\"same\":%" PRIu32, pair->same);
    if (pair->a.device && pair->b.device)
        printf(",\"same_a_seconds\":%.17g,\"same_b_seconds\":%.17g", pair->same_a_seconds, pair->same_b_seconds);
    printf(",\"changes\":[");
    for (uint32_t k = 0; k < pair->change_count; k++) {
        const met_plan_change *change = &pair->changes[k];
        printf("%s{\"ops\":\"%s\",\"count\":%" PRIu32 ",\"a\":\"%s\",\"b\":\"%s\",\"a_seconds\":%.17g,\"b_seconds\":%.17g}", k ? "," : "",
               change->ops, change->count, change->a, change->b, change->a_seconds, change->b_seconds);
    }
    printf("]}");
}

met_circuit *cli_load_bound(const cli_request *request, const char *argument, bool planned)
{
    met_plan_request plan = { .mode = cli_value(request, "mode") };
    if (!cli_read_count(request, "rows", &plan.rows) || !cli_read_count(request, "context", &plan.context))
        return NULL;
    met_circuit *circuit = cli_load_circuit(request, argument);
    return circuit && (planned || plan.rows || plan.context) ? met_plan_bind(circuit, &plan) : circuit;
}
