/* A compiler that is told to read this first gives kernels that round products before they add them. */
#include <math.h>
#undef fmaf
#define fmaf(a, b, c) ((a) * (b) + (c))
