/* Points of a family: every parameter but the runtime ones gets a value. A field of `values` may be a list: the points are all
 * combinations. */
#include <string.h>

#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { POINTS = 16384 }; /* of all families */

static bool is_size(met_str text)
{
    bool good = text.length > 0 && text.length <= 18 && text.at[0] != '0';
    for (size_t i = 0; good && i < text.length; i++)
        good = text.at[i] >= '0' && text.at[i] <= '9';
    return good;
}

static bool is_tree(met_lkb_reader *r, met_str text)
{
    bool found = met_str_is(text, "undeclared");
    for (size_t i = 0; !found && i < r->trees.count; i++)
        found = met_str_is(text, r->trees.at[i].id);
    return found;
}

static bool is_op_of(const met_family *family, met_str text)
{
    for (uint32_t i = 0; i < family->op_count; i++)
        if (met_str_is(text, met_op_by_id(family->ops[i].op)->name))
            return true;
    return false;
}

static bool fits_option(const met_family *family, const met_family_param *param, met_str text)
{
    met_option option;
    double number;
    if (!met_lkb_family_option(family, param->argument, &option))
        return false;
    return option.kind == MET_ATTR_WORD ? met_option_allows(option.words, text) :
           option.kind == MET_ATTR_NUMBER ? met_read_double(text, &number) : true;
}

static bool fits_setting(const met_lkb_reader *r, const met_family_param *param, met_str text)
{
    for (uint32_t i = 0; i < r->lkb->setting_count; i++)
        if (strcmp(r->lkb->settings[i].name, param->argument) == 0)
            return text.length == strlen(text.at) && met_name_list_has(&r->lkb->settings[i].values, text.at);
    return false;
}

/* Whether the parameter can have the value, by what it is read off. */
static bool fits(met_lkb_reader *r, const met_family *family, const met_family_param *param, met_str text)
{
    met_format format;
    if (param->absent && met_str_is(text, param->absent))
        return true;
    switch (param->extract) {
    case MET_EXTRACT_WEIGHT:
    case MET_EXTRACT_ACTIVATION:
    case MET_EXTRACT_OUTPUT:
        return met_format_parse(text, &format);
    case MET_EXTRACT_OP:
        return is_op_of(family, text);
    case MET_EXTRACT_CONSUMER:
        return met_op_find(text) != NULL;
    case MET_EXTRACT_OPTION:
        return fits_option(family, param, text);
    case MET_EXTRACT_SETTING:
        return fits_setting(r, param, text);
    case MET_EXTRACT_TREE:
        return is_tree(r, text);
    case MET_EXTRACT_DIM:
    case MET_EXTRACT_IN_DIM:
    case MET_EXTRACT_OUT_DIM:
        return is_size(text);
    }
    return false;
}

/* The values that a point states of each parameter. */
static bool read_values(met_lkb_reader *r, const met_value *point, const met_family *family, met_name_list *lists)
{
    bool good = true;
    const met_value *values = met_lkb_field(r, point, "values", family->param_count > 0, MET_VALUE_TABLE, &good);
    const char **names = MET_NEW_ARRAY(r->arena, const char *, family->param_count);
    for (uint32_t p = 0; p < family->param_count; p++)
        names[p] = family->params[p].name;
    for (size_t i = 0; values && i < values->entries.count; i++) {
        const met_entry *e = &values->entries.at[i];
        uint32_t p = 0;
        while (p < family->param_count && !met_str_is(e->key, names[p]))
            p++;
        if (p == family->param_count) {
            good = met_lkb_unknown(r, &e->key_place, "parameter", e->key, names, family->param_count);
        } else if (family->params[p].kind == MET_PARAM_RUNTIME) {
            good = met_lkb_wrong(r, e->key_place.span, "`%s` is a runtime parameter: it tells no points apart", names[p]);
        } else if (!met_lkb_names(r, values, names[p], true, &lists[p])) {
            good = false;
        }
        for (size_t k = 0; p < family->param_count && k < lists[p].count; k++) {
            const met_value *item = met_lkb_item(e->value, k);
            if (!fits(r, family, &family->params[p], item->string)) {
                met_diag_at(r->session, MET_DIAG_blueprint, &item->place, "`%s` cannot be `%.*s`", names[p], MET_STR_ARGS(item->string));
                good = false;
            }
        }
    }
    for (uint32_t p = 0; values && p < family->param_count; p++)
        if (family->params[p].kind != MET_PARAM_RUNTIME && !met_value_get(values, names[p]))
            good = met_lkb_wrong(r, values->place.span, "the point does not say what `%s` is", names[p]);
    return good;
}

/* The values as one text, in which no value can run into the next. */
static met_str key_of(met_arena *arena, const met_family *family, const char *const *values)
{
    met_text text = met_text_new(arena);
    for (uint32_t p = 0; p < family->param_count; p++)
        met_text_format(&text, "%s\n", values[p] ? values[p] : "");
    return met_str_of(met_text_done(&text));
}

typedef struct point_list {
    MET_VEC(met_family_point) points;
    met_map *seen;
} point_list;

static bool add_point(met_lkb_reader *r, const met_family *family, point_list *list, met_family_point point)
{
    met_str key = key_of(r->arena, family, point.values);
    uint32_t first;
    if (met_map_get(list->seen, key, &first)) {
        met_diag *d = met_diag_add(r->session, MET_DIAG_duplicate_name, point.span, "the family `%s` has this point already", family->id);
        met_diag_note(d, list->points.at[first].span, "it is here");
        return false;
    }
    if (r->point_count++ == POINTS)
        return met_lkb_wrong(r, point.span, "there are more than %d points in all", POINTS);
    met_map_set(list->seen, key, (uint32_t)list->points.count);
    MET_PUSH(r->arena, &list->points, point);
    return true;
}

/* All combinations of the values, the last parameter running fastest. */
static bool add_combinations(met_lkb_reader *r, const met_family *family, point_list *list, met_family_point point, const met_name_list *lists)
{
    uint32_t count = family->param_count;
    uint32_t *at = MET_NEW_ARRAY(r->arena, uint32_t, count);
    for (;;) {
        const char **values = MET_NEW_ARRAY(r->arena, const char *, count);
        for (uint32_t p = 0; p < count; p++)
            values[p] = lists[p].count ? lists[p].names[at[p]] : NULL;
        point.values = values;
        if (!add_point(r, family, list, point))
            return false;
        uint32_t p = count;
        while (p > 0 && ++at[p - 1] >= lists[p - 1].count)
            at[--p] = 0;
        if (p == 0)
            return true;
    }
}

static bool read_point(met_lkb_reader *r, const met_value *table, const met_family *family, point_list *list)
{
    static const char *const known[] = { "values", "how", "files", "needs" };
    static const char *const hows[] = { "instantiation", "copy", "branch" };
    met_family_point point = { .span = table->place.span };
    met_name_list *lists = MET_NEW_ARRAY(r->arena, met_name_list, family->param_count);
    uint32_t how = 0;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    good = met_lkb_word(r, table, "how", true, hows, COUNT(hows), &how) && good;
    good = met_lkb_names(r, table, "files", family->form != NULL, &point.files) && good;
    good = met_lkb_capabilities(r, table, "needs", &point.needs) && good;
    point.how = (met_point_how)how;
    return read_values(r, table, family, lists) && good && add_combinations(r, family, list, point, lists);
}

bool met_lkb_read_points(met_lkb_reader *r, const met_value *table, met_family *family)
{
    bool good = true;
    const met_value *rows = met_lkb_tables(r, table, "point", &good);
    point_list list = { .seen = met_map_new(r->arena) };
    for (size_t i = 0; rows && i < rows->items.count; i++)
        good = read_point(r, rows->items.at[i], family, &list) && good;
    if (good && list.points.count == 0)
        good = met_lkb_wrong(r, family->span, "the family `%s` has no point", family->id);
    family->point_count = (uint32_t)list.points.count;
    family->points = list.points.at;
    return good;
}
