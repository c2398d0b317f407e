/* The listing: a program that reads back to the circuit, with what alignment found out as comments. */
#include "ir/print.h"

#include "ir/affine.h"
#include "met/circuit.h"

/* Comments start here if the code is short enough, else they follow on a line of their own. */
enum { COMMENT_COLUMN = 46, WIDE = 104 };

typedef struct lister {
    met_text out;
    const met_circuit *c;
    bool *introduced;
    bool whole;
} lister;

static void put_sym(lister *l, met_sym sym)
{
    met_text_str(&l->out, met_sym_str(l->c->session, sym));
}

static void mark_introduced(lister *l, const met_edge *edge)
{
    for (uint32_t i = 0; i < edge->rank; i++)
        l->introduced[edge->axes[i].id] = true;
}

static void put_typed(lister *l, const met_edge *edge)
{
    put_sym(l, edge->name);
    met_text_put(&l->out, ": ");
    size_t before = l->out.length;
    met_edge_type_print(&l->out, l->c, edge);
    if (l->out.length == before)
        met_text_put(&l->out, "[]"); /* a scalar */
    mark_introduced(l, edge);
}

static void put_count(lister *l, uint32_t count, const char *noun)
{
    met_text_format(&l->out, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

static void put_summary(lister *l)
{
    met_text_put(&l->out, "# ");
    if (l->c->name.id)
        put_sym(l, l->c->name);
    met_text_put(&l->out, l->c->name.id ? ": " : "");
    put_count(l, l->c->input_count, "input");
    met_text_put(&l->out, ", ");
    put_count(l, l->c->parameter_count, "parameter");
    met_text_put(&l->out, ", ");
    put_count(l, l->c->node_count, "node");
    met_text_put(&l->out, ", ");
    put_count(l, l->c->output_count, "output");
    met_text_put(&l->out, "; formats not stated are ");
    met_format_print(&l->out, l->c->default_format);
    met_text_char(&l->out, '\n');
}

/* Behind a comma, on a new line if this one would become too wide: within brackets lines go on. */
static void put_input(lister *l, const met_edge *edge, bool first, size_t *line_start)
{
    enum { FULL = 78, INDENT = 4 };
    lister own = *l;
    own.out = met_text_new(l->c->arena);
    met_text_put(&own.out, edge->role == MET_EDGE_STATE ? "state " : "");
    put_typed(&own, edge);
    size_t used = met_columns((met_str){ l->out.at + *line_start, l->out.length - *line_start });
    met_text_put(&l->out, first ? "" : ",");
    if (!first && used + 2 + met_columns((met_str){ own.out.at, own.out.length }) > FULL) {
        met_text_char(&l->out, '\n');
        *line_start = l->out.length;
        met_text_repeat(&l->out, ' ', INDENT);
    } else {
        met_text_put(&l->out, first ? "" : " ");
    }
    met_text_put(&l->out, met_text_done(&own.out));
}

static void put_header(lister *l)
{
    size_t line_start = l->out.length;
    met_text_put(&l->out, "circuit ");
    met_text_str(&l->out, l->c->name.id ? met_sym_str(l->c->session, l->c->name) : met_str_of("main"));
    met_text_char(&l->out, '(');
    for (uint32_t i = 0; i < l->c->input_count; i++)
        put_input(l, &l->c->edges[l->c->inputs[i].id], i == 0, &line_start);
    met_text_put(&l->out, ") -> ");
    for (uint32_t i = 0; i < l->c->output_count; i++) {
        met_text_put(&l->out, i ? ", " : "");
        put_sym(l, l->c->edges[l->c->outputs[i].id].name);
    }
    met_text_put(&l->out, " {\n");
}

/* --- Repetition --- */

/* The block, if any, whose second copy starts at node n, and of which the first copy is shown: it is passed over. */
static const met_block *hidden_at(const lister *l, uint32_t n, uint32_t *block_cursor)
{
    while (*block_cursor < l->c->block_count && l->c->blocks[*block_cursor].node_begin < n)
        ++*block_cursor;
    for (uint32_t k = *block_cursor; k < l->c->block_count && l->c->blocks[k].node_begin == n; k++)
        if (l->c->blocks[k].repeat == 1)
            return &l->c->blocks[k];
    return NULL;
}

static uint32_t family_end(const lister *l, const met_block *first)
{
    uint32_t end = first->node_end;
    for (const met_block *k = first; k < l->c->blocks + l->c->block_count; k++)
        if (k->family == first->family && k->repeat > 0 && k->node_begin == end)
            end = k->node_end;
    return end;
}

/* --- Parameters --- */

static bool *shown_parameters(const lister *l)
{
    bool *shown = MET_NEW_ARRAY(l->c->arena, bool, l->c->edge_count);
    uint32_t cursor = 0;
    for (uint32_t n = 0; n < l->c->node_count; n++) {
        const met_block *hidden = l->whole ? NULL : hidden_at(l, n, &cursor);
        if (hidden) {
            n = family_end(l, hidden) - 1;
            continue;
        }
        for (uint32_t i = 0; i < l->c->nodes[n].in_count; i++)
            shown[l->c->nodes[n].ins[i].id] = true;
    }
    for (uint32_t i = 0; i < l->c->output_count; i++)
        shown[l->c->outputs[i].id] = true;
    return shown;
}

static void put_parameters(lister *l)
{
    bool *shown = shown_parameters(l);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < l->c->parameter_count; i++) {
        const met_edge *edge = &l->c->edges[l->c->parameters[i].id];
        if (!shown[l->c->parameters[i].id]) {
            hidden++;
            mark_introduced(l, edge);
            continue;
        }
        met_text_put(&l->out, "  @");
        put_typed(l, edge);
        met_text_char(&l->out, '\n');
    }
    if (hidden)
        met_text_format(&l->out, "  # and %u parameters of repetitions\n", hidden);
}

/* --- Comments --- */

static void put_index_names(lister *l, const met_node *node, const met_sym *labels, bool reduced)
{
    for (uint32_t i = 0; i < node->index_count; i++) {
        if (node->indices[i].reduced != reduced || (!reduced && node->indices[i].target))
            continue;
        met_text_char(&l->out, ' ');
        put_sym(l, labels[i]);
    }
}

static bool any_index(const met_node *node, bool reduced)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced == reduced && (reduced || !node->indices[i].target))
            return true;
    return false;
}

/* Where an index stands in the first input that has it, or in the first output: "x@2" is position 2. */
static void put_place(lister *l, const met_node *node, const met_sym *labels, uint32_t index)
{
    met_text_char(&l->out, ' ');
    put_sym(l, labels[index]);
    for (uint32_t a = 0; a < node->in_count + node->out_count; a++) {
        bool in = a < node->in_count;
        const met_access *access = in ? &node->in_access[a] : &node->out_access[a - node->in_count];
        for (uint32_t p = 0; p < access->rank; p++) {
            if (!met_affine_reads_index(access->at[p], index))
                continue;
            met_text_format(&l->out, in ? "@%u" : "@->%u", p);
            return;
        }
    }
}

static bool any_target(const met_node *node)
{
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].target)
            return true;
    return false;
}

static void put_comment(lister *l, const met_node *node)
{
    met_sym *labels = MET_NEW_ARRAY(l->c->arena, met_sym, node->index_count);
    met_node_labels(l->c, node, labels);
    met_text_put(&l->out, "# ");
    for (uint32_t o = 0; o < node->out_count; o++) {
        const met_edge *edge = &l->c->edges[node->outs[o].id];
        met_text_put(&l->out, o ? ", " : "");
        met_format_print(&l->out, edge->format);
        met_text_char(&l->out, '[');
        for (uint32_t i = 0; i < edge->rank; i++) {
            met_text_put(&l->out, i ? " " : "");
            put_sym(l, l->c->axes[edge->axes[i].id].name);
        }
        met_text_char(&l->out, ']');
    }
    if (any_index(node, false)) {
        met_text_put(&l->out, " degree");
        put_index_names(l, node, labels, false);
    }
    if (any_target(node)) {
        met_text_put(&l->out, any_index(node, false) ? "; target" : " target");
        for (uint32_t i = 0; i < node->index_count; i++)
            if (node->indices[i].target)
                put_place(l, node, labels, i);
    }
    const met_edge *first = node->out_count ? &l->c->edges[node->outs[0].id] : NULL;
    for (uint32_t g = 0; first && g < first->guard_count; g++) {
        met_text_put(&l->out, g ? " && " : "; where ");
        met_guard_print(&l->out, l->c, first, &first->guards[g]);
    }
}

static void put_node(lister *l, const met_node *node)
{
    size_t start = l->out.length;
    met_text_put(&l->out, "  ");
    for (uint32_t o = 0; o < node->out_count; o++) {
        met_text_put(&l->out, o ? ", " : "");
        put_sym(l, l->c->edges[node->outs[o].id].name);
    }
    met_text_put(&l->out, " = ");
    met_node_print(&l->out, l->c, node, l->introduced);
    bool stores = met_node_stores(l->c, node);
    for (uint32_t o = 0; stores && o < node->out_count; o++) {
        met_text_put(&l->out, o ? ", " : " : ");
        met_format_print(&l->out, l->c->edges[node->outs[o].id].format);
    }
    for (uint32_t o = 0; o < node->out_count; o++)
        mark_introduced(l, &l->c->edges[node->outs[o].id]);
    size_t code = met_columns((met_str){ l->out.at + start, l->out.length - start });
    lister comment = *l;
    comment.out = met_text_new(l->c->arena);
    put_comment(&comment, node);
    size_t column = code + 2 > COMMENT_COLUMN ? code + 2 : COMMENT_COLUMN;
    if (column + met_columns((met_str){ comment.out.at, comment.out.length }) > WIDE && code + 2 > COMMENT_COLUMN) {
        met_text_put(&l->out, "\n");
        start = l->out.length;
        column = 6;
    }
    met_text_pad(&l->out, start, column);
    met_text_put(&l->out, met_text_done(&comment.out));
    met_text_char(&l->out, '\n');
}

/* --- Blocks --- */

static void put_block_starts(lister *l, uint32_t n, uint32_t *cursor)
{
    for (; *cursor < l->c->block_count && l->c->blocks[*cursor].node_begin <= n; ++*cursor) {
        const met_block *block = &l->c->blocks[*cursor];
        if (block->node_begin != n)
            continue;
        met_text_put(&l->out, "  # ");
        put_sym(l, block->name);
        if (block->repeat_count > 1)
            met_text_format(&l->out, " [%u of %u]", block->repeat, block->repeat_count);
        met_text_char(&l->out, '\n');
    }
}

static void put_nodes(lister *l)
{
    uint32_t starts = 0, hiding = 0;
    for (uint32_t n = 0; n < l->c->node_count; n++) {
        const met_block *hidden = l->whole ? NULL : hidden_at(l, n, &hiding);
        if (!hidden) {
            put_block_starts(l, n, &starts);
            put_node(l, &l->c->nodes[n]);
            continue;
        }
        uint32_t end = family_end(l, hidden);
        met_text_put(&l->out, "  # ");
        put_sym(l, hidden->name);
        met_text_put(&l->out, hidden->repeat_count > 2 ? " [1 to " : " [");
        met_text_format(&l->out, "%u of %u] likewise: %u node%s (--whole lists them)\n", hidden->repeat_count - 1,
                        hidden->repeat_count, end - n, end - n == 1 ? "" : "s");
        for (; n < end; n++)
            for (uint32_t o = 0; o < l->c->nodes[n].out_count; o++)
                mark_introduced(l, &l->c->edges[l->c->nodes[n].outs[o].id]);
        n--;
    }
}

/* One entry of the list of free sizes, on a new line if it would make this one too wide. */
static void put_size_entry(lister *l, size_t *line_start, bool first, met_str entry)
{
    size_t columns = l->out.length - *line_start;
    met_text_put(&l->out, first ? "" : ",");
    if (columns + entry.length + 2 > 78) {
        met_text_put(&l->out, "\n#");
        *line_start = l->out.length - 1;
    }
    met_text_char(&l->out, ' ');
    met_text_str(&l->out, entry);
}

/* `h to h.32 (32)`: of a large family of sizes (one for each layer, say) only the ends are listed. */
static met_str family_entry(const met_circuit *c, uint32_t first, uint32_t last, uint32_t count)
{
    met_text text = met_text_new(c->arena);
    met_text_format(&text, "%s to %s (%u)", met_sym_text(c->session, c->symbols[first].name),
                    met_sym_text(c->session, c->symbols[last].name), count);
    return (met_str){ met_text_done(&text), text.length };
}

static void put_sizes(lister *l)
{
    enum { FAMILY = 6 };
    const met_circuit *c = l->c;
    uint32_t *counts = MET_NEW_ARRAY(c->arena, uint32_t, c->session->names.count);
    uint32_t *lasts = MET_NEW_ARRAY(c->arena, uint32_t, c->session->names.count);
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        if (c->symbols[i].value)
            continue;
        counts[c->symbols[i].label.id]++;
        lasts[c->symbols[i].label.id] = i;
    }
    bool any = false;
    size_t line_start = l->out.length;
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        const met_symbol *symbol = &c->symbols[i];
        uint32_t count = counts[symbol->label.id];
        if (symbol->value || count == 0)
            continue;
        if (!any)
            met_text_put(&l->out, "# free sizes:");
        bool family = count > FAMILY;
        put_size_entry(l, &line_start, !any, family ? family_entry(c, i, lasts[symbol->label.id], count) : met_sym_str(c->session, symbol->name));
        if (family)
            counts[symbol->label.id] = 0;
        any = true;
    }
    met_text_put(&l->out, any ? "\n" : "# all sizes are bound\n");
}

/* 8,030,261,248 */
static void put_grouped(lister *l, uint64_t n)
{
    if (n >= 1000) {
        put_grouped(l, n / 1000);
        met_text_format(&l->out, ",%03u", (unsigned)(n % 1000));
    } else {
        met_text_format(&l->out, "%u", (unsigned)n);
    }
}

static void put_totals(lister *l)
{
    uint64_t parameters, flops;
    if (l->c->parameter_count && met_circuit_parameter_count(l->c, &parameters)) {
        met_text_put(&l->out, "# values in parameters: ");
        put_grouped(l, parameters);
        met_text_char(&l->out, '\n');
    }
    if (met_circuit_flops(l->c, &flops) && flops) {
        met_text_put(&l->out, "# flops: ");
        put_grouped(l, flops);
        met_text_char(&l->out, '\n');
    }
}

const char *met_circuit_listing(const met_circuit *circuit, bool whole)
{
    lister l = { met_text_new(circuit->arena), circuit, MET_NEW_ARRAY(circuit->arena, bool, circuit->axis_count), whole };
    put_summary(&l);
    put_header(&l);
    put_parameters(&l);
    put_nodes(&l);
    met_text_put(&l.out, "}\n");
    put_sizes(&l);
    put_totals(&l);
    return met_text_done(&l.out);
}
