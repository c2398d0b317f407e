/* How long planning a model takes, by layers: circuits of the llama architecture at toy width, decode, on a GPU class (rules
 * alone) and on a CPU class (rules and derived regions). Work should grow with the layers and no faster. */
#include <stdio.h>
#include <stdlib.h>

#include "host/machine.h"
#include "host/model.h"
#include "host/planning.h"

static double plan_once(const char *planner, const char *hardware, unsigned layers)
{
    char count[16];
    snprintf(count, sizeof count, "%u", layers);
    met_session *session = met_session_new();
    met_planning planning = { 0 };
    met_model_request model = { .name = "llama", .toy = true, .mode = "decode", .layers = count, .default_format = "bf16" };
    met_plan_request request = { .planner = planner, .hardware = hardware, .mode = "decode" };
    const met_lkb *lkb = met_planning_blueprint(session, &planning);
    met_circuit *circuit = lkb ? met_model_load(session, &model) : NULL;
    circuit = circuit ? met_plan_bind(circuit, &request) : NULL;
    double begin = met_seconds();
    const met_lowering *lowering = circuit ? met_planning_lower(circuit, lkb, &request, &planning) : NULL;
    double end = met_seconds();
    if (!lowering) {
        fputs(met_session_diagnostics_text(session), stderr);
        exit(1);
    }
    met_session_free(session);
    return end - begin;
}

int main(void)
{
    static const char *const planners[] = { "none", "greedy", "exact" }, *const targets[] = { "h200-sxm", "cpu-avx2" };
    static const unsigned layers[] = { 1, 2, 4, 8, 16, 32, 64, 126 };
    printf("%-10s %-8s", "hardware", "planner");
    for (size_t l = 0; l < sizeof layers / sizeof *layers; l++)
        printf("%9u", layers[l]);
    printf("  layers, ms\n");
    for (size_t t = 0; t < 2; t++)
        for (size_t p = 0; p < 3; p++) {
            printf("%-10s %-8s", targets[t], planners[p]);
            for (size_t l = 0; l < sizeof layers / sizeof *layers; l++) {
                double best = plan_once(planners[p], targets[t], layers[l]);
                for (int again = 0; again < 2; again++) {
                    double seconds = plan_once(planners[p], targets[t], layers[l]);
                    best = seconds < best ? seconds : best;
                }
                printf("%9.2f", best * 1e3);
            }
            printf("\n");
        }
    return 0;
}
