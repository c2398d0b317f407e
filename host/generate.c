#include "host/generate.h"

#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "host/compiler.h"
#include "host/subject_parts.h"
#include "ir/primitive.h"

static const met_span nowhere;

/* A state of decode: what it is called there, and what it holds now. */
typedef struct cache {
    const char *name;
    const met_tensor *tensor;
} cache;

struct met_generator {
    met_session *session;
    met_generate_request request;
    const met_circuit *prefill; /* with an output more for every cache */
    const met_circuit *decode;
    uint32_t score_count;       /* outputs of the model itself */
    uint32_t cache_count;
    cache *caches;
    met_compiler *compiler;     /* NULL for the interpreter, which emulates too */
    const met_subject *subject; /* of the last run, and how it went */
    const met_outcome *outcome;
};

/* --- The modes --- */

static bool refuse(const met_generator *g, const char *why)
{
    met_diag *diag = met_diag_add(g->session, MET_DIAG_run, nowhere, "this model cannot be run token by token: %s", why);
    met_diag_help(diag, "what `decode` appends to, or keeps, must be made at the same place of the same blocks in `prefill`");
    return false;
}

static bool is_append(const met_node *node)
{
    return node->op && node->op->id == MET_OP_kv_append;
}

/* The edge of prefill that an edge of decode is: by the place of the node that makes it. `place` is by node of decode. */
static met_edge_id in_prefill(const met_generator *g, const uint32_t *place, met_edge_id edge)
{
    const met_edge *e = &g->decode->edges[edge.id];
    if (e->producer.id == MET_NONE || place[e->producer.id] == MET_NONE)
        return (met_edge_id){ MET_NONE };
    return g->prefill->nodes[place[e->producer.id]].outs[e->producer_output];
}

/* A map that reads no array: what stands where decode has a state from the run before. */
static bool is_start(const met_circuit *circuit, const met_node *node)
{
    return node->op && node->op->id == MET_OP_map && !met_scalar_reads_any(met_node_primitive(circuit, node).e);
}

/* Where a node stands: the blocks that it is in, and its number among the nodes of the innermost that both modes have. */
static met_str place_key(met_arena *arena, const met_circuit *circuit, met_map *counts, const met_node *node)
{
    met_text text = met_text_new(arena);
    for (met_block_id b = node->block; b.id != MET_NONE; b = circuit->blocks[b.id].parent)
        met_text_format(&text, "%s %u/", met_sym_text(circuit->session, circuit->blocks[b.id].name), circuit->blocks[b.id].repeat);
    uint32_t count = 0;
    met_map_get(counts, (met_str){ met_text_done(&text), text.length }, &count);
    met_map_set(counts, (met_str){ met_text_done(&text), text.length }, count + 1);
    met_text_format(&text, "%u", count);
    return (met_str){ met_text_done(&text), text.length };
}

/* By node of decode, the node of prefill at the same place in the same blocks that does the same; MET_NONE where there is none. */
static const uint32_t *align(const met_generator *g)
{
    const met_circuit *prefill = g->prefill, *decode = g->decode;
    uint32_t *place = MET_NEW_ARRAY(g->session->arena, uint32_t, decode->node_count);
    met_arena *scratch = met_arena_new();
    met_map *nodes = met_map_new(scratch), *counts = met_map_new(scratch);
    for (uint32_t n = 0; n < prefill->node_count; n++)
        if (!is_start(prefill, &prefill->nodes[n]))
            met_map_set(nodes, place_key(scratch, prefill, counts, &prefill->nodes[n]), n);
    counts = met_map_new(scratch);
    for (uint32_t n = 0; n < decode->node_count; n++) {
        uint32_t at;
        const met_node *node = &decode->nodes[n];
        place[n] = MET_NONE;
        if (!is_append(node) && !is_start(decode, node) && met_map_get(nodes, place_key(scratch, decode, counts, node), &at) &&
            prefill->nodes[at].op == node->op)
            place[n] = at;
    }
    met_arena_free(scratch);
    return place;
}

/* Makes what decode would append, or keep, an output of prefill, in the order of decode's states. */
static bool add_caches(met_generator *g)
{
    met_arena *arena = g->session->arena;
    const uint32_t *place = align(g);
    const met_circuit *decode = g->decode;
    met_circuit *prefill = met_arena_copy(arena, g->prefill, 1, sizeof *prefill);
    met_edge_id *outputs = MET_NEW_ARRAY(arena, met_edge_id, g->score_count + decode->state_count);
    memcpy(outputs, prefill->outputs, g->score_count * sizeof *outputs);
    for (uint32_t s = 0; s < decode->state_count; s++) {
        met_node_id maker = decode->edges[decode->states[s].out.id].producer;
        bool appends = maker.id != MET_NONE && is_append(&decode->nodes[maker.id]);
        met_edge_id made = in_prefill(g, place, appends ? decode->nodes[maker.id].ins[1] : decode->states[s].out);
        if (made.id == MET_NONE)
            return refuse(g, "it has a state that prefill does not make");
        outputs[g->score_count + s] = made;
        g->caches[s].name = met_sym_text(g->session, decode->edges[decode->states[s].in.id].name);
    }
    prefill->outputs = outputs;
    prefill->output_count = g->score_count + decode->state_count;
    g->prefill = prefill;
    return true;
}

static bool prepare(met_generator *g)
{
    if (g->prefill->input_count != 1 || g->prefill->output_count == 0)
        return refuse(g, "it does not take ids alone, or gives nothing");
    g->score_count = g->prefill->output_count;
    g->cache_count = g->decode->state_count;
    g->caches = MET_NEW_ARRAY(g->session->arena, cache, g->cache_count);
    return add_caches(g);
}

const met_circuit *met_generate_prefill(met_session *session, const met_circuit *prefill, const met_circuit *decode)
{
    met_generator g = { .session = session, .prefill = prefill, .decode = decode };
    return prepare(&g) ? g.prefill : NULL;
}

static bool make(met_generator *g)
{
    g->prefill = g->request.circuit(g->request.context, "prefill");
    g->decode = g->prefill ? g->request.circuit(g->request.context, "decode") : NULL;
    if (!g->decode || !prepare(g))
        return false;
    if (strcmp(g->request.way.hardware, "interpreter") == 0 || g->request.way.emulate)
        return true;
    g->compiler = met_compiler_new(g->session, &(met_compiler_options){ .cache = g->request.way.cache });
    return g->compiler != NULL;
}

met_generator *met_generator_new(met_session *session, const met_generate_request *request)
{
    met_generator *g = MET_NEW(session->arena, met_generator);
    *g = (met_generator){ .session = session, .request = *request };
    if (make(g))
        return g;
    met_generator_free(g);
    return NULL;
}

void met_generator_free(met_generator *g)
{
    if (!g)
        return;
    met_compiler_free(g->compiler);
    g->compiler = NULL;
}

/* --- Running --- */

static const met_tensor *ids_of(const met_generator *g, size_t count, const uint32_t *tokens)
{
    uint64_t shape[1] = { count };
    met_tensor *ids = met_tensor_new(g->session, "i32", 1, shape);
    for (size_t i = 0; ids && i < count; i++)
        ids->values[i] = tokens[i];
    return ids;
}

/* Only parameters that the circuit has may be given. */
static bool has_parameter(const met_circuit *circuit, const char *name)
{
    for (uint32_t k = 0; k < circuit->parameter_count; k++)
        if (met_str_is(met_sym_str(circuit->session, circuit->edges[circuit->parameters[k].id].name), name))
            return true;
    return false;
}

static bool run(met_generator *g, const char *mode, size_t count, const uint32_t *tokens)
{
    bool caches = strcmp(mode, "decode") == 0;
    const met_circuit *circuit = caches ? g->decode : g->prefill;
    met_way way = g->request.way;
    way.mode = mode;
    met_named_tensor *ins = MET_NEW_ARRAY(g->session->arena, met_named_tensor, 1 + g->cache_count + g->request.weight_count);
    size_t in_count = 0;
    met_edge_id first = circuit->inputs[0]; /* in decode the states are inputs as well, after the ids */
    ins[in_count++] = (met_named_tensor){ met_sym_text(g->session, circuit->edges[first.id].name), ids_of(g, count, tokens) };
    for (uint32_t c = 0; caches && c < g->cache_count; c++)
        ins[in_count++] = (met_named_tensor){ g->caches[c].name, g->caches[c].tensor };
    for (size_t w = 0; w < g->request.weight_count; w++)
        if (has_parameter(circuit, g->request.weights[w].name))
            ins[in_count++] = g->request.weights[w];
    g->subject = ins[0].tensor ? met_subject_new(circuit, &g->request.options, in_count, ins) : NULL;
    g->outcome = g->subject ? met_subject_run_with(g->subject, &way, g->compiler) : NULL;
    if (!g->outcome)
        return false;
    for (uint32_t c = 0; c < g->cache_count; c++)
        g->caches[c].tensor = g->outcome->result->arrays[g->score_count + c].tensor;
    return true;
}

bool met_generator_prompt(met_generator *g, size_t count, const uint32_t *tokens)
{
    return run(g, "prefill", count, tokens);
}

bool met_generator_step(met_generator *g, uint32_t token)
{
    return run(g, "decode", 1, &token);
}

/* --- What came out --- */

const met_outcome *met_generator_outcome(const met_generator *g)
{
    return g->outcome;
}

const met_subject *met_generator_subject(const met_generator *g)
{
    return g->subject;
}

static size_t row_length(const met_tensor *scores)
{
    return (size_t)scores->shape[scores->rank - 1];
}

met_result_bytes met_generator_scores(const met_generator *g, size_t *ret_count)
{
    const met_tensor *scores = g->outcome->result->arrays[0].tensor;
    met_result_bytes bytes = g->outcome->bytes[0];
    *ret_count = row_length(scores);
    bytes.at += (scores->count - *ret_count) * bytes.size;
    return bytes;
}

uint32_t met_generator_greedy(const met_generator *g)
{
    const met_tensor *scores = g->outcome->result->arrays[0].tensor;
    size_t length = row_length(scores), best = 0;
    const double *row = scores->values + (scores->count - length);
    for (size_t i = 1; i < length; i++)
        if (row[i] > row[best])
            best = i;
    return (uint32_t)best;
}
