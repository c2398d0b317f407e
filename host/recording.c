#include "host/recording.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"
#include "host/file.h"

enum { DEPTH = 8 /* of directories */, ENTRIES = 4096 /* in all */ };
#define BYTES ((size_t)256 << 20) /* of a file */

static const met_span nowhere;

static bool wrong(met_session *session, const char *path, size_t line, const char *what)
{
    if (line)
        met_diag_add(session, MET_DIAG_recording, nowhere, "`%s`, line %zu: %s", path, line, what);
    else
        met_diag_add(session, MET_DIAG_recording, nowhere, "`%s`: %s", path, what);
    return false;
}

static const char *path_of(met_session *session, const char *directory, const char *name)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/%s", directory, name);
    return met_text_done(&path);
}

/* --- Finding --- */

typedef struct finder {
    met_session *session;
    size_t entries;
    MET_VEC(met_recording) found;
} finder;

typedef MET_VEC(const char *) name_list;

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list(finder *f, const char *directory, name_list *names)
{
    DIR *open = opendir(directory);
    if (!open) {
        met_diag_add(f->session, MET_DIAG_file, nowhere, "cannot read the directory `%s`", directory);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(open)) && f->entries < ENTRIES;)
        if (entry->d_name[0] != '.') {
            MET_PUSH(f->session->arena, names, met_arena_text(f->session->arena, entry->d_name, strlen(entry->d_name)));
            f->entries++;
        }
    closedir(open);
    if (names->count)
        qsort(names->at, names->count, sizeof *names->at, by_bytes);
    return f->entries < ENTRIES || wrong(f->session, directory, 0, "too many files");
}

/* "H100" of "d_H100_fp32.txt"; NULL if the name is not of the form. */
static const char *middle_of(met_session *session, const char *name, const char *head, const char *tail)
{
    size_t length = strlen(name), before = strlen(head), after = strlen(tail);
    bool fits = length > before + after && !strncmp(name, head, before) && !strcmp(name + length - after, tail);
    return fits ? met_arena_text(session->arena, name + before, length - before - after) : NULL;
}

/* The format of the operands of this GPU, by the name of the a file; NULL with a diagnostic unless there is one such file. */
static const char *format_of(finder *f, const char *directory, const name_list *names, const char *gpu)
{
    met_text head = met_text_new(f->session->arena);
    met_text_format(&head, "a_%s_", gpu);
    const char *format = NULL;
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *of_this = middle_of(f->session, names->at[i], met_text_done(&head), ".txt");
        format = of_this ? of_this : format;
        count += of_this != NULL;
    }
    if (count == 1)
        return format;
    met_diag_add(f->session, MET_DIAG_recording, nowhere, "`%s` has %s file a_%s_FORMAT.txt", directory, count ? "more than one" : "no", gpu);
    return NULL;
}

static bool find(finder *f, const char *directory, int depth)
{
    name_list names = { 0 };
    if (!list(f, directory, &names))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *path = path_of(f->session, directory, names.at[i]);
        if (met_file_is_directory(path)) {
            if (depth < DEPTH && !find(f, path, depth + 1))
                return false;
            continue;
        }
        const char *half = middle_of(f->session, names.at[i], "d_", "_fp16.txt");
        const char *gpu = half ? half : middle_of(f->session, names.at[i], "d_", "_fp32.txt");
        const char *format = gpu ? format_of(f, directory, &names, gpu) : NULL;
        if (gpu && !format)
            return false;
        if (gpu)
            MET_PUSH(f->session->arena, &f->found, ((met_recording){ path, directory, gpu, format, half != NULL }));
    }
    return true;
}

const met_recording *met_recordings_find(met_session *session, const char *directory, size_t *ret_count)
{
    finder f = { .session = session };
    if (!find(&f, directory, 0))
        return NULL;
    if (f.found.count == 0) {
        wrong(session, directory, 0, "no recordings: files a_GPU_FORMAT.txt, b_GPU_FORMAT.txt, c_GPU_fp32.txt and d_GPU_fp32.txt or d_GPU_fp16.txt");
        return NULL;
    }
    *ret_count = f.found.count;
    return f.found.at;
}

/* --- Reading --- */

typedef struct column {
    size_t lines, terms;
    const uint32_t *words;
} column;

static int digit(char c, int base)
{
    int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : base;
    return value < base ? value : -1;
}

static bool read_word(const char *at, size_t length, uint32_t *ret_word)
{
    int base = length == 32 ? 2 : 16;
    uint64_t word = 0;
    for (size_t i = 0; i < length && (length == 32 || length == 8); i++) {
        int value = digit(at[i], base);
        if (value < 0)
            return false;
        word = word * (uint64_t)base + (uint64_t)value;
    }
    *ret_word = (uint32_t)word;
    return length == 32 || length == 8;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

typedef MET_VEC(uint32_t) word_list;

/* The words of a line that ends at `end`, onto the list. */
static bool read_line(met_session *session, const char *at, const char *end, word_list *words)
{
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        const char *begin = at;
        uint32_t word;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        if (!read_word(begin, (size_t)(at - begin), &word))
            return false;
        MET_PUSH(session->arena, words, word);
    }
    return true;
}

static bool read_column(met_session *session, const char *path, column *ret)
{
    const char *bytes;
    size_t length;
    word_list words = { 0 };
    if (met_file_exists(path) && !met_file_is_regular(path))
        return wrong(session, path, 0, "it is no regular file");
    if (!met_file_read(session, path, BYTES, &bytes, &length))
        return false;
    *ret = (column){ 0 };
    for (const char *at = bytes, *stop = bytes + length; at < stop;) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        size_t before = words.count;
        if (!read_line(session, at, end, &words))
            return wrong(session, path, ret->lines + 1, "a number has 8 hexadecimal or 32 binary digits");
        at = end + 1;
        if (words.count == before) {
            if (skip_blanks(at, stop) < stop)
                return wrong(session, path, ret->lines + 1, "an empty line");
            break;
        }
        ret->terms = ret->lines ? ret->terms : words.count;
        if (words.count - before != ret->terms || ret->terms > MET_RECORDED_TERMS)
            return wrong(session, path, ret->lines + 1, "lines have the same number of numbers, and at most 4096");
        ret->lines++;
    }
    ret->words = words.at;
    return ret->lines > 0 || wrong(session, path, 0, "no lines");
}

static bool read_part(met_session *session, const met_recording *recording, char part, const char *format, column *ret)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/%c_%s_%s.txt", recording->directory, part, recording->gpu, format);
    return read_column(session, met_text_done(&path), ret);
}

bool met_recording_read(met_session *session, const met_recording *recording, met_recorded *ret_recorded)
{
    column a, b, c, d;
    if (!read_part(session, recording, 'a', recording->format, &a) || !read_part(session, recording, 'b', recording->format, &b) ||
        !read_part(session, recording, 'c', "fp32", &c) || !read_column(session, recording->path, &d))
        return false;
    if (a.lines != b.lines || a.lines != c.lines || a.lines != d.lines)
        return wrong(session, recording->path, 0, "its lines are not as many as those of the files beside it");
    if (a.terms != b.terms || c.terms != 1 || d.terms != 1)
        return wrong(session, recording->path, 0, "a line has as many numbers in a as in b, and one in c and in d");
    *ret_recorded = (met_recorded){ a.lines, a.terms, a.words, b.words, c.words, d.words };
    return true;
}
