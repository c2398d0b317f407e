/* Tiny ONNX models of one node, as bytes (protocol buffers), for ONNX Runtime. */
#ifndef MET_BENCH_ONNX_MODEL_H
#define MET_BENCH_ONNX_MODEL_H

#include <stddef.h>
#include <stdint.h>

typedef enum onnx_type { ONNX_FLOAT = 1, ONNX_INT32 = 6 } onnx_type;

typedef struct onnx_array {
    const char *name; /* "": an input that the node may lack, and lacks */
    onnx_type type;
    size_t rank;
    int64_t sizes[4];
} onnx_array;

typedef struct onnx_attribute {
    const char *name;
    int64_t value;
} onnx_attribute;

typedef struct onnx_node {
    const char *op, *domain;
    size_t in_count, out_count, attribute_count;
    const onnx_array *ins, *outs;
    const onnx_attribute *attributes;
} onnx_node;

enum { ONNX_MODEL_MOST = 4096 };

/* Writes the model into ONNX_MODEL_MOST bytes and returns its length. */
size_t onnx_model(const onnx_node *node, uint8_t *ret_bytes);

#endif
