#include "host/cache.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

static const met_span nowhere;

/* What stands after the bytes of an entry. */
typedef struct seal {
    uint8_t magic[8];
    uint8_t digest[SHA256_DIGEST_LENGTH];
} seal;

static const uint8_t seal_magic[8] = { 'm', 'e', 't', ' ', 's', 'o', ' ', '1' };

struct met_cache {
    met_session *session;
    const char *directory; /* of the entries; NULL: none but the temporary one */
    const char *work;      /* our own; NULL until something is made */
    bool temporary;        /* `work` does not stand within `directory`: entries stay in it */
    MET_VEC(const char *) made; /* files in `work` */
};

/* --- The directory --- */

static const char *path_format(met_session *session, const char *a, const char *b, const char *c)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s%s%s", a, b, c);
    return met_text_done(&path);
}

static const char *default_directory(met_session *session)
{
    const char *given = getenv("MET_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given)
        return given;
    if (base && base[0] == '/')
        return path_format(session, base, "/met", "");
    return home && home[0] == '/' ? path_format(session, home, "/.cache/met", "") : "";
}

met_cache *met_cache_open(met_session *session, const char *directory)
{
    met_cache *cache = MET_NEW(session->arena, met_cache);
    cache->session = session;
    directory = directory ? directory : default_directory(session);
    cache->directory = directory[0] ? directory : NULL;
    return cache;
}

/* Makes a directory and those above it; true if it is there afterwards. Only the last is closed to others. */
static bool make_directories(met_session *session, const char *path)
{
    char *text = met_arena_text(session->arena, path, strlen(path));
    for (char *at = text + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        mkdir(text, 0777);
        *at = '/';
    }
    return mkdir(text, 0700) == 0 || errno == EEXIST;
}

/* Code is loaded from it: nobody else may put something there. */
static bool is_ours(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

static const char *make_work(met_session *session, const char *directory)
{
    const char *pattern = path_format(session, directory, "/met-build-XXXXXX", "");
    char *path = met_arena_text(session->arena, pattern, strlen(pattern));
    return mkdtemp(path);
}

static bool need_work(met_cache *cache)
{
    if (cache->work)
        return true;
    if (cache->directory && make_directories(cache->session, cache->directory) && is_ours(cache->directory))
        cache->work = make_work(cache->session, cache->directory);
    if (cache->work)
        return true;
    const char *temporary = getenv("TMPDIR");
    temporary = temporary && temporary[0] == '/' ? temporary : "/tmp";
    cache->temporary = true;
    cache->work = make_work(cache->session, temporary);
    if (cache->work)
        return true;
    met_diag *diag = met_diag_add(cache->session, MET_DIAG_file, nowhere, "cannot make a directory in `%s`: %s", temporary,
                                  strerror(errno));
    met_diag_help(diag, "kernels are compiled there because the cache cannot be used; --cache DIR or TMPDIR choose other places");
    return false;
}

void met_cache_close(met_cache *cache)
{
    if (!cache || !cache->work)
        return;
    for (size_t i = 0; i < cache->made.count; i++)
        unlink(cache->made.at[i]);
    rmdir(cache->work); /* stays if something in it was kept */
    cache->work = NULL;
}

/* --- Digests --- */

void met_cache_key(size_t count, const char *const *texts, char ret_key[MET_CACHE_KEY])
{
    SHA2_CTX context;
    SHA256Init(&context);
    for (size_t i = 0; i < count; i++) /* the NUL keeps neighbours apart */
        SHA256Update(&context, (const uint8_t *)texts[i], strlen(texts[i]) + 1);
    SHA256End(&context, ret_key);
}

/* The digest of the first `length` bytes of a file under a key. False if they cannot be read. */
static bool digest_file(int fd, const char *key, off_t length, uint8_t *ret_digest)
{
    SHA2_CTX context;
    static const size_t step = 1 << 14;
    uint8_t bytes[1 << 14];
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)key, strlen(key));
    while (length > 0) {
        ssize_t got = read(fd, bytes, length < (off_t)step ? (size_t)length : step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        SHA256Update(&context, bytes, (size_t)got);
        length -= got;
    }
    SHA256Final(ret_digest, &context);
    return true;
}

/* Whether the file is one that seal_file has sealed, whole. */
static bool is_sealed(int fd, const char *key)
{
    struct stat info;
    seal found;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= (off_t)sizeof found)
        return false;
    if (!digest_file(fd, key, info.st_size - (off_t)sizeof found, digest))
        return false;
    return read(fd, &found, sizeof found) == (ssize_t)sizeof found &&
           memcmp(found.magic, seal_magic, sizeof seal_magic) == 0 && memcmp(found.digest, digest, sizeof digest) == 0;
}

static bool seal_file(const char *path, const char *key)
{
    seal mark;
    struct stat info;
    memcpy(mark.magic, seal_magic, sizeof seal_magic);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &info) == 0 && digest_file(fd, key, info.st_size, mark.digest) &&
                write(fd, &mark, sizeof mark) == (ssize_t)sizeof mark;
    return close(fd) == 0 && good;
}

/* --- Entries --- */

static bool is_whole(const char *path, const char *key)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool whole = is_sealed(fd, key);
    close(fd);
    return whole;
}

const char *met_cache_find(met_cache *cache, const char *key)
{
    const char *places[] = { cache->directory, cache->temporary ? cache->work : NULL };
    for (size_t i = 0; i < 2; i++) {
        if (!places[i] || !is_ours(places[i]))
            continue;
        met_text path = met_text_new(cache->session->arena);
        met_text_format(&path, "%s/%s.so", places[i], key);
        if (is_whole(met_text_done(&path), key))
            return met_text_done(&path);
    }
    return NULL;
}

static const char *work_path(met_cache *cache, const char *key, const char *ending)
{
    met_text path = met_text_new(cache->session->arena);
    met_text_format(&path, "%s/%s%s", cache->work, key, ending);
    return met_text_done(&path);
}

const char *met_cache_work(met_cache *cache, const char *key, const char *ending)
{
    if (!need_work(cache))
        return NULL;
    const char *path = work_path(cache, key, ending);
    MET_PUSH(cache->session->arena, &cache->made, path);
    return path;
}

/* Moves a file from `work` to the entries; its new path, or where it still is. */
static const char *move(met_cache *cache, const char *key, const char *ending)
{
    const char *path = work_path(cache, key, ending);
    met_text to = met_text_new(cache->session->arena);
    met_text_format(&to, "%s/%s%s", cache->directory ? cache->directory : "", key, ending);
    return !cache->temporary && rename(path, met_text_done(&to)) == 0 ? met_text_done(&to) : path;
}

const char *met_cache_publish(met_cache *cache, const char *key)
{
    assert(cache->work);
    const char *path = work_path(cache, key, ".so");
    if (seal_file(path, key))
        return move(cache, key, ".so");
    met_diag_add(cache->session, MET_DIAG_file, nowhere, "cannot write `%s`: %s", path, strerror(errno));
    return NULL;
}

const char *met_cache_keep(met_cache *cache, const char *key, const char *ending)
{
    assert(cache->work);
    const char *from = work_path(cache, key, ending);
    const char *path = move(cache, key, ending);
    for (size_t i = 0; i < cache->made.count; i++) {
        if (strcmp(cache->made.at[i], from) != 0)
            continue;
        cache->made.at[i] = cache->made.at[--cache->made.count];
        i--;
    }
    return path;
}

const char *met_cache_entry(met_cache *cache, const char *key, const char *ending)
{
    if (!cache->directory || !is_ours(cache->directory))
        return NULL;
    met_text path = met_text_new(cache->session->arena);
    met_text_format(&path, "%s/%s%s", cache->directory, key, ending);
    return access(met_text_done(&path), R_OK) == 0 ? met_text_done(&path) : NULL;
}

bool met_cache_lasts(met_cache *cache)
{
    return need_work(cache) && !cache->temporary;
}

void met_cache_discard(met_cache *cache, const char *key, const char *ending)
{
    assert(cache->work);
    unlink(work_path(cache, key, ending));
}
