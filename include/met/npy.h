/* NumPy's `.npy` files, as bytes in memory. */
#ifndef MET_NPY_H
#define MET_NPY_H

#include "met/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file of version 1, 2 or 3, of either byte order, in C or Fortran order, with elements f8 f4 f2 i8 i4 i2 i1 u4
 * u2 u1 b1. `name` is what diagnostics (`npy`) call it; they give byte offsets. Every value is kept exactly, so an i8
 * beyond 2^53 is refused. The format of the tensor is f64, f32 or f16 for floats, i8 for i1, and i32 for all other
 * integers, unless a value does not fit there: then f64. Returns NULL with diagnostics on failure. */
met_tensor *met_npy_read(met_session *session, const char *name, const char *bytes, size_t length);

/* The tensor as a file of version 1, little-endian, C order. Elements: `<f8` for f64, `<f4` for f32 and bf16, `<f2` for
 * f16, `<i4` for i32, and `<f4` for every other format; but `<f8` if any value would change. So values are always exact,
 * while bf16 and the formats below it, which NumPy lacks, come back as f32. The bytes live as long as the session. */
const char *met_npy_write(met_session *session, const met_tensor *tensor, size_t *ret_length);

#ifdef __cplusplus
}
#endif
#endif
