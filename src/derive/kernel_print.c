/* Kernels as text: partitions, then every step with its phase, then what is kept between slices.
 *
 *     stream x, group q h, local d
 *       body    s[h q x] = sum[d] q[q h d]*k[x h d]
 *       fold    s_max[h q] = max[x] s[h q x]
 *       tail    …
 *     keeps s_max, max; o, sum relative to s_max, times ldexp(1, a - b)
 */
#include "derive/derivation.h"
#include "derive/kernel_text.h"
#include "ir/affine.h"

typedef struct printer {
    met_text *out;
    const met_kernel *kernel;
    const met_kernel_step *step;
} printer;

static met_str loop_str(const printer *p, uint32_t loop)
{
    return met_sym_str(p->kernel->circuit->session, p->kernel->loops[loop].name);
}

/* In positions, an index is a loop of the kernel; in formulas, one of the step's node. */
static met_str position_name(void *context, uint32_t index)
{
    return loop_str(context, index);
}

static met_str index_name(void *context, uint32_t index)
{
    const printer *p = context;
    return loop_str(p, p->step->loops[index]);
}

static met_str size_name(void *context, met_size symbol)
{
    const printer *p = context;
    return met_circuit_size_name((void *)(uintptr_t)p->kernel->circuit, symbol);
}

static bool never_taken(void *context, met_str name)
{
    (void)context;
    (void)name;
    return false;
}

static void put_edge_name(printer *p, met_edge_id edge)
{
    met_text_str(p->out, met_sym_str(p->kernel->circuit->session, p->kernel->circuit->edges[edge.id].name));
}

static void put_value(printer *p, uint32_t value)
{
    const met_kernel_value *v = &p->kernel->values[value];
    met_scalar_names names = { p, size_name, position_name, never_taken, NULL };
    uint32_t rank = p->kernel->circuit->edges[v->edge.id].rank;
    put_edge_name(p, v->edge);
    for (uint32_t i = 0; i < rank; i++) {
        bool whole = met_affine_is_index(v->at[i], NULL);
        met_text_put(p->out, i == 0 ? "[" : whole ? " " : ", ");
        met_affine_print(p->out, v->at[i], &names);
        met_text_put(p->out, i + 1 == rank ? "]" : whole ? "" : ",");
    }
}

static void put_input(void *context, met_text *out, uint32_t input)
{
    printer *p = context;
    const met_node *node = &p->kernel->circuit->nodes[p->step->node.id];
    put_value(p, p->step->ins[input]);
    if (node->op->form != MET_FORM_READ)
        return;
    met_primitive form = met_node_primitive(p->kernel->circuit, node);
    if (input != form.table)
        return;
    met_text_put(out, " at ");
    put_value(p, p->step->ins[form.ids]);
}

static void put_loops(printer *p, met_loops loops)
{
    bool first = true;
    for (uint32_t l = 0; l < p->kernel->loop_count; l++) {
        if (!(loops >> l & 1))
            continue;
        met_text_put(p->out, first ? "" : " ");
        met_text_str(p->out, loop_str(p, l));
        first = false;
    }
}

const char *met_monoid_name(met_monoid monoid)
{
    static const char *const names[] = { "", "sum", "prod", "max", "min", "any" };
    return names[monoid];
}

static void put_partition(printer *p, met_partition partition, const char *name)
{
    met_loops loops = met_kernel_loops_of(p->kernel, partition);
    if (!loops)
        return;
    met_text_format(p->out, "%s%s ", p->out->length && p->out->at[p->out->length - 1] != '\n' ? ", " : "", name);
    put_loops(p, loops);
}

static void put_right_side(printer *p, const met_primitive *form)
{
    const met_kernel_step *s = p->step;
    met_scalar_names names = { p, size_name, index_name, never_taken, put_input };
    if (s->reduced) {
        met_text_format(p->out, "%s[", form->form == MET_FORM_PICK ? "pick" : met_monoid_name(form->monoid));
        put_loops(p, s->reduced);
        met_text_put(p->out, "] ");
    }
    met_scalar_print(p->out, form->e, &names);
}

static void put_passes(printer *p)
{
    const met_kernel_step *s = p->step;
    if (p->kernel->pass_count == 1 || s->phase == MET_STEP_HEAD)
        return;
    met_text_format(p->out, " %u", s->pass + 1);
    if (s->pass_last > s->pass)
        met_text_format(p->out, "-%u", s->pass_last + 1);
}

const char *met_phase_name(met_step_phase phase)
{
    static const char *const names[] = { "head", "body", "fold", "tail" };
    return names[phase];
}

/* The guards that a mask adds, in the kernel's loops. */
static met_str guard_position_name(void *context, uint32_t position)
{
    const printer *p = context;
    const met_affine *at = p->kernel->values[p->step->outs[0]].at;
    return loop_str(p, at[position].terms[0].index);
}

static void put_guards(printer *p, const met_node *node)
{
    const met_edge *out = &p->kernel->circuit->edges[node->outs[0].id];
    met_scalar_names names = { p, size_name, guard_position_name, never_taken, NULL };
    if (node->in_count == 0 || out->guard_count <= p->kernel->circuit->edges[node->ins[0].id].guard_count || p->step->reduced)
        return;
    for (uint32_t g = 0; g < out->guard_count; g++) {
        met_text_put(p->out, g ? " and " : " where ");
        met_affine_print(p->out, out->guards[g].expression, &names);
        if (out->guards[g].value.id != MET_NONE) {
            met_text_put(p->out, out->guards[g].value_sign > 0 ? " + " : " - ");
            put_edge_name(p, out->guards[g].value);
        }
        met_text_put(p->out, " >= 0");
    }
}

static void put_step(printer *p)
{
    const met_node *node = &p->kernel->circuit->nodes[p->step->node.id];
    met_primitive form = met_node_primitive(p->kernel->circuit, node);
    size_t start = p->out->length;
    met_text_format(p->out, "  %s", met_phase_name(p->step->phase));
    put_passes(p);
    met_text_pad(p->out, start, p->kernel->pass_count > 1 ? 12 : 8);
    for (uint32_t k = 0; k < node->out_count; k++) {
        met_text_put(p->out, k ? ", " : "");
        put_value(p, p->step->outs[k]);
    }
    met_text_put(p->out, " = ");
    put_right_side(p, &form);
    put_guards(p, node);
    bool stored = false;
    for (uint32_t k = 0; k < node->out_count; k++)
        stored = stored || p->kernel->values[p->step->outs[k]].is_output;
    met_text_put(p->out, stored ? " ; stored\n" : "\n");
}

static void put_accumulator(printer *p, const met_kernel_accumulator *acc)
{
    met_scalar_names names = { p, size_name, index_name, never_taken, NULL };
    met_text_put(p->out, "  keep  ");
    put_value(p, acc->value);
    met_text_format(p->out, " by %s", met_monoid_name(acc->monoid));
    if (acc->base != MET_NONE) {
        met_text_put(p->out, ", relative to ");
        put_edge_name(p, p->kernel->values[p->kernel->accumulators[acc->base].value].edge);
        met_text_put(p->out, ", times ");
        met_scalar_print(p->out, acc->delta, &names);
        met_text_put(p->out, acc->exact ? ", exact" : "");
    }
    met_text_char(p->out, '\n');
}

void met_kernel_print(met_text *out, const met_kernel *kernel)
{
    printer p = { out, kernel, NULL };
    put_partition(&p, MET_PARTITION_STREAM, "stream");
    put_partition(&p, MET_PARTITION_GROUP, "group");
    put_partition(&p, MET_PARTITION_LOCAL, "local");
    if (kernel->pass_count > 1)
        met_text_format(out, ", %u passes", kernel->pass_count);
    met_text_char(out, '\n');
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        p.step = &kernel->steps[s];
        put_step(&p);
    }
    for (uint32_t a = 0; a < kernel->accumulator_count; a++)
        put_accumulator(&p, &kernel->accumulators[a]);
}
