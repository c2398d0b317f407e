/* Settings, and whether a rule applies at a mode, a number of rows and settings. */
#include "plan/lower_parts.h"

static bool is(const char *a, const char *b)
{
    return met_str_is(met_str_of(a), b);
}

/* What the request says, then what the class does; NULL: nobody does. */
static const char *setting_of(const met_lower_options *options, const char *name)
{
    for (uint32_t i = options->setting_count; i-- > 0;)
        if (is(options->settings[i].name, name))
            return options->settings[i].value;
    return met_hardware_setting(options->hardware, name);
}

/* --- Checks --- */

static bool is_read(const met_hardware *hardware, const char *name)
{
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        const met_rule *rule = hardware->rules[r];
        if (rule->lever && is(rule->lever, name))
            return true;
        for (uint32_t w = 0; w < rule->when_count; w++)
            if (is(rule->when[w].name, name))
                return true;
    }
    return met_hardware_setting(hardware, name) != NULL;
}

static void add_name(met_text *list, const char *name)
{
    /* a list of a few names: look whether it is there by text, between commas */
    met_text wrapped = met_text_new(list->arena), wanted = met_text_new(list->arena);
    met_text_format(&wrapped, ", %s,", met_text_done(list));
    met_text_format(&wanted, ", %s,", name);
    met_str in = met_str_of(met_text_done(&wrapped)), what = met_str_of(met_text_done(&wanted));
    for (size_t i = 0; i + what.length <= in.length; i++)
        if (met_str_equal((met_str){ in.at + i, what.length }, what))
            return;
    met_text_format(list, "%s%s", list->length ? ", " : "", name);
}

static const char *known_settings(met_arena *arena, const met_hardware *hardware)
{
    met_text list = met_text_new(arena);
    for (uint32_t i = 0; i < hardware->default_count; i++)
        add_name(&list, hardware->defaults[i].name);
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        for (uint32_t w = 0; w < hardware->rules[r]->when_count; w++)
            add_name(&list, hardware->rules[r]->when[w].name);
        if (hardware->rules[r]->lever)
            add_name(&list, hardware->rules[r]->lever);
    }
    return list.length ? met_text_done(&list) : "none";
}

static const met_setting_kind *kind_of(const met_lkb *lkb, const char *name)
{
    for (uint32_t k = 0; k < lkb->setting_count; k++)
        if (is(lkb->settings[k].name, name))
            return &lkb->settings[k];
    return NULL;
}

/* A setting that the request gives: rules read it, and it may have that value. */
static bool given_check(met_session *session, const met_lower_options *options, const met_setting *given)
{
    const met_hardware *hardware = options->hardware;
    const met_setting_kind *kind = kind_of(options->lkb, given->name);
    if (!is_read(hardware, given->name)) {
        met_diag *diag = met_diag_add(session, MET_DIAG_setting, (met_span){ 0 }, "no rule of `%s` reads the setting `%s`", hardware->id,
                                      given->name);
        met_diag_help(diag, "settings are: %s", known_settings(session->arena, hardware));
        return false;
    }
    if (!kind || met_name_list_has(&kind->values, given->value))
        return true;
    met_diag *diag = met_diag_add(session, MET_DIAG_setting, (met_span){ 0 }, "the setting `%s` has no value `%s`", given->name, given->value);
    met_text values = met_text_new(session->arena);
    for (uint32_t v = 0; v < kind->values.count; v++)
        met_text_format(&values, "%s%s", v ? ", " : "", kind->values.names[v]);
    met_diag_help(diag, "its values are: %s", met_text_done(&values));
    return false;
}

bool met_lower_settings_check(const met_circuit *circuit, const met_lower_options *options)
{
    met_session *session = circuit->session;
    const met_hardware *hardware = options->hardware;
    bool good = true;
    for (uint32_t i = 0; i < options->setting_count; i++)
        good = given_check(session, options, &options->settings[i]) && good;
    for (uint32_t r = 0; r < hardware->rule_count && good; r++)
        for (uint32_t w = 0; w < hardware->rules[r]->when_count && good; w++) {
            const char *name = hardware->rules[r]->when[w].name;
            if (setting_of(options, name))
                continue;
            met_diag *diag = met_diag_add(session, MET_DIAG_setting, hardware->rules[r]->span,
                                          "rule `%s` reads the setting `%s`, which has no value", hardware->rules[r]->id, name);
            met_diag_help(diag, "give one with --setting %s=…, or a default to the class `%s`", name, hardware->id);
            good = false;
        }
    return good;
}

/* --- Guards --- */

static const char *say(met_arena *arena, const char *format, const char *a, const char *b, const char *c)
{
    met_text out = met_text_new(arena);
    met_text_format(&out, format, a, b, c);
    return met_text_done(&out);
}

static const char *bars_of_settings(met_arena *arena, const met_lower_options *options, const met_rule *rule)
{
    for (uint32_t w = 0; w < rule->when_count; w++) {
        const char *value = setting_of(options, rule->when[w].name);
        if (!value || !is(value, rule->when[w].value))
            return say(arena, "it is for %s = %s, which is %s", rule->when[w].name, rule->when[w].value, value ? value : "not set");
    }
    const char *lever = rule->lever ? setting_of(options, rule->lever) : "on";
    return lever && is(lever, "on") ? NULL : say(arena, "its lever %s is off%s%s", rule->lever, "", "");
}

static const char *bars_of_class(met_arena *arena, const met_hardware *hardware, const met_rule *rule)
{
    for (uint32_t i = 0; i < rule->capabilities.count; i++)
        if (!met_name_list_has(&hardware->capabilities, rule->capabilities.names[i]))
            return say(arena, "%s has no %s%s", hardware->id, rule->capabilities.names[i], "");
    for (uint32_t i = 0; i < rule->kernels.count; i++) {
        const char *lack = met_hardware_lacks(hardware, rule->kernels.names[i]);
        if (lack)
            return say(arena, "there is no kernel %s: %s%s", rule->kernels.names[i], lack, "");
    }
    return NULL;
}

const char *met_lower_bars(met_arena *arena, const met_lower_options *options, const met_rule *rule)
{
    if (rule->modes.count > 0 && !met_name_list_has(&rule->modes, options->mode))
        return say(arena, "it is not for mode %s%s%s", options->mode, "", "");
    if (options->rows < rule->rows_min || options->rows > rule->rows_max) {
        met_text out = met_text_new(arena);
        met_text_format(&out, "it is for %llu to ", (unsigned long long)rule->rows_min);
        if (rule->rows_max == UINT64_MAX)
            met_text_put(&out, "any number of rows");
        else
            met_text_format(&out, "%llu rows", (unsigned long long)rule->rows_max);
        return met_text_done(&out);
    }
    const char *settings = bars_of_settings(arena, options, rule);
    return settings ? settings : bars_of_class(arena, options->hardware, rule);
}
