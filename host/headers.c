#include "host/headers.h"

#include <string.h>

#include "base/session.h"
#include "base/vec.h"
#include "host/file.h"
#include "host/process.h"

static const char includes[] = "#include <immintrin.h>\n";

enum { WORTH_MAKING = 3 /* sources; making takes about as long as they save */ };

static const char *entry_key(met_session *session, const met_headers_request *request)
{
    MET_VEC(const char *) texts = { 0 };
    MET_PUSH(session->arena, &texts, includes);
    MET_PUSH(session->arena, &texts, request->version);
    for (size_t i = 0; request->command[i]; i++)
        MET_PUSH(session->arena, &texts, request->command[i]);
    char *key = MET_NEW_ARRAY(session->arena, char, MET_CACHE_KEY);
    met_cache_key(texts.count, texts.at, key);
    return key;
}

/* False without a diagnostic: what has no precompiled header compiles all the same. */
static bool precompile(met_session *session, const met_headers_request *request, const char *header, const char *result)
{
    MET_VEC(const char *) words = { 0 };
    for (size_t i = 0; request->command[i]; i++)
        MET_PUSH(session->arena, &words, request->command[i]);
    const char *rest[] = { "-x", "c-header", "-o", result, header, NULL };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        MET_PUSH(session->arena, &words, rest[i]);
    met_process process = { .argv = (char *const *)words.at };
    met_processes_run(1, &process, 1);
    return process.status == 0;
}

const char *met_headers_find(met_session *session, met_cache *cache, const met_headers_request *request)
{
    /* clang takes a precompiled header only where and as long as its source stands unchanged, which a cache cannot promise */
    if (!strstr(request->source, includes) || strstr(request->version, "clang"))
        return NULL;
    const char *key = entry_key(session, request);
    if (met_cache_entry(cache, key, ".h.gch"))
        return met_cache_entry(cache, key, ".h");
    if (request->sources < WORTH_MAKING || !met_cache_lasts(cache))
        return NULL;
    const char *header = met_cache_work(cache, key, ".h"), *result = header ? met_cache_work(cache, key, ".h.gch") : NULL;
    if (!result || !met_file_write(session, header, includes, strlen(includes)) ||
        !precompile(session, request, header, result))
        return NULL;
    /* the header before what the compiler looks for beside it */
    met_cache_keep(cache, key, ".h");
    met_cache_keep(cache, key, ".h.gch");
    return met_cache_entry(cache, key, ".h");
}
