/* From a plan to a program: every group is written, equal sources are shared, edges become buffers. */
#include "realize/program.h"

#include <assert.h>
#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "ir/lowest.h"
#include "realize/form.h"
#include "realize/tile.h"

static const met_span nowhere;

typedef struct assembly {
    met_arena *arena;
    met_session *session;
    const met_plan *plan;
    const met_class *class;
    const met_realize_options *options;
    const bool *lowest;
    met_map *source_ids; /* by symbol */
    met_map *packed_ids; /* buffers of packed operands */
    MET_VEC(met_program_source) sources;
    MET_VEC(met_launch) launches;
    MET_VEC(met_buffer) buffers;
    uint32_t *buffer_of;
} assembly;

/* --- Buffers --- */

static const char *edge_name(const assembly *a, const met_edge *edge)
{
    return met_sym_text(a->session, edge->name);
}

static bool edge_bytes(const assembly *a, const met_edge *edge, size_t *ret_bytes)
{
    size_t bytes = (size_t)met_dtype_table[edge->format.dtype].bits / 8;
    for (uint32_t p = 0; p < edge->rank; p++) {
        uint64_t size;
        if (!met_circuit_size(a->plan->circuit, edge->axes[p], &size) || __builtin_mul_overflow(bytes, size, &bytes))
            return false;
    }
    *ret_bytes = bytes;
    return true;
}

static bool is_stored(const met_plan *plan, uint32_t e)
{
    const met_circuit *circuit = plan->circuit;
    if (plan->stored[e] || circuit->edges[e].role != MET_EDGE_VALUE)
        return true;
    if (circuit->nodes[circuit->edges[e].producer.id].out_count > 1) /* a selection writes its values, read or not */
        return true;
    for (uint32_t k = 0; k < circuit->output_count; k++)
        if (circuit->outputs[k].id == e)
            return true;
    for (uint32_t k = 0; k < circuit->state_count; k++)
        if (circuit->states[k].out.id == e)
            return true;
    return false;
}

static bool add_buffers(assembly *a)
{
    const met_circuit *circuit = a->plan->circuit;
    a->buffer_of = MET_NEW_ARRAY(a->arena, uint32_t, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        const met_edge *edge = &circuit->edges[e];
        a->buffer_of[e] = MET_NONE;
        met_buffer buffer = { { e }, edge_name(a, edge), 0 };
        if (!met_draft_holds(edge->format)) { /* nor does a fused kernel round to it in passing */
            met_text format = met_text_new(a->arena);
            met_format_print(&format, edge->format);
            met_diag *diag = met_diag_add(a->session, MET_DIAG_run, edge->span, "`%s` is %s, which kernels do not hold",
                                          buffer.name, met_text_done(&format));
            met_diag_help(diag, "kernels hold f32, bf16, f16 and i32; the interpreter runs every format");
            return false;
        }
        if (!is_stored(a->plan, e))
            continue;
        if (!edge_bytes(a, edge, &buffer.bytes)) {
            met_diag_add(a->session, MET_DIAG_run, edge->span, "the size of `%s` is not bound or does not fit",
                         buffer.name);
            return false;
        }
        a->buffer_of[e] = (uint32_t)a->buffers.count;
        MET_PUSH(a->arena, &a->buffers, buffer);
    }
    return true;
}

/* --- Launches --- */

static uint32_t source_of(assembly *a, met_program_source source)
{
    uint32_t id;
    if (met_map_get(a->source_ids, met_str_of(source.symbol), &id))
        return id;
    id = (uint32_t)a->sources.count;
    met_map_set(a->source_ids, met_str_of(source.symbol), id);
    MET_PUSH(a->arena, &a->sources, source);
    return id;
}

static void put_launch(assembly *a, met_launch launch, const met_draft *draft, uint32_t *arrays)
{
    launch.arrays = arrays;
    launch.array_count = (uint32_t)draft->arrays.count;
    launch.size_count = (uint32_t)draft->writer->arguments.count;
    int64_t *sizes = MET_NEW_ARRAY(a->arena, int64_t, draft->writer->arguments.count);
    for (size_t k = 0; k < draft->writer->arguments.count; k++)
        sizes[k] = draft->writer->arguments.at[k].value;
    launch.sizes = sizes;
    launch.units = draft->units;
    launch.scratch_bytes = draft->scratch_bytes;
    launch.record_count = (uint32_t)draft->records.count;
    launch.records = draft->records.at;
    MET_PUSH(a->arena, &a->launches, launch);
}

/* One launch for every way in which an array is packed: its source, the array and the numbers say which that is. */
static uint32_t packed_buffer(assembly *a, const met_draft_pack *pack, bool words)
{
    met_launch launch = { .source = source_of(a, met_draft_finish(pack->draft, a->class,
                                                                  "Packs an operand of contractions.")),
                          .group = MET_NONE, .constant = true, .tiles = "" };
    met_edge_id edge = pack->draft->arrays.at[0].edge;
    launch.form = met_form_of_pack((met_dtype)a->plan->circuit->edges[edge.id].format.dtype, words, a->arena);
    met_text key = met_text_new(a->arena);
    met_text_format(&key, "%u %u", launch.source, edge.id);
    for (size_t k = 0; k < pack->draft->writer->arguments.count; k++)
        met_text_format(&key, " %lld", (long long)pack->draft->writer->arguments.at[k].value);
    uint32_t id;
    met_str text = met_str_of(met_text_done(&key));
    if (met_map_get(a->packed_ids, text, &id))
        return id;
    id = (uint32_t)a->buffers.count;
    met_map_set(a->packed_ids, text, id);
    const char *name = edge_name(a, &a->plan->circuit->edges[edge.id]);
    met_buffer buffer = { { MET_NONE }, met_format_text(a->arena, "%s, packed", name), pack->bytes };
    MET_PUSH(a->arena, &a->buffers, buffer);
    uint32_t *arrays = MET_NEW_ARRAY(a->arena, uint32_t, 2);
    arrays[0] = a->buffer_of[edge.id];
    arrays[1] = id;
    put_launch(a, launch, pack->draft, arrays);
    return id;
}

static void add_launch(assembly *a, met_draft *draft, uint32_t group, const char *title, const char *tiles,
                       const met_form_point *form)
{
    uint32_t source = source_of(a, met_draft_finish(draft, a->class, title));
    uint32_t *arrays = MET_NEW_ARRAY(a->arena, uint32_t, draft->arrays.count);
    for (size_t k = 0; k < draft->arrays.count; k++) {
        const met_draft_array *array = &draft->arrays.at[k];
        arrays[k] = array->edge.id == MET_NONE ? packed_buffer(a, &draft->packs.at[array->pack], array->words)
            : a->buffer_of[array->edge.id];
    }
    met_launch launch = { .source = source, .group = group, .tiles = tiles, .form = form };
    put_launch(a, launch, draft, arrays);
}

static bool add_generic(assembly *a, uint32_t group, met_node_id id)
{
    const met_circuit *circuit = a->plan->circuit;
    const met_node *node = &circuit->nodes[id.id];
    const char *refusal = met_generic_refusal(circuit, &a->plan->point, id);
    if (refusal) {
        met_diag_add(a->session, MET_DIAG_run, node->span, "%s", refusal);
        return false;
    }
    met_draft *draft = met_draft_new(a->arena, circuit, &a->plan->point, a->lowest);
    met_write_generic(draft, id);
    if (draft->failed) {
        met_diag_add(a->session, MET_DIAG_run, node->span, "this reads at positions too far away to count");
        return false;
    }
    add_launch(a, draft, group, node->op->name, "", met_form_of_node(circuit, node, a->arena));
    return true;
}

/* What a kernel does, in its ops. */
static const char *title_of(const assembly *a, const met_kernel *kernel)
{
    met_text text = met_text_new(a->arena);
    for (uint32_t s = 0; s < kernel->step_count; s++)
        met_text_format(&text, "%s%s", s ? ", " : "", a->plan->circuit->nodes[kernel->steps[s].node.id].op->name);
    return met_text_done(&text);
}

/* A schedule that does not bracket as the point says would be a mistake of this module's. */
static void check_records(const assembly *a, const met_draft *draft)
{
    for (size_t r = 0; r < draft->records.count; r++) {
        const met_node *node = &a->plan->circuit->nodes[draft->records.at[r].node.id];
        met_tree wanted = met_point_tree(&a->plan->point, a->plan->circuit, node), made = draft->records.at[r].tree;
        made.rescale = MET_RESCALE_NONE;
        made.slice = 0;
        bool exact = met_monoid_is_exact(met_node_primitive(a->plan->circuit, node).monoid);
        assert(exact || met_tree_equal(&made, &wanted));
        (void)exact;
        (void)wanted;
    }
}

static bool add_tile(assembly *a, uint32_t group, const char **ret_refusal)
{
    const met_kernel *kernel = a->plan->groups[group];
    met_draft *draft = met_draft_new(a->arena, a->plan->circuit, &a->plan->point, a->lowest);
    met_tile *tile = met_tile_plan(draft, a->class, kernel, ret_refusal);
    if (!tile || draft->failed)
        return false;
    met_tile_order(tile);
    if (!met_tile_choose(tile, a->options)) {
        *ret_refusal = tile->refusal;
        return false;
    }
    met_tile_write(tile);
    check_records(a, draft);
    add_launch(a, draft, group, title_of(a, kernel), met_tile_summary(tile), met_form_of_tile(tile, a->arena));
    return true;
}

static met_node_id *nodes_of(const met_kernel *kernel, met_arena *arena)
{
    met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, kernel->step_count);
    for (uint32_t s = 0; s < kernel->step_count; s++)
        nodes[s] = kernel->steps[s].node;
    return nodes;
}

static bool add_several(assembly *a, uint32_t group)
{
    const met_kernel *kernel = a->plan->groups[group];
    const met_circuit *circuit = a->plan->circuit;
    const met_node_id *nodes = nodes_of(kernel, a->arena);
    met_draft *trial = met_draft_new(a->arena, circuit, &a->plan->point, a->lowest);
    if (met_several_refusal(trial, kernel->step_count, nodes) || trial->failed)
        return false;
    met_draft *draft = met_draft_new(a->arena, circuit, &a->plan->point, a->lowest);
    met_write_several(draft, kernel->step_count, nodes);
    if (draft->failed)
        return false;
    add_launch(a, draft, group, title_of(a, kernel), "", met_form_of_node(circuit, &circuit->nodes[nodes[0].id], a->arena));
    return true;
}

static bool add_group(assembly *a, uint32_t group)
{
    const met_kernel *kernel = a->plan->groups[group];
    const char *refusal = NULL;
    if (a->class && add_tile(a, group, &refusal))
        return true;
    if (kernel->step_count == 1)
        return add_generic(a, group, kernel->steps[0].node);
    if (add_several(a, group))
        return true;
    met_diag_add(a->session, MET_DIAG_run, a->plan->circuit->nodes[kernel->steps[0].node.id].span,
                 "this group of nodes cannot be made one kernel: %s", refusal ? refusal : "it reads too far away to count");
    return false;
}

bool met_realize_accepts_at(void *context, const met_kernel *kernel)
{
    const met_realize_request *request = context;
    if (kernel->step_count == 1)
        return true;
    met_arena *arena = met_arena_new();
    bool *lowest = MET_NEW_ARRAY(arena, bool, kernel->circuit->edge_count);
    met_draft *draft = met_draft_new(arena, kernel->circuit, request->point, lowest);
    const char *refusal;
    bool accepts = met_tile_plan(draft, request->class, kernel, &refusal) != NULL && !draft->failed;
    if (!accepts) {
        draft = met_draft_new(arena, kernel->circuit, request->point, lowest);
        accepts = !met_several_refusal(draft, kernel->step_count, nodes_of(kernel, arena)) && !draft->failed;
    }
    met_arena_free(arena);
    return accepts;
}

bool met_realize_accepts(void *class, const met_kernel *kernel)
{
    met_point point = met_point_of(MET_F32);
    met_realize_request request = { class, &point };
    return met_realize_accepts_at(&request, kernel);
}

static bool check_point(const assembly *a)
{
    if (a->plan->point.dtype != MET_F64)
        return true;
    met_diag *diag = met_diag_add(a->session, MET_DIAG_run, nowhere, "kernels compute in f32, not in f64");
    met_diag_help(diag, "choose --dtype f32, bf16 or f16, or run the interpreter");
    return false;
}

/* --- Options --- */

static bool is_loop(const met_plan *plan, met_str name)
{
    for (uint32_t g = 0; g < plan->group_count; g++)
        for (uint32_t l = 0; l < plan->groups[g]->loop_count; l++)
            if (met_str_equal(met_sym_str(plan->circuit->session, plan->groups[g]->loops[l].name), name))
                return true;
    return false;
}

/* A positive number that fills the text. */
static bool is_size(met_str text)
{
    bool digits = text.length > 0 && text.length < 10;
    for (size_t i = 0; digits && i < text.length; i++)
        digits = text.at[i] >= '0' && text.at[i] <= '9';
    return digits && !(text.length == 1 && text.at[0] == '0');
}

static bool check_tiles(const assembly *a)
{
    for (const char *at = a->options->tiles; at && *at; at += *at == ',') {
        size_t name = strcspn(at, "=,"), length = strcspn(at, ",");
        met_str loop = { at, name }, size = { at + name + 1, length > name ? length - name - 1 : 0 };
        if (name == length || !is_size(size)) {
            met_diag *diag = met_diag_add(a->session, MET_DIAG_usage, nowhere, "`%.*s` is no size of a tile",
                                          (int)length, at);
            met_diag_help(diag, "sizes are written LOOP=N, with commas between them: q=32,x=128");
            return false;
        }
        if (!is_loop(a->plan, loop)) {
            met_diag *diag = met_diag_add(a->session, MET_DIAG_usage, nowhere, "no kernel has a loop `%.*s`",
                                          (int)name, at);
            met_diag_help(diag, "loops are called by the labels of their indices, as met circuit cost lists them");
            return false;
        }
        at += length;
    }
    return true;
}

const met_program *met_realize(const met_plan *plan, const met_class *class, const met_realize_options *options)
{
    static const met_realize_options defaults;
    met_session *session = plan->circuit->session;
    assembly a = { .arena = plan->circuit->arena, .session = session, .plan = plan, .class = class,
                   .options = options ? options : &defaults };
    if (!check_point(&a) || !check_tiles(&a) || !add_buffers(&a))
        return NULL;
    a.source_ids = met_map_new(a.arena);
    a.packed_ids = met_map_new(a.arena);
    a.lowest = met_lowest_edges(a.arena, plan->circuit);
    for (uint32_t g = 0; g < plan->group_count; g++)
        if (!add_group(&a, g))
            return NULL;
    met_program *program = MET_NEW(a.arena, met_program);
    *program = (met_program){ .plan = plan, .class = class, .buffer_of = a.buffer_of };
    program->source_count = (uint32_t)a.sources.count;
    program->sources = a.sources.at;
    program->launch_count = (uint32_t)a.launches.count;
    program->launches = a.launches.at;
    program->buffer_count = (uint32_t)a.buffers.count;
    program->buffers = a.buffers.at;
    return program;
}
