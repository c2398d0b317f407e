/* Patterns: the elements of a rule or a site. */
#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Element numbers count from 1 in files. */
static bool read_reads(met_lkb_reader *r, const met_value *table, const met_rule_element *elements, uint32_t number, met_rule_element *element)
{
    uint64_t reads = 0;
    element->reads = UINT32_MAX;
    if (!met_lkb_count(r, table, "reads", false, 1, &reads))
        return false;
    if (reads == 0)
        return true;
    met_span span = met_value_get(table, "reads")->place.span;
    if (reads > number)
        return met_lkb_wrong(r, span, "`reads` names an element that comes before this one, which is the number %u", number + 1);
    if (elements[reads - 1].optional)
        return met_lkb_wrong(r, span, "element %u may be absent, so that nothing can depend on reading it", (unsigned)reads);
    if (element->sibling)
        return met_lkb_wrong(r, span, "a sibling joins by its block, not by what it reads");
    element->reads = (uint32_t)(reads - 1);
    return true;
}

static bool read_element(met_lkb_reader *r, const met_value *table, const met_rule_element *elements, uint32_t number, met_rule_element *e)
{
    static const char *const known[] = { "op", "role", "block", "weight", "input", "makes", "writes", "holds", "keep", "stored",
                                         "sibling", "optional", "reads" };
    if (!met_value_expect(r->session, table, MET_VALUE_TABLE, "an element"))
        return false;
    e->span = table->place.span;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    good = met_lkb_ops(r, table, "op", &e->op_count, &e->ops) && good;
    good = met_lkb_read_role_names(r, table, "role", &e->roles) && good;
    if (met_value_get(table, "block"))
        good = met_lkb_id(r, table, "block", &e->block) && good;
    good = met_lkb_format(r, table, "weight", &e->has_weight, &e->weight) && good;
    good = met_lkb_format(r, table, "input", &e->has_input, &e->input) && good;
    good = met_lkb_format(r, table, "makes", &e->has_makes, &e->makes) && good;
    good = met_lkb_format(r, table, "writes", &e->has_writes, &e->writes) && good;
    good = met_lkb_format(r, table, "holds", &e->has_holds, &e->holds) && good;
    good = met_lkb_flag(r, table, "keep", &e->keep) && good;
    good = met_lkb_flag(r, table, "stored", &e->stored) && good;
    good = met_lkb_flag(r, table, "sibling", &e->sibling) && good;
    good = met_lkb_flag(r, table, "optional", &e->optional) && good;
    if (good && number == 0 && (e->sibling || e->optional))
        return met_lkb_wrong(r, met_value_get(table, e->sibling ? "sibling" : "optional")->place.span,
                             "the first element of a pattern cannot be %s", e->sibling ? "a sibling" : "optional");
    if (good && e->has_holds && e->stored)
        return met_lkb_wrong(r, met_value_get(table, "holds")->place.span,
                             "`holds` is for what stays inside, and `stored` says that this does not");
    return good && read_reads(r, table, elements, number, e);
}

bool met_lkb_read_pattern(met_lkb_reader *r, const met_value *table, met_rule *rule)
{
    bool good = true;
    const met_value *list = met_lkb_field(r, table, "pattern", true, MET_VALUE_LIST, &good);
    if (!list)
        return false;
    size_t count = list->items.count;
    if (count == 0 || count > 64)
        return met_lkb_wrong(r, list->place.span, "a pattern has 1 to 64 elements");
    met_rule_element *elements = MET_NEW_ARRAY(r->arena, met_rule_element, count);
    for (uint32_t i = 0; good && i < count; i++)
        good = read_element(r, list->items.at[i], elements, i, &elements[i]);
    rule->element_count = (uint32_t)count;
    rule->elements = elements;
    return good;
}
