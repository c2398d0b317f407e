#include "plan/calibrate.h"

typedef struct sum {
    double measured_s, modelled_s;
} sum;

/* Its place among those of the class; behind them for a candidate of none. */
static uint32_t family_number(const met_lower_task *task, const met_candidate *candidate)
{
    const met_hardware *hardware = task->options->hardware;
    const met_family *family = candidate->family;
    uint32_t place, f = 0;
    if (candidate->rule && candidate->rule->kernels.count > 0)
        family = met_hardware_family(hardware, candidate->rule->kernels.names[0], &place);
    while (f < hardware->family_count && hardware->families[f] != family)
        f++;
    return f;
}

static double scale_of(sum of, double otherwise)
{
    return of.measured_s > 0 && of.modelled_s > 0 ? of.measured_s / of.modelled_s : otherwise;
}

void met_lower_calibrate(met_lower_task *task, size_t count, met_candidate *candidates)
{
    uint32_t families = task->options->hardware->family_count;
    sum *sums = MET_NEW_ARRAY(task->arena, sum, families + 1), all = { 0 };
    if (!task->options->pricing || !task->options->pricing->measured)
        return;
    for (size_t c = 0; c < count; c++) {
        met_price price = met_lower_price(task, &candidates[c], NULL);
        sum *own = &sums[family_number(task, &candidates[c])];
        if (!price.measured)
            continue;
        own->measured_s += price.seconds;
        own->modelled_s += price.modelled_s;
        all.measured_s += price.seconds;
        all.modelled_s += price.modelled_s;
    }
    if (!(all.measured_s > 0 && all.modelled_s > 0))
        return;
    double *scales = MET_NEW_ARRAY(task->arena, double, families + 1);
    for (uint32_t f = 0; f <= families; f++)
        scales[f] = scale_of(sums[f], scale_of(all, 1));
    task->scales = scales;
    for (size_t c = 0; c < count; c++)
        candidates[c].seconds = met_lower_price(task, &candidates[c], NULL).seconds;
}

met_price met_lower_calibrated(const met_lower_task *task, const met_candidate *candidate, met_price price)
{
    if (!task->scales || price.measured || price.launches == 0)
        return price;
    price.seconds = price.modelled_s * task->scales[family_number(task, candidate)];
    price.bound_s = price.seconds;
    price.calibrated = true;
    return price;
}
