/* The canonical text of a blueprint, one fact a line: every field of every part, no span. Strings are quoted as JSON has them,
 * so that no two blueprints have one text. */
#include "base/digest.h"
#include "lkb/read.h"

static void put_string(met_text *t, const char *key, const char *value)
{
    if (!value)
        return;
    met_text_format(t, " %s=", key);
    met_text_json_string(t, met_str_of(value));
}

static void put_number(met_text *t, const char *key, double value)
{
    met_text_format(t, " %s=", key);
    met_text_double(t, value);
}

static void put_names(met_text *t, const char *key, const met_name_list *list)
{
    if (list->count == 0)
        return;
    met_text_format(t, " %s=[", key);
    for (uint32_t i = 0; i < list->count; i++) {
        met_text_put(t, i ? "," : "");
        met_text_json_string(t, met_str_of(list->names[i]));
    }
    met_text_char(t, ']');
}

static void put_settings(met_text *t, const char *key, uint32_t count, const met_setting *settings)
{
    for (uint32_t i = 0; i < count; i++) {
        put_string(t, key, settings[i].name);
        put_string(t, "value", settings[i].value);
    }
}

static void put_device(met_text *t, const met_device *d)
{
    static const char *const peaks[MET_PEAK_COUNT] = { "f32", "bf16", "fp8", "nvfp4" };
    met_text_put(t, "device");
    put_string(t, "id", d->id);
    put_string(t, "class", d->class_id);
    for (uint32_t i = 0; i < d->level_count; i++) {
        put_string(t, "level", d->levels[i].name);
        met_text_format(t, " bytes=%llu", (unsigned long long)d->levels[i].capacity_bytes);
        put_number(t, "rate", d->levels[i].bytes_per_s);
    }
    for (uint32_t i = 0; i < MET_PEAK_COUNT; i++)
        put_number(t, peaks[i], d->peak[i]);
    put_number(t, "launch", d->launch_s);
    met_text_format(t, " units=%u memory=%llu", d->units, (unsigned long long)d->memory_bytes);
    put_number(t, "usable", d->usable);
    put_number(t, "joule_per_byte", d->joule_per_byte);
    put_number(t, "joule_per_flop", d->joule_per_flop);
    put_string(t, "source", d->source);
    put_string(t, "energy", d->energy_source);
    met_text_char(t, '\n');
}

/* --- Families --- */

static void put_params(met_text *t, const met_family *f)
{
    for (uint32_t i = 0; i < f->param_count; i++) {
        const met_family_param *p = &f->params[i];
        met_text_put(t, " param");
        put_string(t, "name", p->name);
        met_text_format(t, " kind=%d from=%d", p->kind, p->extract);
        put_string(t, "of", p->argument);
        put_string(t, "absent", p->absent);
        met_text_char(t, '\n');
    }
    for (uint32_t i = 0; i < f->point_count; i++) {
        const met_family_point *p = &f->points[i];
        met_text_format(t, " point how=%d", p->how);
        for (uint32_t k = 0; k < f->param_count; k++)
            put_string(t, f->params[k].name, p->values[k]);
        put_names(t, "files", &p->files);
        put_names(t, "needs", &p->needs);
        met_text_char(t, '\n');
    }
}

static void put_departs(met_text *t, const met_departs_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        put_string(t, "departs", list->at[i].step);
        put_string(t, "in", list->at[i].precision);
    }
}

static void put_family(met_text *t, const met_family *f)
{
    met_text_put(t, " family");
    put_string(t, "id", f->id);
    put_string(t, "summary", f->summary);
    put_string(t, "form", f->form);
    for (uint32_t i = 0; i < f->op_count; i++) {
        put_string(t, "op", met_op_by_id(f->ops[i].op)->name);
        put_names(t, "role", &f->ops[i].roles);
    }
    put_names(t, "core", &f->core);
    for (uint32_t i = 0; i < f->kernels.count; i++) {
        put_string(t, "kernel", f->kernels.names[i]);
        put_string(t, "tree", f->trees[i]);
    }
    put_string(t, "derived", f->derived);
    put_names(t, "needs", &f->needs);
    for (uint32_t i = 0; i < f->step_count; i++) {
        put_string(t, met_op_by_id(f->steps[i].op)->name, f->steps[i].step);
        put_string(t, "in", f->steps[i].precision);
    }
    put_departs(t, &f->departs);
    put_string(t, "scales", f->scales_groups ? "groups" : NULL);
    met_text_char(t, '\n');
    put_params(t, f);
}

/* --- Rules --- */

static void put_format(met_text *t, const char *key, bool has, met_format format)
{
    if (!has)
        return;
    met_text_format(t, " %s=", key);
    met_format_print(t, format);
}

static void put_element(met_text *t, const met_rule_element *e)
{
    met_text_put(t, " (");
    for (uint32_t i = 0; i < e->op_count; i++)
        met_text_format(t, "%s%s", i ? "|" : "", met_op_by_id(e->ops[i])->name);
    put_names(t, "role", &e->roles);
    put_string(t, "block", e->block);
    put_format(t, "weight", e->has_weight, e->weight);
    put_format(t, "input", e->has_input, e->input);
    put_format(t, "makes", e->has_makes, e->makes);
    put_format(t, "writes", e->has_writes, e->writes);
    put_format(t, "holds", e->has_holds, e->holds);
    met_text_format(t, "%s%s%s%s", e->keep ? " keep" : "", e->stored ? " stored" : "", e->sibling ? " sibling" : "",
                    e->optional ? " optional" : "");
    if (e->reads != UINT32_MAX)
        met_text_format(t, " reads=%u", e->reads);
    met_text_char(t, ')');
}

static void put_rule(met_text *t, const char *word, const met_rule *rule)
{
    met_text_format(t, " %s", word);
    put_string(t, "id", rule->id);
    for (uint32_t i = 0; i < rule->element_count; i++)
        put_element(t, &rule->elements[i]);
    put_names(t, "kernels", &rule->kernels);
    met_text_format(t, " repeat=%d chunk=%u", rule->repeat, rule->chunk);
    put_names(t, "modes", &rule->modes);
    met_text_format(t, " rows=%llu-%llu", (unsigned long long)rule->rows_min, (unsigned long long)rule->rows_max);
    put_settings(t, "when", rule->when_count, rule->when);
    put_names(t, "capabilities", &rule->capabilities);
    met_text_format(t, " tag=%d", rule->tag);
    put_string(t, "microtest", rule->microtest);
    put_string(t, "lever", rule->lever);
    put_departs(t, &rule->departs);
    met_text_format(t, " priority=%d", (int)rule->priority);
    put_string(t, "cite", rule->cite);
    put_string(t, "example", rule->example);
    met_text_char(t, '\n');
}

/* --- Classes --- */

static void put_hardware(met_text *t, const met_hardware *h)
{
    met_text_put(t, "class");
    put_string(t, "id", h->id);
    put_string(t, "parent", h->parent);
    put_string(t, "realizes", h->class_name);
    put_string(t, "summary", h->summary);
    put_settings(t, "default", h->default_count, h->defaults);
    put_names(t, "capabilities", &h->capabilities);
    for (uint32_t i = 0; i < h->absence_count; i++) {
        put_string(t, "absent", h->absences[i].kernel);
        put_string(t, "reason", h->absences[i].reason);
    }
    put_names(t, "residual", &h->residual);
    put_names(t, "matrix_units", &h->matrix_units);
    met_text_char(t, '\n');
    for (uint32_t i = 0; i < h->family_count; i++)
        put_family(t, h->families[i]);
    for (uint32_t i = 0; i < h->rule_count; i++)
        put_rule(t, "rule", h->rules[i]);
}

/* What a plan must be, which changes no kernel: of the blueprint's digest, not of a class's. */
static void put_policy(met_text *t, const met_policy *policy)
{
    met_text_put(t, "policy");
    for (uint32_t s = 0; s < policy->step_count; s++) {
        put_string(t, "step", policy->steps[s].step);
        met_text_format(t, " requires=%d", policy->steps[s].requires);
        put_string(t, "in", policy->steps[s].precision);
    }
    for (uint32_t n = 0; n < policy->need_count; n++) {
        put_string(t, "op", met_op_by_id(policy->needs[n].op)->name);
        put_names(t, "needs", &policy->needs[n].steps);
    }
    met_text_char(t, '\n');
}

static void put_unit(met_text *t, const met_lkb_unit *unit)
{
    met_text_put(t, "unit");
    put_string(t, "id", unit->id);
    put_string(t, "summary", unit->summary);
    put_names(t, "gpus", &unit->gpus);
    put_names(t, "inputs", &unit->inputs);
    put_names(t, "replayed", &unit->replayed);
    put_string(t, "source", unit->source);
    if (unit->declared) {
        met_tree tree = met_tree_sequential(MET_F32);
        tree.node = MET_NODE_MATRIX;
        tree.unit = unit->instruction.unit;
        met_text_char(t, ' ');
        met_tree_print(t, &tree, MET_F32);
    }
    met_text_format(t, " depth=%d order=%d half=%d without_c=%d\n", unit->instruction.depth, unit->instruction.order, unit->half, unit->without_c);
}

static void put_words(met_text *t, const met_lkb *lkb)
{
    met_tree_names names = met_lkb_sizes(lkb);
    for (uint32_t i = 0; i < lkb->unit_count; i++)
        put_unit(t, &lkb->units[i]);
    for (uint32_t i = 0; i < lkb->tree_count; i++) {
        met_text_put(t, "tree");
        put_string(t, "id", lkb->trees[i].id);
        put_string(t, "summary", lkb->trees[i].summary);
        put_string(t, "unit", lkb->trees[i].unit);
        met_text_char(t, ' ');
        met_tree_print_named(t, &lkb->trees[i].tree, MET_F32, &names);
        met_text_char(t, '\n');
    }
    for (uint32_t i = 0; i < lkb->role_count; i++) {
        put_names(t, lkb->roles[i].role, &lkb->roles[i].weights);
        met_text_char(t, '\n');
    }
    for (uint32_t i = 0; i < lkb->capability_count; i++) {
        put_string(t, lkb->capabilities[i].name, lkb->capabilities[i].summary);
        met_text_char(t, '\n');
    }
    for (uint32_t i = 0; i < lkb->setting_count; i++) {
        put_string(t, lkb->settings[i].name, lkb->settings[i].summary);
        put_names(t, "values", &lkb->settings[i].values);
        met_text_char(t, '\n');
    }
}

const char *met_lkb_digest_of(met_arena *arena, const met_lkb *lkb)
{
    met_text t = met_text_new(arena);
    met_text_put(&t, "met blueprint 1\n");
    put_words(&t, lkb);
    for (uint32_t i = 0; i < lkb->device_count; i++)
        put_device(&t, &lkb->devices[i]);
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        put_hardware(&t, &lkb->hardware[i]);
        put_policy(&t, &lkb->hardware[i].policy);
    }
    for (uint32_t i = 0; i < lkb->site_count; i++)
        put_rule(&t, "site", &lkb->sites[i]);
    return met_digest(arena, met_str_of(met_text_done(&t)));
}

const char *met_hardware_digest(met_arena *arena, const met_lkb *lkb, const met_hardware *hardware)
{
    met_text t = met_text_new(arena);
    met_text_put(&t, "met class 1\n");
    put_words(&t, lkb);
    put_hardware(&t, hardware);
    return met_digest(arena, met_str_of(met_text_done(&t)));
}
