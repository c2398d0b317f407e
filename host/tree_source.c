#include "host/tree_source.h"

#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/json.h"
#include "lkb/lkb.h"
#include "number/bracketing.h"
#include "number/tree_json.h"
#include "parity/operands.h"

static const met_span nowhere;

/* --- Sizes by name --- */

typedef struct sizes {
    met_session *session;
    MET_VEC(met_str) names; /* by symbol; those of the blueprint's trees first */
    const char *given;
    const met_tree *tree;
    uint64_t n; /* terms; 0: not said */
} sizes;

static bool find_size(void *context, met_str name, met_size *ret_symbol)
{
    sizes *s = context;
    for (size_t i = 0; i < s->names.count; i++) {
        if (met_str_equal(s->names.at[i], name)) {
            *ret_symbol = (met_size){(uint32_t)i};
            return true;
        }
    }
    MET_PUSH(s->session->arena, &s->names, name);
    *ret_symbol = (met_size){(uint32_t)s->names.count - 1};
    return true;
}

static met_str size_name(void *context, met_size symbol)
{
    return ((const sizes *)context)->names.at[symbol.id];
}

/* The number behind `name=` among "k=4096,h=8"; without one the index that is folded has as many terms as are asked for. */
static bool size_value(void *context, met_size symbol, uint64_t *ret_value)
{
    const sizes *s = context;
    met_str name = s->names.at[symbol.id];
    for (const char *at = s->given; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name.at, name.length) == 0 && at[name.length] == '=') {
            *ret_value = strtoull(at + name.length + 1, NULL, 10);
            return true;
        }
    }
    *ret_value = s->n;
    return s->n > 0 && met_tree_is_over(s->tree, name);
}

static void refuse_width(const sizes *s, const char *name, met_unbound why)
{
    static const char *const faults[] = {
        [MET_WIDTH_UNKNOWN] = "widths of `%s` need sizes",
        [MET_WIDTH_ZERO] = "a width of `%s` is 0, and is from 1 on",
        [MET_WIDTH_LARGE] = "a width of `%s` passes 64 bits",
    };
    met_diag *diag = met_diag_add(s->session, MET_DIAG_unbound, nowhere, faults[why.fault], name);
    if (why.fault == MET_WIDTH_UNKNOWN) {
        met_diag_help(diag, "--set gives them: --set %.*s=4096", MET_STR_ARGS(s->names.at[why.symbol.id]));
    }
}

/* --- Names --- */

/* What met tree reveal says of the record that it writes. `about` may be anything: what is not so is not read. */
static void read_about(met_session *session, const met_value *about, met_tree_named *named)
{
    bool table = about && about->kind == MET_VALUE_TABLE;
    const met_value *asked = table ? met_value_get(about, "asked") : NULL, *rule = table ? met_value_get(about, "rule") : NULL;
    if (asked && asked->kind == MET_VALUE_LIST) {
        named->seen = MET_NEW_ARRAY(session->arena, uint64_t, asked->items.count);
        for (size_t i = 0; i < asked->items.count; i++) {
            const met_value *item = asked->items.at[i];
            if (item->kind == MET_VALUE_INTEGER && item->integer > 0) {
                named->seen[named->seen_count++] = (uint64_t)item->integer;
            }
        }
    }
    if (rule && rule->kind == MET_VALUE_STRING) {
        named->rule = met_arena_text(session->arena, rule->string.at, rule->string.length);
    }
}

static bool from_file(met_session *session, const char *path, const met_tree_names *names, met_tree_named *named)
{
    met_tree *ret_tree = named->tree;
    uint32_t source = met_file_source(session, path);
    if (source && met_json_begins(session, source)) {
        met_value *value = met_json_read(session, source);
        bool good = value && met_tree_of_value(session, value, names, ret_tree);
        if (good) {
            read_about(session, met_value_get(value, "about"), named);
        }
        return good;
    }
    return source && met_tree_of_source(session, source, names, ret_tree);
}

static const met_lkb_tree *tree_of_id(const met_lkb *lkb, const char *id)
{
    for (uint32_t t = 0; t < lkb->tree_count; t++) {
        if (strcmp(lkb->trees[t].id, id) == 0) {
            return &lkb->trees[t];
        }
    }
    return NULL;
}

static void list_kernels(met_session *session, const met_hardware *hardware, met_diag *diag)
{
    met_text names = met_text_new(session->arena);
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        for (uint32_t k = 0; k < family->kernels.count; k++) {
            met_text_format(&names, "%s%s", names.length ? ", " : "", family->kernels.names[k]);
        }
    }
    met_diag_help(diag, "there is: %s", met_text_done(&names));
}

static void take_formats(met_tree_named *named, const met_name_list *formats)
{
    named->formats = formats->names;
    named->format_count = formats->count;
}

static void take_declared(const met_lkb *lkb, const met_lkb_tree *tree, met_tree_named *named)
{
    static const char *const pairs[] = {"bf16"};
    *named->tree = tree->tree;
    if (tree->tree.node == MET_NODE_PAIRS) {
        take_formats(named, &(met_name_list){1, pairs});
    }
    const met_lkb_unit *unit = met_tree_unit(lkb, tree);
    if (unit) {
        take_formats(named, &unit->inputs);
    }
}

/* KERNEL@CLASS: the tree that a family of the class declares for the kernel's core. */
static bool from_class(met_session *session, const met_lkb *lkb, met_tree_named *named)
{
    const char *name = named->name, *at = strchr(name, '@'), *kernel = met_arena_text(session->arena, name, (size_t)(at - name));
    const met_hardware *hardware = NULL;
    const met_device *device;
    uint32_t number;
    if (!met_lkb_target(lkb, at + 1, &device, &hardware)) {
        return false;
    }
    const met_family *family = met_hardware_family(hardware, kernel, &number);
    if (!family) {
        met_diag *diag = met_diag_add(session, MET_DIAG_unknown_name, nowhere, "`%s` has no kernel `%s`", hardware->id, kernel);
        list_kernels(session, hardware, diag);
        return false;
    }
    const met_lkb_tree *tree = tree_of_id(lkb, family->trees[number]);
    if (tree) {
        take_declared(lkb, tree, named);
        return true;
    }
    met_diag_add(session, MET_DIAG_unknown_name, family->span, "the family `%s` declares no tree of `%s`", family->id, kernel);
    return false;
}

/* A unit by its id or as GPU.FORMAT, which is of that format alone. */
static const met_lkb_unit *unit_of(const met_lkb *lkb, const char *name)
{
    const char *point = strchr(name, '.');
    for (uint32_t u = 0; u < lkb->unit_count; u++) {
        const met_lkb_unit *unit = &lkb->units[u];
        bool is = strcmp(unit->id, name) == 0;
        for (uint32_t g = 0; point && !is && !unit->half && g < unit->gpus.count; g++) {
            size_t length = strlen(unit->gpus.names[g]);
            is = length == (size_t)(point - name) && memcmp(unit->gpus.names[g], name, length) == 0 && met_name_list_has(&unit->inputs, point + 1);
        }
        if (is) {
            return unit;
        }
    }
    return NULL;
}

static bool from_unit(met_session *session, const met_lkb_unit *unit, met_tree_named *named)
{
    met_tree *tree = named->tree;
    const char *point = strchr(named->name, '.');
    if (!unit->declared || unit->instruction.order != MET_MATRIX_IN_ORDER) {
        met_diag_add(session, MET_DIAG_unknown_name, unit->span, "`%s` has no record for every length: %s", unit->id,
                     unit->declared ? "its products are dealt to its nodes" : "nobody declares what it does");
        return false;
    }
    *tree = met_tree_sequential(MET_F32);
    tree->node = MET_NODE_MATRIX;
    tree->unit = unit->instruction.unit;
    named->unit = true;
    take_formats(named, &unit->inputs);
    for (uint32_t i = 0; point && i < unit->inputs.count; i++) {
        if (strcmp(unit->inputs.names[i], point + 1) == 0) {
            take_formats(named, &(met_name_list){1, &unit->inputs.names[i]});
        }
    }
    return true;
}

/* What is no record's text: why not, or, of what may have been meant as a name, what names there are. */
static bool no_record(met_session *session, const met_lkb *lkb, const char *text, const met_tree_names *names)
{
    met_tree_error error;
    met_tree tree;
    met_tree_read(session->arena, met_str_of(text), MET_F32, names, &tree, &error);
    bool name = !strpbrk(text, " ,()");
    met_diag *diag = met_diag_add(session, name ? MET_DIAG_unknown_name : MET_DIAG_syntax, nowhere,
                                  name ? "`%s` is no file, kernel, matrix unit, tree or record" : "`%s` is no record", text);
    if (!name) {
        met_diag_help(diag, "`%.*s` should be %s", MET_STR_ARGS(error.at), error.why);
        return false;
    }
    met_text known = met_text_new(session->arena);
    for (uint32_t t = 0; t < lkb->tree_count; t++) {
        met_text_format(&known, "%s%s", t ? ", " : "", lkb->trees[t].id);
    }
    for (uint32_t u = 0; u < lkb->unit_count; u++) {
        met_text_format(&known, ", %s", lkb->units[u].id);
    }
    met_diag_help(diag, "there is: %s; KERNEL@CLASS; two classes or devices; with --circuit two plans, "
                  "greedy@CLASS; a record such as `lanes16, mul_add`", met_text_done(&known));
    return false;
}

static bool resolve(met_session *session, const met_lkb *lkb, const met_tree_names *names, met_tree_named *named)
{
    const char *name = named->name;
    const met_lkb_tree *tree = tree_of_id(lkb, name);
    const met_lkb_unit *unit = unit_of(lkb, name);
    if (strcmp(name, "-") == 0 || met_file_exists(name)) {
        return from_file(session, name, names, named);
    }
    if (met_tree_read(session->arena, met_str_of(name), MET_F32, names, named->tree, NULL)) {
        return true; /* a record's own text, before anything that is called so */
    }
    if (tree) {
        take_declared(lkb, tree, named);
        return true;
    }
    return unit                ? from_unit(session, unit, named)
           : strchr(name, '@') ? from_class(session, lkb, named)
                               : no_record(session, lkb, name, names);
}

const met_tree_named *met_tree_source(met_session *session, const met_lkb *lkb, const char *name, const met_tree_request *request)
{
    met_tree *tree = MET_NEW(session->arena, met_tree);
    met_tree_named *named = MET_NEW(session->arena, met_tree_named);
    *named = (met_tree_named){.name = name, .tree = tree};
    sizes s = {.session = session, .given = request->sizes, .tree = tree, .n = request->n};
    for (uint32_t i = 0; i < lkb->size_count; i++) {
        MET_PUSH(session->arena, &s.names, lkb->sizes[i]);
    }
    met_tree_names names = {size_name, find_size, &s};
    if (!resolve(session, lkb, &names, named)) {
        return NULL;
    }
    met_unbound why;
    if (!met_tree_bind(tree, size_value, &s, &why)) {
        refuse_width(&s, name, why);
        return NULL;
    }
    if (request->n && !met_tree_fits(tree, request->n)) {
        met_diag *diag = met_diag_add(session, MET_DIAG_size, nowhere, "`%s` is a tree of %u terms, not of %llu", name,
                                      (unsigned)tree->written->leaf_count, (unsigned long long)request->n);
        if (named->rule) {
            met_diag_help(diag, "`%s` is a rule that gives it, if it holds there: met tree reveal --n %u,%llu finds out", named->rule,
                          (unsigned)tree->written->leaf_count, (unsigned long long)request->n);
        }
        return NULL;
    }
    return named;
}

const char *met_tree_note(met_session *session, const met_tree_named *named, uint64_t n)
{
    met_text out = met_text_new(session->arena);
    const uint64_t *seen = named->seen;
    for (size_t i = 0, end; i < named->seen_count; i = end + 1) {
        for (end = i; end + 1 < named->seen_count && seen[end + 1] == seen[end] + 1; end++) {
        }
        if (seen[i] <= n && n <= seen[end]) {
            return NULL;
        }
        met_text_format(&out, "%s%llu", i ? ", " : "seen at ", (unsigned long long)seen[i]);
        if (end > i) {
            met_text_format(&out, " … %llu", (unsigned long long)seen[end]);
        }
    }
    met_text_format(&out, " terms, not at %llu, where it may not hold", (unsigned long long)n);
    return named->seen_count ? met_text_done(&out) : NULL;
}
