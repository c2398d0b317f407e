#include "plan/text.h"

#include "derive/kernel_text.h"

enum { WIDTH = 100 };

/* A word of a list, on the next line if it would end beyond the width; `start` is where the line began. */
static void put_word(met_text *out, size_t *start, met_str word)
{
    if (out->length - *start + word.length + 1 > WIDTH) {
        met_text_char(out, '\n');
        *start = out->length;
        met_text_char(out, ' ');
    }
    met_text_char(out, ' ');
    met_text_str(out, word);
}

static void put_names(met_text *out, const met_kernel *kernel, bool outputs)
{
    const met_circuit *circuit = kernel->circuit;
    bool first = true;
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        const met_kernel_value *value = &kernel->values[v];
        bool known = false; /* an edge that is read in two ways is listed once */
        for (uint32_t w = 0; w < v; w++)
            known = known || kernel->values[w].edge.id == value->edge.id;
        if (known || !(outputs ? value->is_output : value->is_input))
            continue;
        met_text_put(out, first ? "" : ", ");
        met_text_str(out, met_sym_str(circuit->session, circuit->edges[value->edge.id].name));
        first = false;
    }
}

static void put_group(met_text *out, const met_plan *plan, uint32_t g)
{
    const met_kernel *kernel = plan->groups[g];
    const met_circuit *circuit = plan->circuit;
    met_text_format(out, "group %u: ", g);
    put_names(out, kernel, false);
    met_text_put(out, " -> ");
    put_names(out, kernel, true);
    if (kernel->stream != MET_NONE)
        met_text_format(out, "\n  stream %s, %u pass%s", met_sym_text(circuit->session, kernel->loops[kernel->stream].name),
                        kernel->pass_count, kernel->pass_count == 1 ? "" : "es");
    met_text_char(out, '\n');
    size_t start = out->length;
    met_text_char(out, ' ');
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_node *node = &circuit->nodes[kernel->steps[s].node.id];
        met_text word = met_text_new(out->arena);
        met_text_format(&word, "%s:%s", met_sym_text(circuit->session, circuit->edges[node->outs[0].id].name), node->op->name);
        put_word(out, &start, (met_str){ met_text_done(&word), word.length });
    }
    met_text_char(out, '\n');
    for (uint32_t n = 0; n < plan->note_count; n++)
        if (plan->notes[n].to == g)
            met_text_format(out, "  not with group %u: %s\n", plan->notes[n].from, plan->notes[n].reason);
}

void met_plan_print(met_text *out, const met_plan *plan, bool kernels)
{
    met_text_format(out, "plan %s: %u nodes in %u groups\n", met_planner_name(plan->planner), plan->circuit->node_count,
                    plan->group_count);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        put_group(out, plan, g);
        if (kernels)
            met_kernel_print(out, plan->groups[g]);
    }
}
