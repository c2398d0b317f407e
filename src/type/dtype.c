#include "type/format.h"

const met_dtype_info met_dtype_table[MET_DTYPE_COUNT] = {
#define MET_DTYPE(name, spelling, class, exponent, mantissa, bits) \
    [MET_##name] = {spelling, MET_DTYPE_##class, exponent, mantissa, bits},
#include "type/dtype.def"
#undef MET_DTYPE
};
