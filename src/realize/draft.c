#include "realize/draft.h"

#include <string.h>

/* How a dtype stands in memory. A load or store without a pattern is a plain one. */
typedef struct dtype_row {
    met_dtype dtype;
    const char *c_type;
    const char *load;  /* $: the element */
    const char *store; /* $: the float */
    met_helper loader, storer;
} dtype_row;

static const dtype_row dtypes[] = {
    { MET_F32, "float", "%s", "canonical(%s)", MET_HELPER_COUNT, MET_HELPER_CANONICAL },
    { MET_BF16, "uint16_t", "load_bf16(%s)", "store_bf16(%s)", MET_HELPER_LOAD_BF16, MET_HELPER_STORE_BF16 },
    { MET_F16, "uint16_t", "load_f16(%s)", "store_f16(%s)", MET_HELPER_LOAD_F16, MET_HELPER_STORE_F16 },
    { MET_I32, "int32_t", "(float)%s", "store_i32(%s)", MET_HELPER_COUNT, MET_HELPER_STORE_I32 },
};

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
    met_draft_array array = { edge, met_format_text(arena, "%c%u", written ? 'y' : 'x', before), written };
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
    if (row->loader != MET_HELPER_COUNT)
        met_need(draft->writer, row->loader);
    met_arena *arena = draft->writer->arena;
    return in_pattern(arena, row->load, met_format_text(arena, "%s[%s]", place->array, offset));
}

void met_draft_store(met_draft *draft, const met_site *place, const char *offset, const char *value)
{
    const dtype_row *row = row_of(place->dtype);
    met_need(draft->writer, row->storer);
    met_put(draft->writer, "%s[%s] = %s;", place->array, offset, in_pattern(draft->writer->arena, row->store, value));
}

const char *met_draft_unit(const met_draft *draft, met_edge_id edge)
{
    return draft->lowest[edge.id] ? "-INFINITY" : "0.0f";
}

/* --- The whole text --- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether a text uses a name. */
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

static void put_arrays(met_text *out, const met_draft *draft)
{
    for (size_t k = 0; k < draft->arrays.count; k++) {
        const met_draft_array *array = &draft->arrays.at[k];
        const char *type = row_of((met_dtype)draft->circuit->edges[array->edge.id].format.dtype)->c_type;
        met_text_format(out, "    %s%s *%s = call->arrays[%zu];\n", array->written ? "" : "const ", type, array->name, k);
    }
}

static void put_arguments(met_text *out, const met_writer *writer, const char *body)
{
    for (size_t k = 0; k < writer->arguments.count; k++)
        if (mentions(body, writer->arguments.at[k].name))
            met_text_format(out, "    const int64_t %s = call->sizes[%zu];\n", writer->arguments.at[k].name, k);
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
    put_arrays(&inner, draft);
    put_arguments(&inner, writer, body);
    met_text_put(&inner, body);
    const char *symbol = met_format_text(arena, "kernel_%016llx", (unsigned long long)digest(inner.at, inner.length));
    met_text out = met_text_new(arena);
    met_text_put(&out, "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    if (writer->lanes)
        met_text_format(&out, "%s\n", class->text);
    met_text_put(&out, "typedef struct met_kernel_call {\n    void *const *arrays;\n    const int64_t *sizes;\n"
                       "    void *scratch;\n} met_kernel_call;\n\n");
    met_put_helpers(&out, writer);
    met_text_format(&out, "/* %s */\nvoid %s(const met_kernel_call *call, int64_t begin, int64_t end);\n", title, symbol);
    met_text_format(&out, "void %s(const met_kernel_call *call, int64_t begin, int64_t end)\n{\n%s}\n", symbol,
                    met_text_done(&inner));
    return (met_program_source){ .symbol = symbol, .text = met_text_done(&out), .length = out.length };
}
