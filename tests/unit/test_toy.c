/* Toy sizes: every architecture has them in every mode, and they leave nothing out. */
#include "models.h"

#include "host/model.h"

#include "on_session.h"

static void every_architecture(void **state)
{
    (void)state;
    size_t count, modes;
    const char *const *names = met_model_names(session, NULL, &count);
    assert_true(count >= 6);
    for (size_t a = 0; a < count; a++) {
        met_model_request request = { .name = names[a], .toy = true };
        const char *const *mode = met_model_mode_names(session, &request, &modes);
        assert_true(mode && modes > 0);
        for (size_t m = 0; m < modes; m++) {
            request.mode = mode[m];
            const met_circuit *c = met_model_load(session, &request);
            if (!c)
                fail_msg("%s %s\n%s", names[a], mode[m], met_session_diagnostics_text(session));
            for (uint32_t s = 0; s < c->symbol_count; s++)
                assert_non_null(c->symbols[s].value);
            assert_true(c->node_count > 0 && c->node_count < 400);
        }
    }
}

#define FILE_OF(toy) \
    "[arch]\nname = 'small'\nsummary = 'for tests'\n" \
    "[dims]\nn = { size = 'tokens' }\nlayers = { count = 'layers', default = 9 }\n" \
    "[modes.run]\nsummary = 'at once'\n[blocks]\nfirst = '(x: n) -> y { y = exp(x) }'\nsecond = 'relu'\n" \
    "[model]\nmode = 'run'\ninputs.x = { axes = ['n'] }\nstream = 'x'\n" \
    "[layers]\ncount = 'layers'\npath = 'layers'\nkind = 'one'\nkinds.one = ['first']\nkinds.two = ['second']\n" \
    "rules = [{ kind = 'two', every = 3 }]\n" toy

static const met_circuit *toy_of(const char *text)
{
    met_model_options options = { .toy = true };
    return met_model_read(session, toml_of(session, text), &options);
}

static void sizes(void **state)
{
    (void)state;
    uint64_t n;
    const met_circuit *c = toy_of(FILE_OF("[toy]\nn = 7\nlayers = 3\n"));
    assert_non_null(c);
    assert_int_equal(c->node_count, 3);
    assert_true(met_circuit_size(c, c->edges[0].axes[0], &n) && n == 7);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        met_code code;
        const char *words;
    } cases[] = {
        { FILE_OF(""), MET_DIAG_field, "`small` has no toy sizes" },
        { FILE_OF("[toy]\nn = 7\nlayers = 2\n"), MET_DIAG_model, "the toy of `small` has no layer of kind `two`" },
        { FILE_OF("[toy]\nlayers = 3\n"), MET_DIAG_field, "`n` has no toy size" },
        { FILE_OF("[toy]\nn = 7\nk = 3\n"), MET_DIAG_model, "there is no dim `k`" },
        { FILE_OF("[toy]\nn = 'many'\nlayers = 3\n"), MET_DIAG_model, "`n` must be a positive integer" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session_clear_diagnostics(session);
        assert_null(toy_of(cases[i].text));
        expect_diag(session, cases[i].code, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_architecture, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
