#include "host/library.h"

#include <dlfcn.h>
#include <ffi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "host/child.h"
#include "number/encode.h"

enum { PAGE = 4096 };

static const met_span nowhere;

/* An array of a matrix: strides in elements, and where it stands. */
typedef struct array {
    bool used;
    met_dtype dtype;
    uint64_t row, column; /* between rows, between columns */
    uint64_t count;
    size_t at; /* bytes from the start of the memory */
} array;

typedef union scalar {
    char c;
    short h;
    int i;
    long l;
    int64_t q;
    float f;
    double d;
} scalar;

typedef union result {
    ffi_arg whole; /* as wide as libffi writes integers */
    float f;
    double d;
} result;

typedef struct routine {
    met_foreign foreign; /* first: a met_foreign is a routine */
    met_session *session;
    const met_routine_request *request;
    array arrays[MET_CALL_ARRAYS];
    size_t bytes;
    unsigned char *memory; /* arrays, then `scalars` and `returned` */
    scalar *scalars; /* by parameter */
    result *returned;
    void *addresses[MET_CALL_PARAMETERS]; /* of what is passed by address */
    void *values[MET_CALL_PARAMETERS];    /* as libffi wants them */
    ffi_type *types[MET_CALL_PARAMETERS];
    ffi_cif cif;
    void (*function)(void);
    char why[160];
    met_child_work work;
    met_child *child;
} routine;

/* --- Numbers in memory --- */

static void put(unsigned char *at, met_dtype dtype, double value)
{
    float f = (float)value;
    uint16_t h;
    switch (dtype) {
    case MET_F64: memcpy(at, &value, sizeof value); return;
    case MET_F32: memcpy(at, &f, sizeof f); return;
    default:
        h = (uint16_t)met_encode(dtype, value, MET_RNE, MET_OVERFLOW_INF);
        memcpy(at, &h, sizeof h);
    }
}

static double get(const unsigned char *at, met_dtype dtype)
{
    double d;
    float f;
    uint16_t h;
    switch (dtype) {
    case MET_F64: memcpy(&d, at, sizeof d); return d;
    case MET_F32: memcpy(&f, at, sizeof f); return (double)f;
    default: memcpy(&h, at, sizeof h); return met_decode(dtype, h);
    }
}

static size_t width_of(met_dtype dtype)
{
    return (size_t)met_dtype_table[dtype].bits / 8;
}

static unsigned char *element(const routine *r, met_call_role role, uint64_t row, uint64_t column)
{
    const array *a = &r->arrays[role];
    return r->memory + a->at + (row * a->row + column * a->column) * width_of(a->dtype);
}

/* --- Layout --- */

/* An array of rows × columns, stored by rows or by columns. */
static void lay(routine *r, met_call_role role, uint64_t rows, uint64_t columns, bool by_columns, size_t *end)
{
    int place = r->request->signature->arrays[role];
    if (place < 0 || (role == MET_CALL_C && r->request->signature->starts))
        return;
    array *a = &r->arrays[role];
    a->used = true;
    a->dtype = met_call_dtype((met_call_type)r->request->signature->parameters[place].type);
    a->row = by_columns ? 1 : columns;
    a->column = by_columns ? rows : 1;
    a->count = rows * columns;
    a->at = *end + (size_t)r->request->offset * width_of(a->dtype);
    *end = (a->at + (size_t)a->count * width_of(a->dtype) + PAGE - 1) / PAGE * PAGE;
}

static bool make_memory(routine *r)
{
    const met_routine_request *q = r->request;
    const met_foreign_shape *s = &q->shape;
    bool by_columns = q->signature->by_columns;
    size_t end = 0;
    lay(r, MET_CALL_A, s->rows, s->terms, by_columns != q->transpose_a, &end);
    lay(r, MET_CALL_B, s->terms, s->columns, by_columns != q->transpose_b, &end);
    lay(r, MET_CALL_C, s->rows, s->columns, by_columns, &end);
    lay(r, MET_CALL_OUT, s->rows, s->columns, by_columns, &end);
    size_t scalars = end;
    end += sizeof(scalar) * MET_CALL_PARAMETERS + sizeof(result);
    r->bytes = end;
    r->memory = met_shared_new(r->session, end);
    if (!r->memory)
        return false;
    r->scalars = (scalar *)(void *)(r->memory + scalars);
    r->returned = (result *)(void *)(r->scalars + MET_CALL_PARAMETERS);
    for (int role = MET_CALL_A; role <= MET_CALL_B; role++)
        for (uint64_t i = 0; r->arrays[role].used && i < r->arrays[role].count; i++)
            put(r->memory + r->arrays[role].at + i * width_of(r->arrays[role].dtype), r->arrays[role].dtype,
                met_foreign_filler(i + (uint64_t)role));
    return true;
}

/* --- Arguments --- */

static double number_of(const routine *r, const met_call_parameter *p)
{
    const met_routine_request *q = r->request;
    const met_foreign_shape *s = &q->shape;
    const array *a = r->arrays, *b = a + MET_CALL_B, *c = a + MET_CALL_C;
    bool ta = q->transpose_a, tb = q->transpose_b;
    const double numbers[MET_CALL_ROLE_COUNT] = {
        [MET_CALL_NUMBER] = p->number,
        [MET_CALL_N] = (double)s->terms,
        [MET_CALL_ROWS] = (double)s->rows,
        [MET_CALL_COLS] = (double)s->columns,
        [MET_CALL_LDA] = (double)(a->row * a->column),
        [MET_CALL_LDB] = (double)(b->row * b->column),
        [MET_CALL_LDC] = (double)(c->row * c->column),
        [MET_CALL_RSA] = (double)a->row, [MET_CALL_CSA] = (double)a->column,
        [MET_CALL_RSB] = (double)b->row, [MET_CALL_CSB] = (double)b->column,
        [MET_CALL_RSC] = (double)c->row, [MET_CALL_CSC] = (double)c->column,
        [MET_CALL_AM] = (double)(ta ? s->terms : s->rows),
        [MET_CALL_AN] = (double)(ta ? s->rows : s->terms),
        [MET_CALL_TRANSA] = ta ? 112 : 111, [MET_CALL_TRANSB] = tb ? 112 : 111, /* CblasTrans, CblasNoTrans */
        [MET_CALL_TA] = ta ? 'T' : 'N', [MET_CALL_TB] = tb ? 'T' : 'N',
        [MET_CALL_BETA] = s->accumulates ? 1 : 0,
    };
    return numbers[p->role];
}

static void set_scalar(scalar *at, met_call_type type, double number)
{
    switch (type) {
    case MET_CALL_CHAR: at->c = (char)number; break;
    case MET_CALL_SHORT: at->h = (short)number; break;
    case MET_CALL_INT: at->i = (int)number; break;
    case MET_CALL_LONG: at->l = (long)number; break;
    case MET_CALL_I64: at->q = (int64_t)number; break;
    case MET_CALL_F32: at->f = (float)number; break;
    default: at->d = number; break;
    }
}

static ffi_type *type_of(met_call_type type)
{
    static ffi_type *const types[MET_CALL_TYPE_COUNT] = {
        [MET_CALL_VOID] = &ffi_type_void, [MET_CALL_CHAR] = &ffi_type_schar, [MET_CALL_SHORT] = &ffi_type_sshort,
        [MET_CALL_INT] = &ffi_type_sint,  [MET_CALL_LONG] = &ffi_type_slong, [MET_CALL_I64] = &ffi_type_sint64,
        [MET_CALL_F16] = &ffi_type_uint16, [MET_CALL_BF16] = &ffi_type_uint16, [MET_CALL_F32] = &ffi_type_float,
        [MET_CALL_F64] = &ffi_type_double,
    };
    return types[type];
}

static bool make_arguments(routine *r)
{
    const met_call_signature *signature = r->request->signature;
    for (size_t i = 0; i < signature->count; i++) {
        const met_call_parameter *p = &signature->parameters[i];
        met_call_type type = (met_call_type)p->type;
        bool is_array = p->role < MET_CALL_ARRAYS && r->arrays[p->role].used;
        r->addresses[i] = is_array ? (void *)(r->memory + r->arrays[p->role].at) : (void *)&r->scalars[i];
        r->values[i] = p->address ? (void *)&r->addresses[i] : (void *)&r->scalars[i];
        r->types[i] = p->address ? &ffi_type_pointer : type_of(type);
        if (p->role < MET_CALL_ARRAYS)
            continue;
        double number = number_of(r, p);
        if (!met_call_holds(type, number)) {
            met_diag_add(r->session, MET_DIAG_library, nowhere, "parameter %zu of `%s` cannot hold %.17g", i + 1, signature->text, number);
            return false;
        }
        set_scalar(&r->scalars[i], type, number);
    }
    if (ffi_prep_cif(&r->cif, FFI_DEFAULT_ABI, (unsigned)signature->count, type_of(signature->result), r->types) == FFI_OK)
        return true;
    met_diag_add(r->session, MET_DIAG_library, nowhere, "this machine has no such call: `%s`", signature->text);
    return false;
}

/* --- In the child --- */

static const char *load(void *context)
{
    routine *r = context;
    void *library = dlopen(r->request->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        snprintf(r->why, sizeof r->why, "cannot load `%.60s`: %s", r->request->library, error ? error : "?");
        return r->why;
    }
    /* POSIX has dlsym return functions as object pointers. */
    *(void **)&r->function = dlsym(library, r->request->symbol);
    if (r->function)
        return NULL;
    snprintf(r->why, sizeof r->why, "`%.60s` has no `%.60s`", r->request->library, r->request->symbol);
    return r->why;
}

static void call(void *context)
{
    routine *r = context;
    ffi_call(&r->cif, r->function, r->returned, r->values);
}

/* --- As a probe --- */

static void put_operands(routine *r, const double *a, const double *b)
{
    const met_foreign_shape *s = &r->request->shape;
    bool square = r->request->signature->sense == MET_CALL_MAGNITUDES; /* what is asked of squares is asked of magnitudes */
    for (uint64_t i = 0; i < s->terms; i++)
        put(element(r, MET_CALL_A, s->row, i), r->arrays[MET_CALL_A].dtype, square ? a[i] * a[i] : a[i]);
    for (uint64_t i = 0; r->arrays[MET_CALL_B].used && i < s->terms; i++)
        put(element(r, MET_CALL_B, i, s->column), r->arrays[MET_CALL_B].dtype, b ? b[i] : 1);
}

/* What is added to, c; what is only written is NaN before. */
static void put_results(routine *r, double c)
{
    const met_call_signature *signature = r->request->signature;
    const met_foreign_shape *s = &r->request->shape;
    bool reads_c = s->accumulates || !signature->has_beta;
    for (int role = MET_CALL_C; role <= MET_CALL_OUT; role++)
        for (uint64_t i = 0; r->arrays[role].used && i < r->arrays[role].count; i++)
            put(r->memory + r->arrays[role].at + i * width_of(r->arrays[role].dtype), r->arrays[role].dtype,
                role == MET_CALL_C && reads_c ? met_foreign_filler(i) : NAN);
    if (r->arrays[MET_CALL_C].used && reads_c)
        put(element(r, MET_CALL_C, s->row, s->column), r->arrays[MET_CALL_C].dtype, s->accumulates ? c : 0);
    if (signature->starts) {
        int place = signature->arrays[MET_CALL_C];
        set_scalar(&r->scalars[place], (met_call_type)signature->parameters[place].type, s->accumulates ? c : 0);
    }
}

static double result_of(const routine *r)
{
    const met_foreign_shape *s = &r->request->shape;
    for (int role = MET_CALL_OUT; role >= MET_CALL_C; role--)
        if (r->arrays[role].used)
            return get(element(r, (met_call_role)role, s->row, s->column), r->arrays[role].dtype);
    return r->request->signature->result == MET_CALL_F32 ? (double)r->returned->f : r->returned->d;
}

static bool run(void *context, const double *a, const double *b, double c, double *ret_result)
{
    routine *r = context;
    put_operands(r, a, b);
    put_results(r, c);
    if (!met_child_call(r->child))
        return false;
    *ret_result = result_of(r);
    return true;
}

static const char *fault_loaded(const met_foreign *foreign)
{
    return met_child_fault_started(((const routine *)(const void *)foreign)->child);
}

static const char *fault_called(const met_foreign *foreign)
{
    return met_child_fault_called(((const routine *)(const void *)foreign)->child);
}

static void close_routine(met_foreign *foreign)
{
    routine *r = (routine *)(void *)foreign;
    met_child_end(r->child);
    met_shared_free(r->memory, r->bytes);
    r->child = NULL;
    r->memory = NULL;
}

static met_black_box probe_of(routine *r)
{
    static const met_probe_kind kinds[] = {
        [MET_CALL_DOT] = MET_PROBE_DOT, [MET_CALL_MAGNITUDES] = MET_PROBE_SQUARES, [MET_CALL_SQUARES] = MET_PROBE_SQUARES,
        [MET_CALL_EXPONENTIALS] = MET_PROBE_EXPONENTIALS, [MET_CALL_SCALED] = MET_PROBE_SUM
    };
    const met_call_signature *signature = r->request->signature;
    met_black_box probe = { .kind = kinds[signature->sense], .n = r->request->shape.terms, .input = signature->input,
                        .output = signature->output, .accumulates = r->request->shape.accumulates,
                        .scaled = signature->sense == MET_CALL_SCALED, .run = run, .context = r };
    if (signature->sense == MET_CALL_MAGNITUDES)
        probe.input = MET_F64; /* so that squares come out as they should */
    if (probe.kind == MET_PROBE_DOT && !r->arrays[MET_CALL_B].used)
        probe.kind = MET_PROBE_SUM;
    return probe;
}

met_foreign *met_routine_open(met_session *session, const met_routine_request *request)
{
    routine *r = MET_NEW(session->arena, routine);
    r->session = session;
    r->request = request;
    r->foreign = (met_foreign){ .fault_loaded = fault_loaded, .fault_called = fault_called, .close = close_routine };
    met_text name = met_text_new(session->arena);
    met_text_format(&name, "`%s`", request->symbol);
    r->work = (met_child_work){ .name = met_text_done(&name), .threads = request->threads, .limit_s = request->limit_s,
                                .start = load, .call = call, .context = r };
    if (!make_memory(r) || !make_arguments(r) || !(r->child = met_child_start(session, &r->work))) {
        met_shared_free(r->memory, r->bytes);
        return NULL;
    }
    r->foreign.probe = probe_of(r);
    return &r->foreign;
}
