/* The report for programs. */
#include "audit/report.h"
#include "base/json.h"

static void put_metrics(met_json *json, const met_class_metrics *m)
{
    met_json_put_fields(json, met_class_counts, m);
    met_json_put_number(json, "coverage", m->coverage);
    met_json_put_number(json, "measured", m->measured);
}

static void put_model(met_json *json, const void *element)
{
    const met_model_report *model = element;
    met_json_put_string(json, "model", model->model);
    met_json_put_string(json, "mode", model->mode);
    met_json_put_integer(json, "rows", model->rows);
    if (!model->venn) {
        met_json_put_string(json, "why", model->why);
        return;
    }
    met_json_put_integer(json, "groups", model->venn->site_count);
    for (int sharing = MET_SHARED; sharing < MET_SHARINGS; sharing++)
        met_json_put_integer(json, met_sharing_name((met_sharing)sharing), model->venn->count[sharing]);
    if (model->venn->priced) {
        met_json_put_number(json, "coverage", model->venn->coverage);
        met_json_put_number(json, "measured", model->venn->measured);
    }
}

static void put_promotion(met_json *json, const void *element)
{
    const met_promotion *one = element;
    met_json_put_string(json, "family", one->family->id);
    if (!one->values) {
        met_json_put_integer(json, "copies", one->copies);
        return;
    }
    met_json_open(json, "point", '{');
    for (uint32_t p = 0; p < one->family->param_count; p++)
        if (one->values[p])
            met_json_put_string(json, one->family->params[p].name, one->values[p]);
    met_json_close(json, '}');
    met_json_put_number(json, "share", one->share);
    met_json_put_string(json, "model", one->model);
}

static void put_laxity(met_json *json, const void *element)
{
    const met_rule_laxity *laxity = element;
    static const char *const verdicts[] = { "kept", "dropped", "choice" };
    met_json_put_string(json, "rule", laxity->rule->id);
    met_json_put_integer(json, "groups", laxity->group_count);
    met_json_put_number(json, "parts_s", laxity->parts_s);
    met_json_put_number(json, "fused_s", laxity->fused_s);
    if (laxity->has_joules)
        met_json_put_number(json, "joules", laxity->joules);
    met_json_put_string(json, "energy", laxity->has_joules ? "measured" : "unavailable");
    met_json_put_string(json, "verdict", verdicts[met_rule_laxity_verdict(laxity)]);
}

static void put_audit(met_json *json, const void *element)
{
    const met_tag_audit *audit = element;
    static const char *const verdicts[] = { "same", "different", "unknown" };
    static const char *const tags[] = { "reference", "bit_identical", "differs" };
    met_json_put_string(json, "rule", audit->rule->id);
    met_json_put_string(json, "tag", tags[audit->rule->tag]);
    met_json_put_string(json, "records", verdicts[audit->verdict]);
    met_json_put_integer(json, "matches", audit->matches->match_count);
    met_json_put_integer(json, "toys", audit->matches->toy_count);
    met_json_put_string(json, "why", audit->why);
}

/* Writes the members of one element. */
typedef void (*put_fn)(met_json *json, const void *element);

static void put_list(met_json *json, const char *key, uint32_t count, const void *list, size_t size, put_fn put)
{
    met_json_open(json, key, '[');
    for (uint32_t k = 0; k < count; k++) {
        met_json_line(json, 2);
        met_json_open(json, NULL, '{');
        put(json, (const char *)list + k * size);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

void met_class_report_json(met_json *json, const met_class_report *report)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "class", report->hardware->id);
    met_json_put_string(json, "device", report->device ? report->device->id : NULL);
    met_json_put_string(json, "blueprint", report->lkb->digest);
    put_metrics(json, &report->metrics);
    put_list(json, "models", report->model_count, report->models, sizeof *report->models, put_model);
    put_list(json, "promotions", report->promotion_count, report->promotions, sizeof *report->promotions, put_promotion);
    put_list(json, "laxities", report->laxity_count, report->laxities, sizeof *report->laxities, put_laxity);
    put_list(json, "tags", report->audit_count, report->audits, sizeof *report->audits, put_audit);
    met_json_close(json, '}');
}
