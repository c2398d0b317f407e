/* FUSIONS.toml and SITES.toml: rules, each by itself. Whether their kernels exist is known by class (check.c). */
#include <string.h>

#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

const char *const met_lkb_modes[] = { "run", "decode", "verify", "draft", "multi_seq", "verify_batch", "prefill",
                                      "prefill_chunk", "encode" };
const size_t met_lkb_mode_count = COUNT(met_lkb_modes);

/* --- Guards --- */

static bool read_rows(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    bool good = true;
    rule->rows_min = 1;
    rule->rows_max = UINT64_MAX;
    const met_value *rows = met_lkb_field(r, table, "rows", false, MET_VALUE_LIST, &good);
    if (!rows)
        return good;
    int64_t range[2];
    if (rows->items.count != 2)
        return met_lkb_wrong(r, rows->place.span, "`rows` is a range: [min, max]");
    for (size_t i = 0; i < 2; i++)
        if (!met_value_to_integer(r->session, rows->items.at[i], "rows", &range[i]))
            return false;
    if (range[0] < 1 || range[1] < range[0])
        return met_lkb_wrong(r, rows->place.span, range[0] < 1 ? "`rows` begins at 1 or later" : "`rows` ends before it begins");
    rule->rows_min = (uint64_t)range[0];
    rule->rows_max = (uint64_t)range[1];
    return true;
}

static bool read_repeat(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    static const char *const words[] = { "once", "per_row", "per_row_but_last", "chunk", "per_run" };
    uint32_t repeat = MET_REPEAT_ONCE;
    uint64_t chunk = 0;
    bool good = met_lkb_word(r, table, "repeat", false, words, COUNT(words), &repeat);
    good = met_lkb_count(r, table, "chunk", false, 1, &chunk) && good;
    if (!good)
        return false;
    if ((repeat == MET_REPEAT_CHUNK) != (chunk > 0) || chunk > UINT32_MAX)
        return met_lkb_wrong(r, table->place.span, "`repeat = \"chunk\"` and `chunk`, its number of rows, stand together");
    rule->repeat = (met_repeat)repeat;
    rule->chunk = (uint32_t)chunk;
    return true;
}

static bool read_guards(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    bool good = met_lkb_names(r, table, "modes", false, &rule->modes) &&
                met_lkb_among(r, table, "modes", "mode", met_lkb_modes, COUNT(met_lkb_modes));
    good = read_rows(r, table, rule) && good;
    good = met_lkb_settings(r, table, "when", &rule->when_count, &rule->when) && good;
    good = met_lkb_capabilities(r, table, "capabilities", &rule->capabilities) && good;
    return read_repeat(r, table, rule) && good;
}

/* --- Tags --- */

static bool check_lever(met_lkb_reader *r, const met_value *table, const met_rule *rule)
{
    const met_value *lever = met_value_get(table, "lever");
    const met_setting_kind *kind = met_lkb_setting(r, &lever->place, lever->string);
    if (!kind)
        return false;
    return (met_name_list_has(&kind->values, "on") && met_name_list_has(&kind->values, "off")) ||
           met_lkb_wrong(r, lever->place.span, "`%s` is no lever: it cannot be `on` and `off`", rule->lever);
}

/* The microtest of a rule compares toys with this rule alone against single ops: there is one for each, by the rule's name. */
static bool wrong_microtest(met_lkb_reader *r, const met_value *table, const met_rule *rule)
{
    met_diag *d = rule->microtest ? met_diag_at(r->session, MET_DIAG_blueprint, &met_value_get(table, "microtest")->place,
                                                "`%s` is not the microtest of the rule `%s`", rule->microtest, rule->id) :
                                    met_diag_add(r->session, MET_DIAG_blueprint, rule->span,
                                                 "the rule `%s` is bit_identical and names no microtest", rule->id);
    met_diag_help(d, "write microtest = \"%s\": `met lkb check --run` tries the rule under its own name", rule->id);
    return false;
}

static bool read_tag(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    static const char *const tags[] = { "reference", "bit_identical", "differs" };
    uint32_t tag = 0;
    bool good = met_lkb_word(r, table, "numerics", true, tags, COUNT(tags), &tag);
    good = met_lkb_text(r, table, "microtest", false, &rule->microtest) && good;
    good = met_lkb_text(r, table, "lever", false, &rule->lever) && good;
    rule->tag = (met_tag)tag;
    if (!good)
        return false;
    if (rule->tag == MET_TAG_BIT_IDENTICAL && !(rule->microtest && strcmp(rule->microtest, rule->id) == 0))
        return wrong_microtest(r, table, rule);
    if (!rule->lever && rule->tag == MET_TAG_DIFFERS)
        return met_lkb_wrong(r, rule->span, "the rule `%s` differs and names no lever that opts into it", rule->id);
    if (rule->microtest && rule->tag != MET_TAG_BIT_IDENTICAL)
        return met_lkb_wrong(r, met_value_get(table, "microtest")->place.span, "only a bit_identical rule has a microtest");
    if (rule->lever && rule->tag != MET_TAG_DIFFERS)
        return met_lkb_wrong(r, met_value_get(table, "lever")->place.span, "only a rule that differs has a lever");
    return !rule->lever || check_lever(r, table, rule);
}

/* --- Rules --- */

static bool read_priority(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    bool good = true;
    const met_value *value = met_lkb_field(r, table, "priority", true, MET_VALUE_INTEGER, &good);
    if (!value)
        return false;
    if (value->integer < -1000000 || value->integer > 1000000)
        return met_lkb_wrong(r, value->place.span, "a priority lies between -1000000 and 1000000");
    rule->priority = (int32_t)value->integer;
    return true;
}

static bool read_kernels(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    if (!met_lkb_names(r, table, "kernels", true, &rule->kernels))
        return false;
    met_span *spans = MET_NEW_ARRAY(r->arena, met_span, rule->kernels.count);
    for (uint32_t k = 0; k < rule->kernels.count; k++)
        spans[k] = met_lkb_item(met_value_get(table, "kernels"), k)->place.span;
    rule->kernel_spans = spans;
    return true;
}

static bool read_rule(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    static const char *const known[] = { "id", "pattern", "kernels", "repeat", "chunk", "modes", "rows", "when", "capabilities",
                                         "numerics", "microtest", "lever", "departs", "priority", "cite", "example" };
    rule->span = table->place.span;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    if (!met_lkb_id(r, table, "id", &rule->id))
        return false;
    good = met_lkb_read_pattern(r, table, rule) && good;
    good = read_kernels(r, table, rule) && good;
    good = read_guards(r, table, rule) && good;
    good = read_tag(r, table, rule) && good;
    good = met_lkb_read_departs(r, table, &rule->departs) && good;
    good = read_priority(r, table, rule) && good;
    good = met_lkb_text(r, table, "example", false, &rule->example) && good;
    return met_lkb_text(r, table, "cite", true, &rule->cite) && good;
}

static bool read_site(met_lkb_reader *r, const met_value *table, met_rule *site)
{
    static const char *const known[] = { "id", "pattern" };
    site->span = table->place.span;
    site->rows_min = 1;
    site->rows_max = UINT64_MAX;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    return met_lkb_id(r, table, "id", &site->id) && met_lkb_read_pattern(r, table, site) && good;
}

typedef bool (*read_fn)(met_lkb_reader *r, const met_value *table, met_rule *rule);

/* Several sites may have one id: different ways to write one operation. */
static bool read_all(met_lkb_reader *r, const met_value *file, const char *key, read_fn read, bool unique,
                     uint32_t *ret_count, const met_rule **ret_rules)
{
    bool good = true;
    const met_value *list = met_lkb_tables(r, file, key, &good);
    uint32_t count = list ? (uint32_t)list->items.count : 0;
    met_rule *rules = MET_NEW_ARRAY(r->arena, met_rule, count);
    met_span *spans = MET_NEW_ARRAY(r->arena, met_span, count);
    met_map *ids = met_map_new(r->arena);
    for (uint32_t i = 0; i < count; i++) {
        good = read(r, list->items.at[i], &rules[i]) && good;
        good = (!unique || !rules[i].id || met_lkb_new(r, ids, "rules", rules[i].id, rules[i].span, spans, i)) && good;
    }
    *ret_count = count;
    *ret_rules = rules;
    return good;
}

bool met_lkb_read_rules(met_lkb_reader *r, const met_value *file, met_rule_file *ret_file)
{
    static const char *const known[] = { "rule", "remove" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of rules"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    good = met_lkb_removals(r, file, &ret_file->removal_count, &ret_file->removals) && good;
    return read_all(r, file, "rule", read_rule, true, &ret_file->rule_count, &ret_file->rules) && good;
}

bool met_lkb_read_sites(met_lkb_reader *r, const met_value *file)
{
    static const char *const known[] = { "site" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of sites"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    return read_all(r, file, "site", read_site, false, &r->lkb->site_count, &r->lkb->sites) && good;
}
