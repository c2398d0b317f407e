/* A decoder in plain loops: what the architectures under kernels/circuits are held to. It shares no code with met and
 * follows the published formulas. Arrays are row-major, weights outputs first. */
#ifndef MET_TEST_DECODER_H
#define MET_TEST_DECODER_H

#include "models.h"

typedef struct decoder {
    int layers, m, g, r, d, f, v;
    double eps, theta;
    double factor, low, high, original; /* llama3 scaling; factor 0: none */
    int window;                         /* 0: none */
    bool head_norms, biases, tied;
    const arrays *weights;
} decoder;

enum { ROWS = 16, WIDTH = 64 };

/* Keys and values of every layer, by position, head and column. */
typedef struct caches {
    double keys[4][ROWS][WIDTH], values[4][ROWS][WIDTH];
} caches;

static inline void ref_norm(int width, double eps, const double *x, const double *gain, double *y)
{
    double sum = 0;
    for (int i = 0; i < width; i++)
        sum += x[i] * x[i];
    double scale = 1 / sqrt(sum / width + eps);
    for (int i = 0; i < width; i++)
        y[i] = x[i] * scale * gain[i];
}

static inline void ref_linear(int in, int out, const double *w, const double *b, const double *x, double *y)
{
    for (int o = 0; o < out; o++) {
        y[o] = b ? b[o] : 0;
        for (int i = 0; i < in; i++)
            y[o] += w[o * in + i] * x[i];
    }
}

/* The angle that pair `i` turns by for one position. */
static inline double ref_frequency(const decoder *c, int i)
{
    double frequency = pow(c->theta, -2.0 * i / c->d);
    if (c->factor == 0)
        return frequency;
    double wavelength = 2 * acos(-1.0) / frequency;
    if (wavelength < c->original / c->high)
        return frequency;
    if (wavelength > c->original / c->low)
        return frequency / c->factor;
    double smooth = (c->original / wavelength - c->low) / (c->high - c->low);
    return (1 - smooth) * frequency / c->factor + smooth * frequency;
}

static inline void ref_rotate(const decoder *c, int position, double *head)
{
    for (int i = 0; i < c->d / 2; i++) {
        double angle = position * ref_frequency(c, i), a = head[i], b = head[i + c->d / 2];
        head[i] = a * cos(angle) - b * sin(angle);
        head[i + c->d / 2] = b * cos(angle) + a * sin(angle);
    }
}

/* Heads from a projection: bias, norm of each head, rotation. */
static inline void ref_heads(const decoder *c, int layer, const char *kind, int heads, int position, const double *u,
                             double *out)
{
    char name[32], norm[32];
    snprintf(name, sizeof name, "w%s", kind);
    const double *w = layer_array(c->weights, layer, name), *b = NULL;
    snprintf(name, sizeof name, "b%s", kind);
    if (c->biases)
        b = layer_array(c->weights, layer, name);
    ref_linear(c->m, heads * c->d, w, b, u, out);
    snprintf(norm, sizeof norm, "%s_norm.weight", kind);
    for (int h = 0; h < heads && *kind != 'v'; h++) {
        if (c->head_norms)
            ref_norm(c->d, c->eps, out + h * c->d, layer_array(c->weights, layer, norm), out + h * c->d);
        ref_rotate(c, position, out + h * c->d);
    }
}

static inline void ref_attend(const decoder *c, int layer, int position, const caches *kept, const double *q, double *o)
{
    int first = c->window && position - c->window + 1 > 0 ? position - c->window + 1 : 0;
    for (int h = 0; h < c->g * c->r; h++) {
        int shared = h / c->r;
        double weight[ROWS], sum = 0;
        for (int j = first; j <= position; j++) {
            double score = 0;
            for (int i = 0; i < c->d; i++)
                score += q[h * c->d + i] * kept->keys[layer][j][shared * c->d + i];
            weight[j] = exp(score / sqrt(c->d));
            sum += weight[j];
        }
        for (int i = 0; i < c->d; i++) {
            double total = 0;
            for (int j = first; j <= position; j++)
                total += weight[j] / sum * kept->values[layer][j][shared * c->d + i];
            o[h * c->d + i] = total;
        }
    }
}

static inline void ref_layer(const decoder *c, int layer, int position, caches *kept, double *x)
{
    double u[WIDTH], q[WIDTH], o[WIDTH], y[WIDTH], gate[WIDTH], up[WIDTH];
    ref_norm(c->m, c->eps, x, layer_array(c->weights, layer, "attn_norm"), u);
    ref_heads(c, layer, "q", c->g * c->r, position, u, q);
    ref_heads(c, layer, "k", c->g, position, u, kept->keys[layer][position]);
    ref_heads(c, layer, "v", c->g, position, u, kept->values[layer][position]);
    ref_attend(c, layer, position, kept, q, o);
    ref_linear(c->g * c->r * c->d, c->m, layer_array(c->weights, layer, "wo"), NULL, o, y);
    for (int i = 0; i < c->m; i++)
        x[i] += y[i];
    ref_norm(c->m, c->eps, x, layer_array(c->weights, layer, "ffn_norm"), u);
    ref_linear(c->m, c->f, layer_array(c->weights, layer, "wg"), NULL, u, gate);
    ref_linear(c->m, c->f, layer_array(c->weights, layer, "wu"), NULL, u, up);
    for (int i = 0; i < c->f; i++)
        up[i] *= gate[i] / (1 + exp(-gate[i]));
    ref_linear(c->f, c->m, layer_array(c->weights, layer, "wd"), NULL, up, y);
    for (int i = 0; i < c->m; i++)
        x[i] += y[i];
}

/* Scores of the token at `position`, those before it having been seen. */
static inline void ref_token(const decoder *c, int position, int id, caches *kept, double *logits)
{
    double x[WIDTH], u[WIDTH];
    const double *table = array(c->weights, "tok_embeddings");
    for (int i = 0; i < c->m; i++)
        x[i] = table[id * c->m + i];
    for (int layer = 0; layer < c->layers; layer++)
        ref_layer(c, layer, position, kept, x);
    ref_norm(c->m, c->eps, x, array(c->weights, "norm"), u);
    ref_linear(c->m, c->v, c->tied ? table : array(c->weights, "output"), NULL, u, logits);
}

#endif
