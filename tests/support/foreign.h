/* Code that is not ours, for tests: the sources of tests/data/foreign, compiled without contraction by $CC, or cc. */
#ifndef MET_TEST_FOREIGN_H
#define MET_TEST_FOREIGN_H

/* The directory for what is compiled; removed with everything in it by the second. Both are cmocka group fixtures. */
int met_test_foreign_begin(void **state);
int met_test_foreign_end(void **state);

/* Compiles NAME.c of the directory to a shared library, or without `-shared` among the flags to a program; `as` names the
 * file. Its path, or NULL after the compiler said why. */
const char *met_test_foreign(const char *root, const char *name, const char *as, const char *flags);

/* Signatures of what tests/data/foreign/sums.c defines. */
#define OF_ROWS_BY_VECTOR "void (int rows, int n, float *a, int lda, float *b, float beta, float *c)"
#define OF_PRODUCT                                                                                                      \
    "by columns void (char *ta, int *rows, int *cols, int *n, double *a, int *lda, double *b, int *ldb, double *beta, " \
    "double *c, int *ldc)"

#endif
