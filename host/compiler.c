#include "host/compiler.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "host/cache.h"
#include "host/headers.h"
#include "host/machine.h"
#include "host/file.h"
#include "host/process.h"

static const met_span nowhere;

/* Contraction is written, never left to the compiler. Without errno, square roots are one instruction; nothing in this
 * list changes a bit of a result. Flags of a source come after it and may choose another level. */
static const char *const base_flags = "-std=c17 -O2 -ffp-contract=off -fno-math-errno -fPIC -shared";

typedef MET_VEC(char *) words;

struct met_compiler {
    met_session *session;
    met_cache *cache;
    words command;
    const char *line;    /* the command as given */
    const char *version; /* what it says of itself */
    const char *flags;
    uint32_t jobs;
    MET_VEC(void *) libraries;
};

static void split_words(met_arena *arena, const char *text, words *ret_words)
{
    static const char blank[] = " \t\n";
    for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
        size_t length = strcspn(text, blank);
        MET_PUSH(arena, ret_words, met_arena_text(arena, text, length));
        text += length;
    }
}

static char **argv_of(met_arena *arena, const words *list)
{
    char **argv = MET_NEW_ARRAY(arena, char *, list->count + 1);
    memcpy(argv, list->at, list->count * sizeof *argv);
    return argv;
}

/* --- What the compiler says --- */

/* The first lines of its output that say something, as notes. */
static void quote(met_arena *arena, met_diag *diag, const char *output)
{
    enum { LINES = 6, WIDTH = 160 };
    for (int shown = 0; *output && shown < LINES;) {
        size_t length = strcspn(output, "\n");
        met_text line = met_text_new(arena);
        met_text_clean(&line, (met_str){ output, length < WIDTH ? length : WIDTH });
        if (length > 0) {
            met_diag_note(diag, nowhere, "%s", met_text_done(&line));
            shown++;
        }
        output += length + (output[length] == '\n');
    }
}

static bool ask_version(met_compiler *compiler)
{
    met_arena *arena = compiler->session->arena;
    words list = { 0 };
    for (size_t i = 0; i < compiler->command.count; i++)
        MET_PUSH(arena, &list, compiler->command.at[i]);
    MET_PUSH(arena, &list, met_arena_text(arena, "--version", 9));
    met_process *process = MET_NEW(arena, met_process);
    process->argv = argv_of(arena, &list);
    met_processes_run(1, process, 1);
    compiler->version = process->output;
    if (process->status == 0)
        return true;
    met_diag *diag = met_diag_add(compiler->session, MET_DIAG_compiler, nowhere, "the C compiler `%s` does not run",
                                  compiler->line);
    quote(arena, diag, process->output);
    met_diag_help(diag, "kernels are compiled by $CC, or cc; without one, the interpreter runs every circuit");
    return false;
}

met_compiler *met_compiler_new(met_session *session, const met_compiler_options *options)
{
    static const met_compiler_options defaults;
    options = options ? options : &defaults;
    met_compiler *compiler = MET_NEW(session->arena, met_compiler);
    compiler->session = session;
    compiler->line = options->command ? options->command : getenv("CC");
    if (compiler->line)
        split_words(session->arena, compiler->line, &compiler->command);
    if (compiler->command.count == 0) {
        compiler->line = "cc";
        split_words(session->arena, compiler->line, &compiler->command);
    }
    compiler->flags = options->flags ? options->flags : "";
    compiler->jobs = options->jobs ? options->jobs : met_cpu_count();
    if (!ask_version(compiler))
        return NULL;
    compiler->cache = met_cache_open(session, options->cache);
    return compiler;
}

void met_compiler_free(met_compiler *compiler)
{
    if (!compiler)
        return;
    for (size_t i = 0; i < compiler->libraries.count; i++)
        dlclose(compiler->libraries.at[i]);
    compiler->libraries.count = 0;
    met_cache_close(compiler->cache);
}

/* --- Compiling --- */

typedef struct task {
    met_unit *unit;
    const char *key;
    const char *path; /* of the shared object */
} task;

void met_compiler_key(const met_compiler *compiler, met_unit *unit)
{
    const char *texts[] = { compiler->line, compiler->version, base_flags, unit->flags ? unit->flags : "",
                            compiler->flags, unit->text };
    met_cache_key(sizeof texts / sizeof *texts, texts, unit->key);
}

/* Compiler and flags for a source. */
static words command_for(const met_compiler *compiler, const met_unit *unit)
{
    met_arena *arena = compiler->session->arena;
    words list = { 0 };
    for (size_t i = 0; i < compiler->command.count; i++)
        MET_PUSH(arena, &list, compiler->command.at[i]);
    split_words(arena, base_flags, &list);
    split_words(arena, unit->flags ? unit->flags : "", &list);
    split_words(arena, compiler->flags, &list);
    return list;
}

/* The command that compiles a source, one of `count` alike, after it was written. NULL with a diagnostic. */
static char **prepare(met_compiler *compiler, const task *job, size_t count)
{
    met_arena *arena = compiler->session->arena;
    const char *source = met_cache_work(compiler->cache, job->key, ".c");
    const char *object = source ? met_cache_work(compiler->cache, job->key, ".so") : NULL;
    if (!object || !met_file_write(compiler->session, source, job->unit->text, strlen(job->unit->text)))
        return NULL;
    words list = command_for(compiler, job->unit);
    met_headers_request request = { .source = job->unit->text, .sources = count, .version = compiler->version,
                                    .command = (const char *const *)argv_of(arena, &list) };
    const char *header = met_headers_find(compiler->session, compiler->cache, &request);
    if (header) {
        split_words(arena, "-include", &list);
        MET_PUSH(arena, &list, met_arena_text(arena, header, strlen(header)));
    }
    split_words(arena, "-o", &list);
    MET_PUSH(arena, &list, met_arena_text(arena, object, strlen(object)));
    MET_PUSH(arena, &list, met_arena_text(arena, source, strlen(source)));
    split_words(arena, "-lm", &list);
    return argv_of(arena, &list);
}

static bool refuse(met_compiler *compiler, const task *job, const met_process *process)
{
    met_text command = met_text_new(compiler->session->arena);
    for (size_t i = 0; process->argv[i] && strcmp(process->argv[i], "-o") != 0; i++)
        met_text_format(&command, "%s%s", i ? " " : "", process->argv[i]);
    met_diag *diag = met_diag_add(compiler->session, MET_DIAG_compiler, nowhere,
                                  "the C compiler `%s` failed on the kernel `%s` with status %d", compiler->line,
                                  job->unit->symbol, process->status);
    quote(compiler->session->arena, diag, process->output);
    met_diag_help(diag, "the source is kept as %s; it was compiled by: %s", met_cache_keep(compiler->cache, job->key, ".c"),
                  met_text_done(&command));
    return false;
}

/* Compiles jobs that are all different. */
static bool compile(met_compiler *compiler, size_t count, task *const *jobs)
{
    met_arena *arena = met_arena_new();
    met_process *processes = MET_NEW_ARRAY(arena, met_process, count);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        processes[i].argv = prepare(compiler, jobs[i], count);
        good = processes[i].argv != NULL;
    }
    if (good)
        met_processes_run(count, processes, compiler->jobs);
    for (size_t i = 0; i < count && good; i++) {
        if (processes[i].status != 0) {
            good = refuse(compiler, jobs[i], &processes[i]);
            break;
        }
        met_cache_discard(compiler->cache, jobs[i]->key, ".c");
        jobs[i]->path = met_cache_publish(compiler->cache, jobs[i]->key);
        good = jobs[i]->path != NULL;
    }
    met_arena_free(arena);
    return good;
}

/* --- Loading --- */

static bool load(met_compiler *compiler, task *job)
{
    void *library = dlopen(job->path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, job->unit->symbol) : NULL;
    if (library)
        MET_PUSH(compiler->session->arena, &compiler->libraries, library);
    if (address) {
        /* POSIX promises that the two kinds of pointers look alike; C has no cast between them. */
        memcpy(&job->unit->function, &address, sizeof address);
        return true;
    }
    const char *why = dlerror();
    met_diag *diag = met_diag_add(compiler->session, MET_DIAG_compiler, nowhere, "cannot load the kernel `%s`: %s",
                                  job->unit->symbol, why ? why : "it has no such symbol");
    met_diag_help(diag, "if the cache stands where programs may not run, choose another: --cache DIR");
    return false;
}

static const task *same_before(const task *jobs, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(jobs[k].key, jobs[i].key) == 0)
            return &jobs[k];
    return NULL;
}

bool met_compiler_build(met_compiler *compiler, size_t count, met_unit *units)
{
    met_arena *arena = met_arena_new();
    task *jobs = MET_NEW_ARRAY(arena, task, count);
    task **missing = MET_NEW_ARRAY(arena, task *, count);
    size_t missing_count = 0;
    for (size_t i = 0; i < count; i++) {
        jobs[i].unit = &units[i];
        met_compiler_key(compiler, &units[i]);
        jobs[i].key = units[i].key;
        jobs[i].path = met_cache_find(compiler->cache, jobs[i].key);
        units[i].found = jobs[i].path != NULL;
        if (!jobs[i].path && !same_before(jobs, i))
            missing[missing_count++] = &jobs[i];
    }
    bool good = compile(compiler, missing_count, missing);
    for (size_t i = 0; i < count && good; i++) {
        const task *first = same_before(jobs, i);
        jobs[i].path = first ? first->path : jobs[i].path;
        good = load(compiler, &jobs[i]);
    }
    met_arena_free(arena);
    return good;
}
