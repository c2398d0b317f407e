#include "host/tree_classes.h"

#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "lkb/lkb.h"
#include "number/tree_compare.h"
#include "realize/writer.h"

enum { KERNEL = 22, FIELD = 12 /* columns */ };

static const char undeclared[] = "undeclared";

typedef struct row {
    const char *kernel;
    const char *trees[2]; /* ids */
    met_verdict verdict;
    const char *field;    /* "" for SAME */
    const char *operands; /* NULL: nothing was compared */
} row;

struct met_tree_classes {
    met_session *session;
    const char *names[2];
    uint64_t n;
    MET_VEC(row) rows;
    uint32_t counts[3]; /* by verdict */
};

static const met_hardware *class_of(const met_lkb *lkb, const char *name)
{
    const met_device *device = met_lkb_device(lkb, name);
    return met_lkb_hardware(lkb, device ? device->class_id : name);
}

bool met_tree_is_class(const met_lkb *lkb, const char *name)
{
    return class_of(lkb, name) != NULL;
}

/* The id of the tree that a class declares for a kernel; NULL: it has no such kernel. */
static const char *tree_id(const met_hardware *class, const char *kernel)
{
    uint32_t number;
    const met_family *family = met_hardware_family(class, kernel, &number);
    return family && !met_hardware_lacks(class, kernel) ? family->trees[number] : NULL;
}

/* A row of the same trees as an earlier one says the same. */
static const row *like(const met_tree_classes *c, const row *wanted)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        const row *at = &c->rows.at[i];
        if (strcmp(at->trees[0], wanted->trees[0]) == 0 && strcmp(at->trees[1], wanted->trees[1]) == 0) {
            return at;
        }
    }
    return NULL;
}

static bool decide(met_tree_classes *c, const met_lkb *lkb, const met_tree_request *request, row *of)
{
    const char *sides[2];
    if (strcmp(of->trees[0], undeclared) == 0 || strcmp(of->trees[1], undeclared) == 0) {
        of->verdict = MET_VERDICT_UNKNOWN;
        of->field = undeclared;
        return true;
    }
    for (int k = 0; k < 2; k++) {
        sides[k] = met_format_text(c->session->arena, "%s@%s", of->kernel, c->names[k]);
    }
    const met_tree_compared *compared = met_tree_compare_sources(c->session, lkb, sides, request);
    if (compared) {
        of->verdict = (met_verdict)met_tree_compared_verdict(compared, &of->field, &of->operands);
    }
    return compared != NULL;
}

static bool add_kernel(met_tree_classes *c, const met_lkb *lkb, const met_tree_request *request, const char *kernel, const char *a,
                       const char *b)
{
    row next = {.kernel = kernel, .trees = {a, b}};
    const row *known = like(c, &next);
    if (known) {
        next.verdict = known->verdict;
        next.field = known->field;
        next.operands = known->operands;
    } else if (!decide(c, lkb, request, &next)) {
        return false;
    }
    c->counts[next.verdict]++;
    MET_PUSH(c->session->arena, &c->rows, next);
    return true;
}

const met_tree_classes *met_tree_compare_classes(met_session *session, const met_lkb *lkb, const char *const names[2],
                                                 const met_tree_request *request)
{
    met_tree_classes *c = MET_NEW(session->arena, met_tree_classes);
    const met_hardware *classes[] = {class_of(lkb, names[0]), class_of(lkb, names[1])};
    *c = (met_tree_classes){.session = session, .names = {names[0], names[1]}, .n = request->n};
    for (uint32_t f = 0; f < classes[0]->family_count; f++) {
        const met_name_list *kernels = &classes[0]->families[f]->kernels;
        for (uint32_t k = 0; k < kernels->count; k++) {
            const char *a = tree_id(classes[0], kernels->names[k]), *b = tree_id(classes[1], kernels->names[k]);
            if (a && b && !add_kernel(c, lkb, request, kernels->names[k], a, b)) {
                return NULL;
            }
        }
    }
    return c;
}

bool met_tree_classes_same(const met_tree_classes *c)
{
    return c->counts[MET_VERDICT_SAME] == c->rows.count;
}

static const char *const verdicts[] = {"same", "different", "unknown"};

const char *met_tree_classes_text(const met_tree_classes *c)
{
    met_text out = met_text_new(c->session->arena);
    met_text_format(&out, "%s (a) and %s (b), %zu kernels that both have, at %llu terms\n", c->names[0], c->names[1], c->rows.count,
                    (unsigned long long)c->n);
    met_text_format(&out, "%-*s verdict    %-*s trees\n", KERNEL, "kernel", FIELD, "field");
    for (size_t i = 0; i < c->rows.count; i++) {
        const row *at = &c->rows.at[i];
        bool one = strcmp(at->trees[0], at->trees[1]) == 0;
        met_text_format(&out, "%-*s %-10s %-*s %s%s%s\n", KERNEL, at->kernel, verdicts[at->verdict], FIELD, at->field, at->trees[0],
                        one ? "" : ", ", one ? "" : at->trees[1]);
    }
    met_text_format(&out, "%u the same, %u different, %u unknown\n", (unsigned)c->counts[MET_VERDICT_SAME],
                    (unsigned)c->counts[MET_VERDICT_DIFFERENT], (unsigned)c->counts[MET_VERDICT_UNKNOWN]);
    return met_text_done(&out);
}

static void put_row(met_json *json, const row *at)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "verdict", verdicts[at->verdict]);
    met_json_put_string(json, "kernel", at->kernel);
    met_json_put_string(json, "field", at->field);
    met_json_put_string(json, "tree_a", at->trees[0]);
    met_json_put_string(json, "tree_b", at->trees[1]);
    if (at->operands)
        met_json_put_string(json, "operands", at->operands);
    met_json_close(json, '}');
}

const char *met_tree_classes_json(const met_tree_classes *c)
{
    met_text out = met_text_new(c->session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_flag(&json, "same", met_tree_classes_same(c));
    met_json_put_string(&json, "a", c->names[0]);
    met_json_put_string(&json, "b", c->names[1]);
    met_json_put_integer(&json, "terms", c->n);
    met_json_open(&json, "kernels", '[');
    for (size_t i = 0; i < c->rows.count; i++) {
        met_json_line(&json, 2);
        put_row(&json, &c->rows.at[i]);
    }
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
