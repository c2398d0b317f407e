/* The header of a safetensors file: JSON with the type, shape and place of every tensor. All places must lie within the file and
 * follow each other without gaps and overlaps, as the format demands. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "host/json.h"
#include "host/safetensors_parts.h"

static const met_stored_dtype dtypes[] = {
    { "F64", 8, 'f', MET_F64, "f64" },      { "F32", 4, 'f', MET_F32, "f32" },
    { "F16", 2, 'f', MET_F16, "f16" },      { "BF16", 2, 'f', MET_BF16, "bf16" },
    { "F8_E4M3", 1, 'f', MET_E4M3, "e4m3" }, { "F8_E5M2", 1, 'f', MET_E5M2, "e5m2" },
    { "I64", 8, 'i', MET_I32, NULL },       { "I32", 4, 'i', MET_I32, "i32" },
    { "I16", 2, 'i', MET_I32, "i32" },      { "I8", 1, 'i', MET_I8, "i8" },
    { "U64", 8, 'u', MET_I32, NULL },       { "U32", 4, 'u', MET_I32, NULL },
    { "U16", 2, 'u', MET_I32, "i32" },      { "U8", 1, 'u', MET_I32, "i32" },
    { "BOOL", 1, 'b', MET_I32, "i32" },
};

const met_stored_dtype *met_stored_dtype_find(met_str name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (met_str_is(name, dtypes[i].name))
            return &dtypes[i];
    return NULL;
}

bool met_safetensors_fail(met_session *session, const char *path, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    met_diag_add(session, MET_DIAG_checkpoint, (met_span){ 0 }, "`%s`: %s", path, message);
    return false;
}

typedef struct header {
    met_safetensors *checkpoint;
    const char *path, *bytes;
    uint64_t data, size;
} header;

static bool fail(const header *h, const met_value *value, const char *message)
{
    met_diag_at(h->checkpoint->session, MET_DIAG_checkpoint, &value->place, "%s", message);
    return false;
}

/* A natural number. */
static bool read_natural(const header *h, const met_value *value, uint64_t *ret)
{
    if (value->kind != MET_VALUE_INTEGER || value->integer < 0)
        return fail(h, value, "not a natural number");
    *ret = (uint64_t)value->integer;
    return true;
}

/* The product of a shape; 0 if any size is. False on overflow. */
static bool count_of(size_t rank, const uint64_t *shape, uint64_t *ret_count)
{
    uint64_t count = 1;
    bool fits = true, none = false;
    for (size_t i = 0; i < rank; i++) {
        fits = fits && (shape[i] == 0 || count <= UINT64_MAX / shape[i]);
        none = none || shape[i] == 0;
        count *= shape[i];
    }
    *ret_count = none ? 0 : count;
    return fits || none;
}

static bool read_shape(const header *h, const met_value *value, met_stored_tensor *ret)
{
    met_session *session = h->checkpoint->session;
    if (!met_value_expect(session, value, MET_VALUE_LIST, "`shape`"))
        return false;
    if (value->items.count > MET_RANK_LIMIT)
        return fail(h, value, "a shape of more axes than arrays have");
    uint64_t *shape = MET_NEW_ARRAY(session->arena, uint64_t, value->items.count);
    for (size_t i = 0; i < value->items.count; i++)
        if (!read_natural(h, value->items.at[i], &shape[i]))
            return false;
    ret->rank = value->items.count;
    ret->shape = shape;
    return count_of(ret->rank, shape, &ret->count) || fail(h, value, "a shape of more elements than can be counted");
}

static bool read_place(const header *h, const met_value *value, const met_stored_dtype *dtype, met_stored_tensor *ret)
{
    uint64_t begin, end;
    if (!met_value_expect(h->checkpoint->session, value, MET_VALUE_LIST, "`data_offsets`"))
        return false;
    if (value->items.count != 2)
        return fail(h, value, "`data_offsets` are two numbers");
    if (!read_natural(h, value->items.at[0], &begin) || !read_natural(h, value->items.at[1], &end))
        return false;
    if (begin > end || end > h->size - h->data)
        return fail(h, value, "a tensor that does not lie within the file");
    if (ret->count > UINT64_MAX / dtype->bytes || end - begin != ret->count * dtype->bytes)
        return fail(h, value, "a tensor whose bytes are not as many as its shape and type say");
    ret->begin = h->data + begin;
    ret->end = h->data + end;
    return true;
}

static bool read_tensor(const header *h, const met_entry *entry)
{
    static const char *const known[] = { "dtype", "shape", "data_offsets" };
    met_safetensors *c = h->checkpoint;
    const met_value *parts[3];
    met_str name;
    if (!met_value_expect(c->session, entry->value, MET_VALUE_TABLE, "a tensor") || !met_value_only(c->session, entry->value, known, 3))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!(parts[i] = met_value_require(c->session, entry->value, known[i])))
            return false;
    if (!met_value_to_string(c->session, parts[0], "`dtype`", &name))
        return false;
    const met_stored_dtype *dtype = met_stored_dtype_find(name);
    if (!dtype)
        return fail(h, parts[0], "a type that is not read");
    met_stored_tensor tensor = { .name = met_arena_text(c->session->arena, entry->key.at, entry->key.length), .dtype = dtype->name,
                                 .path = h->path, .bytes = h->bytes };
    if (!read_shape(h, parts[1], &tensor) || !read_place(h, parts[2], dtype, &tensor))
        return false;
    MET_PUSH(c->session->arena, &c->tensors, tensor);
    return true;
}

static int by_place(const void *a, const void *b)
{
    const met_stored_tensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end != y->end ? (x->end < y->end ? -1 : 1) : strcmp(x->name, y->name);
}

/* No gaps, no overlaps, up to the end. */
static bool check_places(const header *h, size_t first)
{
    met_safetensors *c = h->checkpoint;
    uint64_t at = h->data;
    if (c->tensors.count > first)
        qsort(c->tensors.at + first, c->tensors.count - first, sizeof *c->tensors.at, by_place);
    for (size_t i = first; i < c->tensors.count; i++) {
        const met_stored_tensor *t = &c->tensors.at[i];
        if (t->begin != at)
            return met_safetensors_fail(c->session, h->path, "`%.100s` %s another tensor at byte %" PRIu64, t->name,
                                        t->begin < at ? "overlaps" : "leaves a gap behind", t->begin);
        at = t->end;
    }
    return at == h->size || met_safetensors_fail(c->session, h->path, "%" PRIu64 " bytes at the end belong to no tensor", h->size - at);
}

bool met_safetensors_header(met_safetensors *checkpoint, const char *path, const char *text, size_t length, uint64_t data, uint64_t size,
                            const char *bytes)
{
    header h = { checkpoint, path, bytes, data, size };
    size_t first = checkpoint->tensors.count;
    met_session *session = checkpoint->session;
    if (length == 0 || text[0] != '{')
        return met_safetensors_fail(session, path, "not a safetensors file: its header does not begin with {");
    uint32_t source = met_session_add_source(session, path, text, length);
    const met_value *root = source ? met_json_read(session, source) : NULL;
    if (!root)
        return false;
    for (size_t i = 0; i < root->entries.count; i++)
        if (!met_str_is(root->entries.at[i].key, "__metadata__") && !read_tensor(&h, &root->entries.at[i]))
            return false;
    return check_places(&h, first);
}
