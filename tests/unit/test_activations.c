/* Models whose linear maps read quantized activations: where their circuits quantize, what they compute, what their weights take,
 * against which peaks they count, and that every class of GPUs has kernels for them. */
#include "circuits.h"

#include "models.h"

#include "host/blueprint.h"
#include "host/model.h"
#include "ir/check.h"
#include "met/plan.h"
#include "plan/lowering.h"
#include "plan/workload.h"

static const char *const models[] = { "llama-3.1-8b-fp8", "llama-3.1-8b-nvfp4", "qwen3-30b-a3b-nvfp4", "deepseek-v3" };
static const char *const modes[] = { "prefill", "decode", "multi_seq", "verify" };
enum { MODELS = sizeof models / sizeof *models, MODES = sizeof modes / sizeof *modes };

static const met_circuit *load(met_session *session, const char *name, const char *mode, const char *layers, bool toy)
{
    met_model_request request = { .name = name, .kernels = MET_ROOT_DIR "/kernels", .mode = mode, .layers = layers, .toy = toy };
    const met_circuit *circuit = met_model_load(session, &request);
    if (!circuit)
        fail_msg("%s, %s\n%s", name, mode, met_session_diagnostics_text(session));
    return circuit;
}

static const met_edge *edge_at(const met_circuit *circuit, const met_node *node, uint32_t input)
{
    return &circuit->edges[node->ins[input].id];
}

static bool is_quantized(const met_edge *edge)
{
    return !met_format_is_plain(edge->format);
}

/* --- Where --- */

/* Llama: the inputs of q, k, v; of o; of gate and up; of down. DeepSeek-V3: those of q_a and kv_a; of q_b; of o; in dense layers
 * of gate and up and of down; in others those of the experts and of the shared expert, twice each. In prefill keys and values
 * are made of latent vectors by linear maps, which share one more. Qwen3 has four in every layer as well. */
static void one_for_each_array(void **state)
{
    (void)state;
    static const struct {
        const char *name, *mode, *layers;
        uint32_t count;
    } cases[] = {
        { "llama-3.1-8b-fp8", "decode", "3", 12 },
        { "llama-3.1-8b-nvfp4", "prefill", "2", 8 },
        { "qwen3-30b-a3b-nvfp4", "multi_seq", "2", 8 },
        { "deepseek-v3", "decode", "4", 3 * 5 + 7 },
        { "deepseek-v3", "prefill", "4", 3 * 6 + 8 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, cases[i].name, cases[i].mode, cases[i].layers, false);
        bool *seen = MET_NEW_ARRAY(c->arena, bool, c->edge_count);
        uint32_t count = 0;
        for (uint32_t n = 0; n < c->node_count; n++) {
            if (c->nodes[n].op->id != MET_OP_quantize)
                continue;
            assert_false(seen[c->nodes[n].ins[0].id]);
            seen[c->nodes[n].ins[0].id] = true;
            count++;
        }
        assert_int_equal(count, cases[i].count);
        met_session_free(session);
    }
}

/* Whatever reads a quantized weight by a linear map reads quantized activations, and nothing else does. */
static void check_readers(const met_circuit *c)
{
    for (uint32_t n = 0; n < c->node_count; n++) {
        const met_node *node = &c->nodes[n];
        bool expert = node->op->id == MET_OP_expert, maps = expert || node->op->id == MET_OP_linear;
        if (maps)
            assert_int_equal(is_quantized(edge_at(c, node, 0)), is_quantized(edge_at(c, node, expert ? 2 : 1)));
        else
            for (uint32_t k = 0; k < node->in_count; k++)
                assert_true(!is_quantized(edge_at(c, node, k)) || edge_at(c, node, k)->role == MET_EDGE_PARAMETER);
        for (uint32_t k = 0; k < node->out_count && node->op->id != MET_OP_quantize; k++)
            assert_false(is_quantized(&c->edges[node->outs[k].id]));
    }
}

static void checked_and_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * MODES; i++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, models[i / MODES], modes[i % MODES], NULL, true);
        assert_true(met_circuit_check(c));
        check_readers(c);
        const char *listing = met_circuit_listing(c, true);
        uint32_t source = met_session_add_source(session, "listing", listing, strlen(listing));
        const met_circuit *again = met_circuit_read(session, source, "bf16");
        if (!again)
            fail_msg("%s", met_session_diagnostics_text(session));
        assert_int_equal(again->node_count, c->node_count);
        check_readers(again);
        met_session_free(session);
    }
}

/* --- What is computed --- */

enum { ROWS = 3, WIDTH = 32, OUT = 5, GROUP = 8 };

/* To e4m3, to nearest even: 4 significant bits, steps of 2^-9 below 2^-6, 448 at most. */
static double e4m3(double x)
{
    int exponent;
    frexp(x, &exponent); /* |x| in [2^(exponent-1), 2^exponent) */
    double step = ldexp(1, (exponent - 1 < -6 ? -6 : exponent - 1) - 3), rounded = rint(x / step) * step;
    return fmax(-448, fmin(448, rounded));
}

static void quantize_group(const double *x, int count, int stride, double *ret)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i * stride]));
    double scale = (double)(float)(most / 448);
    for (int i = 0; i < count; i++)
        ret[i * stride] = scale > 0 ? e4m3(x[i * stride] / scale) * scale : 0;
}

#define FILE                                                                                                              \
    "[arch]\nname = 'one'\nsummary = 'for tests'\n"                                                                        \
    "[dims]\nn = { size = 'tokens' }\nm = { size = 'in' }\nf = { size = 'out' }\n"                                         \
    "[modes.run]\nsummary = 'at once'\n"                                                                                   \
    "[blocks]\nboth = '''(x: n m) -> y, z {\n  y = linear[m -> f](x, @wq)\n  z = linear[m -> f](x, @wr)\n}'''\n"            \
    "[model]\nmode = 'run'\ninputs.x = { axes = ['n', 'm'] }\nstream = 'x'\nprologue = ['both']\n"                         \
    "[toy]\nn = 3\nm = 32\nf = 5\n"

/* Groups of 8 along the rows of x, one scale for each row of the weight; the other weight is plain, and so is what it reads.
 * Sums of 32 products in f32, each rounding once: within 32 u of the sum of magnitudes. */
static void quantized_times_quantized(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_model_options options = { .toy = true, .weights = toml_of(session, "wq = 'fp8/token'"),
                                  .activations = toml_of(session, "linear = 'fp8/g8'") };
    const met_circuit *c = met_model_read(session, toml_of(session, FILE), &options);
    if (!c)
        fail_msg("%s", met_session_diagnostics_text(session));
    double x[ROWS * WIDTH], w[2][OUT * WIDTH], xq[ROWS * WIDTH], wq[OUT * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = (double)(float)(sin(i * 1.7) * (1 + i % 7));
    for (int i = 0; i < OUT * WIDTH; i++)
        w[0][i] = w[1][i] = (double)(float)cos(i * 0.9);
    for (int g = 0; g < ROWS * WIDTH / GROUP; g++)
        quantize_group(x + g * GROUP, GROUP, 1, xq + g * GROUP);
    for (int f = 0; f < OUT; f++)
        quantize_group(w[0] + f * WIDTH, WIDTH, 1, wq + f * WIDTH);
    const met_eval_result *result = run_flat(c, &(met_eval_options){ .dtype = "f32" }, 3, (const double *[]){ x, w[0], w[1] });
    double apart = 0;
    for (int n = 0; n < ROWS; n++)
        for (int f = 0; f < OUT; f++) {
            double sum[2] = { 0 }, size[2] = { 0 };
            for (int m = 0; m < WIDTH; m++) {
                double product[2] = { xq[n * WIDTH + m] * wq[f * WIDTH + m], x[n * WIDTH + m] * w[1][f * WIDTH + m] };
                for (int k = 0; k < 2; k++) {
                    sum[k] += product[k];
                    size[k] += fabs(product[k]);
                }
            }
            for (int k = 0; k < 2; k++)
                assert_true(fabs(result->arrays[k].tensor->values[n * OUT + f] - sum[k]) <= WIDTH * 0x1p-24 * size[k]);
            apart = fmax(apart, fabs(sum[0] - sum[1]));
        }
    assert_true(apart > 1e-3); /* or the two could not be told apart */
    met_session_free(session);
}

static void every_toy_runs(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * MODES; i++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, models[i / MODES], modes[i % MODES], NULL, true);
        const met_tensor *logits = run_filled(c, "f32", NULL, "wave");
        for (size_t k = 0; k < logits->count; k++)
            assert_true(isfinite(logits->values[k]));
        met_session_free(session);
    }
}

/* --- What it takes --- */

/* By hand. Llama, a layer: q and o 4096·4096, k and v 4096·1024, gate, up and down 4096·14336, with 4 bytes for each of 7 scales
 * of tensors; 65 norms, table and head in bf16. In e2m1 a value has 1/2 byte and 1/16 of a scale.
 * Qwen3, likewise: q and o 2048·4096, k and v 2048·512, experts 3·128·768·2048; in bf16 the router 128·2048 and norms 2·2048 + 2·128.
 * DeepSeek-V3: a byte a value and 4 for each block, blocks counted up: q_a 12·56, q_b 192·12, kv_a 5·56, uk and
 * uv 4 a head, wo one a row of 128·128, dense 3·144·56, each of 257 experts 3·16·56; in bf16 routers, biases and norms. */
static void bytes_of_weights(void **state)
{
    (void)state;
    static const double bytes[MODELS] = { 9081201536, 6027748224, 18087310656, 673150582112 };
    for (int i = 0; i < MODELS; i++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, models[i], "decode", NULL, false);
        double sum = 0, one;
        for (uint32_t p = 0; p < c->parameter_count; p++) {
            assert_true(met_edge_bytes(c, &c->edges[c->parameters[p].id], &one));
            sum += one;
        }
        if (sum != bytes[i])
            fail_msg("%s: %.0f", models[i], sum);
        met_session_free(session);
    }
}

static void peaks(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, models[i], "prefill", NULL, true);
        const met_workload *work = met_workload_new(c);
        uint32_t peak = strstr(models[i], "nvfp4") ? MET_PEAK_NVFP4 : MET_PEAK_FP8, narrow = 0;
        for (uint32_t n = 0; n < c->node_count; n++) {
            bool maps = c->nodes[n].op->id == MET_OP_linear || c->nodes[n].op->id == MET_OP_expert;
            bool reads = maps && is_quantized(edge_at(c, &c->nodes[n], 0));
            narrow += reads;
            assert_true((work->nodes[n].peak == peak) == reads);
        }
        assert_true(narrow >= 11);
        met_session_free(session);
    }
}

/* --- Plans --- */

static const met_lowering *plan(const met_circuit *circuit, const char *planner, const char *class, const char *mode)
{
    const met_lkb *lkb = met_blueprint_load(circuit->session, &(met_blueprint_request){ 0 });
    return lkb ? met_plan_circuit(circuit, lkb, &(met_plan_request){ .planner = planner, .hardware = class, .mode = mode }) : NULL;
}

/* All nodes are covered, those that read e2m1 by kernels for it and those that read e4m3 by others. */
static void check_kernels(const met_lowering *lowering)
{
    const met_circuit *c = lowering->circuit;
    for (uint32_t n = 0; n < c->node_count; n++) {
        const met_lowering_group *group = &lowering->groups[lowering->group_of[n]];
        assert_int_not_equal(group->source, MET_GROUP_PLACEHOLDER);
        const met_format input = edge_at(c, &c->nodes[n], 0)->format;
        const char *kernel = group->kernels.names[0], *wanted = input.dtype == MET_E2M1 ? "_fp4" : "_fp8";
        if (!met_format_is_plain(input) && !strstr(kernel, wanted))
            fail_msg("%s reads %s", kernel, wanted);
    }
}

static void every_gpu_has_kernels(void **state)
{
    (void)state;
    static const char *const classes[] = { "hopper", "b200", "b300", "gb10" }, *const planners[] = { "none", "greedy", "exact" };
    for (int i = 0; i < MODELS * MODES * 4; i++) {
        met_session *session = met_session_new();
        const char *mode = modes[i / 4 % MODES];
        const met_circuit *c = load(session, models[i / 4 / MODES], mode, NULL, true);
        const met_lowering *lowering = plan(c, planners[i % 3], classes[i % 4], mode);
        if (!lowering)
            fail_msg("%s", met_session_diagnostics_text(session));
        check_kernels(lowering);
        met_session_free(session);
    }
}

/* Kernels of processors hold no formats with scales: neither rules nor derived regions take what reads them. */
static void processors_have_none(void **state)
{
    (void)state;
    static const char *const planners[] = { "none", "greedy", "exact" };
    for (int p = 0; p < 3; p++) {
        met_session *session = met_session_new();
        const met_circuit *c = load(session, "llama-3.1-8b-nvfp4", "decode", NULL, true);
        assert_null(plan(c, planners[p], "cpu-avx2", "decode"));
        expect_diag(session, MET_DIAG_uncovered, "`linear` of nvfp4/g16");
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_for_each_array),       cmocka_unit_test(checked_and_read_back),
        cmocka_unit_test(quantized_times_quantized), cmocka_unit_test(every_toy_runs),
        cmocka_unit_test(bytes_of_weights),         cmocka_unit_test(peaks),
        cmocka_unit_test(every_gpu_has_kernels),    cmocka_unit_test(processors_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
