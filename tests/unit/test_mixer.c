/* The state-space mixer by plain loops, from the equations of Dao and Gu, "Transformers are SSMs" (2024): with two groups,
 * each of which has what goes into the state and out of it, and a gated norm of its own. */
#include "models.h"

enum { N = 7, M = 8, I = 2, U = 3, P = 2, S = 4, J = 4, WIDTH = I * U * P, TAPS = 64 };

static const char alone[] = "[arch]\nname = \"alone\"\nsummary = \"a mixer\"\nuse = [\"blocks/mixer_ssm.toml\"]\n"
                            "[dims]\nn = { size = \"tokens\" }\nm = { size = \"width\" }\nlayers = { count = \"layers\", default = 1 }\n"
                            "eps = { number = \"added to the mean square\", default = 1e-2 }\ni = { size = \"groups\" }\n"
                            "[modes.prefill]\nsummary = \"all tokens\"\n"
                            "[model]\nmode = \"prefill\"\ninputs.x = { axes = [\"n\", \"m\"] }\nstream = \"x\"\nprologue = []\nepilogue = []\n"
                            "[layers]\ncount = \"layers\"\npath = \"layers\"\nkinds.layer = [\"mixer\"]\n";

/* The values that the fill `wave` gives to the input or to a parameter of the layer. */
static const double *values(const met_circuit *circuit, const char *name)
{
    for (uint32_t k = 0; k < circuit->input_count + circuit->parameter_count; k++) {
        const met_edge *edge = &circuit->edges[k < circuit->input_count ? circuit->inputs[k].id
                                                                        : circuit->parameters[k - circuit->input_count].id];
        const char *own = met_sym_text(circuit->session, edge->name);
        if (strcmp(strncmp(own, "layers.0.", 9) == 0 ? own + 9 : own, name) != 0)
            continue;
        size_t count = 1;
        for (uint32_t p = 0; p < edge->rank; p++) {
            uint64_t size = 0;
            assert_true(met_circuit_size(circuit, edge->axes[p], &size));
            count *= (size_t)size;
        }
        double *at = met_arena_alloc(circuit->arena, count, sizeof *at);
        assert_true(met_fill("wave", 0, k, 0, count, at));
        return at;
    }
    fail_msg("there is no `%s`", name);
    return NULL;
}

static double silu(double a)
{
    return a / (1 + exp(-a));
}

/* One token: a[count] over the root of its mean square. */
static void norm(const double *a, int count, const double *gain, double *ret)
{
    double squares = 0;
    for (int k = 0; k < count; k++)
        squares += a[k] * a[k];
    for (int k = 0; k < count; k++)
        ret[k] = a[k] / sqrt(squares / count + 1e-2) * gain[k];
}

static void project(const double *w, const double *weight, int count, double *ret)
{
    for (int k = 0; k < count; k++) {
        ret[k] = 0;
        for (int m = 0; m < M; m++)
            ret[k] += weight[k * M + m] * w[m];
    }
}

/* Projects all tokens, and lets every channel see its last J values. */
static void convolved(const met_circuit *circuit, double w[N][M], const char *weight, const char *part, int count, double ret[N][TAPS])
{
    char name[32];
    snprintf(name, sizeof name, "%s.conv", part);
    const double *taps = values(circuit, name);
    snprintf(name, sizeof name, "%s.conv_bias", part);
    const double *bias = values(circuit, name);
    double x[N][TAPS];
    for (int n = 0; n < N; n++)
        project(w[n], values(circuit, weight), count, x[n]);
    for (int n = 0; n < N; n++) {
        for (int k = 0; k < count; k++) {
            double sum = bias[k];
            for (int j = 0; j < J; j++)
                sum += n - (J - 1) + j >= 0 ? taps[k * J + j] * x[n - (J - 1) + j][k] : 0;
            ret[n][k] = silu(sum);
        }
    }
}

/* state <- exp(step * A) * state + step * (what goes in) * x; y = state . (what comes out) + D * x */
static void step_of(const met_circuit *circuit, const double *w, const double *x, const double *in, const double *out,
                    double state[WIDTH][S], double *ret)
{
    const double *rate = values(circuit, "recur.a_log"), *skip = values(circuit, "recur.d_skip"), *bias = values(circuit, "dt_bias");
    double step[I * U];
    project(w, values(circuit, "wdt"), I * U, step);
    for (int k = 0; k < WIDTH; k++) {
        int head = k / P, group = head / U;
        double dt = log1p(exp(step[head] + bias[head]));
        ret[k] = skip[head] * x[k];
        for (int s = 0; s < S; s++) {
            state[k][s] = exp(-dt * exp(rate[head])) * state[k][s] + dt * in[group * S + s] * x[k];
            ret[k] += state[k][s] * out[group * S + s];
        }
    }
}

static void reference(const met_circuit *circuit, double ret[N][M])
{
    const double *x = values(circuit, "x"), *gain = values(circuit, "gate_norm"), *back = values(circuit, "wout");
    double w[N][M], new[N][TAPS], in[N][TAPS], out[N][TAPS], state[WIDTH][S] = { 0 };
    for (int n = 0; n < N; n++)
        norm(x + n * M, M, values(circuit, "mixer_norm"), w[n]);
    convolved(circuit, w, "wx", "conv_x", WIDTH, new);
    convolved(circuit, w, "wb", "conv_b", I * S, in);
    convolved(circuit, w, "wc", "conv_c", I * S, out);
    for (int n = 0; n < N; n++) {
        double y[WIDTH], gate[WIDTH], normed[WIDTH];
        step_of(circuit, w[n], new[n], in[n], out[n], state, y);
        project(w[n], values(circuit, "wz"), WIDTH, gate);
        for (int k = 0; k < WIDTH; k++)
            y[k] *= silu(gate[k]);
        for (int i = 0; i < I; i++)
            norm(y + i * U * P, U * P, gain + i * U * P, normed + i * U * P);
        for (int m = 0; m < M; m++) {
            ret[n][m] = x[n * M + m];
            for (int k = 0; k < WIDTH; k++)
                ret[n][m] += back[m * WIDTH + k] * normed[k];
        }
    }
}

/* The state is kept in f32: each of N steps rounds it by 2^-24 of values below 2, and what is read of it has S products
 * below 1, a norm that grows it by at most 1/sqrt(eps) = 10, and WIDTH weights below 1/2: 7 * 2^-23 * 4 * 10 * 6 = 2e-4 at
 * worst, were all errors of one sign. They are not: a hundredth of that. Norms over all groups are off by 1e-2. */
static void groups(void **unused)
{
    (void)unused;
    met_session *session = met_session_new();
    const met_circuit *circuit = model_of(session, alone, NULL, NULL, "n=7,m=8,i=2,u=3,p=2,s=4");
    met_eval_options options = { .dtype = "f64", .fill = "wave" };
    const met_eval_result *result = met_eval_run(circuit, &options, 0, NULL);
    if (!result)
        fail_msg("%s", met_session_diagnostics_text(session));
    double want[N][M];
    reference(circuit, want);
    assert_int_equal(result->arrays[0].tensor->count, N * M);
    for (int k = 0; k < N * M; k++)
        if (!(fabs(result->arrays[0].tensor->values[k] - want[k / M][k % M]) <= 2e-6))
            fail_msg("element %d is %.17g, not %.17g", k, result->arrays[0].tensor->values[k], want[k / M][k % M]);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(groups) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
