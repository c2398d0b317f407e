/* Kernels as JSON: loops, values, steps and accumulators in their order, each by the names of the circuit. */
#include "derive/derivation.h"
#include "derive/kernel_text.h"
#include "ir/affine.h"

typedef struct writer {
    met_text *out;
    const met_kernel *kernel;
    uint32_t indent;
} writer;

static void put_sym(const writer *w, met_sym sym)
{
    met_text_json_string(w->out, met_sym_str(w->kernel->circuit->session, sym));
}

static void put_loops(const writer *w, met_loops loops)
{
    const char *separator = "";
    met_text_char(w->out, '[');
    for (uint32_t l = 0; l < w->kernel->loop_count; l++) {
        if (!(loops >> l & 1))
            continue;
        met_text_put(w->out, separator);
        put_sym(w, w->kernel->loops[l].name);
        separator = ", ";
    }
    met_text_char(w->out, ']');
}

/* A list of `count` things, one a line. */
static void put_list(const writer *w, const char *key, uint32_t count, void (*put)(const writer *w, uint32_t i))
{
    met_text_format(w->out, ",\n%*s\"%s\": [", (int)w->indent, "", key);
    for (uint32_t i = 0; i < count; i++) {
        met_text_format(w->out, "%s\n%*s", i ? "," : "", (int)w->indent + 2, "");
        put(w, i);
    }
    met_text_char(w->out, ']');
}

static void put_loop(const writer *w, uint32_t i)
{
    static const char *const partitions[] = { "group", "stream", "local" };
    const met_kernel_loop *loop = &w->kernel->loops[i];
    met_text_put(w->out, "{\"name\": ");
    put_sym(w, loop->name);
    met_text_put(w->out, ", \"axis\": ");
    put_sym(w, w->kernel->circuit->axes[loop->axis.id].name);
    met_text_format(w->out, ", \"partition\": \"%s\"}", partitions[loop->partition]);
}

static met_str size_name(void *context, met_size symbol)
{
    return met_circuit_size_name((void *)(uintptr_t)((const writer *)context)->kernel->circuit, symbol);
}

static met_str loop_name(void *context, uint32_t loop)
{
    const writer *w = context;
    return met_sym_str(w->kernel->circuit->session, w->kernel->loops[loop].name);
}

static bool never_taken(void *context, met_str name)
{
    (void)context;
    (void)name;
    return false;
}

static met_scalar_names names_of(const writer *w)
{
    return (met_scalar_names){ (void *)(uintptr_t)w, size_name, loop_name, never_taken, NULL };
}

static void put_value(const writer *w, uint32_t i)
{
    static const char *const classes[] = { "static", "stream", "statistic", "tail" };
    const met_kernel_value *value = &w->kernel->values[i];
    met_scalar_names names = names_of(w);
    met_text_put(w->out, "{\"edge\": ");
    put_sym(w, w->kernel->circuit->edges[value->edge.id].name);
    met_text_put(w->out, ", \"at\": [");
    for (uint32_t p = 0; p < w->kernel->circuit->edges[value->edge.id].rank; p++) {
        met_text at = met_text_new(w->out->arena);
        met_affine_print(&at, value->at[p], &names);
        met_text_put(w->out, p ? ", " : "");
        met_text_json_string(w->out, (met_str){ met_text_done(&at), at.length });
    }
    met_text_format(w->out, "], \"class\": \"%s\", \"input\": %s, \"output\": %s}", classes[value->class],
                    value->is_input ? "true" : "false", value->is_output ? "true" : "false");
}

static void put_numbers(const writer *w, const char *key, uint32_t count, const uint32_t *numbers)
{
    met_text_format(w->out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++)
        met_text_format(w->out, "%s%u", i ? ", " : "", numbers[i]);
    met_text_char(w->out, ']');
}

static void put_step(const writer *w, uint32_t i)
{
    const met_kernel_step *step = &w->kernel->steps[i];
    const met_node *node = &w->kernel->circuit->nodes[step->node.id];
    met_text_format(w->out, "{\"node\": %u, \"op\": \"%s\", \"phase\": \"%s\", \"pass\": %u, \"pass_last\": %u", step->node.id,
                    node->op->name, met_phase_name(step->phase), step->pass, step->pass_last);
    put_numbers(w, "ins", node->in_count, step->ins);
    put_numbers(w, "outs", node->out_count, step->outs);
    met_text_put(w->out, ", \"reduced\": ");
    put_loops(w, step->reduced);
    met_text_char(w->out, '}');
}

static void put_accumulator(const writer *w, uint32_t i)
{
    const met_kernel_accumulator *acc = &w->kernel->accumulators[i];
    met_text_format(w->out, "{\"value\": %u, \"monoid\": \"%s\", \"base\": ", acc->value, met_monoid_name(acc->monoid));
    if (acc->base == MET_NONE) {
        met_text_put(w->out, "null}");
        return;
    }
    met_text delta = met_text_new(w->out->arena);
    met_scalar_names names = names_of(w);
    met_scalar_print(&delta, acc->delta, &names);
    met_text_format(w->out, "%u, \"delta\": ", acc->base);
    met_text_json_string(w->out, (met_str){ met_text_done(&delta), delta.length });
    met_text_format(w->out, ", \"exact\": %s}", acc->exact ? "true" : "false");
}

void met_kernel_json(met_text *out, const met_kernel *kernel, uint32_t indent)
{
    writer w = { out, kernel, indent + 2 };
    met_text_format(out, "{\n%*s\"stream\": ", (int)w.indent, "");
    if (kernel->stream == MET_NONE)
        met_text_put(out, "null");
    else
        put_sym(&w, kernel->loops[kernel->stream].name);
    met_text_format(out, ", \"passes\": %u, \"monoid\": %s", kernel->pass_count, kernel->monoid ? "true" : "false");
    put_list(&w, "loops", kernel->loop_count, put_loop);
    put_list(&w, "values", kernel->value_count, put_value);
    put_list(&w, "steps", kernel->step_count, put_step);
    put_list(&w, "accumulators", kernel->accumulator_count, put_accumulator);
    met_text_format(out, "\n%*s}", (int)indent, "");
}
