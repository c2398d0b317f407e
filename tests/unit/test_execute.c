/* Executions of programs written by hand: arrays in and out, threads, what runs once, what is said about underflow. */
#include "circuits.h"

#include "host/execute.h"

static met_session *session;
static met_compiler *compiler;

static int setup(void **state)
{
    (void)state;
    session = met_session_new();
    compiler = met_compiler_new(session, &(met_compiler_options){ .cache = "" });
    return compiler ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    met_compiler_free(compiler);
    met_session_free(session);
    return 0;
}

static const char head_text[] = "#include <stdint.h>\n"
                                "typedef struct call { void *const *arrays; const int64_t *sizes; void *scratch; } call;\n";

/* y = w x, with w copied first to where it is read; the scratch memory is 64 bytes, which are written and read. */
static const char product_text[] = "void product(const call *c, int64_t begin, int64_t end);\n"
                                   "void product(const call *c, int64_t begin, int64_t end) {\n"
                                   "    const float *w = c->arrays[0], *x = c->arrays[1]; float *y = c->arrays[2];\n"
                                   "    volatile float *s = c->scratch;\n"
                                   "    for (int64_t a = begin; a < end; a++) {\n"
                                   "        s[15] = 0;\n"
                                   "        for (int64_t b = 0; b < c->sizes[0]; b++)\n"
                                   "            s[15] = s[15] + w[a * c->sizes[0] + b] * x[b];\n"
                                   "        y[a] = s[15];\n"
                                   "    } }\n";
static const char copy_text[] = "void copy(const call *c, int64_t begin, int64_t end);\n"
                                "void copy(const call *c, int64_t begin, int64_t end) {\n"
                                "    const float *from = c->arrays[0]; float *to = c->arrays[1];\n"
                                "    for (int64_t i = begin; i < end; i++) to[i] = from[i];\n"
                                "}\n";

static const char *text_of(const char *text)
{
    met_text whole = met_text_new(session->arena);
    met_text_put(&whole, head_text);
    met_text_put(&whole, text);
    return met_text_done(&whole);
}

static const met_class plain = { .name = "plain", .flags = "" };

/* The program of 'b, a b -> a' (x; @w), as src/realize might have written it. */
static const met_program *product_program(const char *dtype, const char *set)
{
    const met_circuit *circuit = circuit_of(session, "linear[b -> a]", set);
    met_point point = met_point_of(strcmp(dtype, "bf16") == 0 ? MET_BF16 : MET_F32);
    circuit = met_circuit_settle(circuit, &point);
    assert_non_null(circuit);
    assert_int_equal(circuit->input_count + circuit->parameter_count, 2);
    uint64_t size[2];
    met_edge_id x = circuit->inputs[0], w = circuit->parameters[0], y = circuit->outputs[0];
    assert_true(met_circuit_size(circuit, circuit->edges[w.id].axes[0], &size[0]));
    assert_true(met_circuit_size(circuit, circuit->edges[w.id].axes[1], &size[1]));
    met_arena *arena = session->arena;
    met_plan *plan = MET_NEW(arena, met_plan);
    plan->circuit = circuit;
    plan->point = point;
    met_program_source *sources = MET_NEW_ARRAY(arena, met_program_source, 2);
    sources[0] = (met_program_source){ .symbol = "copy", .text = text_of(copy_text) };
    sources[1] = (met_program_source){ .symbol = "product", .text = text_of(product_text) };
    size_t element = (size_t)met_dtype_table[point.dtype].bits / 8;
    met_buffer *buffers = MET_NEW_ARRAY(arena, met_buffer, 4);
    buffers[0] = (met_buffer){ x, "x", element * size[1] };
    buffers[1] = (met_buffer){ w, "w", element * size[0] * size[1] };
    buffers[2] = (met_buffer){ y, "y", element * size[0] };
    buffers[3] = (met_buffer){ { MET_NONE }, "packed w", element * size[0] * size[1] };
    static const uint32_t copied[] = { 1, 3 }, multiplied[] = { 3, 0, 2 };
    int64_t *sizes = MET_NEW_ARRAY(arena, int64_t, 1);
    sizes[0] = (int64_t)size[1];
    met_launch *launches = MET_NEW_ARRAY(arena, met_launch, 2);
    launches[0] = (met_launch){ .source = 0, .group = MET_NONE, .array_count = 2, .arrays = copied,
                                .units = (int64_t)(size[0] * size[1]), .constant = true };
    launches[1] = (met_launch){ .source = 1, .array_count = 3, .arrays = multiplied, .size_count = 1, .sizes = sizes,
                                .units = (int64_t)size[0], .scratch_bytes = 64 };
    uint32_t *buffer_of = MET_NEW_ARRAY(arena, uint32_t, circuit->edge_count);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        buffer_of[e] = e == x.id ? 0 : e == w.id ? 1 : e == y.id ? 2 : MET_NONE;
    met_program *program = MET_NEW(arena, met_program);
    *program = (met_program){ plan, &plain, 2, 2, 4, sources, launches, buffers, buffer_of };
    return program;
}

static met_execution *execution_of(const met_program *program, const met_execute_options *options)
{
    met_execution *execution = met_execution_new(session, program, compiler, options);
    if (!execution)
        fail_msg("%s", met_session_diagnostics_text(session));
    return execution;
}

static void set_ramps(met_execution *execution, const met_program *program, double scale)
{
    const met_circuit *circuit = program->plan->circuit;
    double x[64], w[64 * 64];
    size_t count = program->buffers[0].bytes / sizeof(float), all = program->buffers[1].bytes / sizeof(float);
    for (size_t i = 0; i < count; i++)
        x[i] = (double)i + 1;
    for (size_t i = 0; i < all; i++)
        w[i] = scale * (double)(i % 7);
    met_execution_set(execution, circuit->inputs[0], count, x);
    met_execution_set(execution, circuit->parameters[0], all, w);
}

static void check_products(met_execution *execution, const met_program *program, double scale)
{
    size_t bytes;
    const float *y = met_execution_array(execution, program->plan->circuit->outputs[0], &bytes);
    int64_t columns = program->launches[1].sizes[0];
    for (size_t a = 0; a < bytes / sizeof *y; a++) {
        double sum = 0; /* small integers: exact in either precision */
        for (int64_t b = 0; b < columns; b++)
            sum += scale * (double)(((int64_t)a * columns + b) % 7) * (double)(b + 1);
        assert_float_equal(y[a], sum, 0);
    }
}

static void runs_over_threads(void **state)
{
    (void)state;
    static const char *const sets[] = { "a=1,b=1", "a=13,b=5", "a=64,b=64" };
    for (size_t s = 0; s < 3; s++) {
        const met_program *program = product_program("f32", sets[s]);
        for (uint32_t threads = 0; threads < 6; threads++) {
            met_execution *execution = execution_of(program, &(met_execute_options){ .threads = threads, .poison = true });
            set_ramps(execution, program, 1);
            for (int run = 0; run < 3; run++) {
                assert_true(met_execution_run(execution));
                check_products(execution, program, 1);
            }
            assert_false(met_execution_underflow(execution));
            assert_true(met_execution_reports(execution)[1].seconds > 0);
            met_execution_free(execution);
        }
    }
}

/* What is made from parameters is made again when they change, and only then. */
static void constants(void **state)
{
    (void)state;
    const met_program *program = product_program("f32", "a=8,b=6");
    met_execution *execution = execution_of(program, NULL);
    set_ramps(execution, program, 1);
    assert_true(met_execution_run(execution));
    double seconds = met_execution_reports(execution)[0].seconds;
    assert_true(met_execution_run(execution));
    assert_true(met_execution_reports(execution)[0].seconds == seconds);
    set_ramps(execution, program, 2);
    assert_true(met_execution_run(execution));
    check_products(execution, program, 2);
    met_execution_free(execution);
}

static void tensors_and_formats(void **state)
{
    (void)state;
    static const double given[] = { 1, -0.0, 1.00390625, INFINITY, NAN, 3e38 }; /* as they are rounded, by the caller */
    const met_program *program = product_program("bf16", "a=2,b=6");
    met_edge_id x = program->plan->circuit->inputs[0];
    met_execution *execution = execution_of(program, NULL);
    size_t bytes;
    met_execution_set(execution, x, 6, given);
    const uint16_t *bits = met_execution_array(execution, x, &bytes);
    static const uint16_t wanted[] = { 0x3f80, 0x8000, 0x3f80, 0x7f80, 0x7fc0, 0x7f62 };
    assert_int_equal(bytes, sizeof wanted);
    assert_memory_equal(bits, wanted, sizeof wanted);
    const met_tensor *tensor = met_execution_tensor(execution, x);
    assert_string_equal(tensor->format, "bf16");
    assert_int_equal(tensor->rank, 1);
    assert_int_equal(tensor->shape[0], 6);
    assert_true(tensor->values[0] == 1 && signbit(tensor->values[1]) && isinf(tensor->values[3]) && isnan(tensor->values[4]));
    met_execution_free(execution);
}

static void underflow_is_said(void **state)
{
    (void)state;
    const met_program *program = product_program("f32", "a=64,b=3");
    for (uint32_t threads = 1; threads <= 2; threads++) {
        met_execution *execution = execution_of(program, &(met_execute_options){ .threads = threads });
        set_ramps(execution, program, 1);
        double w[64 * 3], x[3] = { 1e-30, 1, 1 };
        for (size_t i = 0; i < 64 * 3; i++)
            w[i] = i == 63 * 3 ? 1e-20 : 1; /* one unit of all */
        met_execution_set(execution, program->plan->circuit->parameters[0], 64 * 3, w);
        assert_true(met_execution_run(execution));
        assert_false(met_execution_underflow(execution));
        met_execution_set(execution, program->plan->circuit->inputs[0], 3, x);
        assert_true(met_execution_run(execution));
        assert_true(met_execution_underflow(execution));
        assert_false(met_execution_reports(execution)[0].underflow);
        x[0] = 1;
        met_execution_set(execution, program->plan->circuit->inputs[0], 3, x);
        assert_true(met_execution_run(execution));
        assert_false(met_execution_underflow(execution)); /* of the last run only */
        met_execution_free(execution);
    }
}

static void refusals(void **state)
{
    (void)state;
    const met_program *program = product_program("f32", "a=64,b=64");
    assert_null(met_execution_new(session, program, compiler, &(met_execute_options){ .byte_limit = 30000 }));
    assert_non_null(strstr(met_session_diagnostics_text(session), "error[run]: the arrays of these kernels take"));
    met_session_clear_diagnostics(session);
    assert_null(met_execution_new(session, program, compiler, &(met_execute_options){ .threads = 5000 }));
    met_session_clear_diagnostics(session);
    met_program huge = *program;
    met_buffer buffers[4];
    memcpy(buffers, program->buffers, sizeof buffers);
    buffers[3].bytes = buffers[2].bytes = SIZE_MAX / 2 + 2;
    huge.buffers = buffers;
    assert_null(met_execution_new(session, &huge, compiler, &(met_execute_options){ .byte_limit = UINT64_MAX / 4 }));
    assert_int_equal(met_session_error_count(session), 1);
    met_session_clear_diagnostics(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_over_threads), cmocka_unit_test(constants), cmocka_unit_test(tensors_and_formats),
        cmocka_unit_test(underflow_is_said), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
