#include "plan/lower_sites.h"

#include "plan/match.h"

typedef struct finder {
    met_lower_task *task;
    bool *taken;
    met_site *first; /* by node: the site that begins there; no name: none does */
} finder;

/* What counts as one operation does not depend on formats: nothing is said of what nodes read. */
static void forget_formats(met_lower_task *task)
{
    uint32_t count = task->circuit->node_count;
    met_match_node *nodes = met_arena_copy(task->arena, task->nodes, count, sizeof *nodes);
    for (uint32_t n = 0; n < count; n++)
        nodes[n].has_input = false;
    task->nodes = nodes;
}

static void try_at(finder *f, const met_rule *rule, uint32_t start, met_match *match)
{
    if (f->taken[start] || !met_match_first(f->task, rule, start, f->taken, match))
        return;
    met_site site = { .name = rule->id };
    site.node_count = met_match_nodes(f->task->arena, match, &site.nodes);
    for (uint32_t i = 0; i < site.node_count; i++)
        f->taken[site.nodes[i].id] = true;
    f->first[site.nodes[0].id] = site;
}

static void find_patterns(finder *f, const met_lkb *lkb)
{
    for (uint32_t s = 0; s < lkb->site_count; s++) {
        met_match match = { .nodes = MET_NEW_ARRAY(f->task->arena, uint32_t, lkb->sites[s].element_count) };
        for (uint32_t n = 0; n < f->task->circuit->node_count; n++)
            try_at(f, &lkb->sites[s], n, &match);
    }
}

const met_site *met_lower_sites(const met_pricing *pricing, const met_lkb *lkb, uint32_t *ret_count)
{
    const met_circuit *circuit = pricing->workload->circuit;
    met_arena *arena = circuit->session->arena;
    met_lower_options options = { .lkb = lkb, .pricing = pricing };
    met_lower_task *task = met_lower_task_bare(arena, circuit, &options);
    if (!task)
        return NULL;
    forget_formats(task);
    finder f = { task, MET_NEW_ARRAY(arena, bool, circuit->node_count), MET_NEW_ARRAY(arena, met_site, circuit->node_count) };
    find_patterns(&f, lkb);
    met_site *sites = MET_NEW_ARRAY(arena, met_site, circuit->node_count);
    uint32_t count = 0;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (!f.taken[n]) {
            met_node_id *node = MET_NEW(arena, met_node_id);
            node->id = n;
            f.first[n] = (met_site){ circuit->nodes[n].op->name, 1, node };
        }
        if (f.first[n].name)
            sites[count++] = f.first[n];
    }
    *ret_count = count;
    return sites;
}
