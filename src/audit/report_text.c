/* The report for people: at most 80 columns. */
#include "audit/report_parts.h"
#include "audit/share.h"

static void put_seconds(met_text *out, double seconds, size_t width)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1e-9, "ns" }, { 1e-6, "us" }, { 1e-3, "ms" }, { 1, "s" } };
    size_t k = 0;
    met_text number = met_text_new(out->arena);
    while (k < 3 && seconds >= 1000 * units[k].unit)
        k++;
    met_text_double_digits(&number, seconds / units[k].unit, 4);
    met_text_format(out, "%*s %-2s", (int)width - 3, met_text_done(&number), units[k].name);
}

/* --- Sections --- */

static void put_counts(met_text *out, const met_class_report *report)
{
    const met_class_metrics *m = &report->metrics;
    uint64_t differs = 0;
    for (uint32_t r = 0; r < report->hardware->rule_count; r++)
        differs += report->hardware->rules[r]->tag == MET_TAG_DIFFERS;
    met_text_format(out, "  families  %llu, with %llu kernels; %llu points, %llu of them copies\n", (unsigned long long)m->families,
                    (unsigned long long)m->kernels, (unsigned long long)m->points, (unsigned long long)m->copies);
    met_text_format(out, "  residual  %llu kernels that no family makes\n", (unsigned long long)m->residual);
    met_text_format(out, "  rules     %llu of %llu are equations, %llu differ\n", (unsigned long long)m->equations,
                    (unsigned long long)m->rules, (unsigned long long)differs);
}

static void put_model(met_text *out, const met_model_report *model)
{
    met_text_put(out, "  ");
    met_report_cut(out, model->model, 22);
    met_text_put(out, " ");
    met_report_cut(out, model->mode, 9);
    met_text_format(out, "%6llu ", (unsigned long long)model->rows);
    const met_venn *venn = model->venn;
    if (!venn) {
        met_report_cut(out, model->why ? model->why : "no plan", 38);
    } else if (venn->priced) {
        met_text_format(out, "%6u ", venn->site_count);
        met_share_percent(out, venn->coverage, 8);
        met_share_percent(out, venn->measured, 9);
        met_share_percent(out, venn->share[MET_PARAMETERIZATION] + venn->share[MET_POLICY_VARIANT], 9);
    } else {
        met_text_format(out, "%6u   no prices", venn->site_count);
    }
    met_report_end_line(out);
}

static void put_models(met_text *out, const met_class_report *report)
{
    if (!report->model_count)
        return;
    met_text_put(out, "  model                  mode       rows groups  covered measured variants\n");
    for (uint32_t m = 0; m < report->model_count; m++)
        put_model(out, &report->models[m]);
}

enum { PROMOTIONS_SHOWN = 10 };

static void put_promotions(met_text *out, const met_class_report *report)
{
    if (report->promotion_count)
        met_text_put(out, "  promotion candidates\n");
    for (uint32_t p = 0; p < report->promotion_count && p < PROMOTIONS_SHOWN; p++) {
        const met_promotion *one = &report->promotions[p];
        met_text values = met_text_new(out->arena);
        if (!one->values) {
            met_text_format(out, "    %s: %u copies\n", one->family->id, (unsigned)one->copies);
            continue;
        }
        met_text_format(&values, "%s(", one->family->id);
        met_point_print(&values, one->family, one->values);
        met_text_put(&values, ")");
        met_text_put(out, "   ");
        met_share_percent(out, one->share, 7);
        met_text_put(out, " ");
        met_report_cut(out, one->model, 20);
        met_text_put(out, " ");
        met_report_cut(out, met_text_done(&values), 46);
        met_report_end_line(out);
    }
    if (report->promotion_count > PROMOTIONS_SHOWN)
        met_text_format(out, "    and %u more (--json lists them)\n", (unsigned)(report->promotion_count - PROMOTIONS_SHOWN));
}

static void put_laxity(met_text *out, const met_rule_laxity *laxity)
{
    static const char *const words[] = { "", "  dropped", "  a choice: time or energy" };
    met_text_put(out, "    ");
    met_report_cut(out, laxity->rule->id, 24);
    met_text_format(out, "%7llu", (unsigned long long)laxity->group_count);
    put_seconds(out, laxity->parts_s, 11);
    put_seconds(out, laxity->fused_s, 11);
    if (laxity->fused_s > 0)
        met_text_format(out, "%7.0f%%", 100 * (laxity->parts_s - laxity->fused_s) / laxity->fused_s);
    met_text_format(out, "%s\n", words[met_rule_laxity_verdict(laxity)]);
}

static void put_laxities(met_text *out, const met_class_report *report)
{
    if (!report->has_store)
        return;
    if (!report->laxity_count) {
        met_text_put(out, "  no rule has been measured here: met kernel bench MODEL --record\n");
        return;
    }
    met_text_put(out, "  measured time of rules   groups      parts      fused  laxity\n");
    for (uint32_t k = 0; k < report->laxity_count; k++)
        put_laxity(out, &report->laxities[k]);
}

void met_class_report_print(met_text *out, const met_class_report *report)
{
    met_text_format(out, "%s", report->hardware->id);
    met_text_format(out, report->device ? " on %s\n" : "%s, no device\n", report->device ? report->device->id : "");
    put_counts(out, report);
    put_models(out, report);
    put_promotions(out, report);
    put_laxities(out, report);
}
