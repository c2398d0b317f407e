#include "cli/plan_pair.h"

#include <inttypes.h>
#include <stdio.h>

static void print_side(const char *letter, const met_plan_side *side)
{
    printf("%s  %s: %" PRIu32 " groups", letter, side->name, side->groups);
    if (side->device)
        printf(", %.4g us and %.4g kB modelled on %s", 1e6 * side->seconds, 1e-3 * side->bytes, side->device);
    printf("%s\n", side->runs ? "" : "; planned only, its kernels cannot run here");
}

void cli_print_plans(const met_plan_pair *pair)
{
    print_side("a", &pair->a);
    print_side("b", &pair->b);
    printf("%" PRIu32 " groups are the same\n", pair->same);
    for (uint32_t k = 0; k < pair->change_count; k++) {
        const met_plan_change *change = &pair->changes[k];
        if (change->count == 1)
            printf("%s\n", change->ops);
        else
            printf("%s, %" PRIu32 " times\n", change->ops, change->count);
        printf("  a %s\n  b %s\n", change->a, change->b);
        if (pair->a.device && pair->b.device)
            printf("  b takes %+.4g us\n", 1e6 * (change->b_seconds - change->a_seconds) * change->count);
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
    printf("\"same\":%" PRIu32 ",\"changes\":[", pair->same);
    for (uint32_t k = 0; k < pair->change_count; k++) {
        const met_plan_change *change = &pair->changes[k];
        printf("%s{\"ops\":\"%s\",\"count\":%" PRIu32 ",\"a\":\"%s\",\"b\":\"%s\",\"a_seconds\":%.17g,\"b_seconds\":%.17g}", k ? "," : "",
               change->ops, change->count, change->a, change->b, change->a_seconds, change->b_seconds);
    }
    printf("]}");
}
