/* The other architectures against plain loops: bert, over padded sequences, and spherical attention. */
#include "models.h"

#include "on_session.h"

enum { B = 2, N = 5, M = 12, H = 3, D = 4, F = 20, LAYERS = 2 };

static void linear(const arrays *a, const char *w, const char *b, int layer, int in, int out, const double *x, double *y)
{
    const double *weight = layer_array(a, layer, w), *bias = b ? layer_array(a, layer, b) : NULL;
    for (int o = 0; o < out; o++) {
        y[o] = bias ? bias[o] : 0;
        for (int i = 0; i < in; i++)
            y[o] += weight[o * in + i] * x[i];
    }
}

static void layer_norm(const double *gain, const double *bias, double *x)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < M; i++)
        mean += x[i] / M;
    for (int i = 0; i < M; i++)
        variance += (x[i] - mean) * (x[i] - mean) / M;
    for (int i = 0; i < M; i++)
        x[i] = (x[i] - mean) / sqrt(variance + 1e-12) * gain[i] + bias[i];
}

static void attend(int length, const double q[H * D], double k[N][H * D], double v[N][H * D], double *o)
{
    for (int h = 0; h < H; h++) {
        double weight[N], sum = 0;
        for (int j = 0; j < length; j++) {
            double score = 0;
            for (int i = 0; i < D; i++)
                score += q[h * D + i] * k[j][h * D + i];
            weight[j] = exp(score / 2); /* the root of D */
            sum += weight[j];
        }
        for (int i = 0; i < D; i++) {
            o[h * D + i] = 0;
            for (int j = 0; j < length; j++)
                o[h * D + i] += weight[j] * v[j][h * D + i] / sum;
        }
    }
}

static void encode_layer(const arrays *a, int layer, int length, double x[N][M])
{
    double q[N][H * D], k[N][H * D], v[N][H * D], o[H * D], y[M], w[F];
    for (int i = 0; i < N; i++) {
        linear(a, "wq", "bq", layer, M, H * D, x[i], q[i]);
        linear(a, "wk", "bk", layer, M, H * D, x[i], k[i]);
        linear(a, "wv", "bv", layer, M, H * D, x[i], v[i]);
    }
    for (int i = 0; i < N; i++) {
        attend(length, q[i], k, v, o);
        linear(a, "wo", "bo", layer, H * D, M, o, y);
        for (int j = 0; j < M; j++)
            x[i][j] += y[j];
        layer_norm(layer_array(a, layer, "attn_norm"), layer_array(a, layer, "attn_norm_bias"), x[i]);
        linear(a, "w1", "b1", layer, M, F, x[i], w);
        for (int j = 0; j < F; j++)
            w[j] = w[j] * 0.5 * (1 + erf(w[j] / sqrt(2)));
        linear(a, "w2", "b2", layer, F, M, w, y);
        for (int j = 0; j < M; j++)
            x[i][j] += y[j];
        layer_norm(layer_array(a, layer, "ffn_norm"), layer_array(a, layer, "ffn_norm_bias"), x[i]);
    }
}

static void bert(void **state)
{
    (void)state;
    static const int ids[B][N] = { { 3, 9, 9, 1, 0 }, { 17, 2, 39, 5, 6 } },
        types[B][N] = { { 0, 0, 1, 0, 0 }, { 1, 0, 0, 1, 1 } };
    static const int lengths[B] = { 3, 5 };
    const char *config = text_of_file(session, MET_ROOT_DIR "/examples/bert-tiny/config.json");
    arrays *a = arrays_of(model_of(session, "bert", config, NULL, "b=2,n=5"));
    for (int b = 0; b < B; b++) {
        array(a, "lengths")[b] = lengths[b];
        for (int i = 0; i < N; i++) {
            array(a, "ids")[b * N + i] = ids[b][i];
            array(a, "types")[b * N + i] = types[b][i];
        }
    }
    const double *got = run_arrays(a)->arrays[0].tensor->values;
    for (int b = 0; b < B; b++) {
        double x[N][M];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < M; j++)
                x[i][j] = array(a, "word_embeddings")[ids[b][i] * M + j] + array(a,
                                                                                 "token_type_embeddings")[types[b][i] * M + j] +
                          array(a, "position_embeddings")[i * M + j];
            layer_norm(array(a, "embed_norm"), array(a, "embed_norm_bias"), x[i]);
        }
        for (int layer = 0; layer < LAYERS; layer++)
            encode_layer(a, layer, lengths[b], x);
        expect_near("bert", (size_t)lengths[b] * M, got + b * N * M, &x[0][0]);
    }
}

/* Rows of padding never reach the others: another id there changes nothing else. */
static void padding_is_unseen(void **state)
{
    (void)state;
    const char *config = text_of_file(session, MET_ROOT_DIR "/examples/bert-tiny/config.json");
    arrays *a = arrays_of(model_of(session, "bert", config, NULL, "b=1,n=5"));
    array(a, "lengths")[0] = 3;
    const double *before = run_arrays(a)->arrays[0].tensor->values;
    array(a, "ids")[4] = 8;
    const double *after = run_arrays(a)->arrays[0].tensor->values;
    assert_memory_equal(before, after, 3 * M * sizeof(double));
    assert_true(memcmp(before + 4 * M, after + 4 * M, M * sizeof(double)) != 0);
}

static void spherical(void **state)
{
    (void)state;
    arrays *a = arrays_of(model_of(session, "spherical", NULL, NULL, "n=5,m=12,h=3,d=4"));
    double *x = array(a, "x"), q[N][H * D], k[N][H * D], v[N][H * D];
    for (int i = 0; i < N * M; i++)
        x[i] = sin(i);
    for (int i = 0; i < N; i++) {
        linear(a, "wq", NULL, 0, M, H * D, x + i * M, q[i]);
        linear(a, "wk", NULL, 0, M, H * D, x + i * M, k[i]);
        linear(a, "wv", NULL, 0, M, H * D, x + i * M, v[i]);
    }
    const double *got = run_arrays(a)->arrays[0].tensor->values;
    for (int i = 0; i < N; i++) {
        double o[H * D], y[M];
        for (int h = 0; h < H; h++) {
            double score[N], squares = 0;
            for (int j = 0; j <= i; j++) {
                score[j] = 0;
                for (int e = 0; e < D; e++)
                    score[j] += q[i][h * D + e] * k[j][h * D + e];
                squares += score[j] * score[j];
            }
            for (int e = 0; e < D; e++) {
                o[h * D + e] = 0;
                for (int j = 0; j <= i; j++)
                    o[h * D + e] += score[j] / sqrt(squares) * v[j][h * D + e];
            }
        }
        linear(a, "wo", NULL, 0, H * D, M, o, y);
        for (int j = 0; j < M; j++)
            y[j] += x[i * M + j];
        expect_near("spherical", M, got + i * M, y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bert, setup, teardown),
        cmocka_unit_test_setup_teardown(padding_is_unseen, setup, teardown),
        cmocka_unit_test_setup_teardown(spherical, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
