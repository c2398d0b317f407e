/* Pictures of the trees that records give. */
#include "base/diag.h"
#include "draw/drawing.h"
#include "number/bracketing.h"

enum { PITCH = 22 /* between leaves */, RISE = 18 /* between a node and its highest child */, MARGIN = 24, HEAD = 40, FOOT = 24, GLYPH = 8, MOST = 256 /* terms */ };

typedef struct layout {
    const met_bracketing *tree;
    int32_t *x, *height; /* of each node: where it stands, and nodes below it on the longest way */
    int32_t leaves;
} layout;

static uint32_t child_of(const met_bracketing *tree, uint32_t node, uint32_t i)
{
    return tree->children[tree->nodes[node].first + i];
}

/* Leaves from left to right as a walk meets them. */
static void place_leaves(met_arena *arena, layout *l)
{
    MET_VEC(uint32_t) todo = {0};
    MET_PUSH(arena, &todo, l->tree->node_count - 1);
    while (todo.count > 0) {
        uint32_t at = todo.at[--todo.count];
        for (uint32_t i = l->tree->nodes[at].count; i-- > 0;) {
            MET_PUSH(arena, &todo, child_of(l->tree, at, i));
        }
        if (l->tree->nodes[at].count == 0) {
            l->x[at] = MARGIN + PITCH * l->leaves++ + PITCH / 2;
        }
    }
}

/* A node stands over the middle of its children. */
static void place_nodes(layout *l)
{
    for (uint32_t i = 0; i < l->tree->node_count; i++) {
        const met_bracketing_node *node = &l->tree->nodes[i];
        for (uint32_t c = 0; c < node->count; c++) {
            int32_t below = l->height[child_of(l->tree, i, c)] + 1;
            l->height[i] = below > l->height[i] ? below : l->height[i];
        }
        if (node->count) {
            l->x[i] = (l->x[child_of(l->tree, i, 0)] + l->x[child_of(l->tree, i, node->count - 1)]) / 2;
        }
    }
}

static int32_t y_of(const layout *l, uint32_t node)
{
    int32_t most = l->height[l->tree->node_count - 1];
    return HEAD + (most - l->height[node]) * RISE;
}

/* From a node level to above its child, then down. */
static void put_wires(met_text *out, const layout *l)
{
    met_text_put(out, "<path class=\"w\" d=\"");
    for (uint32_t i = 0; i < l->tree->node_count; i++) {
        for (uint32_t c = 0; c < l->tree->nodes[i].count; c++) {
            uint32_t child = child_of(l->tree, i, c);
            met_text_format(out, "M%d %dH%dV%d", (int)l->x[i], (int)y_of(l, i), (int)l->x[child], (int)y_of(l, child));
        }
    }
    met_text_put(out, "\"/>\n");
}

/* A dot for an addition, a bar for a node of a matrix unit, a number for a leaf. */
static void put_node(met_text *out, const layout *l, uint32_t i)
{
    const met_bracketing_node *node = &l->tree->nodes[i];
    int x = (int)l->x[i], y = (int)y_of(l, i);
    if (node->count == 0) {
        met_text_format(out, "<text x=\"%d\" y=\"%d\">%u%s</text>\n", x, y + 13, (unsigned)node->leaf, node->alone ? "!" : "");
    } else if (node->count == 2) {
        met_text_format(out, "<circle cx=\"%d\" cy=\"%d\" r=\"3\"/>\n", x, y);
    } else {
        int from = (int)l->x[child_of(l->tree, i, 0)], to = (int)l->x[child_of(l->tree, i, node->count - 1)];
        met_text_format(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", from - GLYPH / 2, y - GLYPH / 2,
                        to - from + GLYPH, GLYPH);
    }
}

static const char *draw(met_arena *arena, const met_bracketing *tree, const char *title)
{
    met_text out = met_text_new(arena);
    layout l = {tree, MET_NEW_ARRAY(arena, int32_t, tree->node_count), MET_NEW_ARRAY(arena, int32_t, tree->node_count), 0};
    place_leaves(arena, &l);
    place_nodes(&l);
    int width = 2 * MARGIN + PITCH * (int)l.leaves, least = 2 * MARGIN + 7 * (int)met_str_of(title).length;
    int height = HEAD + (int)l.height[tree->node_count - 1] * RISE + FOOT;
    met_text_format(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                    width > least ? width : least, height, width > least ? width : least, height);
    met_text_put(&out, "<style>svg{background:#fff;color:#222}text{font:11px sans-serif;text-anchor:middle;fill:currentColor}"
                       ".t{text-anchor:start;font-size:12px}.w{fill:none;stroke:currentColor;stroke-width:1.2}circle,rect{fill:currentColor}"
                       "@media(prefers-color-scheme:dark){svg{background:#16181c;color:#ddd}}</style>\n<title>");
    met_xml_put(&out, met_str_of(title));
    met_text_format(&out, "</title>\n<text class=\"t\" x=\"%d\" y=\"20\">", MARGIN);
    met_xml_put(&out, met_str_of(title));
    met_text_put(&out, "</text>\n");
    put_wires(&out, &l);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        put_node(&out, &l, i);
    }
    met_text_put(&out, "</svg>\n");
    return met_text_done(&out);
}

const char *met_draw_tree(met_session *session, const struct met_tree *tree, uint64_t n)
{
    met_text title = met_text_new(session->arena);
    if (n == 0 || n > MOST) {
        met_diag_add(session, MET_DIAG_usage, (met_span){0}, "a picture shows a tree of 1 to %d terms, not of %llu", MOST,
                     (unsigned long long)n);
        return NULL;
    }
    met_tree_print_brief(&title, tree, MET_F32);
    return draw(session->arena, met_bracketing_of(session->arena, tree, n), met_text_done(&title));
}
