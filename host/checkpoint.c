#include "host/checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "host/checkpoint_names.h"
#include "host/safetensors.h"
#include "ir/circuit.h"

/* Of each kind of mistake, so many are named. */
enum { SHOWN = 6 };

typedef struct mistakes {
    MET_VEC(const char *) missing, unwanted, shapes;
} mistakes;

typedef struct loader {
    const met_circuit *circuit;
    met_session *session;
    const char *path;
    const met_safetensors *checkpoint;
    const met_stored_tensor *stored; /* all there are */
    size_t stored_count;
    bool *used;
    const met_checkpoint_names *names;
    mistakes mistakes;
} loader;

/* What a parameter is read from: one tensor, or one of every expert. */
typedef struct origin {
    met_str pattern, number;
    const char *name; /* of the first */
    bool experts;
} origin;

static const met_stored_tensor *take(loader *l, const char *name)
{
    const met_stored_tensor *stored = met_safetensors_find(l->checkpoint, name);
    if (stored)
        l->used[stored - l->stored] = true;
    return stored;
}

/* Where a parameter stands in the checkpoint; if it does not, where it was looked for. */
static origin find_origin(const loader *l, const char *parameter)
{
    origin best = { .name = parameter };
    met_str number;
    bool experts;
    if (met_safetensors_find(l->checkpoint, parameter))
        return best;
    for (size_t i = 0; i < l->names->names.count; i++) {
        const met_checkpoint_name *name = &l->names->names.at[i];
        if (!met_checkpoint_fits(name->parameter, met_str_of(parameter), &number))
            continue;
        origin here = { name->stored, number, met_checkpoint_fill(l->session, name->stored, number, 0, &experts), false };
        here.experts = experts;
        if (met_safetensors_find(l->checkpoint, here.name))
            return here;
        best = best.pattern.at ? best : here;
    }
    return best;
}

/* Whether the axes of a tensor are runs of these, merged; axes of size 1 do not count. */
static bool fits(const met_stored_tensor *stored, size_t rank, const uint64_t *shape)
{
    size_t p = 0;
    for (size_t i = 0; i < stored->rank; i++) {
        uint64_t size = 1;
        while (size < stored->shape[i] && p < rank && shape[p] > 0 && size <= UINT64_MAX / shape[p])
            size *= shape[p++];
        if (size != stored->shape[i])
            return false;
    }
    while (p < rank && shape[p] == 1)
        p++;
    return p == rank;
}

static void put_shape(met_text *out, size_t rank, const uint64_t *shape)
{
    met_text_put(out, "[");
    for (size_t i = 0; i < rank; i++)
        met_text_format(out, "%s%" PRIu64, i ? " " : "", shape[i]);
    met_text_put(out, "]");
}

static void note_shape(loader *l, const met_stored_tensor *stored, const char *parameter, size_t rank, const uint64_t *shape)
{
    met_text out = met_text_new(l->session->arena);
    met_text_format(&out, "`%s` is ", stored->name);
    put_shape(&out, stored->rank, stored->shape);
    met_text_format(&out, ", `%s` wants ", parameter);
    put_shape(&out, rank, shape);
    MET_PUSH(l->session->arena, &l->mistakes.shapes, met_text_done(&out));
}

static void note_missing(loader *l, const char *parameter, const char *name)
{
    met_text out = met_text_new(l->session->arena);
    met_text_format(&out, "`%s`", parameter);
    if (strcmp(parameter, name) != 0)
        met_text_format(&out, ", looked for as `%s`", name);
    MET_PUSH(l->session->arena, &l->mistakes.missing, met_text_done(&out));
}

/* Copies one tensor's values to where they belong. */
static bool copy(loader *l, const met_stored_tensor *stored, double *values, const char **ret_format)
{
    const met_tensor *tensor = met_safetensors_load(l->session, stored);
    if (!tensor)
        return false;
    memcpy(values, tensor->values, tensor->count * sizeof *values);
    *ret_format = tensor->format;
    return true;
}

/* Fills an array from its origin, if all of it is there and fits; otherwise a mistake is noted. With `look`, nothing is read. */
static bool fill(loader *l, const origin *from, const char *parameter, met_tensor *array, bool look)
{
    size_t parts = from->experts && array->rank > 0 ? (size_t)array->shape[0] : 1;
    size_t rank = array->rank - (from->experts && array->rank > 0 ? 1 : 0);
    const uint64_t *shape = array->shape + (array->rank - rank);
    for (size_t e = 0; e < parts; e++) {
        bool experts;
        const char *name = from->experts ? met_checkpoint_fill(l->session, from->pattern, from->number, e, &experts) : from->name;
        const met_stored_tensor *stored = take(l, name);
        if (!stored)
            note_missing(l, parameter, name);
        else if (!fits(stored, rank, shape))
            note_shape(l, stored, parameter, rank, shape);
        else if (!look && !copy(l, stored, array->values + e * (array->count / parts), &array->format))
            return false;
    }
    return true;
}

/* The sizes of a parameter. False if one is free. */
static bool shape_of(const loader *l, const met_edge *edge, uint64_t *ret_shape)
{
    for (uint32_t p = 0; p < edge->rank; p++)
        if (!met_circuit_size(l->circuit, edge->axes[p], &ret_shape[p]))
            return false;
    return true;
}

static void note_unwanted(loader *l)
{
    for (size_t i = 0; i < l->stored_count; i++) {
        met_str number;
        bool ignored = l->used[i];
        for (size_t k = 0; k < l->names->ignored.count; k++)
            ignored = ignored || met_checkpoint_fits(l->names->ignored.at[k], met_str_of(l->stored[i].name), &number);
        met_text out = met_text_new(l->session->arena);
        met_text_format(&out, "`%s`", l->stored[i].name);
        if (!ignored)
            MET_PUSH(l->session->arena, &l->mistakes.unwanted, met_text_done(&out));
    }
}

static void list_mistakes(met_diag *diag, const char *title, size_t count, const char *const *names)
{
    for (size_t i = 0; i < count && i < SHOWN; i++)
        met_diag_note(diag, (met_span){ 0 }, "%s: %s", title, names[i]);
    if (count > SHOWN)
        met_diag_note(diag, (met_span){ 0 }, "%s: and %zu more", title, count - SHOWN);
}

/* True if there are none; else one diagnostic of all. */
static bool without_mistakes(loader *l)
{
    const mistakes *m = &l->mistakes;
    if (m->missing.count + m->unwanted.count + m->shapes.count == 0)
        return true;
    const char *circuit = met_sym_text(l->session, l->circuit->name);
    met_diag *diag = met_diag_add(l->session, MET_DIAG_checkpoint, (met_span){ 0 },
                                  "`%s` does not fit `%s`: %zu missing, %zu unexpected, %zu of another shape", l->path, circuit,
                                  m->missing.count, m->unwanted.count, m->shapes.count);
    list_mistakes(diag, "missing", m->missing.count, m->missing.at);
    list_mistakes(diag, "unexpected", m->unwanted.count, m->unwanted.at);
    list_mistakes(diag, "another shape", m->shapes.count, m->shapes.at);
    if (l->names->names.count == 0)
        met_diag_help(diag, "kernels/CHECKPOINTS.toml does not know `%s`: tensors are looked for by the names of parameters", circuit);
    else if (m->shapes.count || m->unwanted.count)
        met_diag_help(diag, "give the configuration that came with it, --config config.json");
    return false;
}

/* All parameters: only looked at, or read. */
static bool each_parameter(loader *l, bool look, met_named_tensor *arrays)
{
    for (uint32_t k = 0; k < l->circuit->parameter_count; k++) {
        const met_edge *edge = &l->circuit->edges[l->circuit->parameters[k].id];
        const char *name = met_sym_text(l->session, edge->name);
        uint64_t shape[MET_RANK_LIMIT] = { 0 };
        if (edge->rank > MET_RANK_LIMIT || !shape_of(l, edge, shape)) {
            met_diag *diag = met_diag_add(l->session, MET_DIAG_checkpoint, edge->span, "a size of `%s` is free", name);
            met_diag_help(diag, "give the configuration that came with the checkpoint, --config config.json");
            return false;
        }
        origin from = find_origin(l, name);
        met_tensor outline = { .format = "f64", .rank = edge->rank, .shape = shape };
        met_tensor *array = look ? &outline : met_tensor_new(l->session, "f64", edge->rank, shape);
        if (!array || !fill(l, &from, name, array, look))
            return false;
        arrays[k] = (met_named_tensor){ name, array };
    }
    return true;
}

const met_named_tensor *met_checkpoint_load(const met_circuit *circuit, const char *path, const char *kernels, size_t *ret_count)
{
    met_session *session = circuit->session;
    loader l = { .circuit = circuit, .session = session, .path = path };
    l.checkpoint = met_safetensors_open(session, path);
    l.names = l.checkpoint ? met_checkpoint_names_read(session, kernels, met_sym_str(session, circuit->name)) : NULL;
    if (!l.names)
        return NULL;
    l.stored = met_safetensors_list(l.checkpoint, &l.stored_count);
    l.used = MET_NEW_ARRAY(session->arena, bool, l.stored_count);
    met_named_tensor *arrays = MET_NEW_ARRAY(session->arena, met_named_tensor, circuit->parameter_count);
    if (!each_parameter(&l, true, arrays))
        return NULL;
    note_unwanted(&l);
    if (!without_mistakes(&l) || !each_parameter(&l, false, arrays))
        return NULL;
    *ret_count = circuit->parameter_count;
    return arrays;
}
