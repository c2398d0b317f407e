/* KERNEL_FAMILIES.toml: trees, roles of weights, and families with their ops, kernels and parameters. Points and pipelines
 * are in family_point.c and pipeline.c. */
#include <string.h>

#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- Trees and roles --- */

static bool find_size(void *context, met_str name, met_size *ret_symbol)
{
    met_lkb_reader *r = context;
    uint32_t i = 0;
    while (i < r->sizes.count && !met_str_equal(r->sizes.at[i], name))
        i++;
    if (i == r->sizes.count)
        MET_PUSH(r->arena, &r->sizes, name);
    *ret_symbol = (met_size){ i };
    return true;
}

static bool read_tree(met_lkb_reader *r, const met_value *table)
{
    static const char *const known[] = { "id", "tree", "summary", "unit" };
    met_lkb_tree tree = { .span = table->place.span };
    const char *text;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    good = met_lkb_id(r, table, "id", &tree.id) && good;
    good = met_lkb_text(r, table, "summary", false, &tree.summary) && good;
    if (!met_lkb_text(r, table, "tree", true, &text) || !good)
        return false;
    met_tree_names names = { NULL, find_size, r };
    if (!met_tree_read(r->arena, met_str_of(text), MET_F32, &names, &tree.tree, NULL) || tree.tree.written) {
        met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &met_value_get(table, "tree")->place, "`%s` is not a tree", text);
        met_diag_help(d, "docs/tree.md has the language of trees, of which those of one length are none for a family: sequential, lanes16, pairwise, mul_add");
        return false;
    }
    if (!met_lkb_check_unit(r, table, &tree))
        return false;
    if (met_str_is(met_str_of(tree.id), "undeclared"))
        return met_lkb_wrong(r, tree.span, "`undeclared` says that there is no tree, and cannot be one");
    for (size_t i = 0; i < r->trees.count; i++) {
        if (strcmp(r->trees.at[i].id, tree.id) != 0)
            continue;
        met_diag *d = met_diag_add(r->session, MET_DIAG_duplicate_name, tree.span, "there are two trees called `%s`", tree.id);
        met_diag_note(d, r->trees.at[i].span, "the first is here");
        return false;
    }
    MET_PUSH(r->arena, &r->trees, tree);
    return true;
}

static bool read_roles(met_lkb_reader *r, const met_value *file, bool overlay)
{
    bool good = true;
    const met_value *table = met_lkb_field(r, file, "roles", false, MET_VALUE_TABLE, &good);
    if (!table)
        return good;
    if (overlay)
        return met_lkb_wrong(r, table->place.span, "roles are the same for all classes: only the main file states them");
    size_t count = table->entries.count;
    met_role *roles = MET_NEW_ARRAY(r->arena, met_role, count);
    met_map *owners = met_map_new(r->arena);
    for (uint32_t i = 0; i < count; i++) {
        const met_entry *e = &table->entries.at[i];
        roles[i].role = e->key.at;
        good = met_lkb_is_id(r, &e->key_place, e->key, "a role") && met_lkb_names(r, table, e->key.at, true, &roles[i].weights) && good;
        for (uint32_t k = 0; k < roles[i].weights.count; k++) {
            met_str weight = met_str_of(roles[i].weights.names[k]);
            uint32_t owner;
            if (met_map_get(owners, weight, &owner)) {
                met_diag_at(r->session, MET_DIAG_duplicate_name, &met_lkb_item(e->value, k)->place,
                            "the weight `%s` has the role `%s` already", weight.at, roles[owner].role);
                good = false;
            }
            met_map_set(owners, weight, i);
        }
    }
    r->lkb->role_count = (uint32_t)count;
    r->lkb->roles = roles;
    return good;
}

bool met_lkb_read_role_names(met_lkb_reader *r, const met_value *table, const char *key, met_name_list *ret_roles)
{
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->lkb->role_count);
    for (uint32_t i = 0; i < r->lkb->role_count; i++)
        names[i] = r->lkb->roles[i].role;
    return met_lkb_names(r, table, key, false, ret_roles) && met_lkb_among(r, table, key, "role", names, r->lkb->role_count);
}

/* --- Ops --- */

/* "add", or { op = "linear", role = ["q", "k"] } where only some weights will do. */
static bool read_op(met_lkb_reader *r, const met_value *item, met_family_op *op)
{
    static const char *const known[] = { "op", "role" };
    op->span = item->place.span;
    if (item->kind == MET_VALUE_STRING)
        return met_lkb_op(r, item, &op->op);
    if (!met_value_expect(r->session, item, MET_VALUE_TABLE, "an op") || !met_value_only(r->session, item, known, COUNT(known)))
        return false;
    bool good = true;
    const met_value *name = met_lkb_field(r, item, "op", true, MET_VALUE_STRING, &good);
    return name && met_lkb_op(r, name, &op->op) && met_lkb_read_role_names(r, item, "role", &op->roles);
}

static bool read_family_ops(met_lkb_reader *r, const met_value *table, met_family *family)
{
    bool good = true;
    const met_value *list = met_lkb_field(r, table, "ops", true, MET_VALUE_LIST, &good);
    if (!list)
        return false;
    size_t count = list->items.count;
    if (count == 0 || count > MET_LKB_LIMIT)
        return met_lkb_wrong(r, list->place.span, count ? "a family has at most 1000 ops" : "a family has an op");
    met_family_op *ops = MET_NEW_ARRAY(r->arena, met_family_op, count);
    bool seen[MET_OP_COUNT] = { false };
    for (size_t i = 0; i < count; i++) {
        if (!read_op(r, list->items.at[i], &ops[i])) {
            good = false;
            continue;
        }
        if (seen[ops[i].op])
            good = met_lkb_wrong(r, ops[i].span, "the op `%s` stands here twice", met_op_by_id(ops[i].op)->name);
        seen[ops[i].op] = true;
    }
    family->op_count = (uint32_t)count;
    family->ops = ops;
    const char *names[MET_OP_COUNT];
    for (size_t i = 0; good && i < count; i++)
        names[i] = met_op_by_id(ops[i].op)->name;
    return good && met_lkb_names(r, table, "core", false, &family->core) &&
           met_lkb_among(r, table, "core", "op of this family", names, count);
}

/* --- Kernels and their trees --- */

static bool read_kernels(met_lkb_reader *r, const met_value *table, met_family *family)
{
    if (!met_lkb_names(r, table, "kernels", true, &family->kernels))
        return false;
    const met_value *list = met_value_get(table, "kernels");
    bool good = true;
    for (uint32_t i = 0; i < family->kernels.count; i++)
        good = met_lkb_is_id(r, &met_lkb_item(list, i)->place, met_lkb_item(list, i)->string, "a kernel") && good;
    good = met_lkb_text(r, table, "derived", false, &family->derived) && good;
    if (family->derived && !met_name_list_has(&family->kernels, family->derived))
        good = met_lkb_unknown(r, &met_value_get(table, "derived")->place, "kernel of this family", met_str_of(family->derived),
                               family->kernels.names, family->kernels.count);
    return good;
}

static bool tree_named(met_lkb_reader *r, const met_value *value, const char **ret_tree)
{
    if (!met_value_expect(r->session, value, MET_VALUE_STRING, "a tree"))
        return false;
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->trees.count + 1);
    for (size_t i = 0; i <= r->trees.count; i++) {
        names[i] = i < r->trees.count ? r->trees.at[i].id : "undeclared";
        if (!met_str_is(value->string, names[i]))
            continue;
        *ret_tree = names[i];
        return true;
    }
    return met_lkb_unknown(r, &value->place, "tree", value->string, names, r->trees.count + 1);
}

/* tree = "rows16" for all kernels, or { add_rmsnorm = "rows16" }. */
static bool read_kernel_trees(met_lkb_reader *r, const met_value *table, met_family *family)
{
    const met_value *value = met_value_require(r->session, table, "tree");
    const char **trees = MET_NEW_ARRAY(r->arena, const char *, family->kernels.count);
    family->trees = trees;
    if (!value)
        return false;
    if (value->kind == MET_VALUE_STRING) {
        const char *all = NULL;
        bool good = tree_named(r, value, &all);
        for (uint32_t i = 0; i < family->kernels.count; i++)
            trees[i] = all;
        return good;
    }
    if (!met_value_expect(r->session, value, MET_VALUE_TABLE, "tree"))
        return false;
    bool good = true;
    for (size_t i = 0; i < value->entries.count; i++) {
        const met_entry *e = &value->entries.at[i];
        if (!met_name_list_has(&family->kernels, e->key.at))
            good = met_lkb_unknown(r, &e->key_place, "kernel of this family", e->key, family->kernels.names, family->kernels.count);
    }
    for (uint32_t i = 0; i < family->kernels.count; i++) {
        const met_value *tree = met_value_get(value, family->kernels.names[i]);
        if (!tree)
            good = met_lkb_wrong(r, value->place.span, "the kernel `%s` has no tree, and may say `undeclared`", family->kernels.names[i]);
        else
            good = tree_named(r, tree, &trees[i]) && good;
    }
    return good;
}

/* --- Parameters --- */

static const char *const kinds[] = { "runtime", "compile", "policy", "numerics" };

/* What a parameter may be read off, by its name, whether it has an argument, and the kinds that it suits: runtime ones are
 * numbers in an argument list; numerics ones are trees or settings of numerics; a size or a tree is no plug-in. */
enum { RUNTIME = 1 << MET_PARAM_RUNTIME, COMPILE = 1 << MET_PARAM_COMPILE, POLICY = 1 << MET_PARAM_POLICY, NUMERICS = 1 << MET_PARAM_NUMERICS };
static const struct {
    const char *name;
    bool argument;
    unsigned suits;
} extractors[] = {
    [MET_EXTRACT_DIM] = { "dim", true, RUNTIME | COMPILE },
    [MET_EXTRACT_WEIGHT] = { "weight", false, COMPILE },
    [MET_EXTRACT_ACTIVATION] = { "activation", false, COMPILE },
    [MET_EXTRACT_OUTPUT] = { "output", false, COMPILE | POLICY },
    [MET_EXTRACT_OP] = { "op", false, COMPILE | POLICY },
    [MET_EXTRACT_CONSUMER] = { "consumer_op", false, POLICY },
    [MET_EXTRACT_OPTION] = { "param", true, COMPILE | POLICY },
    [MET_EXTRACT_SETTING] = { "setting", true, COMPILE | POLICY | NUMERICS },
    [MET_EXTRACT_IN_DIM] = { "in_dim", false, RUNTIME | COMPILE },
    [MET_EXTRACT_OUT_DIM] = { "out_dim", false, RUNTIME | COMPILE },
    [MET_EXTRACT_TREE] = { "tree", false, NUMERICS },
};

/* An option of one of the ops; *ret_option is the first one. */
bool met_lkb_family_option(const met_family *family, const char *name, met_option *ret_option)
{
    for (uint32_t i = 0; i < family->op_count; i++) {
        met_option options[MET_OPTION_LIMIT];
        size_t count = met_op_options(met_op_by_id(family->ops[i].op), options);
        for (size_t k = 0; k < count; k++) {
            if (!met_str_is(options[k].name, name))
                continue;
            *ret_option = options[k];
            return true;
        }
    }
    return false;
}

static bool check_argument(met_lkb_reader *r, const met_value *from, const met_family *family, const met_family_param *param)
{
    met_option option;
    if (param->extract == MET_EXTRACT_SETTING)
        return met_lkb_setting(r, &from->place, met_str_of(param->argument)) != NULL;
    if (param->extract == MET_EXTRACT_OPTION && !met_lkb_family_option(family, param->argument, &option)) {
        met_diag_at(r->session, MET_DIAG_unknown_name, &from->place, "no op of the family `%s` has an option `%s`", family->id, param->argument);
        return false;
    }
    return true;
}

static bool read_extractor(met_lkb_reader *r, const met_value *table, const met_family *family, met_family_param *param)
{
    const char *text = NULL, *names[COUNT(extractors)];
    if (!met_lkb_text(r, table, "from", true, &text))
        return false;
    const met_value *from = met_value_get(table, "from");
    const char *colon = strchr(text, ':');
    met_str name = { text, colon ? (size_t)(colon - text) : strlen(text) };
    size_t found = 0;
    for (size_t i = 0; i < COUNT(extractors); i++)
        names[i] = extractors[i].name;
    while (found < COUNT(extractors) && !met_str_is(name, names[found]))
        found++;
    if (found == COUNT(extractors))
        return met_lkb_unknown(r, &from->place, "extractor", name, names, COUNT(extractors));
    if (extractors[found].argument != (colon && colon[1])) {
        met_diag_at(r->session, MET_DIAG_blueprint, &from->place,
                    extractors[found].argument ? "`%s` says of what: %s:NAME" : "`%s` stands alone, not as %s:NAME", names[found], names[found]);
        return false;
    }
    param->extract = (met_extract)found;
    param->argument = colon ? colon + 1 : NULL;
    if (!(extractors[found].suits & 1u << param->kind)) {
        met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &from->place, "a %s parameter cannot be read off `%s`", kinds[param->kind], text);
        met_diag_help(d, "runtime: dim:X, in_dim, out_dim; compile: those, weight, activation, output, op, param:X, setting:X; "
                         "policy: output, op, consumer_op, param:X, setting:X; numerics: tree, setting:X");
        return false;
    }
    return check_argument(r, from, family, param);
}

static bool read_params(met_lkb_reader *r, const met_value *table, met_family *family)
{
    static const char *const known[] = { "name", "kind", "from", "absent" };
    bool good = true;
    const met_value *list = met_lkb_tables(r, table, "param", &good);
    uint32_t count = list ? (uint32_t)list->items.count : 0;
    met_family_param *params = MET_NEW_ARRAY(r->arena, met_family_param, count);
    met_span *spans = MET_NEW_ARRAY(r->arena, met_span, count);
    met_map *names = met_map_new(r->arena);
    for (uint32_t i = 0; i < count; i++) {
        const met_value *row = list->items.at[i];
        uint32_t kind = 0;
        params[i].span = row->place.span;
        bool fine = met_value_only(r->session, row, known, COUNT(known));
        fine = met_lkb_id(r, row, "name", &params[i].name) &&
               met_lkb_new(r, names, "parameters", params[i].name, params[i].span, spans, i) && fine;
        fine = met_lkb_text(r, row, "absent", false, &params[i].absent) && fine;
        bool has_kind = met_lkb_word(r, row, "kind", true, kinds, COUNT(kinds), &kind);
        params[i].kind = (met_param_kind)kind;
        good = has_kind && read_extractor(r, row, family, &params[i]) && fine && good;
    }
    family->param_count = count;
    family->params = params;
    return good;
}

/* --- Families --- */

static bool read_family(met_lkb_reader *r, const met_value *table, met_family *family)
{
    static const char *const known[] = { "id", "summary", "form", "ops", "core", "kernels", "derived", "needs", "tree", "param",
                                         "point", "pipeline", "departs", "scales" };
    static const char *const scales[] = { "groups" };
    uint32_t groups;
    family->span = table->place.span;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    if (!met_lkb_id(r, table, "id", &family->id))
        return false;
    good = met_lkb_text(r, table, "summary", true, &family->summary) && good;
    if (met_value_get(table, "form"))
        good = met_lkb_id(r, table, "form", &family->form) && good;
    good = met_lkb_capabilities(r, table, "needs", &family->needs) && good;
    bool ops = read_family_ops(r, table, family), kernels = read_kernels(r, table, family);
    good = met_lkb_read_departs(r, table, &family->departs) && good;
    good = met_lkb_word(r, table, "scales", false, scales, COUNT(scales), &groups) && good;
    family->scales_groups = met_value_get(table, "scales") != NULL;
    good = kernels && read_kernel_trees(r, table, family) && good;
    return ops && read_params(r, table, family) && met_lkb_read_points(r, table, family) &&
           met_lkb_read_pipeline(r, table, family) && good;
}

bool met_lkb_read_families(met_lkb_reader *r, const met_value *file, bool overlay, met_family_file *ret_file)
{
    static const char *const known[] = { "tree", "roles", "family", "remove" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of families"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    const met_value *trees = met_lkb_tables(r, file, "tree", &good);
    for (size_t i = 0; trees && i < trees->items.count; i++)
        good = read_tree(r, trees->items.at[i]) && good;
    good = read_roles(r, file, overlay) && good;
    good = met_lkb_removals(r, file, &ret_file->removal_count, &ret_file->removals) && good;
    const met_value *list = met_lkb_tables(r, file, "family", &good);
    uint32_t count = list ? (uint32_t)list->items.count : 0;
    met_family *families = MET_NEW_ARRAY(r->arena, met_family, count);
    met_span *spans = MET_NEW_ARRAY(r->arena, met_span, count);
    met_map *ids = met_map_new(r->arena);
    for (uint32_t i = 0; i < count; i++) {
        good = read_family(r, list->items.at[i], &families[i]) && good;
        good = (!families[i].id || met_lkb_new(r, ids, "families", families[i].id, families[i].span, spans, i)) && good;
    }
    ret_file->family_count = count;
    ret_file->families = families;
    return good;
}
