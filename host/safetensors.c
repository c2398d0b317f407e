#include "host/safetensors_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/value.h"
#include "host/file.h"
#include "host/json.h"

static uint64_t natural_at(const char *bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 8; i++)
        n |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return n;
}

/* The length of the header, from the first eight bytes of a file. */
static bool header_length(met_session *session, const char *path, const char *bytes, uint64_t size, uint64_t *ret_length)
{
    *ret_length = size >= 8 ? natural_at(bytes) : 0;
    if (size < 8 || *ret_length > size - 8)
        return met_safetensors_fail(session, path, "not a safetensors file: it is shorter than its header says");
    return *ret_length <= MET_SAFETENSORS_HEADER || met_safetensors_fail(session, path, "a header of %" PRIu64 " bytes is beyond what is read", *ret_length);
}

/* --- Files --- */

static bool fail_system(met_session *session, const char *path)
{
    met_diag_add(session, MET_DIAG_file, (met_span){ 0 }, "cannot read `%s`: %s", path, strerror(errno));
    return false;
}

static int open_file(met_session *session, const char *path, uint64_t *ret_size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        fail_system(session, path);
    } else if (!S_ISREG(status.st_mode)) {
        met_safetensors_fail(session, path, "not a file");
    } else {
        *ret_size = (uint64_t)status.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool read_at(met_session *session, int fd, const char *path, uint64_t at, char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t got = pread(fd, bytes, length, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_system(session, path);
        if (got == 0)
            return met_safetensors_fail(session, path, "the file has become shorter while it was read");
        bytes += got;
        at += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

static bool read_header(met_safetensors *checkpoint, int fd, const char *path, uint64_t size)
{
    met_session *session = checkpoint->session;
    char first[8];
    uint64_t length;
    if (!read_at(session, fd, path, 0, first, size < 8 ? 0 : 8) || !header_length(session, path, first, size, &length))
        return false;
    char *text = met_arena_alloc(session->arena, (size_t)length + 1, 1);
    return read_at(session, fd, path, 8, text, (size_t)length) &&
           met_safetensors_header(checkpoint, path, text, (size_t)length, 8 + length, size, NULL);
}

static bool add_file(met_safetensors *checkpoint, const char *path)
{
    uint64_t size;
    int fd = open_file(checkpoint->session, path, &size);
    if (fd < 0)
        return false;
    bool good = read_header(checkpoint, fd, path, size);
    close(fd);
    return good;
}

/* --- Several files --- */

/* FILE beside `path`. */
static const char *beside(met_session *session, const char *path, met_str file)
{
    met_text text = met_text_new(session->arena);
    const char *slash = strrchr(path, '/');
    if (slash)
        met_text_bytes(&text, path, (size_t)(slash - path) + 1);
    met_text_str(&text, file);
    return met_text_done(&text);
}

static bool add_shard(met_safetensors *checkpoint, const char *index, const met_value *name, met_map *known)
{
    met_session *session = checkpoint->session;
    uint32_t seen;
    met_str file;
    if (!met_value_to_string(session, name, "the file of a tensor", &file))
        return false;
    if (met_map_get(known, file, &seen))
        return true;
    if (file.length == 0 || memchr(file.at, '/', file.length) || memchr(file.at, '\0', file.length)) {
        met_diag_at(session, MET_DIAG_checkpoint, &name->place, "a file of a checkpoint stands beside its index");
        return false;
    }
    met_map_set(known, file, 1);
    return add_file(checkpoint, beside(session, index, file));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const met_stored_tensor *)a)->name, ((const met_stored_tensor *)b)->name);
}

/* Sorts tensors by name and finds two of the same. */
static bool set_names(met_safetensors *checkpoint)
{
    checkpoint->by_name = met_map_new(checkpoint->session->arena);
    if (checkpoint->tensors.count)
        qsort(checkpoint->tensors.at, checkpoint->tensors.count, sizeof *checkpoint->tensors.at, by_name);
    for (size_t i = 0; i < checkpoint->tensors.count; i++) {
        const met_stored_tensor *t = &checkpoint->tensors.at[i];
        if (i > 0 && strcmp(t->name, t[-1].name) == 0)
            return met_safetensors_fail(checkpoint->session, t->path, "`%.100s` is in `%.100s` too", t->name, t[-1].path);
        met_map_set(checkpoint->by_name, met_str_of(t->name), (uint32_t)i);
    }
    return true;
}

static bool add_index(met_safetensors *checkpoint, const char *path)
{
    met_session *session = checkpoint->session;
    uint32_t source = met_file_source(session, path);
    const met_value *root = source ? met_json_read(session, source) : NULL;
    const met_value *map = root && met_value_expect(session, root, MET_VALUE_TABLE, "an index") ? met_value_require(session, root, "weight_map") : NULL;
    met_map *known = met_map_new(session->arena);
    if (!map || !met_value_expect(session, map, MET_VALUE_TABLE, "`weight_map`"))
        return false;
    for (size_t i = 0; i < map->entries.count; i++)
        if (!add_shard(checkpoint, path, map->entries.at[i].value, known))
            return false;
    if (!set_names(checkpoint))
        return false;
    for (size_t i = 0; i < map->entries.count; i++) {
        const met_entry *entry = &map->entries.at[i];
        uint32_t at;
        const char *file = beside(session, path, entry->value->string);
        if (met_map_get(checkpoint->by_name, entry->key, &at) && strcmp(checkpoint->tensors.at[at].path, file) == 0)
            continue;
        met_diag_at(session, MET_DIAG_checkpoint, &entry->value->place, "`%.*s` is not in that file", MET_STR_ARGS(entry->key));
        return false;
    }
    return true;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* The checkpoint of a folder. NULL with a diagnostic. */
static const char *find_in_folder(met_session *session, const char *folder)
{
    static const char *const names[] = { "model.safetensors", "model.safetensors.index.json" };
    met_text inside = met_text_new(session->arena);
    met_text_format(&inside, "%s%s", folder, ends_in(folder, "/") ? "" : "/");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = beside(session, met_text_done(&inside), met_str_of(names[i]));
        if (met_file_exists(path))
            return path;
    }
    met_safetensors_fail(session, folder, "neither model.safetensors nor model.safetensors.index.json is in this folder");
    return NULL;
}

const met_safetensors *met_safetensors_open(met_session *session, const char *path)
{
    met_safetensors *checkpoint = MET_NEW(session->arena, met_safetensors);
    checkpoint->session = session;
    path = met_file_is_directory(path) ? find_in_folder(session, path) : met_arena_text(session->arena, path, strlen(path));
    if (!path)
        return NULL;
    bool good = ends_in(path, ".json") ? add_index(checkpoint, path) : add_file(checkpoint, path) && set_names(checkpoint);
    return good ? checkpoint : NULL;
}

const met_safetensors *met_safetensors_parse(met_session *session, const char *name, const char *bytes, size_t length)
{
    met_safetensors *checkpoint = MET_NEW(session->arena, met_safetensors);
    uint64_t header;
    checkpoint->session = session;
    if (!header_length(session, name, bytes, length, &header) ||
        !met_safetensors_header(checkpoint, name, bytes + 8, (size_t)header, 8 + header, length, bytes) || !set_names(checkpoint))
        return NULL;
    return checkpoint;
}

const met_stored_tensor *met_safetensors_list(const met_safetensors *checkpoint, size_t *ret_count)
{
    *ret_count = checkpoint->tensors.count;
    return checkpoint->tensors.at;
}

const met_stored_tensor *met_safetensors_find(const met_safetensors *checkpoint, const char *name)
{
    uint32_t at;
    return met_map_get(checkpoint->by_name, met_str_of(name), &at) ? &checkpoint->tensors.at[at] : NULL;
}

/* --- Values --- */

met_tensor *met_safetensors_load(met_session *session, const met_stored_tensor *stored)
{
    uint64_t size;
    if (stored->count > MET_TENSOR_LIMIT) {
        met_safetensors_fail(session, stored->path, "`%.100s` has more elements than an array may have", stored->name);
        return NULL;
    }
    if (stored->bytes)
        return met_safetensors_decode(session, stored, stored->bytes + stored->begin);
    int fd = open_file(session, stored->path, &size);
    if (fd < 0)
        return NULL;
    size_t length = (size_t)(stored->end - stored->begin);
    met_arena *scratch = met_arena_new();
    char *bytes = met_arena_alloc(scratch, length, 1);
    met_tensor *tensor = NULL;
    if (read_at(session, fd, stored->path, stored->begin, bytes, length))
        tensor = met_safetensors_decode(session, stored, bytes);
    met_arena_free(scratch);
    close(fd);
    return tensor;
}
