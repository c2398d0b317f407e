/* Checkpoints: what files hold, what is refused, several files, and the parameters of models by the names of the Hub. */
#include "models.h"

#include <unistd.h>

#include "base/text.h"
#include "host/checkpoint.h"
#include "host/checkpoint_names.h"
#include "host/safetensors.h"

/* A file of a header and `count` bytes behind it. */
static const char *file_of(met_session *session, const char *header, const void *data, size_t count, size_t *ret_length)
{
    size_t length = strlen(header);
    char *bytes = met_session_alloc(session, 8 + length + count + 1, 1);
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    if (count)
        memcpy(bytes + 8 + length, data, count);
    *ret_length = 8 + length + count;
    return bytes;
}

/* --- Formats --- */

static void formats_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *dtype, *format;
        size_t count;
        unsigned char bytes[16];
        double values[4];
    } cases[] = {
        { "F64", "f64", 2, { 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 1 }, { 1.5, 0x1p-1074 } },
        { "F32", "f32", 2, { 0, 0, 0xc0, 0x3f, 0, 0, 0x80, 0xff }, { 1.5, -INFINITY } },
        { "F16", "f16", 2, { 0, 0x3e, 1, 0 }, { 1.5, 0x1p-24 } },
        { "BF16", "bf16", 2, { 0xc0, 0x3f, 0x80, 0xbf }, { 1.5, -1 } },
        { "F8_E4M3", "e4m3", 3, { 0x3c, 0x7e, 0x81 }, { 1.5, 448, -0x1p-9 } },
        { "F8_E5M2", "e5m2", 3, { 0x3e, 0x7b, 0x81 }, { 1.5, 57344, -0x1p-16 } },
        { "I64", "i32", 2, { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7 }, { -2, 7 } },
        { "I64", "i32", 1, { 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff }, { -2147483648.0 } },
        { "I64", "f64", 1, { 0, 0, 0, 0x80 }, { 2147483648.0 } },
        { "I64", "f64", 1, { 0, 0, 0, 0, 1 }, { 4294967296.0 } },
        { "I32", "i32", 2, { 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f }, { -2147483648.0, 2147483647 } },
        { "I16", "i32", 2, { 0xff, 0xff, 0, 1 }, { -1, 256 } },
        { "I8", "i8", 2, { 0x80, 0x7f }, { -128, 127 } },
        { "U8", "i32", 2, { 0x80, 0x7f }, { 128, 127 } },
        { "U32", "f64", 1, { 0xff, 0xff, 0xff, 0xff }, { 4294967295.0 } },
        { "BOOL", "i32", 2, { 1, 0 }, { 1, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        char header[200];
        static const char *const sizes[] = { "F64I64U64", "F32I32U32", "F16BF16I16U16" };
        size_t bytes = strstr(sizes[0], cases[i].dtype) ? 8 : strstr(sizes[1], cases[i].dtype) ? 4 : strstr(sizes[2], cases[i].dtype) ? 2 : 1;
        snprintf(header, sizeof header, "{\"__metadata__\":{\"a\":\"b\"},\"x\":{\"dtype\":\"%s\",\"shape\":[1,%zu],\"data_offsets\":[0,%zu]}}  ",
                 cases[i].dtype, cases[i].count, bytes * cases[i].count);
        size_t length;
        const char *file = file_of(session, header, cases[i].bytes, bytes * cases[i].count, &length);
        const met_safetensors *checkpoint = met_safetensors_parse(session, "x.safetensors", file, length);
        if (!checkpoint)
            fail_msg("%s: %s", cases[i].dtype, met_session_diagnostics_text(session));
        const met_tensor *tensor = met_safetensors_load(session, met_safetensors_find(checkpoint, "x"));
        assert_non_null(tensor);
        assert_string_equal(tensor->format, cases[i].format);
        assert_true(tensor->rank == 2 && tensor->shape[0] == 1 && tensor->shape[1] == cases[i].count);
        for (size_t k = 0; k < cases[i].count; k++)
            if (tensor->values[k] != cases[i].values[k])
                fail_msg("%s: element %zu is %.17g", cases[i].dtype, k, tensor->values[k]);
        assert_null(met_safetensors_find(checkpoint, "y"));
        met_session_free(session);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
#define ONE(dtype, shape, places) "{\"x\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" places "}}"
#define TWO(a, b) "{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" a "},\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" b "}}"
    static const struct {
        const char *header;
        size_t data;
        const char *message;
    } cases[] = {
        { "[]", 0, "begin with {" },
        { "", 0, "begin with {" },
        { "{", 0, "error[json]" },
        { "{\"x\":1}", 0, "a tensor" },
        { "{\"x\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "data_offsets" },
        { "{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}", 1, "more" },
        { ONE("F12", "[1]", "[0,1]"), 1, "type" },
        { ONE("U8", "1", "[0,1]"), 1, "shape" },
        { ONE("U8", "[-1]", "[0,1]"), 1, "natural" },
        { ONE("U8", "[1.5]", "[0,1]"), 1, "natural" },
        { ONE("U8", "[1]", "[0]"), 1, "two numbers" },
        { ONE("U8", "[1]", "[1,0]"), 1, "within the file" },
        { ONE("U8", "[2]", "[0,2]"), 1, "within the file" },
        { ONE("U8", "[1]", "[9223372036854775806,9223372036854775807]"), 1, "within the file" },
        { ONE("F32", "[1]", "[0,3]"), 3, "as many" },
        { ONE("F64", "[4611686018427387904,4]", "[0,0]"), 0, "counted" },
        { ONE("F64", "[2305843009213693952]", "[0,0]"), 0, "as many" },
        { ONE("U8", "[1]", "[0,1]"), 2, "belong to no tensor" },
        { ONE("U8", "[1]", "[1,2]"), 2, "gap" },
        { TWO("[0,2]", "[1,3]"), 3, "overlaps" },
        { TWO("[0,2]", "[0,2]"), 2, "overlaps" },
        { "{\"x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, "uplicate" },
        { "{\"x\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, "axes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        size_t length;
        const char *file = file_of(session, cases[i].header, "\0\0\0", cases[i].data, &length);
        assert_null(met_safetensors_parse(session, "x.safetensors", file, length));
        assert_true(met_session_error_count(session) == 1);
        if (!strstr(met_session_diagnostics_text(session), cases[i].message))
            fail_msg("`%s`: %s", cases[i].header, met_session_diagnostics_text(session));
        met_session_free(session);
    }
}

static void lengths_are_checked(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    size_t length;
    const char *file = file_of(session, "{}", NULL, 0, &length);
    assert_non_null(met_safetensors_parse(session, "x", file, length));
    for (size_t cut = 0; cut < length; cut++)
        assert_null(met_safetensors_parse(session, "x", file, cut));
    assert_null(met_safetensors_parse(session, "x", "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10));
    met_session_free(session);
}

static void expect_no_value(const char *header, const char *data, size_t count, const char *why)
{
    met_session *session = met_session_new();
    size_t length;
    const char *file = file_of(session, header, data, count, &length);
    const met_safetensors *checkpoint = met_safetensors_parse(session, "x", file, length);
    assert_non_null(checkpoint);
    assert_null(met_safetensors_load(session, met_safetensors_find(checkpoint, "x")));
    assert_int_equal(met_session_error_count(session), 1);
    assert_non_null(strstr(met_session_diagnostics_text(session), why));
    met_session_free(session);
}

/* An integer that doubles do not have, and a truth value that is none. */
static void values_are_checked(void **state)
{
    (void)state;
    expect_no_value(ONE("I64", "[1]", "[0,8]"), "\1\0\0\0\0\0\x20\0", 8, "beyond 2^53");
    expect_no_value(ONE("BOOL", "[1]", "[0,1]"), "\2", 1, "neither true nor false");
}

/* --- Files --- */

static char folder[] = "/tmp/met_safetensors_XXXXXX";

static const char *path_of(met_session *session, const char *name)
{
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "%s/%s", folder, name);
    return met_text_done(&text);
}

static void write_file(met_session *session, const char *name, const char *bytes, size_t length)
{
    assert_true(met_file_write(session, path_of(session, name), bytes, length));
}

static void shards_are_one(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    size_t length;
    const char *file = file_of(session, ONE("U8", "[1]", "[0,1]"), "\7", 1, &length);
    write_file(session, "a.safetensors", file, length);
    file = file_of(session, "{\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", "\1\2", 2, &length);
    write_file(session, "b.safetensors", file, length);
    static const char *const indices[][2] = {
        { "{\"metadata\":{},\"weight_map\":{\"x\":\"a.safetensors\",\"y\":\"b.safetensors\"}}", NULL },
        { "{\"weight_map\":{\"x\":\"b.safetensors\"}}", "not in that file" },
        { "{\"weight_map\":{\"x\":\"c.safetensors\"}}", "c.safetensors" },
        { "{\"weight_map\":{\"x\":\"../a.safetensors\"}}", "beside" },
        { "{\"weight_map\":{\"x\":1}}", "file of a tensor" },
        { "{\"weight_map\":[]}", "weight_map" },
        { "{}", "weight_map" },
        { "[1]", "an index" },
    };
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        write_file(session, "model.safetensors.index.json", indices[i][0], strlen(indices[i][0]));
        const met_safetensors *checkpoint = met_safetensors_open(session, i % 2 ? folder : path_of(session, "model.safetensors.index.json"));
        if (indices[i][1]) {
            assert_null(checkpoint);
            assert_int_equal(met_session_error_count(session), 1);
            if (!strstr(met_session_diagnostics_text(session), indices[i][1]))
                fail_msg("`%s`: %s", indices[i][0], met_session_diagnostics_text(session));
            met_session_clear_diagnostics(session);
            continue;
        }
        if (!checkpoint)
            fail_msg("%s", met_session_diagnostics_text(session));
        const met_tensor *y = met_safetensors_load(session, met_safetensors_find(checkpoint, "y"));
        assert_true(y && y->count == 2 && y->values[0] == 1 && y->values[1] == 2);
        assert_true(met_safetensors_load(session, met_safetensors_find(checkpoint, "x"))->values[0] == 7);
    }
    unlink(path_of(session, "model.safetensors.index.json"));
    unlink(path_of(session, "a.safetensors"));
    unlink(path_of(session, "b.safetensors"));
    assert_null(met_safetensors_open(session, folder));
    assert_true(strstr(met_session_diagnostics_text(session), "neither model.safetensors") != NULL);
    met_session_free(session);
}

/* --- Models --- */

/* A checkpoint in the making: tensors of F64. */
typedef struct maker {
    met_session *session;
    met_text header;
    double values[20000];
    size_t count;
} maker;

static void add_tensor(maker *m, const char *name, size_t rows, size_t columns, const double *values)
{
    size_t count = (rows ? rows : 1) * columns;
    assert_true(m->count + count <= sizeof m->values / sizeof *m->values);
    met_text_format(&m->header, "%s\"%s\":{\"dtype\":\"F64\",\"shape\":[", m->count ? "," : "{", name);
    if (rows)
        met_text_format(&m->header, "%zu,", rows);
    met_text_format(&m->header, "%zu],\"data_offsets\":[%zu,%zu]}", columns, 8 * m->count, 8 * (m->count + count));
    memcpy(m->values + m->count, values, count * sizeof *values);
    m->count += count;
}

static const char *finish(maker *m)
{
    size_t length;
    met_text_put(&m->header, "}");
    const char *file = file_of(m->session, met_text_done(&m->header), m->values, 8 * m->count, &length);
    write_file(m->session, "model.safetensors", file, length);
    return path_of(m->session, "model.safetensors");
}

/* A tensor as the Hub has it: its name and its shape, [rows columns], or [columns] if rows is 0. With `experts`, that many of
 * them, % in the name. */
typedef struct hub_tensor {
    const char *name;
    size_t rows, columns, experts;
} hub_tensor;

/* What both begin with: 4 heads over 2 groups of 6, a model of 24, 37 words. */
#define ATTENTION                                                   \
    { "model.embed_tokens.weight", 37, 24, 0 },                     \
    { "model.layers.0.input_layernorm.weight", 0, 24, 0 },          \
    { "model.layers.0.self_attn.q_proj.weight", 24, 24, 0 },        \
    { "model.layers.0.self_attn.k_proj.weight", 12, 24, 0 },        \
    { "model.layers.0.self_attn.v_proj.weight", 12, 24, 0 },        \
    { "model.layers.0.self_attn.o_proj.weight", 24, 24, 0 },        \
    { "model.layers.0.post_attention_layernorm.weight", 0, 24, 0 }

/* One layer's, in the order of the circuit's parameters. */
static const hub_tensor llama[] = {
    ATTENTION,
    { "model.layers.0.mlp.gate_proj.weight", 20, 24, 0 },
    { "model.layers.0.mlp.up_proj.weight", 20, 24, 0 },
    { "model.layers.0.mlp.down_proj.weight", 24, 20, 0 },
    { "model.norm.weight", 0, 24, 0 },
    { "lm_head.weight", 37, 24, 0 },
};
static const hub_tensor mixtral[] = {
    ATTENTION,
    { "model.layers.0.block_sparse_moe.experts.%.w1.weight", 20, 24, 3 },
    { "model.layers.0.block_sparse_moe.experts.%.w3.weight", 20, 24, 3 },
    { "model.layers.0.block_sparse_moe.experts.%.w2.weight", 24, 20, 3 },
    { "model.layers.0.block_sparse_moe.gate.weight", 3, 24, 0 },
    { "model.norm.weight", 0, 24, 0 },
    { "lm_head.weight", 37, 24, 0 },
};

#define SIZES                                                                                                                  \
    "\"hidden_size\":24,\"num_hidden_layers\":1,\"num_attention_heads\":4,\"num_key_value_heads\":2,\"intermediate_size\":20," \
    "\"vocab_size\":37,\"rms_norm_eps\":1e-5,\"tie_word_embeddings\":false"

static const met_circuit *circuit_of(met_session *session, const char *arch, const char *config)
{
    const met_circuit *circuit = read_model(session, arch, config, NULL, 0);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return met_circuit_bind(circuit, "n=5");
}

/* The fill `wave` of the circuit's parameters, under the Hub's names: what test_models holds to the Hub's own results. */
static void check_model(const char *arch, const char *config, const hub_tensor *tensors, size_t count)
{
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, arch, config);
    assert_int_equal(circuit->parameter_count, count);
    maker *m = met_session_alloc(session, 1, sizeof *m);
    m->session = session;
    m->header = met_text_new(session->arena);
    for (size_t k = 0; k < count; k++) {
        const hub_tensor *t = &tensors[k];
        size_t each = (t->rows ? t->rows : 1) * t->columns, copies = t->experts ? t->experts : 1;
        double *values = met_session_alloc(session, each * copies, sizeof *values);
        met_fill("wave", 0, circuit->input_count + k, 0, each * copies, values);
        for (size_t e = 0; e < copies; e++) {
            const char *mark = strchr(t->name, '%');
            met_text name = met_text_new(session->arena);
            if (mark)
                met_text_format(&name, "%.*s%zu", (int)(mark - t->name), t->name, e);
            met_text_put(&name, mark ? mark + 1 : t->name);
            add_tensor(m, met_text_done(&name), t->rows, t->columns, values + e * each);
        }
    }
    size_t loaded;
    const met_named_tensor *found = met_checkpoint_load(circuit, finish(m), MET_ROOT_DIR "/kernels", &loaded);
    if (!found)
        fail_msg("%s", met_session_diagnostics_text(session));
    met_eval_options by_fill = { .fill = "wave" }, given = { .fill = "iota" };
    /* ids count up either way: wave of an integer is its place */
    const met_eval_result *want = met_eval_run(circuit, &by_fill, 0, NULL), *got = met_eval_run(circuit, &given, loaded, found);
    assert_true(want && got);
    assert_memory_equal(want->arrays[0].tensor->values, got->arrays[0].tensor->values, want->arrays[0].tensor->count * sizeof(double));
    unlink(path_of(session, "model.safetensors"));
    met_session_free(session);
}

static void models_take_names_of_the_hub(void **state)
{
    (void)state;
    check_model("llama", "{\"model_type\":\"llama\"," SIZES "}", llama, sizeof llama / sizeof *llama);
    check_model("mistral", "{\"model_type\":\"mistral\",\"sliding_window\":3," SIZES "}", llama, sizeof llama / sizeof *llama);
    check_model("mixtral", "{\"model_type\":\"mixtral\",\"num_local_experts\":3,\"num_experts_per_tok\":2," SIZES "}", mixtral,
                sizeof mixtral / sizeof *mixtral);
}

static void patterns_fit(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name, *number; /* NULL: does not fit */
    } cases[] = {
        { "norm", "norm", "" },         { "norm", "norms", NULL },      { "l.{}.w", "l.12.w", "12" }, { "l.{}.w", "l.1x.w", NULL },
        { "l.{}.w", "l..w", NULL },     { "l.{}.w", "l.1.wq", NULL },   { "l.{}.w", "k.1.w", NULL },  { "l.{}", "l.0", "0" },
        { "l.{}.w", "l.1.2.w", NULL },  { "{}.w", "7.w", "7" },         { "l.{}.w", "l.w", NULL },    { "l.{}.w", "l./.w", NULL },
        { "l.{}.w", "l.:.w", NULL },    { "l.{}.w", "l.9.w", "9" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_str number;
        bool fits = met_checkpoint_fits(met_str_of(cases[i].pattern), met_str_of(cases[i].name), &number);
        if (fits != (cases[i].number != NULL) || (fits && !met_str_is(number, cases[i].number)))
            fail_msg("`%s` and `%s`", cases[i].pattern, cases[i].name);
    }
}

/* Spellings of a name are tried in their order, groups from the last to the first; what is no name is one mistake. */
static void names_are_read(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    static const char good[] = "[architectures]\nllama = [\"a\", \"b\"]\n[groups.a]\nx = \"x1\"\n[groups.b]\ny = [\"y1\", \"y2\"]\n";
    static const char bad[] = "[architectures]\nllama = [\"a\"]\n[groups.a]\nx = [\"x1\", 2]\n";
    static const char *const want[][2] = { { "y", "y1" }, { "y", "y2" }, { "x", "x1" } };
    write_file(session, "CHECKPOINTS.toml", good, strlen(good));
    const met_checkpoint_names *names = met_checkpoint_names_read(session, folder, met_str_of("llama"));
    assert_true(names && names->names.count == 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(met_str_is(names->names.at[i].parameter, want[i][0]) && met_str_is(names->names.at[i].stored, want[i][1]));
    write_file(session, "CHECKPOINTS.toml", bad, strlen(bad));
    assert_null(met_checkpoint_names_read(session, folder, met_str_of("llama")));
    assert_int_equal(met_session_error_count(session), 1);
    unlink(path_of(session, "CHECKPOINTS.toml"));
    met_session_free(session);
}

/* All that does not fit is one diagnostic. */
static void what_does_not_fit(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, "llama", "{\"model_type\":\"llama\"," SIZES "}");
    static const double zeros[37 * 24];
    maker *m = met_session_alloc(session, 1, sizeof *m);
    m->session = session;
    m->header = met_text_new(session->arena);
    for (size_t k = 0; k < sizeof llama / sizeof *llama; k++)
        if (k != 2 && k != 11) /* wk is the other way round, of wo only a row is there */
            add_tensor(m, k == 10 ? "norm" : llama[k].name, k == 3 ? 24 : k == 5 ? 0 : llama[k].rows, k == 3 ? 12 : llama[k].columns, zeros);
    add_tensor(m, "model.layers.0.self_attn.rotary_emb.inv_freq", 0, 3, zeros); /* known, and not needed */
    add_tensor(m, "model.layers.0.self_attn.q_proj.scale", 0, 1, zeros);
    size_t loaded;
    const char *path = finish(m);
    assert_null(met_checkpoint_load(circuit, path, MET_ROOT_DIR "/kernels", &loaded));
    assert_int_equal(met_session_error_count(session), 1);
    const char *said = met_session_diagnostics_text(session);
    static const char *const parts[] = { "2 missing, 1 unexpected, 2 of another shape", "layers.0.wq", "self_attn.q_proj.weight",
                                         "`model.layers.0.self_attn.q_proj.scale`", "`output`, looked for as `lm_head.weight`",
                                         "k_proj.weight` is [24 12], `layers.0.wk` wants [2 6 24]", "o_proj.weight` is [24]" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(said, parts[i]))
            fail_msg("`%s` is not in: %s", parts[i], said);
    unlink(path);
    met_session_free(session);
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_read), cmocka_unit_test(mistakes_are_named),           cmocka_unit_test(lengths_are_checked), cmocka_unit_test(values_are_checked),
        cmocka_unit_test(shards_are_one),   cmocka_unit_test(models_take_names_of_the_hub), cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(patterns_fit),     cmocka_unit_test(names_are_read),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
