#include "host/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "host/file.h"
#include "host/guard.h"
#include "host/process.h"
#include "host/tensor_file.h"
#include "number/encode.h"

enum { WORDS = 64 };

static const met_span nowhere;

/* The files; a place in the command names one. */
enum { FILE_A, FILE_B, FILE_C, FILE_OUT, FILES };
static const struct {
    const char *name;
    int file;
} places[] = { { "{a}", FILE_A }, { "{in}", FILE_A }, { "{b}", FILE_B }, { "{c}", FILE_C }, { "{out}", FILE_OUT } };

typedef struct command {
    met_foreign foreign; /* first: a met_foreign is a command */
    met_session *session;
    const met_command_request *request;
    const char *directory;
    met_guard guard; /* kills the program and removes the directory, at the end or when we are killed */
    const char *paths[FILES];
    bool used[FILES];
    char *argv[WORDS + 1];
    double *values[FILES]; /* of the operands, with what stands beside the probed ones */
    size_t counts[FILES];
    uint64_t calls;
    double expected; /* roughly: 2.3 n log n for the tree (revealing by triples), and what additions are asked */
} command;

/* --- The command line --- */

/* Copies a word with the places of files filled in. */
static char *fill_in(command *c, const char *word, size_t length)
{
    met_text out = met_text_new(c->session->arena);
    for (size_t i = 0; i < length;) {
        size_t p = 0, count = sizeof places / sizeof *places;
        while (p < count && (strlen(places[p].name) > length - i || strncmp(word + i, places[p].name, strlen(places[p].name)) != 0))
            p++;
        if (p == count) {
            met_text_char(&out, word[i++]);
            continue;
        }
        c->used[places[p].file] = true;
        met_text_put(&out, c->paths[places[p].file]);
        i += strlen(places[p].name);
    }
    const char *text = met_text_done(&out);
    return met_arena_text(c->session->arena, text, strlen(text));
}

/* Words between blanks; single or double quotes keep blanks. False if there are too many, or a quote is open. */
static bool split(command *c)
{
    const char *at = c->request->command;
    size_t count = 0;
    for (at += strspn(at, " \t\n"); *at; at += strspn(at, " \t\n")) {
        met_text word = met_text_new(c->session->arena);
        char quote = 0;
        for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (!quote && (*at == '\'' || *at == '"'))
                quote = *at;
            else if (*at == quote)
                quote = 0;
            else
                met_text_char(&word, *at);
        }
        if (quote || count == WORDS)
            return false;
        const char *text = met_text_done(&word);
        c->argv[count++] = fill_in(c, text, strlen(text));
    }
    return count > 0;
}

static bool read_command(command *c)
{
    const char *wrong = NULL;
    if (!split(c))
        wrong = "is empty, too long, or has an open quote";
    else if (!c->used[FILE_A])
        wrong = "reads nothing: {in} or {a} is missing";
    else if (!c->used[FILE_OUT])
        wrong = "writes nothing: {out} is missing";
    else if (!c->used[FILE_C] && c->request->shape.accumulates)
        wrong = "has no {c} to add to";
    if (!wrong)
        return true;
    met_diag *diag = met_diag_add(c->session, MET_DIAG_library, nowhere, "the command %s", wrong);
    met_diag_help(diag, "as in `prog {in} {out}` or `prog {a} {b} {out}`: files in NumPy's format");
    return false;
}

/* --- Files --- */

static bool make_directory(command *c)
{
    static const char *const names[FILES] = { "/a.npy", "/b.npy", "/c.npy", "/out.npy" };
    const char *temporary = getenv("TMPDIR");
    met_text path = met_text_new(c->session->arena);
    met_text_format(&path, "%s/met-command-XXXXXX", temporary && temporary[0] == '/' ? temporary : "/tmp");
    c->directory = mkdtemp(met_arena_text(c->session->arena, met_text_done(&path), path.length));
    if (!c->directory) {
        met_diag_add(c->session, MET_DIAG_file, nowhere, "cannot make a directory for the files of the command: %s",
                     strerror(errno));
        return false;
    }
    if (!met_guard_start(&c->guard, c->directory)) {
        met_diag_add(c->session, MET_DIAG_file, nowhere, "cannot start a process for the command: %s", strerror(errno));
        rmdir(c->directory);
        c->directory = NULL;
        return false;
    }
    for (int f = 0; f < FILES; f++) {
        met_text file = met_text_new(c->session->arena);
        met_text_format(&file, "%s%s", c->directory, names[f]);
        c->paths[f] = met_text_done(&file);
    }
    return true;
}

static void close_command(met_foreign *foreign)
{
    command *c = (command *)(void *)foreign;
    if (c->request->progress && c->calls >= 16)
        fputc('\n', stderr);
    met_guard_end(&c->guard);
    c->directory = NULL;
}

/* Writes one operand as rows × columns, leaving out sizes that are 1 where it is a vector or a number. */
static bool write_file(command *c, met_session *scratch, int file, uint64_t rows, uint64_t columns)
{
    uint64_t shape[2] = { rows, columns };
    bool vector = c->request->shape.rows == 1 && c->request->shape.columns == 1;
    size_t rank = !vector && (file != FILE_B || columns > 1) ? 2 : 1;
    if (rank == 1)
        shape[0] = rows * columns;
    met_tensor *tensor = met_tensor_new(scratch, met_dtype_table[c->request->dtype].spelling, rank, shape);
    if (!tensor)
        return false;
    for (size_t i = 0; i < tensor->count; i++)
        tensor->values[i] = met_round(c->request->dtype, c->values[file][i]);
    return met_tensor_save(scratch, c->paths[file], tensor);
}

/* --- Calls --- */

static void make_operands(command *c)
{
    const met_foreign_shape *s = &c->request->shape;
    const uint64_t counts[FILES] = { s->rows * s->terms, s->terms * s->columns, s->rows * s->columns, 0 };
    for (int f = 0; f < FILE_OUT; f++) {
        c->counts[f] = (size_t)counts[f];
        c->values[f] = MET_NEW_ARRAY(c->session->arena, double, c->counts[f]);
        for (size_t i = 0; i < c->counts[f]; i++)
            c->values[f][i] = met_foreign_filler(i + (uint64_t)f);
    }
}

static void put_operands(command *c, const double *a, const double *b, double start)
{
    const met_foreign_shape *s = &c->request->shape;
    for (uint64_t i = 0; i < s->terms; i++) {
        c->values[FILE_A][s->row * s->terms + i] = a[i];
        c->values[FILE_B][i * s->columns + s->column] = b ? b[i] : 1;
    }
    c->values[FILE_C][s->row * s->columns + s->column] = start;
}

static bool start_program(command *c)
{
    met_process process = { .argv = c->argv, .limit_s = c->request->limit_s, .guard = &c->guard };
    met_processes_run(1, &process, 1);
    if (process.status == 0 && !process.too_slow)
        return true;
    met_diag *diag;
    if (process.too_slow)
        diag = met_diag_add(c->session, MET_DIAG_library, nowhere, "`%s` did not end within %g s", c->argv[0], c->request->limit_s);
    else
        diag = met_diag_add(c->session, MET_DIAG_library, nowhere, "`%s` ended with status %d", c->argv[0], process.status);
    process.output[strcspn(process.output, "\n")] = 0;
    met_text clean = met_text_new(c->session->arena);
    met_text_clean(&clean, met_str_of(process.output));
    if (clean.length > 0)
        met_diag_help(diag, "it said: %s", met_text_done(&clean));
    return false;
}

/* The result that is looked at, and its format. */
static bool read_result(command *c, met_session *scratch, double *ret_result, met_dtype *ret_dtype)
{
    const met_foreign_shape *s = &c->request->shape;
    bool regular = met_file_is_regular(c->paths[FILE_OUT]);
    const met_tensor *result = regular ? met_tensor_load(scratch, c->paths[FILE_OUT]) : NULL;
    uint64_t at = s->row * s->columns + s->column;
    *ret_dtype = MET_DTYPE_COUNT;
    for (int d = MET_F64; result && d <= MET_F16; d++)
        if (!strcmp(result->format, met_dtype_table[d].spelling))
            *ret_dtype = (met_dtype)d;
    met_text why = met_text_new(c->session->arena);
    if (!result)
        met_text_put(&why, "what it wrote as {out} is no array that met reads");
    else if (result->count != s->rows * s->columns)
        met_text_format(&why, "its result has %zu elements instead of %llu", result->count,
                        (unsigned long long)(s->rows * s->columns));
    else if (*ret_dtype == MET_DTYPE_COUNT)
        met_text_format(&why, "its result is %s: no float", result->format);
    if (why.length == 0) {
        *ret_result = result->values[at];
        return true;
    }
    met_diag_add(c->session, MET_DIAG_library, nowhere, "`%s`: %s", c->argv[0], met_text_done(&why));
    return false;
}

static bool call(command *c, const double *a, const double *b, double start, double *ret_result, met_dtype *ret_dtype)
{
    const met_foreign_shape *s = &c->request->shape;
    if (c->calls++ == c->request->call_limit) {
        met_diag *diag = met_diag_add(c->session, MET_DIAG_library, nowhere, "%llu calls of `%s` were not enough",
                                      (unsigned long long)c->request->call_limit, c->argv[0]);
        met_diag_help(diag, "--calls N allows more; a library answers much faster than a program");
        return false;
    }
    if (c->request->progress && c->calls % 16 == 0)
        fprintf(stderr, "\rmet: %llu of about %.0f calls", (unsigned long long)c->calls, c->expected);
    put_operands(c, a, b, start);
    unlink(c->paths[FILE_OUT]);
    met_session *scratch = met_session_new();
    const uint64_t rows[] = { s->rows, s->terms, s->rows }, columns[] = { s->terms, s->columns, s->columns };
    bool good = true;
    for (int f = 0; good && f < FILE_OUT; f++)
        good = !c->used[f] || write_file(c, scratch, f, rows[f], columns[f]);
    if (!good)
        met_diag_add(c->session, MET_DIAG_file, nowhere, "cannot write to `%s`", c->directory);
    good = good && start_program(c) && read_result(c, scratch, ret_result, ret_dtype);
    met_session_free(scratch);
    return good;
}

static bool run(void *context, const double *a, const double *b, double start, double *ret_result)
{
    met_dtype dtype;
    return call(context, a, b, start, ret_result, &dtype);
}

static const char *no_fault(const met_foreign *foreign)
{
    (void)foreign;
    return NULL;
}

met_foreign *met_command_open(met_session *session, const met_command_request *request)
{
    command *c = MET_NEW(session->arena, command);
    c->session = session;
    c->request = request;
    c->foreign = (met_foreign){ .fault_loaded = no_fault, .fault_called = no_fault, .close = close_command };
    double *ones = MET_NEW_ARRAY(session->arena, double, request->shape.terms), result;
    for (uint64_t i = 0; i < request->shape.terms; i++)
        ones[i] = 1;
    met_dtype output = MET_F32;
    c->expected = 2.3 * (double)request->shape.terms * log2((double)request->shape.terms) + 150;
    if (make_directory(c))
        make_operands(c);
    if (!c->directory || !read_command(c) || !call(c, ones, ones, 0, &result, &output)) {
        close_command(&c->foreign);
        return NULL;
    }
    met_probe_kind kind = request->kind == MET_PROBE_SUM && c->used[FILE_B] ? MET_PROBE_DOT : request->kind;
    c->foreign.probe = (met_black_box){ .kind = kind, .n = request->shape.terms, .input = request->dtype, .output = output,
                                    .accumulates = request->shape.accumulates, .scaled = request->scaled, .run = run, .context = c };
    return &c->foreign;
}
