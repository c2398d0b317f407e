/* What derive/kernel.h says of a kernel, checked. */
#include "base/text.h"
#include "derive/derivation.h"
#include "derive/loops.h"
#include "ir/affine.h"

typedef struct checker {
    const met_kernel *kernel;
    const char *fault;
} checker;

static void expect(checker *c, bool good, const char *what)
{
    if (!good && !c->fault)
        c->fault = what;
}

static met_loops every_loop(const met_kernel *k)
{
    return k->loop_count == MET_KERNEL_LOOPS ? ~(met_loops)0 : ((met_loops)1 << k->loop_count) - 1;
}

static void check_loops(checker *c)
{
    const met_kernel *k = c->kernel;
    uint32_t streams = 0;
    expect(c, k->loop_count <= MET_KERNEL_LOOPS, "too many loops");
    for (uint32_t l = 0; l < k->loop_count; l++) {
        streams += k->loops[l].partition == MET_PARTITION_STREAM;
        for (uint32_t other = 0; other < l; other++)
            expect(c, k->loops[l].name.id != k->loops[other].name.id, "two loops have one name");
    }
    expect(c, streams == (k->stream != MET_NONE), "the streamed loop is not the one of that partition");
    expect(c, k->stream == MET_NONE || (k->stream < k->loop_count && k->loops[k->stream].partition == MET_PARTITION_STREAM),
           "the streamed loop is not the one of that partition");
}

static void check_value(checker *c, const met_kernel_value *v, met_loops groups, met_loops stream)
{
    const met_edge *edge = &c->kernel->circuit->edges[v->edge.id];
    met_loops loops = 0;
    for (uint32_t p = 0; p < edge->rank; p++) {
        for (uint32_t t = 0; t < v->at[p].term_count; t++) {
            if (v->at[p].terms[t].kind != MET_TERM_INDEX)
                continue;
            expect(c, v->at[p].terms[t].index < c->kernel->loop_count, "a position names no loop");
            loops |= (met_loops)1 << (v->at[p].terms[t].index % MET_KERNEL_LOOPS);
        }
        expect(c, v->is_input || met_affine_is_index(v->at[p], NULL), "a value made inside has a position that is no loop");
    }
    expect(c, loops == v->loops, "a value's loops are not those of its positions");
    expect(c, !(loops & ~every_loop(c->kernel)), "a value has a loop that is none");
    expect(c, !v->is_output || !v->is_input, "a value comes from outside and is stored");
    expect(c, !v->is_output || (groups & ~loops) == 0, "an output lacks a group loop");
    expect(c, ((loops & stream) != 0) == (v->class == MET_VALUE_STREAM), "a value has the stream and is of another class");
}

/* --- Steps --- */

/* The stream values that a step reads are computed in each pass it runs in, and all else is there before. */
static void check_reads(checker *c, uint32_t step, const uint32_t *maker)
{
    const met_kernel *k = c->kernel;
    const met_kernel_step *s = &k->steps[step];
    for (uint32_t i = 0; i < k->circuit->nodes[s->node.id].in_count; i++) {
        expect(c, s->ins[i] < k->value_count, "a step reads no value");
        if (c->fault || maker[s->ins[i]] == MET_NONE)
            continue;
        const met_kernel_step *from = &k->steps[maker[s->ins[i]]];
        bool earlier = from->pass < s->pass;
        expect(c, maker[s->ins[i]] < step, "a step reads what is made later");
        if (from->phase == MET_STEP_BODY)
            expect(c, s->phase == MET_STEP_BODY || s->phase == MET_STEP_FOLD, "a value of the stream is read outside of it");
        if (from->phase == MET_STEP_BODY && k->stream != MET_NONE)
            expect(c, from->pass <= s->pass && from->pass_last >= s->pass_last, "a value is not computed in a pass that reads it");
        if (from->phase == MET_STEP_TAIL)
            expect(c, s->phase == MET_STEP_TAIL ? from->pass <= s->pass : earlier, "a value of the tail is read before it is known");
        if (from->phase == MET_STEP_FOLD)
            expect(c, s->phase == MET_STEP_TAIL ? from->pass <= s->pass : s->phase != MET_STEP_HEAD && (earlier || from->pass == s->pass),
                   "a statistic is read before it is known");
        if (from->phase != MET_STEP_HEAD)
            expect(c, s->phase != MET_STEP_HEAD, "the head reads what follows it");
    }
}

static void check_step(checker *c, uint32_t step, met_loops stream)
{
    const met_kernel *k = c->kernel;
    const met_kernel_step *s = &k->steps[step];
    const met_node *node = &k->circuit->nodes[s->node.id];
    met_loops all = 0;
    for (uint32_t i = 0; i < node->index_count; i++) {
        expect(c, s->loops[i] == MET_NONE || s->loops[i] < k->loop_count, "an index has no loop");
        for (uint32_t j = 0; j < i; j++)
            expect(c, s->loops[i] == MET_NONE || s->loops[i] != s->loops[j], "two indices of a node are one loop");
        if (s->loops[i] < k->loop_count) {
            all |= (met_loops)1 << s->loops[i];
            expect(c, k->loops[s->loops[i]].axis.id == node->indices[i].axis.id, "a loop runs over another axis");
        }
    }
    expect(c, !(s->reduced & ~all), "a step folds a loop that it does not have");
    expect(c, s->pass <= s->pass_last && s->pass_last < k->pass_count, "a pass that is none");
    bool inside = s->phase == MET_STEP_BODY || s->phase == MET_STEP_FOLD;
    expect(c, !stream || inside == ((all & stream) != 0), "a step in the wrong phase");
    expect(c, stream || s->phase == MET_STEP_BODY, "a phase without a stream");
    expect(c, (s->phase == MET_STEP_FOLD) == ((s->reduced & stream) != 0), "a fold that is none");
    expect(c, (s->phase == MET_STEP_FOLD) == (s->accumulator < k->accumulator_count), "a fold without an accumulator");
}

/* --- Accumulators --- */

#define MANY (MET_NONE - 1)

static uint32_t joined(uint32_t a, uint32_t b)
{
    return a == MET_NONE || a == b ? b : b == MET_NONE ? a : MANY;
}

/* The accumulator that a step's inputs run on in a pass; MET_NONE if all are final, MANY if there are several. */
static uint32_t base_of_inputs(const met_kernel *k, const met_kernel_step *s, uint32_t pass, const uint32_t *maker,
                               const uint32_t *base)
{
    uint32_t result = MET_NONE;
    for (uint32_t i = 0; i < k->circuit->nodes[s->node.id].in_count; i++) {
        const met_kernel_step *from = maker[s->ins[i]] == MET_NONE ? NULL : &k->steps[maker[s->ins[i]]];
        if (from && from->phase == MET_STEP_FOLD && from->pass == pass)
            result = joined(result, from->accumulator);
        else if (from && from->phase == MET_STEP_BODY)
            result = joined(result, base[s->ins[i]]);
    }
    return result;
}

/* What reads a running statistic, through whatever steps of the body, is relative to it and to no other; and it is a
 * maximum or minimum that is relative to nothing. What is stored is final. */
static void check_bases(checker *c, uint32_t pass, const uint32_t *maker, uint32_t *base)
{
    const met_kernel *k = c->kernel;
    for (uint32_t i = 0; i < k->step_count; i++) {
        const met_kernel_step *s = &k->steps[i];
        bool body = s->phase == MET_STEP_BODY && s->pass <= pass && pass <= s->pass_last;
        bool fold = s->phase == MET_STEP_FOLD && s->pass == pass;
        uint32_t own = body || fold ? base_of_inputs(k, s, pass, maker, base) : MET_NONE;
        expect(c, own != MANY, "a value that runs on several statistics");
        if (own == MANY)
            return;
        expect(c, own == MET_NONE || k->accumulators[own].monoid == MET_MONOID_MAX || k->accumulators[own].monoid == MET_MONOID_MIN,
               "a running statistic that is no maximum or minimum");
        expect(c, !fold || k->accumulators[s->accumulator].base == own, "an accumulator is not relative to what it runs on");
        for (uint32_t o = 0; o < k->circuit->nodes[s->node.id].out_count; o++) {
            base[s->outs[o]] = body ? own : MET_NONE;
            expect(c, !body || own == MET_NONE || !k->values[s->outs[o]].is_output, "what is stored runs on a statistic");
        }
    }
}

static void check_accumulators(checker *c)
{
    const met_kernel *k = c->kernel;
    for (uint32_t a = 0; a < k->accumulator_count && !c->fault; a++) {
        const met_kernel_accumulator *acc = &k->accumulators[a];
        expect(c, acc->step < k->step_count && k->steps[acc->step].accumulator == a, "an accumulator of another step");
        if (c->fault)
            return;
        expect(c, k->steps[acc->step].outs[0] == acc->value && k->values[acc->value].loops == acc->loops,
               "an accumulator of another value");
        expect(c, k->stream != MET_NONE && !(acc->loops >> k->stream & 1), "an accumulator along the stream");
        expect(c, (acc->base == MET_NONE) == (acc->delta == NULL), "a base without a correction");
        if (acc->base == MET_NONE)
            continue;
        expect(c, acc->base < a && k->accumulators[acc->base].base == MET_NONE, "a base that is not there first");
        expect(c, acc->base < a && k->steps[k->accumulators[acc->base].step].pass == k->steps[acc->step].pass,
               "a base of another pass");
        expect(c, acc->base < a && !(k->accumulators[acc->base].loops & ~acc->loops), "a base with more loops than its accumulator");
    }
}

const char *met_kernel_check(const met_kernel *kernel)
{
    checker c = { kernel, NULL };
    met_arena *scratch = met_arena_new();
    uint32_t *maker = MET_NEW_ARRAY(scratch, uint32_t, kernel->value_count);
    met_loops groups = met_kernel_loops_of(kernel, MET_PARTITION_GROUP), stream = met_kernel_loops_of(kernel, MET_PARTITION_STREAM);
    expect(&c, kernel->step_count > 0 && kernel->pass_count > 0, "an empty kernel");
    check_loops(&c);
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        maker[v] = MET_NONE;
        check_value(&c, &kernel->values[v], groups, stream);
    }
    for (uint32_t s = 0; s < kernel->step_count && !c.fault; s++) {
        const met_node *node = &kernel->circuit->nodes[kernel->steps[s].node.id];
        check_step(&c, s, stream);
        check_reads(&c, s, maker);
        for (uint32_t i = 0; i < node->out_count && !c.fault; i++) {
            uint32_t v = kernel->steps[s].outs[i];
            expect(&c, v < kernel->value_count && maker[v] == MET_NONE && !kernel->values[v].is_input, "a value is made twice");
            if (v < kernel->value_count)
                maker[v] = s;
        }
    }
    for (uint32_t v = 0; v < kernel->value_count; v++)
        expect(&c, kernel->values[v].is_input == (maker[v] == MET_NONE), "a value that nothing makes");
    if (!c.fault)
        check_accumulators(&c);
    uint32_t *base = MET_NEW_ARRAY(scratch, uint32_t, kernel->value_count);
    for (uint32_t pass = 0; pass < kernel->pass_count && !c.fault; pass++)
        check_bases(&c, pass, maker, base);
    met_arena_free(scratch);
    return c.fault;
}
