#include "host/call_signature.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

static const struct {
    const char *word;
    met_call_type type;
} types[] = {
    { "void", MET_CALL_VOID },     { "char", MET_CALL_CHAR },   { "short", MET_CALL_SHORT }, { "int", MET_CALL_INT },
    { "unsigned", MET_CALL_INT },  { "long", MET_CALL_LONG },   { "size_t", MET_CALL_LONG }, { "int32_t", MET_CALL_INT },
    { "int64_t", MET_CALL_I64 },   { "uint64_t", MET_CALL_I64 }, { "f16", MET_CALL_F16 },    { "bf16", MET_CALL_BF16 },
    { "float", MET_CALL_F32 },     { "double", MET_CALL_F64 },  { "f32", MET_CALL_F32 },     { "f64", MET_CALL_F64 },
};

static const char *const roles[MET_CALL_ROLE_COUNT] = {
    [MET_CALL_A] = "a",           [MET_CALL_B] = "b",           [MET_CALL_C] = "c",       [MET_CALL_OUT] = "out",
    [MET_CALL_N] = "n",           [MET_CALL_ROWS] = "rows",     [MET_CALL_COLS] = "cols", [MET_CALL_LDA] = "lda",
    [MET_CALL_LDB] = "ldb",       [MET_CALL_LDC] = "ldc",       [MET_CALL_RSA] = "rsa",   [MET_CALL_CSA] = "csa",
    [MET_CALL_RSB] = "rsb",       [MET_CALL_CSB] = "csb",       [MET_CALL_RSC] = "rsc",   [MET_CALL_CSC] = "csc",
    [MET_CALL_AM] = "am",         [MET_CALL_AN] = "an",         [MET_CALL_TRANSA] = "transa",
    [MET_CALL_TRANSB] = "transb", [MET_CALL_TA] = "ta",         [MET_CALL_TB] = "tb",     [MET_CALL_BETA] = "beta",
};

/* Shapes by name, for loops of one's own. */
static const struct {
    const char *name, *text;
} shapes[] = {
    { "dot", "T (long n, T *a, T *b)" },
    { "sum", "T (long n, T *a)" },
    { "gemv", "void (long rows, long n, T *a, T *b, T *out)" },
    { "gemm", "void (long rows, long cols, long n, T *a, T *b, T *out)" },
};

static const struct {
    const char *name, *text;
    met_call_sense sense;
} symbols[] = {
#define MET_SYMBOL(name, sense, text) { name, text, MET_CALL_##sense },
#include "host/symbols.def"
#undef MET_SYMBOL
};

met_dtype met_call_dtype(met_call_type type)
{
    static const met_dtype dtypes[MET_CALL_TYPE_COUNT] = {
        [MET_CALL_F16] = MET_F16, [MET_CALL_BF16] = MET_BF16, [MET_CALL_F32] = MET_F32, [MET_CALL_F64] = MET_F64
    };
    return type >= MET_CALL_F16 ? dtypes[type] : MET_DTYPE_COUNT;
}

bool met_call_holds(met_call_type type, double number)
{
    static const double least[MET_CALL_TYPE_COUNT] = {
        [MET_CALL_CHAR] = SCHAR_MIN, [MET_CALL_SHORT] = SHRT_MIN, [MET_CALL_INT] = INT_MIN, [MET_CALL_LONG] = -0x1p53,
        [MET_CALL_I64] = -0x1p53
    };
    static const double most[MET_CALL_TYPE_COUNT] = {
        [MET_CALL_CHAR] = SCHAR_MAX, [MET_CALL_SHORT] = SHRT_MAX, [MET_CALL_INT] = INT_MAX, [MET_CALL_LONG] = 0x1p53,
        [MET_CALL_I64] = 0x1p53
    };
    if (type == MET_CALL_F32)
        return !isfinite(number) || fabs(number) <= (double)FLT_MAX;
    return type >= MET_CALL_F16 || (number >= least[type] && number <= most[type] && number == floor(number));
}

/* --- Reading --- */

typedef struct reader {
    met_session *session;
    uint32_t source;
    const char *text, *at;
} reader;

static met_diag *refuse(reader *r, size_t length, const char *message)
{
    uint32_t begin = (uint32_t)(r->at - r->text);
    met_span span = { r->source, begin, begin + (uint32_t)length };
    met_diag *diag = met_diag_add(r->session, MET_DIAG_library, span, "%s", message);
    met_diag_help(diag, "as in `float (int n, float *a, int, float *b, int)`: names say what is passed, nothing is 1");
    return diag;
}

static void skip(reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool accept(reader *r, char c)
{
    skip(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* The word that comes next, without taking it. */
static met_str peek(reader *r)
{
    skip(r);
    size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return (met_str){ r->at, length };
}

static bool accept_word(reader *r, const char *word)
{
    if (!met_str_is(peek(r), word))
        return false;
    r->at += strlen(word);
    return true;
}

/* What may follow `unsigned`, which alone is an int. */
static void read_width(reader *r, met_call_type *type)
{
    static const char *const widths[] = { "char", "short", "int", "long" }; /* as met_call_type has them */
    for (int i = 0; i < 4; i++)
        if (accept_word(r, widths[i])) {
            *type = (met_call_type)(MET_CALL_CHAR + i);
            return;
        }
}

static bool read_type(reader *r, met_call_type *ret_type)
{
    while (accept_word(r, "const"))
        ;
    met_str word = peek(r);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!met_str_is(word, types[i].word))
            continue;
        r->at += word.length;
        *ret_type = types[i].type;
        if (met_str_is(word, "unsigned"))
            read_width(r, ret_type);
        if (*ret_type == MET_CALL_LONG) /* long long is 64 bits as well wherever long is */
            while (accept_word(r, "long"))
                ;
        while (accept_word(r, "const"))
            ;
        return true;
    }
    refuse(r, word.length, word.length > 0 ? "this is no type that can be passed" : "a type is missing");
    return false;
}

/* What is passed: a letter, a number, a name, or nothing. */
static bool read_role(reader *r, met_call_parameter *parameter)
{
    parameter->role = MET_CALL_NUMBER;
    parameter->number = 1;
    skip(r);
    if (*r->at == '\'' && r->at[1] && r->at[2] == '\'') {
        parameter->number = (unsigned char)r->at[1];
        r->at += 3;
        return true;
    }
    size_t digits = strspn(r->at, "+-.0123456789eE");
    if (digits > 0 && strspn(r->at, "+-.0123456789") > 0) {
        if (!met_read_double((met_str){ r->at, digits }, &parameter->number)) {
            refuse(r, digits, "this is no number");
            return false;
        }
        r->at += digits;
        return true;
    }
    met_str word = peek(r);
    if (word.length == 0)
        return true;
    for (int role = 0; role < MET_CALL_ROLE_COUNT; role++) {
        if (!roles[role] || !met_str_is(word, roles[role]))
            continue;
        parameter->role = (uint8_t)role;
        r->at += word.length;
        return true;
    }
    const char *known[MET_CALL_ROLE_COUNT];
    size_t count = 0;
    for (int role = 0; role < MET_CALL_ROLE_COUNT; role++)
        if (roles[role])
            known[count++] = roles[role];
    const char *near = met_nearest(word, known, count);
    met_diag *diag = refuse(r, word.length, "nothing of this name is passed");
    if (near)
        met_diag_help(diag, "did you mean `%s`?", near);
    return false;
}

static bool fits(reader *r, const met_call_signature *signature, const met_call_parameter *p, const char *begin)
{
    const char *wrong = NULL;
    bool array = p->role < MET_CALL_ARRAYS;
    if (p->type == MET_CALL_VOID)
        wrong = "nothing can be passed as void";
    else if (array && p->type < MET_CALL_F16)
        wrong = "operands and results are f16, bf16, float or double";
    else if (array && !p->address && p->role != MET_CALL_C)
        wrong = "an array is passed by its address: `*` is missing";
    else if (array && signature->arrays[p->role] >= 0)
        wrong = "this is passed already";
    else if (!p->address && (p->type == MET_CALL_F16 || p->type == MET_CALL_BF16))
        wrong = "numbers of 16 bits are passed by address only";
    else if (!array && p->role == MET_CALL_NUMBER && !met_call_holds((met_call_type)p->type, p->number))
        wrong = "this type has no such number";
    if (!wrong)
        return true;
    size_t length = (size_t)(r->at - begin);
    r->at = begin;
    refuse(r, length, wrong);
    return false;
}

static bool read_parameter(reader *r, met_call_signature *signature)
{
    if (signature->count == MET_CALL_PARAMETERS) {
        refuse(r, 1, "these are too many parameters");
        return false;
    }
    int place = (int)signature->count;
    met_call_parameter *p = &signature->parameters[signature->count];
    met_call_type type;
    skip(r);
    const char *begin = r->at;
    if (!read_type(r, &type))
        return false;
    p->type = (uint8_t)type;
    p->address = accept(r, '*');
    while (accept_word(r, "const") || accept_word(r, "restrict"))
        ;
    if (!read_role(r, p) || !fits(r, signature, p, begin))
        return false;
    if (p->role < MET_CALL_ARRAYS) {
        signature->arrays[p->role] = place;
        signature->starts = signature->starts || (p->role == MET_CALL_C && !p->address);
    }
    signature->has_beta = signature->has_beta || p->role == MET_CALL_BETA;
    signature->is_matrix = signature->is_matrix || p->role == MET_CALL_ROWS || p->role == MET_CALL_AM;
    signature->is_product = signature->is_product || p->role == MET_CALL_COLS;
    signature->count++;
    return true;
}

/* What a signature must have for anything to be asked of it. */
static bool conclude(reader *r, met_call_signature *signature)
{
    const int *arrays = signature->arrays;
    const met_call_parameter *p = signature->parameters;
    const char *wrong = NULL;
    int c = arrays[MET_CALL_C] >= 0 && !signature->starts ? arrays[MET_CALL_C] : -1;
    int result = arrays[MET_CALL_OUT] >= 0 ? arrays[MET_CALL_OUT] : c;
    bool sized = false;
    for (size_t i = 0; i < signature->count; i++)
        sized = sized || p[i].role == MET_CALL_N || p[i].role == MET_CALL_AM || p[i].role == MET_CALL_AN;
    if (arrays[MET_CALL_A] < 0)
        wrong = "the operand `a` is not passed";
    else if (arrays[MET_CALL_B] >= 0 && p[arrays[MET_CALL_A]].type != p[arrays[MET_CALL_B]].type)
        wrong = "the operands `a` and `b` have different formats";
    else if (!sized)
        wrong = "the number of terms `n` is not passed";
    else if (result < 0 && signature->result != MET_CALL_F32 && signature->result != MET_CALL_F64)
        wrong = "there is no result: it returns no float or double, and neither `out` nor `*c` is passed";
    if (wrong) {
        r->at = r->text;
        refuse(r, strlen(r->text), wrong);
        return false;
    }
    signature->input = met_call_dtype(p[arrays[MET_CALL_A]].type);
    signature->output = met_call_dtype(result >= 0 ? p[result].type : signature->result);
    return true;
}

static const met_call_signature *read_signature(met_session *session, const char *text, met_call_sense sense)
{
    met_call_signature *signature = MET_NEW(session->arena, met_call_signature);
    reader r = { session, met_session_add_source(session, "the signature", text, strlen(text)), text, text };
    signature->text = met_arena_text(session->arena, text, strlen(text));
    signature->sense = sense;
    for (int i = 0; i < MET_CALL_ARRAYS; i++)
        signature->arrays[i] = -1;
    if (r.source == 0)
        return NULL;
    if (accept_word(&r, "by")) {
        if (!accept_word(&r, "columns")) {
            refuse(&r, peek(&r).length, "`by` goes with `columns`");
            return NULL;
        }
        signature->by_columns = true;
    }
    if (!read_type(&r, &signature->result))
        return NULL;
    if (!accept(&r, '(')) {
        refuse(&r, 1, accept(&r, '*') ? "a routine that returns an address has no result" : "`(` is missing");
        return NULL;
    }
    do
        if (!read_parameter(&r, signature))
            return NULL;
    while (accept(&r, ','));
    bool closed = accept(&r, ')');
    skip(&r);
    if (!closed || *r.at) {
        refuse(&r, strlen(r.at), closed ? "there is something behind the signature" : "`,` or `)` is missing");
        return NULL;
    }
    return conclude(&r, signature) ? signature : NULL;
}

/* The signature of a text with every T that is a word of its own replaced. */
static const met_call_signature *read_typed(met_session *session, const char *text, bool is_double, met_call_sense sense)
{
    met_text out = met_text_new(session->arena);
    for (const char *at = text; *at; at++) {
        if (*at == 'T' && (at[1] == ' ' || at[1] == ',' || at[1] == ')'))
            met_text_put(&out, is_double ? "double" : "float");
        else
            met_text_char(&out, *at);
    }
    return read_signature(session, met_text_done(&out), sense);
}

const met_call_signature *met_call_signature_parse(met_session *session, const char *text)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t length = strlen(shapes[i].name);
        if (strncmp(text, shapes[i].name, length) != 0 || (text[length] && text[length] != ' '))
            continue;
        const char *format = text + length + strspn(text + length, " ");
        bool known = !*format || !strcmp(format, "f32") || !strcmp(format, "f64");
        if (known)
            return read_typed(session, shapes[i].text, !strcmp(format, "f64"), MET_CALL_DOT);
        met_diag *diag = met_diag_add(session, MET_DIAG_library, (met_span){ 0 }, "there is no shape `%.60s`", text);
        met_diag_help(diag, "`%s f32` and `%s f64` are known; other formats need a signature", shapes[i].name, shapes[i].name);
        return NULL;
    }
    return read_signature(session, text, MET_CALL_DOT);
}

/* Whether a name is that of the pattern; *ret_letter is what stands for `?`, or 0. */
static bool matches(const char *pattern, const char *name, char *ret_letter)
{
    *ret_letter = 0;
    for (; *pattern && *name; pattern++, name++) {
        if (*pattern == '?' && (*name == 's' || *name == 'd'))
            *ret_letter = *name;
        else if (*pattern != *name)
            return false;
    }
    return !*pattern && !*name;
}

const met_call_signature *met_call_signature_of(met_session *session, const char *symbol)
{
    met_text names = met_text_new(session->arena);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        char letter;
        if (matches(symbols[i].name, symbol, &letter))
            return read_typed(session, symbols[i].text, letter == 'd', symbols[i].sense);
        met_text_format(&names, "%s%s", i > 0 ? ", " : "", symbols[i].name);
    }
    met_diag *diag = met_diag_add(session, MET_DIAG_library, (met_span){ 0 }, "how `%s` is called is not known", symbol);
    met_diag_help(diag, "--signature says it, as in `float (int n, float *a, int, float *b, int)`, or by a shape: dot f32, sum f32, "
                        "gemv f32, gemm f32");
    met_diag_help(diag, "known are %s, where ? is s or d", met_text_done(&names));
    return NULL;
}
