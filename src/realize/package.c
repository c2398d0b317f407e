#include "realize/package.h"

#include <string.h>

#include "base/text.h"
#include "realize/arena.h"
#include "realize/prune.h"

/* Everything that writing a package needs. */
typedef struct package {
    const met_program *program;
    const met_circuit *circuit;
    met_arena *arena;
    const char *name;
    const char *upper; /* NAME */
    const char **arguments; /* by buffer: the name of the argument, NULL where it stands in the workspace */
    const uint64_t *offsets; /* by buffer in the workspace: where it begins */
    uint64_t workspace;     /* bytes, without scratch */
    uint64_t scratch;       /* bytes of one thread */
    bool prepares;          /* something is made from parameters once */
    MET_VEC(met_str) definitions; /* of kernels, as put */
    met_text out;
} package;

enum { LINE = 64, WIDTH = 116 };

/* --- Names --- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words of C and C++, and of the source itself. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
        "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
        "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "class", "new", "delete",
        "this", "template", "operator", "workspace", "threads", "arrays", "sizes", "asm", "try", "catch", "throw", "true",
        "false", "using", "namespace", "public", "private", "protected", "virtual", "friend", "typename", "export", "mutable",
        "and", "or", "not", "xor", "main", "share", "as_array", "lane",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

bool met_package_name_valid(const char *name)
{
    bool good = is_letter(name[0]) && name[0] != '_' && !is_reserved(name);
    for (const char *c = name; *c; c++)
        good = good && (is_letter(*c) || is_digit(*c));
    return good && strlen(name) <= 60;
}

static const char *upper(met_arena *arena, const char *name)
{
    char *text = met_arena_text(arena, name, strlen(name));
    for (char *c = text; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return text;
}

static bool is_taken(const package *p, const char *name)
{
    if (is_reserved(name))
        return true;
    for (uint32_t b = 0; b < p->program->buffer_count; b++)
        if (p->arguments[b] && strcmp(p->arguments[b], name) == 0)
            return true;
    return strcmp(p->name, name) == 0;
}

/* An edge's name as an identifier of C that no other argument has. */
static const char *argument_name(const package *p, met_edge_id edge)
{
    const char *name = met_sym_text(p->circuit->session, p->circuit->edges[edge.id].name);
    met_text text = met_text_new(p->arena);
    if (!is_letter(name[0]))
        met_text_char(&text, 'v');
    for (const char *c = name; *c; c++)
        met_text_char(&text, is_letter(*c) || is_digit(*c) ? *c : '_');
    while (is_taken(p, met_text_done(&text)))
        met_text_char(&text, '_');
    return met_text_done(&text);
}

/* --- Arguments and workspace --- */

static bool is_result(const met_circuit *circuit, met_edge_id edge)
{
    for (uint32_t k = 0; k < circuit->output_count; k++)
        if (circuit->outputs[k].id == edge.id)
            return true;
    for (uint32_t s = 0; s < circuit->state_count; s++)
        if (circuit->states[s].out.id == edge.id)
            return true;
    return false;
}

static bool is_argument(const package *p, uint32_t buffer)
{
    met_edge_id edge = p->program->buffers[buffer].edge;
    return edge.id != MET_NONE && (p->circuit->edges[edge.id].role != MET_EDGE_VALUE || is_result(p->circuit, edge));
}

static void lay_out(package *p)
{
    const met_program *program = p->program;
    p->arguments = MET_NEW_ARRAY(p->arena, const char *, program->buffer_count);
    bool *outside = MET_NEW_ARRAY(p->arena, bool, program->buffer_count);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        outside[b] = is_argument(p, b);
        if (outside[b])
            p->arguments[b] = argument_name(p, program->buffers[b].edge);
    }
    const met_layout *layout = met_layout_new(program, outside, p->arena);
    p->offsets = layout->offset;
    p->workspace = layout->bytes;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        uint64_t bytes = (program->launches[l].scratch_bytes + LINE - 1) / LINE * LINE;
        p->scratch = bytes > p->scratch ? bytes : p->scratch;
        p->prepares = p->prepares || program->launches[l].constant;
    }
}

static const char *c_type(const met_edge *edge)
{
    switch (edge->format.dtype) {
    case MET_F32:
        return "float";
    case MET_I32:
        return "int32_t";
    default:
        return "uint16_t"; /* bf16, f16: their bits */
    }
}

/* Whether buffer b is an argument of the function that prepares, or else of the function itself: of what it calls. */
static bool is_of(const package *p, uint32_t b, bool prepare)
{
    for (uint32_t l = 0; p->arguments[b] && l < p->program->launch_count; l++) {
        const met_launch *launch = &p->program->launches[l];
        for (uint32_t a = 0; launch->constant == prepare && a < launch->array_count; a++)
            if (launch->arrays[a] == b)
                return true;
    }
    return false;
}

/* One more argument; on a new line, under the first, where the line that begins at *line would grow beyond WIDTH. */
static void put_argument(package *p, size_t *line, size_t indent, const char *argument)
{
    if (p->out.length + strlen(argument) > *line + WIDTH) {
        met_text_format(&p->out, "\n%*s", (int)indent, "");
        *line = p->out.length - indent;
    } else if (p->out.length > *line + indent) {
        met_text_char(&p->out, ' ');
    }
    met_text_put(&p->out, argument);
}

static void put_signature(package *p, bool prepare)
{
    size_t line = p->out.length;
    met_text_format(&p->out, "void %s%s(", p->name, prepare ? "_prepare" : "");
    size_t indent = p->out.length - line;
    for (uint32_t b = 0; b < p->program->buffer_count; b++) {
        if (!is_of(p, b, prepare))
            continue;
        const met_edge *edge = &p->circuit->edges[p->program->buffers[b].edge.id];
        met_text argument = met_text_new(p->arena);
        met_text_format(&argument, "%s%s *%s,", edge->role == MET_EDGE_VALUE ? "" : "const ", c_type(edge), p->arguments[b]);
        put_argument(p, &line, indent, met_text_done(&argument));
    }
    put_argument(p, &line, indent, "void *workspace,");
    put_argument(p, &line, indent, "int threads)");
}

/* --- Words --- */

/* Text within a comment: it cannot end it, and its lines are led in. */
static void put_comment_text(met_text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        met_text_char(out, *c);
        if (*c == '\n')
            met_text_put(out, " *     ");
        else if (*c == '*' && c[1] == '/')
            met_text_char(out, ' ');
    }
}

static void put_shape(package *p, const met_edge *edge)
{
    met_format_print(&p->out, edge->format);
    met_text_put(&p->out, "[");
    for (uint32_t a = 0; a < edge->rank; a++) {
        uint64_t size = 0;
        met_circuit_size(p->circuit, edge->axes[a], &size);
        met_text_format(&p->out, "%s%s=%llu", a ? " " : "",
                        met_sym_text(p->circuit->session, p->circuit->axes[edge->axes[a].id].name), (unsigned long long)size);
    }
    met_text_put(&p->out, "]");
}

static void put_head(package *p, const char *origin)
{
    met_text_format(&p->out, "/* %s: kernels that met wrote for %s, from\n *     ", p->name, p->program->class->name);
    put_comment_text(&p->out, origin);
    met_text_format(&p->out, "\n * Compile with\n *     -std=c17 -O2 -ffp-contract=off -fno-math-errno%s%s\n"
                             " * Contraction is written, never left to the compiler. Needs libc and libm only. */\n", p->program->class->flags[0] ? " " : "",
                    p->program->class->flags);
}

static void put_arguments_comment(package *p)
{
    met_text_put(&p->out, "\n/* Arrays are row-major");
    for (uint32_t b = 0; b < p->program->buffer_count; b++) {
        if (!p->arguments[b])
            continue;
        const met_edge *edge = &p->circuit->edges[p->program->buffers[b].edge.id];
        met_text_format(&p->out, "\n *   %s: ", p->arguments[b]);
        put_shape(p, edge);
        met_text_put(&p->out, edge->role == MET_EDGE_VALUE ? ", written" : "");
    }
    met_text_format(&p->out, "\n * bf16 and f16 are given as their bits. `workspace` is aligned to %d bytes and has %s_WORKSPACE(threads)\n"
                             " * bytes; with OpenMP, `threads` threads share the work. The bytes of the results do not depend on how many. */\n",
                    LINE, p->upper);
}

static void put_header(package *p, const char *origin)
{
    put_head(p, origin);
    met_text_format(&p->out, "#ifndef %s_H\n#define %s_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
                             "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", p->upper, p->upper);
    put_arguments_comment(p);
    met_text_format(&p->out, "#define %s_WORKSPACE(threads) ((size_t)%llu + (size_t)(threads) * %llu)\n", p->upper,
                    (unsigned long long)(p->workspace ? p->workspace : LINE), (unsigned long long)p->scratch);
    if (p->prepares) {
        met_text_put(&p->out, "\n/* Packs the parameters into the workspace: call it before the first call of the function below with that\n"
                              " * workspace, and again when a parameter has changed. */\n");
        put_signature(p, true);
        met_text_put(&p->out, ";\n");
    }
    met_text_put(&p->out, "\n");
    put_signature(p, false);
    met_text_put(&p->out, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* --- The source --- */

/* The library that has the others': each stands at the beginning of the next larger one, or within it. */
static const char *common_library(const package *p)
{
    const char *longest = "";
    for (uint32_t s = 0; s < p->program->source_count; s++) {
        const char *library = p->program->sources[s].library;
        longest = strlen(library) > strlen(longest) ? library : longest;
    }
    return longest;
}

static bool is_put(const package *p, const char *definition, size_t length)
{
    for (size_t i = 0; i < p->definitions.count; i++)
        if (met_str_equal(p->definitions.at[i], (met_str){ definition, length }))
            return true;
    return false;
}

/* A kernel's own part, without what other kernels defined in the same words. Its function becomes one that nobody else
 * sees. */
static void put_kernel(package *p, const met_program_source *source)
{
    const char *text = source->own, *end;
    for (; *text; text = end) {
        text += strspn(text, "\n");
        end = met_definition_end(text);
        if (end == text || is_put(p, text, (size_t)(end - text)))
            continue;
        met_str definition = { text, (size_t)(end - text) };
        MET_PUSH(p->arena, &p->definitions, definition);
        bool function = strstr(text, source->symbol) && strstr(text, source->symbol) < end;
        const char *at = function ? strstr(text, "void ") : NULL;
        if (at && at < end && (at == text || at[-1] == '\n')) {
            met_text_bytes(&p->out, text, (size_t)(at - text));
            met_text_put(&p->out, "static ");
            met_text_bytes(&p->out, at, (size_t)(end - at));
        } else {
            met_text_str(&p->out, definition);
        }
        if (end[-1] == '\n' && end - text > 1 && end[-2] == '}')
            met_text_char(&p->out, '\n');
    }
}

static void put_launch_comment(package *p, const met_launch *launch)
{
    met_text_put(&p->out, "    /* ");
    for (uint32_t r = 0; r < launch->record_count; r++) {
        const met_record *record = &launch->records[r];
        met_text_format(&p->out, "%s%s: ", r ? "; " : "", p->circuit->nodes[record->node.id].op->name);
        met_tree_print(&p->out, &record->tree, MET_F32);
    }
    met_text_put(&p->out, launch->record_count == 0 ? "no fold" : "");
    if (launch->tiles && launch->tiles[0])
        met_text_format(&p->out, "; tiles %s", launch->tiles);
    met_text_put(&p->out, " */\n");
}

static void put_launch(package *p, const met_launch *launch)
{
    put_launch_comment(p, launch);
    met_text_put(&p->out, "    {\n        void *const arrays[] = { ");
    for (uint32_t a = 0; a < launch->array_count; a++) {
        uint32_t buffer = launch->arrays[a];
        met_text_put(&p->out, a ? ", " : "");
        if (p->arguments[buffer])
            met_text_format(&p->out, "as_array(%s)", p->arguments[buffer]);
        else
            met_text_format(&p->out, "(char *)workspace + %llu", (unsigned long long)p->offsets[buffer]);
    }
    met_text_put(&p->out, " };\n        static const int64_t sizes[] = { ");
    for (uint32_t s = 0; s < launch->size_count; s++)
        met_text_format(&p->out, "%s%lld", s ? ", " : "", (long long)launch->sizes[s]);
    met_text_format(&p->out, "%s };\n        share(%s, arrays, sizes, %lld, workspace, threads);\n    }\n",
                    launch->size_count ? "" : "0", p->program->sources[launch->source].symbol, (long long)launch->units);
}

static void put_function(package *p, bool prepare)
{
    met_text_put(&p->out, "\n");
    put_signature(p, prepare);
    met_text_put(&p->out, "\n{\n");
    for (uint32_t l = 0; l < p->program->launch_count; l++)
        if (p->program->launches[l].constant == prepare)
            put_launch(p, &p->program->launches[l]);
    met_text_put(&p->out, "}\n");
}

static void put_share(package *p)
{
    met_text_format(&p->out,
                    "\n/* Kernels take all arrays alike; they write to none that was given as const. */\n"
                    "static void *as_array(const void *array)\n{\n"
                    "    union {\n        const void *given;\n        void *taken;\n    } both = { array };\n"
                    "    return both.taken;\n}\n\n"
                    "/* The units of a kernel over threads, each with memory of its own. */\n"
                    "static void share(void (*kernel)(const met_kernel_call *, int64_t, int64_t), void *const *arrays,\n"
                    "                  const int64_t *sizes, int64_t units, void *workspace, int threads)\n{\n"
                    "    char *scratch = (char *)workspace + %llu;\n"
                    "    int count = threads > 1 ? threads : 1;\n"
                    "#ifdef _OPENMP\n#pragma omp parallel for schedule(static, 1) num_threads(count)\n#endif\n"
                    "    for (int t = 0; t < count; t++) {\n"
                    "        met_kernel_call call = { arrays, sizes, scratch + (size_t)t * %llu };\n"
                    "        kernel(&call, units * t / count, units * (t + 1) / count);\n"
                    "    }\n}\n",
                    (unsigned long long)p->workspace, (unsigned long long)p->scratch);
}

static void put_source(package *p, const char *origin)
{
    met_text head = p->out;
    p->out = met_text_new(p->arena);
    for (uint32_t s = 0; s < p->program->source_count; s++)
        put_kernel(p, &p->program->sources[s]);
    const char *kernels = met_text_done(&p->out);
    p->out = head;
    put_head(p, origin);
    met_text_format(&p->out, "#include \"%s.h\"\n\n%s\n%s", p->name, met_prune(p->arena, common_library(p), kernels), kernels);
    put_share(p);
    if (p->prepares)
        put_function(p, true);
    put_function(p, false);
}

met_package met_package_of(const met_program *program, const char *name, const char *origin)
{
    const met_circuit *circuit = program->plan->circuit;
    package p = { .program = program, .circuit = circuit, .arena = circuit->session->arena, .name = name };
    p.upper = upper(p.arena, name);
    lay_out(&p);
    met_package out;
    p.out = met_text_new(p.arena);
    put_header(&p, origin);
    out.header = met_text_done(&p.out);
    p.out = met_text_new(p.arena);
    put_source(&p, origin);
    out.source = met_text_done(&p.out);
    return out;
}
