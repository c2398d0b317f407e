/* The text of a comparison, within 80 columns. */
#include <math.h>

#include "report/parity.h"
#include "report/wrap.h"

static void say(met_text *out, size_t indent, const char *label, met_text *words)
{
    met_wrap w = met_wrap_start(out, indent, label);
    met_wrap_words(&w, met_text_done(words));
    met_text_char(out, '\n');
}

static void put_tree(met_text *out, const met_tree *tree)
{
    met_text_char(out, '`');
    met_tree_print(out, tree, MET_F32);
    met_text_char(out, '`');
}

/* --- Nodes --- */

static void put_numerics(met_text *out, const met_node_numerics *node, bool tree)
{
    met_text_put(out, node->kernel[0] ? node->kernel : node->source == MET_NUMERICS_POINT ? "the interpreter" : "no kernel of a family");
    if (node->source == MET_NUMERICS_UNDECLARED) {
        met_text_format(out, ", undeclared%s%s", node->why ? ": " : "", node->why ? node->why : "");
        return;
    }
    if (tree) {
        met_text_put(out, ", ");
        put_tree(out, &node->tree);
    }
    if (node->tree_id && tree)
        met_text_format(out, " as declared (%s)", node->tree_id);
}

static void put_format(met_text *out, const met_plan_parity *parity, const met_parity_side *side, met_edge_id edge)
{
    met_format_print(out, side->stored ? side->stored[edge.id] : parity->settled->written->edges[edge.id].format);
}

static void put_side(met_text *out, const char *label, const met_plan_parity *parity, const met_parity_side *side,
                     const met_node_parity *node)
{
    met_text words = met_text_new(out->arena);
    if (node->cause == MET_PARITY_FORMAT)
        put_format(&words, parity, side, node->edge);
    else
        put_numerics(&words, &side->numerics->nodes[node->node.id], node->cause == MET_PARITY_TREE);
    say(out, 4, label, &words);
}

static void put_witness(met_text *out, const met_plan_parity *parity, const met_node_parity *node)
{
    const met_witness *w = &node->trees.witness;
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "of %llu terms: a large one at %u, its negative at %u, 1 at %u, else 0: a gives %d, b %d",
                    (unsigned long long)parity->a.numerics->nodes[node->node.id].terms, w->plus, w->minus, w->one, w->first, !w->first);
    say(out, 4, "told apart by: ", &words);
}

static void put_line(met_text *out, const met_plan_parity *parity, const met_parity_line *line)
{
    static const char *const causes[] = { "", "folds otherwise", "is handed on in another format",
                                          "operands have scales, and nobody declares where they are multiplied", "nobody declares how it folds" };
    const met_node_parity *node = &parity->nodes[line->written];
    const met_op *op = parity->settled->written->nodes[line->written].op;
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s", op ? op->name : "box");
    if (line->weights[0])
        met_text_format(&words, " (%s)", line->weights);
    if (line->count > 1)
        met_text_format(&words, ", %u times", line->count);
    met_text_format(&words, ": %s: %s", met_verdict_name(node->verdict), causes[node->cause]);
    const char *field = met_tree_field_name(node->trees.field);
    if (node->cause == MET_PARITY_TREE && *field)
        met_text_format(&words, " (%s)", field);
    say(out, 2, "", &words);
    put_side(out, "a ", parity, &parity->a, node);
    put_side(out, "b ", parity, &parity->b, node);
    if (node->trees.has_witness)
        put_witness(out, parity, node);
}

/* --- What would make them equal --- */

static void put_seconds(met_text *out, double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 0, "ns" } };
    int k = 0;
    while (k < 3 && fabs(seconds) < units[k].least)
        k++;
    met_text_put(out, seconds < 0 ? "" : "+");
    met_text_double_digits(out, seconds / (k == 3 ? 1e-9 : units[k].least), 4);
    met_text_format(out, " %s", units[k].unit);
}

static void put_price(met_text *out, const met_remedy *remedy, const met_lowering *lowering)
{
    switch (remedy->price) {
    case MET_REMEDY_FAMILY:
        met_text_format(out, "the family `%s` of %s adds up so, at the same price", remedy->family->id, lowering->hardware->id);
        break;
    case MET_REMEDY_WRITTEN:
        met_text_format(out, "kernels of %s can be written so, at the same modelled price", lowering->hardware->id);
        break;
    case MET_REMEDY_PEAK:
        met_text_put(out, "takes ");
        if (remedy->seconds > 0)
            put_seconds(out, remedy->seconds);
        else
            met_text_put(out, "no longer");
        met_text_format(out, ", by other kernels, priced at the f32 peak of %s", lowering->device->id);
        break;
    case MET_REMEDY_NO_UNIT:
        met_text_format(out, "no price: no unit or family of %s adds up so, it can only be emulated", lowering->hardware->id);
        break;
    case MET_REMEDY_NO_DEVICE:
        met_text_format(out, "no price: %s is not a device, or has no f32 peak", lowering->hardware->id);
        break;
    }
}

static void put_remedy(met_text *out, const met_parity_report *report, const met_remedy *remedy)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s's %s along ", remedy->of_a ? "a" : "b", remedy->ops);
    put_tree(&words, &remedy->tree);
    met_text_format(&words, ", %u node%s: ", remedy->count, remedy->count == 1 ? "" : "s");
    put_price(&words, remedy, remedy->of_a ? report->a : report->b);
    if (remedy->left)
        met_text_format(&words, "; %u node%s left", remedy->left, remedy->left == 1 ? " is" : "s are");
    say(out, 2, "", &words);
}

static void put_option(met_text *out, const met_parity_option *option)
{
    met_text words = met_text_new(out->arena);
    met_text_format(&words, "%s%s: ", option->name, option->side ? "" : ", for both");
    if (option->priced) {
        met_text_put(&words, "a takes ");
        put_seconds(&words, option->a_seconds);
        met_text_put(&words, ", b ");
        put_seconds(&words, option->b_seconds);
    } else {
        met_text_put(&words, "no price, as they are not both planned on devices");
    }
    say(out, 2, "", &words);
}

static void put_tried(met_text *out, const met_parity_report *report)
{
    met_text words = met_text_new(out->arena);
    uint32_t failed = 0;
    for (uint32_t k = 0; k < report->option_count; k++)
        if (report->options[k].verdict != MET_VERDICT_SAME)
            met_text_format(&words, "%s%s", failed++ ? ", " : "", report->options[k].name);
    if (failed)
        say(out, 0, "not equal with ", &words);
}

/* Whether an option that makes them equal says what the remedy says. */
static bool has_option(const met_parity_report *report, const met_remedy *remedy)
{
    for (uint32_t k = 0; k < report->option_count; k++)
        if (report->options[k].remedy == remedy && report->options[k].verdict == MET_VERDICT_SAME)
            return true;
    return false;
}

static bool put_options(met_text *out, const met_parity_report *report)
{
    uint32_t shown = 0;
    for (uint32_t k = 0; k < report->option_count; k++) {
        if (report->options[k].verdict != MET_VERDICT_SAME)
            continue;
        if (shown++ == 0)
            met_text_put(out, "equal with one option:\n");
        put_option(out, &report->options[k]);
    }
    return shown > 0;
}

/* What would, though nobody can say so on a command line; if nothing does, what comes closest. */
static void put_remedies(met_text *out, const met_parity_report *report, bool by_option)
{
    uint32_t equal = 0, shown = 0;
    for (uint32_t k = 0; k < report->remedies.count; k++)
        equal += report->remedies.at[k].verdict == MET_VERDICT_SAME;
    if (!by_option && !equal)
        met_text_put(out, report->remedies.count ? "no one change makes them equal; closest, but not an option:\n" :
                                                   "no one change makes them equal\n");
    for (uint32_t k = 0; k < report->remedies.count; k++) {
        const met_remedy *remedy = &report->remedies.at[k];
        bool wanted = by_option || equal ? remedy->verdict == MET_VERDICT_SAME && !has_option(report, remedy) : true;
        if (wanted && shown++ == 0 && (by_option || equal))
            met_text_put(out, "equal if one side folded otherwise, for which there is no option:\n");
        if (wanted)
            put_remedy(out, report, remedy);
    }
}

/* Where a unit takes other operands than the format that nobody stated: an option that gives it such. */
static void put_hint(met_text *out, const met_parity_report *report)
{
    static const met_dtype offers[] = { MET_BF16, MET_F16 };
    const met_plan_parity *parity = report->parity;
    const met_plan_numerics *sides[] = { parity->a.numerics, parity->b.numerics };
    const char *own = met_dtype_table[parity->settled->point.dtype].spelling;
    for (size_t k = 0; k < 2 * (size_t)parity->settled->circuit->node_count; k++) {
        const met_name_list *takes = sides[k % 2]->nodes[k / 2].takes;
        for (size_t d = 0; takes && !met_name_list_has(takes, own) && d < sizeof offers / sizeof *offers; d++) {
            if (!met_name_list_has(takes, met_dtype_table[offers[d]].spelling))
                continue;
            met_text words = met_text_new(out->arena);
            met_text_format(&words, "with --dtype %s the unit takes what has no format stated",
                            met_dtype_table[offers[d]].spelling);
            say(out, 0, "", &words);
            return;
        }
    }
}

static void put_changes(met_text *out, const met_parity_report *report)
{
    bool by_option = put_options(out, report);
    put_remedies(out, report, by_option);
    put_tried(out, report);
    put_hint(out, report);
}

const char *met_parity_text(const met_parity_report *report)
{
    const met_plan_parity *parity = report->parity;
    const met_parity_line *lines;
    uint32_t count = met_parity_lines(report, &lines), same = parity->counts[MET_VERDICT_SAME];
    met_text out = met_text_new(parity->settled->circuit->arena);
    met_text_format(&out, "by records: %s%s\n", met_verdict_name(parity->verdict),
                    parity->verdict == MET_VERDICT_SAME && parity->unless_underflow ? ", unless something underflows" : "");
    for (uint32_t k = 0; k < count; k++)
        put_line(&out, parity, &lines[k]);
    if (count > 0) {
        met_text_format(&out, "  %u node%s the same%s\n", same, same == 1 ? " is" : "s are",
                        parity->unless_underflow ? ", unless something underflows" : "");
        put_changes(&out, report);
    }
    return met_text_done(&out);
}
