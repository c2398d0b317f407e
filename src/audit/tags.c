#include "audit/tags.h"

#include <string.h>

#include "base/diag.h"
#include "base/map.h"

/* The lowering of a toy's single nodes on a class, and its program. */
typedef struct reference {
    const met_toy *toy;
    const char *class_id;
    const met_lowering *lowering;
    const met_program *program; /* made when asked for */
} reference;

typedef struct known_rule {
    const met_rule *rule;
    met_rule_matches matches;
} known_rule;

struct met_tag_auditor {
    const met_lkb *lkb;
    met_arena *arena;
    uint32_t toy_count;
    const met_toy *const *toys;
    MET_VEC(const known_rule *) rules;
    MET_VEC(reference *) references;
};

met_tag_auditor *met_tag_auditor_new(const met_lkb *lkb, uint32_t toy_count, const met_toy *const *toys)
{
    met_arena *arena = lkb->session->arena;
    met_tag_auditor *auditor = MET_NEW(arena, met_tag_auditor);
    *auditor = (met_tag_auditor){ .lkb = lkb, .arena = arena, .toy_count = toy_count, .toys = toys };
    return auditor;
}

const met_rule_matches *met_tag_matches(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    for (size_t r = 0; r < auditor->rules.count; r++)
        if (auditor->rules.at[r]->rule == rule)
            return &auditor->rules.at[r]->matches;
    known_rule *known = MET_NEW(auditor->arena, known_rule);
    *known = (known_rule){ rule, met_toy_matches(auditor->lkb, hardware, rule, auditor->toy_count, auditor->toys) };
    MET_PUSH(auditor->arena, &auditor->rules, (const known_rule *)known);
    return &known->matches;
}

static reference *reference_of(met_tag_auditor *auditor, const met_toy *toy, const char *class_id)
{
    for (size_t r = 0; r < auditor->references.count; r++)
        if (auditor->references.at[r]->toy == toy && !strcmp(auditor->references.at[r]->class_id, class_id))
            return auditor->references.at[r];
    reference *one = MET_NEW(auditor->arena, reference);
    *one = (reference){ .toy = toy, .class_id = class_id };
    MET_PUSH(auditor->arena, &auditor->references, one);
    return one;
}

const met_program *met_tag_reference(met_tag_auditor *auditor, const met_toy *toy, const met_class *class)
{
    reference *one = reference_of(auditor, toy, class->name);
    if (!one->lowering)
        one->lowering = met_toy_singles(auditor->lkb, &auditor->lkb->hardware[0], toy);
    if (!one->program && one->lowering)
        one->program = met_toy_program(toy, one->lowering, class);
    return one->program;
}

/* --- Formats --- */

/* In a fused group every value must be handed on and stored as the circuit says: that is what single kernels store. */
static bool same_formats(const met_toy_match *match, const met_lowering_group *group, const char **ret_why)
{
    const met_circuit *circuit = match->toy->circuit;
    for (uint32_t k = 0; k < group->node_count; k++) {
        const met_node *node = &circuit->nodes[group->nodes[k].id];
        for (uint32_t o = 0; o < node->out_count; o++) {
            const met_edge *edge = &circuit->edges[node->outs[o].id];
            met_format planned = match->lowering->stored[node->outs[o].id];
            if (met_format_equal(planned, edge->format))
                continue;
            bool fused = match->lowering->edges[node->outs[o].id] == MET_EDGE_FUSED;
            met_text why = met_text_new(circuit->arena);
            met_text_format(&why, "what `%s` makes is %s in ", node->op->name, fused ? "handed on" : "stored");
            met_format_print(&why, planned);
            met_text_put(&why, ", by itself in ");
            met_format_print(&why, edge->format);
            *ret_why = met_text_done(&why);
            return false;
        }
    }
    return true;
}

/* --- Trees --- */

static void put_tree(met_text *text, const met_record_map *records, uint32_t node)
{
    if (records->known[node])
        met_tree_print(text, &records->trees[node], MET_F32);
    else
        met_text_put(text, "no record");
}

/* One fold of the settled circuit in two programs. */
static met_verdict compare_node(const met_record_map *whole, const met_record_map *parts, uint32_t n, const char **ret_why)
{
    const met_circuit *circuit = whole->circuit;
    const met_node *node = &circuit->nodes[n];
    met_verdict verdict = MET_VERDICT_UNKNOWN;
    const char *field = "";
    if (!met_node_has_tree(circuit, node))
        return MET_VERDICT_SAME;
    if (whole->known[n] && parts->known[n]) {
        met_arena *scratch = met_arena_new();
        met_comparison found = met_tree_compare(scratch, &whole->trees[n], &parts->trees[n], met_node_terms(circuit, node));
        met_arena_free(scratch);
        verdict = found.verdict;
        field = met_tree_field_name(found.field);
    }
    if (verdict == MET_VERDICT_SAME)
        return verdict;
    met_text why = met_text_new(circuit->arena);
    met_text_format(&why, "`%s` folds%s%s: fused ", node->op->name, *field ? " by other " : "", field);
    put_tree(&why, whole, n);
    met_text_put(&why, ", by itself ");
    put_tree(&why, parts, n);
    *ret_why = met_text_done(&why);
    return verdict;
}

typedef met_verdict (*compare_fn)(void *context, uint32_t written, uint32_t settled, const char **ret_why);

/* The worst of what is said of the group's nodes on the settled circuit; DIFFERENT is a fact, UNKNOWN a lack of one. */
static met_verdict compare_nodes(const met_toy *toy, const met_lowering_group *group, compare_fn compare, void *context,
                                 const char **ret_why)
{
    const met_settled *settled = toy->settled;
    met_verdict worst = MET_VERDICT_SAME;
    for (uint32_t k = 0; k < group->node_count; k++) {
        uint32_t written = group->nodes[k].id;
        for (uint32_t s = settled->begin[written]; s < settled->begin[written + 1]; s++) {
            const char *why = NULL;
            met_verdict one = compare(context, written, settled->nodes[s].id, &why);
            if (one == MET_VERDICT_SAME || worst == MET_VERDICT_DIFFERENT || one == worst)
                continue;
            worst = one;
            *ret_why = why;
        }
    }
    return worst;
}

typedef struct program_pair {
    met_record_map whole, parts;
} program_pair;

static met_verdict compare_programs(void *context, uint32_t written, uint32_t settled, const char **ret_why)
{
    const program_pair *pair = context;
    (void)written;
    return compare_node(&pair->whole, &pair->parts, settled, ret_why);
}

/* --- Declared trees --- */

typedef struct declared {
    met_tag_auditor *auditor;
    const met_hardware *hardware;
    const met_toy *toy;
    const met_lowering_group *group; /* by whose rule the nodes are fused */
} declared;

/* The tree that the class's families declare for the first of the kernels that exists; NULL: none, or undeclared. */
static const met_lkb_tree *tree_of(const declared *d, const met_name_list *kernels, const met_family **ret_family)
{
    for (uint32_t k = 0; k < kernels->count; k++) {
        uint32_t number;
        const met_family *family = met_hardware_family(d->hardware, kernels->names[k], &number);
        *ret_family = family;
        for (uint32_t t = 0; family && t < d->auditor->lkb->tree_count; t++)
            if (!strcmp(d->auditor->lkb->trees[t].id, family->trees[number]))
                return &d->auditor->lkb->trees[t];
    }
    return NULL;
}

/* The single-node rule that would take the node alone. */
static const met_rule *rule_alone(const declared *d, const met_node *node)
{
    for (uint32_t r = 0; r < d->hardware->rule_count; r++) {
        const met_rule *rule = d->hardware->rules[r];
        for (uint32_t o = 0; rule->element_count == 1 && node->op && o < rule->elements[0].op_count; o++)
            if (rule->elements[0].ops[o] == node->op->id)
                return rule;
    }
    return NULL;
}

static met_verdict compare_declared(void *context, uint32_t written, uint32_t settled, const char **ret_why)
{
    const declared *d = context;
    const met_circuit *circuit = d->toy->settled->circuit;
    const met_node *fold = &circuit->nodes[settled], *node = &d->toy->circuit->nodes[written];
    if (!met_node_has_tree(circuit, fold))
        return MET_VERDICT_SAME;
    const met_rule *alone = rule_alone(d, node);
    const met_family *family = NULL, *ignored;
    const met_lkb_tree *whole = tree_of(d, &d->group->kernels, &family), *part = alone ? tree_of(d, &alone->kernels, &ignored) : NULL;
    if (family && family->core.count > 0 && !met_name_list_has(&family->core, node->op->name))
        whole = part; /* a family's tree is that of its core; what else its kernels fold, they fold as it is folded alone */
    met_text why = met_text_new(circuit->arena);
    met_verdict verdict = MET_VERDICT_UNKNOWN;
    if (!whole || !part) {
        met_text_format(&why, "the tree of `%s` is undeclared for %s", node->op->name, whole ? "its own kernel" : "the fused kernel");
    } else {
        met_arena *scratch = met_arena_new();
        met_comparison found = met_tree_compare(scratch, &whole->tree, &part->tree, met_node_terms(circuit, fold));
        met_arena_free(scratch);
        verdict = found.verdict;
        met_text_format(&why, "`%s` is declared to fold as `%s` when fused, as `%s` by itself", node->op->name, whole->id, part->id);
    }
    *ret_why = met_text_done(&why);
    return verdict;
}

/* --- A match --- */

static met_verdict compare_group(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy_match *match,
                                 const met_lowering_group *group, program_pair *pair, const char **ret_why)
{
    const met_toy *toy = match->toy;
    if (!met_settled_record(toy->judge, group->node_count, group->nodes)) {
        *ret_why = "the arithmetic of a part is undeclared";
        return MET_VERDICT_UNKNOWN;
    }
    if (!same_formats(match, group, ret_why))
        return MET_VERDICT_DIFFERENT;
    if (pair)
        return compare_nodes(toy, group, compare_programs, pair, ret_why);
    declared d = { auditor, hardware, toy, group };
    return compare_nodes(toy, group, compare_declared, &d, ret_why);
}

met_verdict met_tag_compare(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy_match *match,
                            const char **ret_why)
{
    const met_class *class = hardware->class_name ? met_class_find(hardware->class_name) : NULL;
    program_pair pair;
    met_verdict worst = MET_VERDICT_SAME;
    *ret_why = NULL;
    if (class) {
        const met_program *parts = met_tag_reference(auditor, match->toy, class);
        const met_program *whole = met_toy_program(match->toy, match->lowering, class);
        if (!parts || !whole) {
            *ret_why = "it cannot be written for this class";
            return MET_VERDICT_UNKNOWN;
        }
        pair = (program_pair){ met_records_of_program(whole), met_records_of_program(parts) };
    }
    for (uint32_t g = 0; g < match->lowering->group_count && worst != MET_VERDICT_DIFFERENT; g++) {
        const char *why = NULL;
        const met_lowering_group *group = &match->lowering->groups[g];
        if (group->source != MET_GROUP_RULE)
            continue;
        met_verdict one = compare_group(auditor, hardware, match, group, class ? &pair : NULL, &why);
        if (one == MET_VERDICT_SAME || one == worst)
            continue;
        worst = one;
        *ret_why = why;
    }
    return worst;
}

/* --- A rule --- */

static const char *tag_word(met_tag tag)
{
    static const char *const words[] = { "reference", "bit_identical", "differs" };
    return words[tag];
}

/* Same means an equation, unless there is but one node: that is what others are compared with. */
static bool fits(const met_tag_audit *audit)
{
    met_tag tag = audit->rule->tag;
    if (audit->verdict == MET_VERDICT_UNKNOWN)
        return false;
    if (audit->verdict == MET_VERDICT_DIFFERENT)
        return tag != MET_TAG_BIT_IDENTICAL;
    return audit->single ? tag != MET_TAG_DIFFERS : tag == MET_TAG_BIT_IDENTICAL;
}

static void report(const met_lkb *lkb, const met_tag_audit *audit, const met_toy *toy)
{
    const met_rule *rule = audit->rule;
    const char *hardware = audit->hardware->id;
    met_diag *d;
    if (audit->verdict == MET_VERDICT_UNKNOWN) {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "whether `%s` is an equation on `%s` is unknown: %s", rule->id,
                         hardware, audit->why);
        met_diag_help(d, "declare the trees, or take the rule from this class");
    } else if (audit->verdict == MET_VERDICT_DIFFERENT) {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "`%s` is tagged bit_identical, but not so on `%s`: %s", rule->id,
                         hardware, audit->why);
        met_diag_help(d, "such a rule is `reference`, or `differs` with a lever");
    } else {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "`%s` is tagged %s, but its arithmetic on `%s` is that of its parts",
                         rule->id, tag_word(rule->tag), hardware);
        met_diag_help(d, audit->single ? "a single op is `reference`" : "such a rule is `bit_identical`, with a microtest");
    }
    if (toy)
        met_diag_help(d, "seen in %s, %s, %s", toy->arch, toy->mode, toy->format);
}

met_tag_audit met_tag_check(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    const met_rule_matches *matches = met_tag_matches(auditor, hardware, rule);
    met_tag_audit audit = { hardware, rule, matches, MET_VERDICT_SAME, NULL, matches->largest < 2, true };
    const met_toy *seen = matches->example_count ? matches->examples[0].toy : NULL;
    if (matches->match_count == 0) {
        met_diag *d = met_diag_add(auditor->lkb->session, MET_DIAG_unmatched_rule, rule->span,
                                   "no circuit matches the rule `%s`", rule->id);
        met_diag_help(d, "it was tried on the toys of all architectures, in all modes, with all settings as it wants them");
        audit.good = false;
        audit.verdict = MET_VERDICT_UNKNOWN;
        return audit;
    }
    for (uint32_t e = 0; e < matches->example_count && audit.verdict != MET_VERDICT_DIFFERENT; e++) {
        const char *why;
        met_verdict one = met_tag_compare(auditor, hardware, &matches->examples[e], &why);
        if (one == MET_VERDICT_SAME || one == audit.verdict)
            continue;
        audit.verdict = one;
        audit.why = why;
        seen = matches->examples[e].toy;
    }
    audit.good = fits(&audit);
    if (!audit.good)
        report(auditor->lkb, &audit, seen);
    return audit;
}

uint32_t met_tag_equations(uint32_t count, const met_tag_audit *audits)
{
    uint32_t found = 0;
    for (uint32_t a = 0; a < count; a++)
        found += audits[a].verdict == MET_VERDICT_SAME && audits[a].rule->tag == MET_TAG_BIT_IDENTICAL && !audits[a].single;
    return found;
}
