/* Shapes: what the readers and writers of tensors share. The type itself is in met/tensor.h. */
#ifndef MET_TYPE_TENSOR_H
#define MET_TYPE_TENSOR_H

#include "met/tensor.h"

/* Product of a shape: 1 for rank 0, 0 if any size is 0. False on overflow. */
bool met_shape_count(size_t rank, const uint64_t *shape, uint64_t *ret_count);

#endif
