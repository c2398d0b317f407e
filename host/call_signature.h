/* How a foreign routine is called: its C signature, in which the names of parameters say what is passed.
 *
 *     float (int n, float *a, int, float *b, int)
 *     void (int 101, int transa, int 111, int rows, int cols, int n, float 1, float *a, int lda, …, float *c, int ldc)
 *
 * A parameter is a type, a `*` if it is passed by its address, and what is passed: a name below, a number, a letter in
 * quotes; nothing is 1. Arrays are a, b (operands), c (added to, if beta is 1, and the result) and out (the result). The
 * result of a signature without out and *c is what it returns. Before it all `by columns` says that matrices are stored so.
 *
 *     n  rows  cols        terms of a sum, size of the result        incx … are 1, so they need no name
 *     lda ldb ldc          elements between rows (columns) of a, b, c
 *     rsa csa … rsc csc    elements between rows, between columns
 *     am an                rows and columns of a as it is stored
 *     transa transb        111 or 112, as CBLAS has it; ta tb: 'N' or 'T'
 *     beta  c              1 or 0; without `*`, c is the number that the sum begins with
 *
 * Owns the language, and the signatures of routines that are known by name (symbols.def); must not know how calls are made. */
#ifndef MET_HOST_CALL_SIGNATURE_H
#define MET_HOST_CALL_SIGNATURE_H

#include "base/session.h"
#include "number/encode.h"

typedef enum met_call_type {
    MET_CALL_VOID,
    MET_CALL_CHAR,
    MET_CALL_SHORT,
    MET_CALL_INT,
    MET_CALL_LONG,
    MET_CALL_I64,
    MET_CALL_F16,
    MET_CALL_BF16,
    MET_CALL_F32,
    MET_CALL_F64,
    MET_CALL_TYPE_COUNT
} met_call_type;

/* Arrays first. */
typedef enum met_call_role {
    MET_CALL_A, MET_CALL_B, MET_CALL_C, MET_CALL_OUT,
    MET_CALL_NUMBER,
    MET_CALL_N, MET_CALL_ROWS, MET_CALL_COLS,
    MET_CALL_LDA, MET_CALL_LDB, MET_CALL_LDC,
    MET_CALL_RSA, MET_CALL_CSA, MET_CALL_RSB, MET_CALL_CSB, MET_CALL_RSC, MET_CALL_CSC,
    MET_CALL_AM, MET_CALL_AN,
    MET_CALL_TRANSA, MET_CALL_TRANSB, MET_CALL_TA, MET_CALL_TB,
    MET_CALL_BETA,
    MET_CALL_ROLE_COUNT
} met_call_role;
#define MET_CALL_ARRAYS 4

#define MET_CALL_PARAMETERS 24

typedef struct met_call_parameter {
    uint8_t type;   /* met_call_type */
    uint8_t role;   /* met_call_role */
    bool address;
    double number;  /* of NUMBER */
} met_call_parameter;

/* What a routine computes of its operands. */
typedef enum met_call_sense {
    MET_CALL_DOT,        /* Σ a·b, where there is a b; else Σ a */
    MET_CALL_MAGNITUDES, /* Σ |a| */
    MET_CALL_SQUARES,    /* Σ a², or its root */
    MET_CALL_EXPONENTIALS,
    MET_CALL_SCALED      /* Σ times something */
} met_call_sense;

typedef struct met_call_signature {
    const char *text;
    met_call_type result;
    met_call_sense sense;
    bool by_columns;
    size_t count;
    met_call_parameter parameters[MET_CALL_PARAMETERS];
    /* The parameter that has an array, or -1; the formats of operands, of c and of the result. */
    int arrays[MET_CALL_ARRAYS];
    bool starts;     /* c is passed as a number */
    bool has_beta;
    bool is_matrix;  /* more than one row or column makes sense */
    bool is_product; /* more than one column does */
    met_dtype input, output;
} met_call_signature;

/* The signature that a text says, or one of `dot f32`, `sum f64`, `gemv f32`, `gemm f32`. NULL with a diagnostic. */
const met_call_signature *met_call_signature_parse(met_session *session, const char *text);
/* The signature of a routine that is known by its name, or NULL with a diagnostic that lists what is. */
const met_call_signature *met_call_signature_of(met_session *session, const char *symbol);

/* The dtype of a number type; MET_DTYPE_COUNT of others. */
met_dtype met_call_dtype(met_call_type type);
/* Whether a parameter of the type can be `number`; of 64 bits those up to 2^53, where doubles are still whole. */
bool met_call_holds(met_call_type type, double number);

#endif
