/* Architecture files: how parts merge, how layers are laid out, and what is refused. */
#include "models.h"

#include "host/model.h"

#include "on_session.h"

/* A small architecture in pieces, so that each may be replaced. */
#define HEAD "[arch]\nname = 'small'\nsummary = 'for tests'\n"
#define DIMS "[dims]\nn = { size = 'tokens' }\nm = { size = 'width' }\nlayers = { count = 'layers', default = 4 }\n" \
             "on = { switch = 'some', default = true }\nhow = { word = 'some', one_of = ['a', 'b'], default = 'a' }\n" \
             "eps = { number = 'some', default = 0.5 }\np = { count = 'period', default = 2 }\n"
#define MODES "[modes.run]\nsummary = 'at once'\n[modes.half]\nsummary = 'some'\nset = { n = 3, m = 'n + 1' }\n"
#define BLOCKS "[blocks]\nfirst = '(x: n m) -> y { y = exp(x) }'\nsecond = 'relu @ scale(eps)'\n"
#define MODEL "[model]\nmode = 'run'\ninputs.x = { axes = ['n', 'm'] }\nstream = 'x'\n"
#define LAYERS "[layers]\ncount = 'layers'\npath = 'layers'\nkinds.one = ['first']\nkinds.two = ['second']\n"

static const char *ops_of(const met_circuit *c)
{
    met_text text = met_text_new(session->arena);
    for (uint32_t i = 0; i < c->node_count; i++)
        met_text_format(&text, "%s%s", i ? " " : "", c->nodes[i].op->name);
    return met_text_done(&text);
}

static void expect_ops(const char *arch, const char *mode, const char *ops)
{
    const met_circuit *c = read_model(session, arch, NULL, mode, 0);
    if (!c)
        fail_msg("%s\n%s", arch, met_session_diagnostics_text(session));
    assert_string_equal(ops_of(c), ops);
}

static void layouts(void **state)
{
    (void)state;
    expect_ops(HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'one'\n", NULL, "exp exp exp exp");
    expect_ops(HEAD DIMS MODES BLOCKS MODEL LAYERS "list = ['one', 'two', 'two', 'one']\n", NULL,
               "exp relu scale relu scale exp");
    /* kind A where (i + 1) mod p = 0 */
    expect_ops(HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'two'\nrules = [{ kind = 'one', every = 4 }]\n", NULL,
               "relu scale relu scale relu scale exp");
    expect_ops(HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'one'\nrules = [{ kind = 'two', every = 'p' }]\n", NULL,
               "exp relu scale exp relu scale");
    /* the first rule that fits */
    expect_ops(HEAD DIMS MODES BLOCKS MODEL LAYERS "rules = [{ kind = 'two', every = 3 }, { kind = 'one', every = 1 }]\n",
               NULL,
               "exp exp relu scale exp");
    const met_circuit *c = read_model(session, HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'two'\n", NULL, NULL, 7);
    assert_int_equal(c->node_count, 14);
}

static void choices(void **state)
{
    (void)state;
#define CHOICE(block) HEAD DIMS MODES "[blocks.first]\n" block "[blocks]\nsecond = 'exp'\n" MODEL LAYERS "kind = 'one'\n"
    expect_ops(CHOICE("by = 'how'\na = 'exp'\nb = 'log'\n"), NULL, "exp exp exp exp");
    expect_ops(CHOICE("by = 'mode'\nrun = 'exp'\nhalf = 'log'\n"), NULL, "exp exp exp exp");
    expect_ops(CHOICE("by = 'mode'\nrun = 'exp'\nhalf = 'log'\n"), "half", "log log log log");
    expect_ops(CHOICE("by = 'on'\non = 'sqrt'\n"), NULL, "sqrt sqrt sqrt sqrt");
    /* off without a text: the block vanishes */
    expect_ops(HEAD DIMS "off = { switch = 'some', default = false }\n" MODES "[blocks.first]\nby = 'off'\non = 'sqrt'\n[blocks]\nsecond = 'exp'\n" MODEL
               LAYERS "list = ['one', 'two', 'one', 'one']\n", NULL, "exp");
}

/* What a mode sets is a number, or a formula over other dims. */
static void modes(void **state)
{
    (void)state;
    const met_circuit *c = read_model(session, HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'one'\n", NULL, "half", 0);
    uint64_t n = 0, m = 0;
    assert_true(met_circuit_size(c, c->edges[0].axes[0], &n) && met_circuit_size(c, c->edges[0].axes[1], &m));
    assert_int_equal(n, 3);
    assert_int_equal(m, 4);
}

/* --- Refusals --- */

#define TAIL BLOCKS MODEL LAYERS "kind = 'one'\n"

static const struct {
    const char *text, *mode;
    met_code code;
    const char *words;
} refused[] = {
    { "[part]\nname = 'x'\n", NULL, MET_DIAG_field, "the field `arch` is missing" },
    { HEAD "use = ['blocks/nothing.toml']\n", NULL, MET_DIAG_model, "there is no part `blocks/nothing.toml`" },
    { HEAD "use = ['blocks/attention_gqa.toml']\n[dims]\nn = { size = 'tokens' }\nm = { size = 'width' }\n", NULL,
     MET_DIAG_model, "does not declare `eps`" },
    { HEAD "use = ['blocks/mlp_gated.toml', 'blocks/mlp_plain.toml']\n", NULL, MET_DIAG_duplicate_name,
     "neither uses the other" },
    { HEAD DIMS "[modles.run]\n" TAIL, NULL, MET_DIAG_field, "did you mean `modes`?" },
    { HEAD "[dims]\nn = { siz = 'tokens' }\n", NULL, MET_DIAG_field, "did you mean `size`?" },
    { HEAD "[dims]\nn = { size = 'tokens', number = 'both' }\n", NULL, MET_DIAG_field, "must be one of size, count" },
    { HEAD "[dims]\nn = { number = 'no default' }\n", NULL, MET_DIAG_field, "the field `default` is missing" },
    { HEAD "[dims]\nn = { number = 'x', default = 0, above = 0 }\n" MODES, "run", MET_DIAG_model, "`n` must be a number above 0" },
    { HEAD "[dims]\nn = { number = 'x', default = -1, least = 0 }\n" MODES, "run", MET_DIAG_model, "`n` must be a number from 0" },
    { HEAD "[dims]\nn = { count = 'x', least = 0 }\n", NULL, MET_DIAG_field, "bounds a number" },
    { HEAD "[dims]\nn = { number = 'x', default = 1, of = '2' }\n", NULL, MET_DIAG_field, "a number has no such field" },
    { HEAD "[dims]\nn = { word = 'x', one_of = ['a'], default = 'b' }\n" MODES, "run", MET_DIAG_model,
     "`n` must be one of a" },
    { HEAD "[dims]\na = { size = 'x', of = 'b' }\nb = { size = 'x', of = 'a' }\n" MODES, "run", MET_DIAG_recursion,
     "is made from itself" },
    { HEAD "[dims]\na = { size = 'x', of = '7 / 2' }\n" MODES, "run", MET_DIAG_divide, "7 is not a multiple of 2" },
    { HEAD "[dims]\na = { size = 'x', of = '2 - 3' }\n" MODES, "run", MET_DIAG_size_value, "a size below 0" },
    { HEAD "[dims]\na = { size = 'x', of = 'exp(b)' }\n" MODES, "run", MET_DIAG_formula, "not a formula over sizes" },
    { HEAD "[dims]\na = { size = 'x', of = 'b + 1' }\n" MODES, "run", MET_DIAG_unknown_name, "there is no dim `b`" },
    { HEAD DIMS "[[require]]\nequal = ['p', '3']\nwhy = 'threes'\n" MODES TAIL, NULL, MET_DIAG_size,
     "`p` is 2 and `3` is 3: threes" },
    { HEAD DIMS "[[require]]\ndivides = ['3', 'p']\nwhy = 'threes'\n" MODES TAIL, NULL, MET_DIAG_divide,
     "the first must divide" },
    { HEAD DIMS "[[require]]\nat_most = ['3', 'p']\nwhy = 'twos'\n" MODES TAIL, NULL, MET_DIAG_size_value,
     "`3` is 3 and `p` is 2: twos" },
    { HEAD DIMS "[[require]]\nat_most = ['2', 'p']\ndivides = ['2', 'p']\nwhy = 'twos'\n" MODES TAIL, NULL, MET_DIAG_field, "says one of `equal`" },
    { HEAD DIMS "[[require]]\nwhy = 'threes'\n" MODES TAIL, NULL, MET_DIAG_field, "says one of `equal`" },
    { HEAD DIMS MODES TAIL, "backwards", MET_DIAG_model, "its modes are run, half" },
    { HEAD DIMS MODES "[model]\nmode = 'run'\n", NULL, MET_DIAG_model, "has nothing to run" },
    { HEAD DIMS MODES BLOCKS "[model]\nmode = 'run'\nstream = 'x'\n", NULL, MET_DIAG_model, "there is no input `x`" },
    { HEAD DIMS MODES BLOCKS MODEL "inputs.i = { axes = ['k'] }\n" LAYERS, NULL, MET_DIAG_model, "there is no dim `k`" },
    { HEAD DIMS MODES BLOCKS MODEL "inputs.i = { axes = ['p'] }\n" LAYERS, NULL, MET_DIAG_model, "`p` is not a size" },
    { HEAD DIMS MODES BLOCKS MODEL "inputs.i = { axes = ['n'], format = 'f99' }\n" LAYERS, NULL, MET_DIAG_format,
     "this is not a format" },
    { HEAD DIMS MODES BLOCKS MODEL LAYERS, NULL, MET_DIAG_model, "layer 0 has no kind" },
    { HEAD DIMS MODES BLOCKS MODEL LAYERS "list = ['one']\n", NULL, MET_DIAG_model,
     "the list has 1 layers, and the model has 4" },
    { HEAD DIMS MODES BLOCKS MODEL LAYERS "kind = 'three'\n", NULL, MET_DIAG_model, "there is no kind of layer `three`" },
    { HEAD DIMS MODES BLOCKS MODEL LAYERS "rules = [{ kind = 'one', every = 0 }]\n", NULL, MET_DIAG_model,
     "an interval is a positive integer" },
    { HEAD DIMS MODES BLOCKS MODEL "[layers]\npath = 'l'\nkinds.one = ['first']\n", NULL, MET_DIAG_field,
     "needs `count` and `path`" },
    { HEAD DIMS MODES BLOCKS MODEL "epilogue = ['frist']\n" LAYERS "kind = 'one'\n", NULL, MET_DIAG_model,
     "did you mean `first`?" },
    { HEAD DIMS MODES "[blocks]\nfirst = '(x: n m, w: m) -> y { y = x }'\nsecond = 'exp'\n" MODEL LAYERS "kind = 'one'\n",
     NULL, MET_DIAG_model, "reads `w`, which is no input" },
    { HEAD DIMS MODES "[blocks]\n'a b' = 'exp'\n" MODEL LAYERS "kind = 'one'\n", NULL, MET_DIAG_field,
     "letters, digits and underscores" },
    { HEAD DIMS MODES "[blocks.first]\nby = 'how'\na = 'exp'\nc = 'log'\n" MODEL LAYERS "kind = 'one'\n", NULL,
     MET_DIAG_field, "`how` is never `c`" },
    { HEAD DIMS MODES "[blocks.first]\nby = 'how'\nb = 'log'\n" MODEL LAYERS "kind = 'one'\n", NULL, MET_DIAG_model,
     "says nothing for `a`" },
    { HEAD DIMS MODES TAIL "[config.keys]\nk = { dim = 'mm' }\n", NULL, MET_DIAG_model, "there is no dim `mm`" },
    { HEAD DIMS MODES TAIL "[config.keys]\nk = { is = [1] }\n", NULL, MET_DIAG_field, "the field `why` is missing" },
    { HEAD DIMS MODES TAIL "[config.keys]\nk = { dim = 'm', ignore = 'both' }\n", NULL, MET_DIAG_field,
     "a rule says one of" },
};

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        met_session *own = met_session_new();
        if (read_model(own, refused[i].text, NULL, refused[i].mode, 0))
            fail_msg("accepted:\n%s", refused[i].text);
        expect_diag(own, refused[i].code, refused[i].words);
        met_session_free(own);
    }
}

/* An error within equations points into the file that has them. */
static void places(void **state)
{
    (void)state;
    assert_null(read_model(session,
                           HEAD DIMS MODES "[blocks]\nfirst = '''\n(x: n m) -> y {\n  y = exq(x)\n}'''\nsecond = 'exp'\n" MODEL LAYERS "kind = 'one'\n", NULL,
                           NULL, 0));
    expect_diag(session, MET_DIAG_unknown_name, "arch.toml:20:7");
    expect_diag(session, MET_DIAG_unknown_name, "y = exq(x)");
}

/* --- Files --- */

static const met_circuit *load(met_model_request request)
{
    met_session_clear_diagnostics(session);
    return met_model_load(session, &request);
}

static void files(void **state)
{
    (void)state;
    unsetenv("MET_KERNELS");
    assert_true(met_model_exists(NULL, "llama") && !met_model_exists(NULL, "lama") && !met_model_exists(NULL, "blocks/rope"));
    assert_true(met_model_exists(MET_ROOT_DIR "/kernels", "bert") && !met_model_exists(MET_ROOT_DIR, "bert"));
    const met_circuit *c = load((met_model_request){ .config = MET_ROOT_DIR "/examples/qwen3-tiny" });
    assert_string_equal(met_sym_text(session, c->name), "qwen3");
    assert_non_null(load((met_model_request){ .name = CIRCUITS "llama.toml", .layers = "1" }));
    assert_null(load((met_model_request){ .name = "llama", .layers = "many" }));
    expect_diag(session, MET_DIAG_size_value, "`many` is not a number of layers");
    assert_null(load((met_model_request){ .name = "lama" }));
    expect_diag(session, MET_DIAG_model, "there are bamba, bert, deepseek_v2, ");
    assert_null(load((met_model_request){ .name = "llama", .kernels = "/nowhere" }));
    expect_diag(session, MET_DIAG_file, "there is no directory `/nowhere`");
    assert_null(load((met_model_request){ .config = MET_ROOT_DIR "/examples/none/config.json" }));
    expect_diag(session, MET_DIAG_file, "cannot");
    setenv("MET_KERNELS", "/nowhere", 1);
    assert_null(load((met_model_request){ .name = "llama" }));
    expect_diag(session, MET_DIAG_file, "it is what $MET_KERNELS says");
    assert_non_null(load((met_model_request){ .name = "llama", .kernels = MET_ROOT_DIR "/kernels" }));
    unsetenv("MET_KERNELS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(layouts, setup, teardown),  cmocka_unit_test_setup_teardown(choices, setup, teardown),
        cmocka_unit_test_setup_teardown(modes, setup, teardown),
               cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(places, setup, teardown),   cmocka_unit_test_setup_teardown(files, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
