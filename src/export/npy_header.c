#include "export/npy_header.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "type/tensor.h"

void met_npy_error(met_session *session, const char *name, size_t offset, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    met_diag_add(session, MET_DIAG_npy, (met_span){ 0, 0, 0 }, "`%s`, byte %zu: %s", name, offset, what);
}

/* A reader of the dictionary. After the first failure every further step does nothing. */
typedef struct cursor {
    met_session *session;
    const char *name;
    met_str file;
    size_t at;
    size_t end;
    bool failed;
} cursor;

static void fail(cursor *c, const char *what)
{
    if (!c->failed)
        met_npy_error(c->session, c->name, c->at, "%s", what);
    c->failed = true;
}

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && c->file.at[c->at] == ' ')
        c->at++;
}

static bool accept(cursor *c, char wanted)
{
    skip_spaces(c);
    if (c->failed || c->at >= c->end || c->file.at[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

static void expect(cursor *c, char wanted, const char *what)
{
    if (!accept(c, wanted))
        fail(c, what);
}

static bool accept_word(cursor *c, const char *word)
{
    skip_spaces(c);
    size_t length = strlen(word);
    if (c->failed || c->end - c->at < length || memcmp(c->file.at + c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

static met_str read_string(cursor *c)
{
    skip_spaces(c);
    char quote = c->at < c->end ? c->file.at[c->at] : 0;
    if (quote != '\'' && quote != '"') {
        fail(c, "a string is expected here");
        return (met_str){ "", 0 };
    }
    size_t begin = ++c->at;
    while (c->at < c->end && c->file.at[c->at] != quote && c->file.at[c->at] != '\\' && c->file.at[c->at] != '\n')
        c->at++;
    met_str string = { c->file.at + begin, c->at - begin };
    expect(c, quote, "the string has no end");
    return string;
}

static uint64_t read_size(cursor *c)
{
    skip_spaces(c);
    size_t begin = c->at;
    uint64_t size = 0;
    while (!c->failed && c->at < c->end && c->file.at[c->at] >= '0' && c->file.at[c->at] <= '9') {
        uint64_t digit = (uint64_t)(c->file.at[c->at] - '0');
        if (size > (UINT64_MAX - digit) / 10)
            fail(c, "the size is beyond 64 bits");
        size = size * 10 + digit;
        c->at++;
    }
    if (c->at == begin)
        fail(c, "a size is expected here");
    return size;
}

static void read_shape(cursor *c, met_npy_header *header)
{
    expect(c, '(', "the shape is a tuple: `(` is expected here");
    while (!c->failed && !accept(c, ')')) {
        if (header->rank == MET_RANK_LIMIT) {
            fail(c, "the array has more axes than met reads");
            return;
        }
        header->shape[header->rank++] = read_size(c);
        bool comma = accept(c, ',');
        if (!comma && header->rank == 1)
            fail(c, "a tuple of one size needs a comma");
        if (!comma) {
            expect(c, ')', "`,` or `)` is expected here");
            return;
        }
    }
}

static void read_descr(cursor *c, met_npy_header *header)
{
    static const char *const known[] = { "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u4", "u2", "u1", "b1" };
    skip_spaces(c);
    if (c->at < c->end && c->file.at[c->at] == '[') {
        fail(c, "a structured array; met reads arrays of plain numbers");
        return;
    }
    size_t begin = c->at;
    met_str descr = read_string(c);
    if (c->failed)
        return;
    char order = descr.length == 3 ? descr.at[0] : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known && order; i++) {
        if (memcmp(descr.at + 1, known[i], 2) != 0)
            continue;
        header->kind = known[i][0];
        header->size = (size_t)(known[i][1] - '0');
        header->big_endian = order == '>';
        if (order == '<' || order == '>' || (order == '|' && header->size == 1))
            return;
    }
    c->at = begin;
    fail(c, "an element type that met does not read (it reads f8 f4 f2 i8 i4 i2 i1 u4 u2 u1 b1, `<` or `>`)");
}

static void read_order(cursor *c, met_npy_header *header)
{
    header->fortran = accept_word(c, "True");
    if (!header->fortran && !accept_word(c, "False"))
        fail(c, "True or False is expected here");
}

static void read_dictionary(cursor *c, met_npy_header *header)
{
    static const struct {
        const char *key;
        void (*read)(cursor *, met_npy_header *);
    } fields[] = { { "descr", read_descr }, { "fortran_order", read_order }, { "shape", read_shape } };
    enum { FIELDS = sizeof fields / sizeof *fields };
    bool seen[FIELDS] = { false };
    expect(c, '{', "`{` is expected here");
    while (!c->failed && !accept(c, '}')) {
        size_t begin = c->at;
        met_str key = read_string(c);
        expect(c, ':', "`:` is expected here");
        size_t f = 0;
        while (f < FIELDS && !met_str_is(key, fields[f].key))
            f++;
        if (!c->failed && (f == FIELDS || seen[f])) {
            c->at = begin;
            fail(c, f == FIELDS ? "a key other than descr, fortran_order and shape" : "a key stands here twice");
        }
        if (c->failed)
            return;
        seen[f] = true;
        fields[f].read(c, header);
        if (!accept(c, ',')) {
            expect(c, '}', "`,` or `}` is expected here");
            break;
        }
    }
    for (size_t f = 0; f < FIELDS; f++)
        if (!seen[f])
            fail(c, "descr, fortran_order or shape is missing");
    skip_spaces(c);
    if (!c->failed && (c->at + 1 != c->end || c->file.at[c->at] != '\n'))
        fail(c, "the header must end with spaces and a line feed");
}

/* The frame around the dictionary. */
static bool find_dictionary(cursor *c)
{
    const unsigned char *bytes = (const unsigned char *)c->file.at;
    if (c->file.length < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
        fail(c, "this is not a .npy file");
        return false;
    }
    c->at = 6;
    unsigned version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) {
        fail(c, "a version other than 1.0, 2.0 and 3.0");
        return false;
    }
    c->at = 8;
    size_t field = version == 1 ? 2 : 4;
    uint64_t length = 0;
    for (size_t i = 0; i < field && 8 + i < c->file.length; i++)
        length |= (uint64_t)bytes[8 + i] << (8 * i);
    if (c->file.length < 8 + field || length > c->file.length - 8 - field) {
        fail(c, "the header is longer than the file");
        return false;
    }
    c->at = 8 + field;
    c->end = c->at + (size_t)length;
    return true;
}

static bool check_data(cursor *c, const met_npy_header *header)
{
    uint64_t count;
    size_t there = c->file.length - header->data;
    c->at = header->data;
    if (!met_shape_count(header->rank, header->shape, &count) || count > UINT64_MAX / header->size) {
        fail(c, "the shape is larger than any memory");
    } else if (there != count * header->size) {
        met_npy_error(c->session, c->name, c->at, "the shape asks for %llu bytes of data, and there are %zu",
                      (unsigned long long)(count * header->size), there);
        c->failed = true;
    }
    return !c->failed;
}

bool met_npy_read_header(met_session *session, const char *name, met_str file, met_npy_header *ret_header)
{
    cursor c = { .session = session, .name = name, .file = file };
    *ret_header = (met_npy_header){ 0 };
    if (!find_dictionary(&c))
        return false;
    ret_header->data = c.end;
    read_dictionary(&c, ret_header);
    return !c.failed && check_data(&c, ret_header);
}
