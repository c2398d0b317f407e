#include "realize/draft.h"

#include <string.h>

#include "realize/contraction.h"
#include "realize/prune.h"

/* How a dtype stands in memory. %s: the element, or the float that is stored. */
typedef struct dtype_row {
    met_dtype dtype;
    const char *c_type, *load, *store, *ending;
} dtype_row;

static const dtype_row dtypes[] = {
    { MET_F32, "float", "%s", "value_canonical(%s)", "" },
    { MET_BF16, "uint16_t", "value_of_bf16(%s)", "value_to_bf16(%s)", "_bf16" },
    { MET_F16, "uint16_t", "value_of_f16(%s)", "value_to_f16(%s)", "_f16" },
    { MET_I32, "int32_t", "(float)%s", "value_to_i32(%s)", "_i32" },
};

bool met_draft_dtype(uint32_t number, met_dtype *ret_dtype)
{
    if (number >= sizeof dtypes / sizeof *dtypes)
        return false;
    *ret_dtype = dtypes[number].dtype;
    return true;
}

static const dtype_row *row_of(met_dtype dtype)
{
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        if (dtypes[k].dtype == dtype)
            return &dtypes[k];
    return NULL;
}

bool met_draft_holds(met_format format)
{
    return met_format_is_plain(format) && row_of((met_dtype)format.dtype);
}

met_draft *met_draft_new(met_arena *arena, const met_circuit *circuit, const met_point *point, const bool *lowest)
{
    met_draft *draft = MET_NEW(arena, met_draft);
    draft->writer = met_writer_new(arena);
    draft->circuit = circuit;
    draft->point = point;
    draft->lowest = lowest;
    return draft;
}

const char *met_draft_array_of(met_draft *draft, met_edge_id edge, bool written)
{
    met_arena *arena = draft->writer->arena;
    unsigned before = 0;
    for (size_t k = 0; k < draft->arrays.count; k++) {
        if (draft->arrays.at[k].edge.id == edge.id && draft->arrays.at[k].written == written)
            return draft->arrays.at[k].name;
        before += draft->arrays.at[k].written == written;
    }
    met_draft_array array = { edge, MET_NONE, met_format_text(arena, "%c%u", written ? 'y' : 'x', before), written,
                             false };
    MET_PUSH(arena, &draft->arrays, array);
    return array.name;
}

const char *met_draft_packed(met_draft *draft, met_draft_pack pack, bool words)
{
    met_arena *arena = draft->writer->arena;
    uint32_t number = (uint32_t)draft->packs.count;
    MET_PUSH(arena, &draft->packs, pack);
    met_draft_array array = { { MET_NONE }, number, met_format_text(arena, "packed%u", number), false, words };
    MET_PUSH(arena, &draft->arrays, array);
    return array.name;
}

static const char *name_array(void *context, met_edge_id edge)
{
    return met_draft_array_of(context, edge, false);
}

met_array_namer met_draft_namer(met_draft *draft)
{
    return (met_array_namer){ name_array, draft };
}

static const char *in_pattern(met_arena *arena, const char *pattern, const char *inner)
{
    const char *at = strstr(pattern, "%s");
    return met_format_text(arena, "%.*s%s%s", (int)(at - pattern), pattern, inner, at + 2);
}

const char *met_draft_load(met_draft *draft, const met_site *place, const char *offset)
{
    const dtype_row *row = row_of(place->dtype);
    met_arena *arena = draft->writer->arena;
    return in_pattern(arena, row->load, met_format_text(arena, "%s[%s]", place->array, offset));
}

void met_draft_store(met_draft *draft, const met_site *place, const char *offset, const char *value)
{
    const dtype_row *row = row_of(place->dtype);
    met_put(draft->writer, "%s[%s] = %s;", place->array, offset, in_pattern(draft->writer->arena, row->store, value));
}

const char *met_draft_round(met_draft *draft, met_dtype dtype, const char *value)
{
    const dtype_row *row = row_of(dtype);
    return dtype == MET_F32 ? value : in_pattern(draft->writer->arena, row->load,
                                                 in_pattern(draft->writer->arena, row->store, value));
}

const char *met_draft_type(met_dtype dtype)
{
    return row_of(dtype)->c_type;
}

const char *met_draft_ending(met_dtype dtype)
{
    return row_of(dtype)->ending;
}

const char *met_draft_unit(const met_draft *draft, met_edge_id edge)
{
    return draft->lowest[edge.id] ? "-INFINITY" : "0.0f";
}

/* --- The whole text --- */

bool met_mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !met_is_word(at[-1])) && !met_is_word(at[length]))
            return true;
    return false;
}

/* Arrays that the text does not use after all, such as one of which a packed copy is read, are not asked for. */
static void drop_unused(met_draft *draft, const char *body)
{
    size_t count = 0;
    for (size_t k = 0; k < draft->arrays.count; k++)
        if (met_mentions(body, draft->arrays.at[k].name))
            draft->arrays.at[count++] = draft->arrays.at[k];
    draft->arrays.count = count;
}

static void put_arrays(met_text *out, const met_draft *draft)
{
    for (size_t k = 0; k < draft->arrays.count; k++) {
        const met_draft_array *array = &draft->arrays.at[k];
        bool packed = array->edge.id == MET_NONE;
        const char *type = array->words ? "uint32_t" : "float";
        if (!packed)
            type = met_draft_type((met_dtype)draft->circuit->edges[array->edge.id].format.dtype);
        met_text_format(out, "    %s%s *%s = call->arrays[%zu];\n", array->written ? "" : "const ", type, array->name,
                        k);
    }
}

static void put_arguments(met_text *out, const met_writer *writer, const char *body)
{
    for (size_t k = 0; k < writer->arguments.count; k++)
        if (met_mentions(body, writer->arguments.at[k].name))
            met_text_format(out, "    const int64_t %s = call->sizes[%zu];\n", writer->arguments.at[k].name, k);
}

static void put_constants(met_text *out, const met_writer *writer)
{
    for (size_t k = 0; k < writer->constants.count; k++)
        met_text_format(out, "    const float k%zu = %s;\n", k, writer->constants.at[k]);
}

/* FNV-1a: texts that differ have different symbols, near enough; the text alone decides. */
static uint64_t digest(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

met_program_source met_draft_finish(met_draft *draft, const met_class *class, const char *title)
{
    met_writer *writer = draft->writer;
    met_arena *arena = writer->arena;
    const char *body = met_text_done(&writer->body);
    met_text inner = met_text_new(arena);
    drop_unused(draft, body);
    put_arrays(&inner, draft);
    put_arguments(&inner, writer, body);
    put_constants(&inner, writer);
    met_text_put(&inner, body);
    const char *symbol = met_format_text(arena, "kernel_%016llx", (unsigned long long)digest(inner.at, inner.length));
    met_text library = met_text_new(arena), out = met_text_new(arena);
    met_text_format(&library, "%s\n", writer->lanes ? class->text : (const char *)met_class_text_values);
    if (writer->tiles)
        met_contraction_text(&library, class, writer->pairs);
    met_text_put(&out, "typedef struct met_kernel_call {\n    void *const *arrays;\n    const int64_t *sizes;\n"
                       "    void *scratch;\n} met_kernel_call;\n\n");
    met_put_helpers(&out, writer);
    met_text_format(&out, "/* %s */\nvoid %s(const met_kernel_call *call, int64_t begin, int64_t end);\n", title,
                    symbol);
    met_text_format(&out, "void %s(const met_kernel_call *call, int64_t begin, int64_t end)\n{\n%s}\n", symbol,
                    met_text_done(&inner));
    const char *own = met_text_done(&out);
    const char *text = met_format_text(arena, "%s\n%s", met_prune(arena, met_text_done(&library), own), own);
    return (met_program_source){ .symbol = symbol, .text = text, .length = strlen(text), .library = met_text_done(&library),
                                 .own = own };
}
