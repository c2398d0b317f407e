#include "audit/history.h"

#include <stddef.h>
#include <string.h>

#include "audit/share.h"

/* --- Metrics --- */

met_class_metrics met_class_metrics_of(const met_lkb *lkb, const met_hardware *hardware)
{
    const met_hardware *parent = hardware->parent ? met_lkb_hardware(lkb, hardware->parent) : NULL;
    met_class_metrics m = { .id = hardware->id, .families = hardware->family_count, .residual = hardware->residual.count,
                            .rules = hardware->rule_count };
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        uint32_t ignored;
        m.points += family->point_count;
        m.copies += met_family_copies(family);
        for (uint32_t k = 0; k < family->kernels.count; k++) {
            if (met_hardware_lacks(hardware, family->kernels.names[k]))
                continue;
            m.kernels++;
            m.own_kernels += !parent || !met_hardware_family(parent, family->kernels.names[k], &ignored) ||
                             met_hardware_lacks(parent, family->kernels.names[k]);
        }
    }
    return m;
}

bool met_history_date_valid(const char *date)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof shape; i++)
        if (shape[i] == 'd' ? date[i] < '0' || date[i] > '9' : date[i] != shape[i])
            return false;
    return true;
}

/* --- The file --- */

const met_json_field met_class_counts[] = {
    { "families", offsetof(met_class_metrics, families), MET_JSON_U64 },
    { "points", offsetof(met_class_metrics, points), MET_JSON_U64 },
    { "copies", offsetof(met_class_metrics, copies), MET_JSON_U64 },
    { "kernels", offsetof(met_class_metrics, kernels), MET_JSON_U64 },
    { "own_kernels", offsetof(met_class_metrics, own_kernels), MET_JSON_U64 },
    { "residual", offsetof(met_class_metrics, residual), MET_JSON_U64 },
    { "rules", offsetof(met_class_metrics, rules), MET_JSON_U64 },
    { "equations", offsetof(met_class_metrics, equations), MET_JSON_U64 },
    { 0 },
};
enum { COUNTS = sizeof met_class_counts / sizeof *met_class_counts - 1 };

static uint64_t *count_in(met_class_metrics *m, size_t k)
{
    return (uint64_t *)(void *)((char *)m + met_class_counts[k].offset);
}

static uint64_t count_of(const met_class_metrics *m, size_t k)
{
    met_class_metrics copy = *m;
    return *count_in(&copy, k);
}

static bool read_share(met_session *session, const met_value *table, const char *key, double *ret_share)
{
    const met_value *value = met_value_require(session, table, key);
    if (!value || !met_value_to_number(session, value, key, ret_share))
        return false;
    if (*ret_share >= 0 && *ret_share <= 1)
        return true;
    met_diag_at(session, MET_DIAG_field, &value->place, "`%s` is a share, from 0 to 1", key);
    return false;
}

static bool read_class(met_session *session, const met_value *table, met_class_metrics *ret_class)
{
    static const char *const known[] = { "id", "families", "points", "copies", "kernels", "own_kernels", "residual", "rules",
                                         "equations", "coverage", "measured" };
    met_str id;
    if (!met_value_expect(session, table, MET_VALUE_TABLE, "a class"))
        return false;
    const met_value *name = met_value_require(session, table, "id");
    bool good = met_value_only(session, table, known, sizeof known / sizeof *known);
    good = name && met_value_to_string(session, name, "id", &id) && good;
    if (!good)
        return false;
    ret_class->id = id.at;
    for (size_t k = 0; k < COUNTS; k++) {
        int64_t count;
        const met_value *value = met_value_require(session, table, met_class_counts[k].key);
        if (!value || !met_value_to_integer(session, value, met_class_counts[k].key, &count))
            return false;
        if (count < 0) {
            met_diag_at(session, MET_DIAG_field, &value->place, "`%s` is a count, from 0", met_class_counts[k].key);
            return false;
        }
        *count_in(ret_class, k) = (uint64_t)count;
    }
    return read_share(session, table, "coverage", &ret_class->coverage) &&
           read_share(session, table, "measured", &ret_class->measured);
}

static bool read_version(met_session *session, const met_value *table, met_history_version *ret_version)
{
    static const char *const known[] = { "date", "digest", "class" };
    met_str date, digest;
    if (!met_value_expect(session, table, MET_VALUE_TABLE, "a version") || !met_value_only(session, table, known, 3))
        return false;
    const met_value *when = met_value_require(session, table, "date"), *what = met_value_require(session, table, "digest"),
                    *classes = met_value_require(session, table, "class");
    if (!when || !what || !classes || !met_value_to_string(session, when, "date", &date) ||
        !met_value_to_string(session, what, "digest", &digest) || !met_value_expect(session, classes, MET_VALUE_LIST, "class"))
        return false;
    if (!met_history_date_valid(date.at)) {
        met_diag_at(session, MET_DIAG_field, &when->place, "a date is written YYYY-MM-DD");
        return false;
    }
    met_class_metrics *list = MET_NEW_ARRAY(session->arena, met_class_metrics, classes->items.count + 1);
    *ret_version = (met_history_version){ date.at, digest.at, (uint32_t)classes->items.count, list };
    for (size_t c = 0; c < classes->items.count; c++)
        if (!read_class(session, classes->items.at[c], &list[c]))
            return false;
    return true;
}

const met_history *met_history_read(met_session *session, const met_value *file)
{
    static const char *const known[] = { "version" };
    if (!met_value_expect(session, file, MET_VALUE_TABLE, "a history") || !met_value_only(session, file, known, 1))
        return NULL;
    const met_value *versions = met_value_get(file, "version");
    size_t count = versions ? versions->items.count : 0;
    if (versions && !met_value_expect(session, versions, MET_VALUE_LIST, "version"))
        return NULL;
    met_history_version *list = MET_NEW_ARRAY(session->arena, met_history_version, count + 1);
    met_history *history = MET_NEW(session->arena, met_history);
    *history = (met_history){ (uint32_t)count, list };
    for (size_t v = 0; v < count; v++)
        if (!read_version(session, versions->items.at[v], &list[v]))
            return NULL;
    return history;
}

void met_history_write(met_text *out, const met_history *history)
{
    met_text_put(out, "# What each version of the blueprint amounts to, class by class. Written by `met lkb history --append`.\n");
    for (uint32_t v = 0; v < history->version_count; v++) {
        const met_history_version *version = &history->versions[v];
        met_text_format(out, "\n[[version]]\ndate = \"%s\"\ndigest = \"%s\"\nclass = [\n", version->date, version->digest);
        for (uint32_t c = 0; c < version->class_count; c++) {
            const met_class_metrics *m = &version->classes[c];
            met_text_format(out, "  { id = \"%s\"", m->id);
            for (size_t k = 0; k < COUNTS; k++)
                met_text_format(out, ", %s = %llu", met_class_counts[k].key, (unsigned long long)count_of(m, k));
            met_text_put(out, ", coverage = ");
            met_share_decimal(out, m->coverage);
            met_text_put(out, ", measured = ");
            met_share_decimal(out, m->measured);
            met_text_put(out, " },\n");
        }
        met_text_put(out, "]\n");
    }
}

/* As the file has them. */
static bool same_share(double a, double b)
{
    a = met_share_rounded(a);
    b = met_share_rounded(b);
    return !(a < b) && !(a > b);
}

static bool same_metrics(const met_class_metrics *a, const met_class_metrics *b)
{
    bool same = !strcmp(a->id, b->id);
    for (size_t k = 0; same && k < COUNTS; k++)
        same = count_of(a, k) == count_of(b, k);
    return same && same_share(a->coverage, b->coverage) && same_share(a->measured, b->measured);
}

static bool same_version(const met_history_version *a, const met_history_version *b)
{
    bool same = !strcmp(a->digest, b->digest) && a->class_count == b->class_count;
    for (uint32_t c = 0; same && c < a->class_count; c++)
        same = same_metrics(&a->classes[c], &b->classes[c]);
    return same;
}

const met_history *met_history_append(met_session *session, const met_history *history, const met_history_version *version)
{
    uint32_t count = history->version_count;
    if (count > 0 && same_version(&history->versions[count - 1], version))
        return history;
    met_history_version *list = MET_NEW_ARRAY(session->arena, met_history_version, count + 1);
    met_history *longer = MET_NEW(session->arena, met_history);
    for (uint32_t v = 0; v < count; v++)
        list[v] = history->versions[v];
    list[count] = *version;
    *longer = (met_history){ count + 1, list };
    return longer;
}
