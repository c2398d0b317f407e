/* The work of the attention contests: queries [n h d] over keys and values, [x g d] as linear maps make them or [g x d] as
 * caches keep them; h a multiple of g; f32. */
#ifndef MET_BENCH_ATTENTION_H
#define MET_BENCH_ATTENTION_H

#include "contest.h"

typedef struct attention {
    size_t n, x;   /* queries, keys; the queries are the last positions */
    size_t h, g, d;
    bool causal, cache;
    float *q, *k, *v, *y;
} attention;

attention *attention_new(attention shape); /* its arrays are not read */
void attention_free(attention *work);
/* Where the key or value of position x, group g stands. */
size_t attention_at(const attention *work, size_t x, size_t g);
/* Those that count: of pairs that the mask lets through. */
double attention_flops(const attention *work);
/* As matmul_check. */
const char *attention_check(attention *work);

/* met, planned by `planner`, or fused if NULL. */
entrant met_attention(attention *work, const char *planner);

/* ONNX Runtime. MultiHeadAttention needs g = h and n = x. GroupQueryAttention is causal; keys before the first query are past
 * ones in a cache that it appends to. */
entrant peer_onnx_attention(attention *work, bool grouped);

/* A dot product for every head and key, then softmax, then a sum of values for every head: plainly written, compiled for
 * this machine, keys and values of a group read again by each of its heads. For few queries. */
entrant plain_attention(attention *work);

#endif
