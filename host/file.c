#include "host/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

static const met_span nowhere = { 0, 0, 0 };

static bool fail(met_session *session, const char *verb, const char *path)
{
    int error = errno;
    met_diag *diag = met_diag_add(session, MET_DIAG_file, nowhere, "cannot %s `%s`: %s", verb, path, strerror(error));
    if (error == ENOENT && strcmp(verb, "write") == 0)
        met_diag_help(diag, "the directory must exist");
    return false;
}

static bool is_directory(met_session *session, const char *verb, const char *path)
{
    met_diag_add(session, MET_DIAG_file, nowhere, "cannot %s `%s`: it is a directory", verb, path);
    return false;
}

static bool too_large(met_session *session, const char *path, size_t limit)
{
    met_diag_add(session, MET_DIAG_input_too_large, nowhere, "`%s` is larger than %zu bytes", path, limit);
    return false;
}

typedef struct input {
    met_session *session;
    met_arena *arena;
    const char *path;
    const char *magic; /* how it has to begin, to be read to the end */
    size_t limit;
    char *bytes;
    size_t length;
    size_t room;
} input;

/* Keeps at least one byte free for the NUL. */
static void make_room(input *in)
{
    if (in->room - in->length > 1)
        return;
    size_t room = in->room * 2;
    if (room > in->limit + 2)
        room = in->limit + 2;
    char *moved = met_arena_alloc(in->arena, room, 1);
    memcpy(moved, in->bytes, in->length);
    in->bytes = moved;
    in->room = room;
}

static bool is_of_its_kind(const input *in)
{
    size_t length = strlen(in->magic);
    return in->length < length || memcmp(in->bytes, in->magic, length) == 0;
}

static bool read_all(input *in, int fd, size_t expected)
{
    in->room = (expected < in->limit ? expected : in->limit) + 2;
    if (in->room < 4096 && in->limit >= 4096)
        in->room = 4096;
    in->bytes = met_arena_alloc(in->arena, in->room, 1);
    for (;;) {
        ssize_t got = read(fd, in->bytes + in->length, in->room - in->length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(in->session, "read", in->path);
        if (got == 0)
            break;
        in->length += (size_t)got;
        if (in->length > in->limit)
            return too_large(in->session, in->path, in->limit);
        if (!is_of_its_kind(in))
            break;
        make_room(in);
    }
    in->bytes[in->length] = 0;
    return true;
}

static bool read_open_file(input *in, int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail(in->session, "read", in->path);
    if (S_ISDIR(info.st_mode))
        return is_directory(in->session, "read", in->path);
    size_t expected = 0;
    if (S_ISREG(info.st_mode)) {
        if (info.st_size < 0 || (uintmax_t)info.st_size > in->limit)
            return too_large(in->session, in->path, in->limit);
        expected = (size_t)info.st_size;
    }
    return read_all(in, fd, expected);
}

static bool read_path(input *in)
{
    if (in->limit > SIZE_MAX / 4)
        in->limit = SIZE_MAX / 4;
    if (strcmp(in->path, "-") == 0) {
        in->path = "<stdin>";
        return read_open_file(in, STDIN_FILENO);
    }
    int fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail(in->session, "read", in->path);
    bool ok = read_open_file(in, fd);
    close(fd);
    return ok;
}

bool met_file_read_kind(met_session *session, const char *path, const char *magic, size_t limit, const char **ret_bytes,
                        size_t *ret_length)
{
    input in = { .session = session, .arena = session->arena, .path = path, .magic = magic, .limit = limit };
    if (!read_path(&in))
        return false;
    *ret_bytes = in.bytes;
    *ret_length = in.length;
    return true;
}

bool met_file_read(met_session *session, const char *path, size_t limit, const char **ret_bytes, size_t *ret_length)
{
    return met_file_read_kind(session, path, "", limit, ret_bytes, ret_length);
}

uint32_t met_file_source(met_session *session, const char *path)
{
    met_arena *scratch = met_arena_new();
    input in = { .session = session, .arena = scratch, .path = path, .magic = "", .limit = MET_SOURCE_LIMIT };
    uint32_t source = read_path(&in) ? met_session_add_source(session, in.path, in.bytes, in.length) : 0;
    met_arena_free(scratch);
    return source;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

/* A name beside `path`, which may be long. */
static char *name_beside(met_arena *arena, const char *path, int number)
{
    enum { KEPT = 200 };
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    met_text name = met_text_new(arena);
    met_text_format(&name, "%.*s%.*s.%ld-%d.tmp", directory, path, KEPT, path + directory, (long)getpid(), number);
    return name.at;
}

enum { ATTEMPTS = 100 };

/* Creates a file of our own beside `path`; *ret_name is its name. */
static int create_beside(met_arena *arena, const char *path, char **ret_name)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        char *name = name_beside(arena, path, attempt);
        *ret_name = name;
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* A file with these bytes beside `path`; it has the permissions of the one that it will replace. NULL, with errno set. */
static const char *prepare(met_arena *scratch, const char *path, const struct stat *old, const char *bytes, size_t length)
{
    char *temporary;
    int fd = create_beside(scratch, path, &temporary);
    if (fd < 0)
        return NULL;
    bool ok = write_all(fd, bytes, length);
    if (ok && old && fchmod(fd, old->st_mode & 07777) != 0)
        ok = false;
    if (close(fd) != 0)
        ok = false;
    if (ok)
        return temporary;
    int error = errno;
    unlink(temporary);
    errno = error;
    return NULL;
}

static bool replace(met_arena *scratch, const char *path, const struct stat *old, const char *bytes, size_t length)
{
    const char *temporary = prepare(scratch, path, old, bytes, length);
    if (!temporary)
        return false;
    if (rename(temporary, path) == 0)
        return true;
    int error = errno;
    unlink(temporary);
    errno = error;
    return false;
}

static bool write_through(const char *path, const char *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, bytes, length);
    return close(fd) == 0 && ok;
}

/* The file that a chain of symbolic links leads to; it need not exist. NULL, with errno set, if the chain is endless. */
static const char *follow_links(met_arena *scratch, const char *path)
{
    enum { HOPS = 40, LONGEST = 4096 };
    char target[LONGEST];
    for (int hop = 0; hop < HOPS; hop++) {
        ssize_t length = readlink(path, target, sizeof target);
        if (length < 0 || (size_t)length == sizeof target)
            return path;
        const char *slash = strrchr(path, '/');
        met_text next = met_text_new(scratch);
        if (slash && target[0] != '/')
            met_text_bytes(&next, path, (size_t)(slash - path) + 1);
        met_text_bytes(&next, target, (size_t)length);
        path = met_text_done(&next);
    }
    errno = ELOOP;
    return NULL;
}

bool met_file_write(met_session *session, const char *path, const char *bytes, size_t length)
{
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, bytes, length) || fail(session, "write", "<stdout>");
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return is_directory(session, "write", path);
    met_arena *scratch = met_arena_new();
    bool ok;
    if (exists && !S_ISREG(info.st_mode)) {
        ok = write_through(path, bytes, length);
    } else {
        const char *target = follow_links(scratch, path);
        ok = target && replace(scratch, target, exists ? &info : NULL, bytes, length);
    }
    if (!ok)
        fail(session, "write", path);
    met_arena_free(scratch);
    return ok;
}

bool met_file_may_write(met_session *session, const char *path)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (strcmp(path, "-") == 0 || (exists && !S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)))
        return true;
    if (exists && S_ISDIR(info.st_mode))
        return is_directory(session, "write", path);
    met_arena *scratch = met_arena_new();
    const char *target = follow_links(scratch, path), *slash = target ? strrchr(target, '/') : NULL;
    const char *directory = !slash ? "." : slash == target ? "/" : met_arena_text(scratch, target, (size_t)(slash - target));
    bool ok = target && access(directory, W_OK | X_OK) == 0;
    if (!ok)
        fail(session, "write", path);
    met_arena_free(scratch);
    return ok;
}

/* --- Several files --- */

typedef struct replacement {
    const char *path;
    const char *temporary; /* the new file, NULL if it is in place or could not be made */
    const char *old;       /* a second name of the old one, NULL if there was none */
    bool done;
} replacement;

/* A second name for what is at `path`, so that it can be put back; NULL if nothing is there. */
static const char *keep_old(met_arena *scratch, const char *path)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const char *name = name_beside(scratch, path, ATTEMPTS + attempt);
        if (link(path, name) == 0)
            return name;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

static bool prepare_all(met_session *session, met_arena *scratch, size_t count, const met_file_text *files, replacement *list)
{
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        bool exists = stat(files[i].path, &info) == 0;
        if (exists && S_ISDIR(info.st_mode))
            return is_directory(session, "write", files[i].path);
        list[i].path = follow_links(scratch, files[i].path);
        if (list[i].path)
            list[i].temporary = prepare(scratch, list[i].path, exists ? &info : NULL, files[i].bytes, files[i].length);
        if (!list[i].temporary)
            return fail(session, "write", files[i].path);
    }
    return true;
}

static bool rename_all(met_session *session, met_arena *scratch, size_t count, const met_file_text *files, replacement *list)
{
    for (size_t i = 0; i < count; i++) {
        list[i].old = keep_old(scratch, list[i].path);
        if (rename(list[i].temporary, list[i].path) != 0)
            return fail(session, "write", files[i].path);
        list[i].done = true;
    }
    return true;
}

bool met_file_write_all(met_session *session, size_t count, const met_file_text *files)
{
    met_arena *scratch = met_arena_new();
    replacement *list = MET_NEW_ARRAY(scratch, replacement, count);
    bool ok = prepare_all(session, scratch, count, files, list) && rename_all(session, scratch, count, files, list);
    for (size_t i = 0; i < count; i++) {
        if (!ok && list[i].done && list[i].old)
            rename(list[i].old, list[i].path);
        else if (!ok && list[i].done)
            unlink(list[i].path);
        if (list[i].old)
            unlink(list[i].old);
        if (list[i].temporary && !list[i].done)
            unlink(list[i].temporary);
    }
    met_arena_free(scratch);
    return ok;
}

bool met_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool met_file_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool met_file_is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
