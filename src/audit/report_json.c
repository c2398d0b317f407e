/* The report for programs. */
#include "audit/report.h"

static void put_name(met_text *out, const char *key, const char *value)
{
    met_text_format(out, "\"%s\": ", key);
    if (value)
        met_text_json_string(out, met_str_of(value));
    else
        met_text_put(out, "null");
}

static void put_number(met_text *out, const char *key, double value)
{
    met_text_format(out, ", \"%s\": ", key);
    met_text_double(out, value);
}

static void put_metrics(met_text *out, const met_class_metrics *m)
{
    met_text_format(out, ", \"families\": %llu, \"points\": %llu, \"copies\": %llu, \"kernels\": %llu, \"own_kernels\": %llu",
                    (unsigned long long)m->families, (unsigned long long)m->points, (unsigned long long)m->copies,
                    (unsigned long long)m->kernels, (unsigned long long)m->own_kernels);
    met_text_format(out, ", \"residual\": %llu, \"rules\": %llu, \"equations\": %llu", (unsigned long long)m->residual,
                    (unsigned long long)m->rules, (unsigned long long)m->equations);
    put_number(out, "coverage", m->coverage);
    put_number(out, "measured", m->measured);
}

static void put_model(met_text *out, const void *element)
{
    const met_model_report *model = element;
    met_text_put(out, "{");
    put_name(out, "model", model->model);
    met_text_put(out, ", ");
    put_name(out, "mode", model->mode);
    met_text_format(out, ", \"rows\": %llu", (unsigned long long)model->rows);
    if (!model->venn) {
        met_text_put(out, ", ");
        put_name(out, "why", model->why);
    } else {
        met_text_format(out, ", \"groups\": %u", (unsigned)model->venn->site_count);
        for (int sharing = MET_SHARED; sharing < MET_SHARINGS; sharing++)
            met_text_format(out, ", \"%s\": %u", met_sharing_name((met_sharing)sharing), (unsigned)model->venn->count[sharing]);
    }
    if (model->venn && model->venn->priced) {
        put_number(out, "coverage", model->venn->coverage);
        put_number(out, "measured", model->venn->measured);
    }
    met_text_put(out, "}");
}

static void put_promotion(met_text *out, const void *element)
{
    const met_promotion *one = element;
    met_text_put(out, "{");
    put_name(out, "family", one->family->id);
    if (!one->values) {
        met_text_format(out, ", \"copies\": %u}", (unsigned)one->copies);
        return;
    }
    met_text_put(out, ", \"point\": {");
    bool any = false;
    for (uint32_t p = 0; p < one->family->param_count; p++) {
        if (!one->values[p])
            continue;
        met_text_put(out, any ? ", " : "");
        put_name(out, one->family->params[p].name, one->values[p]);
        any = true;
    }
    met_text_put(out, "}");
    put_number(out, "share", one->share);
    met_text_put(out, ", ");
    put_name(out, "model", one->model);
    met_text_put(out, "}");
}

static void put_laxity(met_text *out, const void *element)
{
    const met_rule_laxity *laxity = element;
    static const char *const verdicts[] = { "kept", "dropped", "choice" };
    met_text_put(out, "{");
    put_name(out, "rule", laxity->rule->id);
    met_text_format(out, ", \"groups\": %llu", (unsigned long long)laxity->group_count);
    put_number(out, "parts_s", laxity->parts_s);
    put_number(out, "fused_s", laxity->fused_s);
    if (laxity->has_joules)
        put_number(out, "joules", laxity->joules);
    met_text_format(out, ", \"energy\": \"%s\", \"verdict\": \"%s\"}", laxity->has_joules ? "measured" : "unavailable",
                    verdicts[met_rule_laxity_verdict(laxity)]);
}

static void put_audit(met_text *out, const void *element)
{
    const met_tag_audit *audit = element;
    static const char *const verdicts[] = { "same", "different", "unknown" };
    static const char *const tags[] = { "reference", "bit_identical", "differs" };
    met_text_put(out, "{");
    put_name(out, "rule", audit->rule->id);
    met_text_format(out, ", \"tag\": \"%s\", \"records\": \"%s\", \"matches\": %u, \"toys\": %u, ", tags[audit->rule->tag],
                    verdicts[audit->verdict], (unsigned)audit->matches->match_count, (unsigned)audit->matches->toy_count);
    put_name(out, "why", audit->why);
    met_text_put(out, "}");
}

typedef void (*put_fn)(met_text *out, const void *element);

static void put_list(met_text *out, const char *key, uint32_t count, const void *list, size_t size, put_fn put)
{
    met_text_format(out, ", \"%s\": [", key);
    for (uint32_t k = 0; k < count; k++) {
        met_text_put(out, k ? ",\n  " : "\n  ");
        put(out, (const char *)list + k * size);
    }
    met_text_put(out, "]");
}

void met_class_report_json(met_text *out, const met_class_report *report)
{
    met_text_put(out, "{");
    put_name(out, "class", report->hardware->id);
    met_text_put(out, ", ");
    put_name(out, "device", report->device ? report->device->id : NULL);
    met_text_put(out, ", ");
    put_name(out, "blueprint", report->lkb->digest);
    put_metrics(out, &report->metrics);
    put_list(out, "models", report->model_count, report->models, sizeof *report->models, put_model);
    put_list(out, "promotions", report->promotion_count, report->promotions, sizeof *report->promotions, put_promotion);
    put_list(out, "laxities", report->laxity_count, report->laxities, sizeof *report->laxities, put_laxity);
    put_list(out, "tags", report->audit_count, report->audits, sizeof *report->audits, put_audit);
    met_text_put(out, "}");
}
