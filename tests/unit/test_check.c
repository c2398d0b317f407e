/* The checker: circuits as JSON with one thing wrong each are refused, and the message says what. */
#include "circuits.h"
#include "host/json.h"

typedef struct wrong {
    const char *program;
    const char *from, *to; /* in its JSON: the first place */
    const char *message;
} wrong;

static const char norm[] = "x: a b\nrmsnorm[b](x)";
static const char cut[] = "x: a\nu, v = split[a -> k=1, l=2](x)\n-> u, v";
static const char joined[] = "x: a, y: b\nconcat[k](x, y)";
static const char picked[] = "x: a b\nv, i = top_k[b -> k=2](x)\n-> v, i";
static const char table[] = "i: i32[n]\nembed[v -> m](i)";
static const char state[] = "x: n, state s: t\nk = kv_append[p](s, x)\n-> k";
static const char formula[] = "x: a b\nmap['a b -> a b'](x, { a + i_b })";

static const wrong cases[] = {
    { norm, "\"name\": \"x\"", "\"name\": \"x y\"", "`x y` is not a name" },
    { norm, "\"inputs\": [\"x\"]", "\"inputs\": []", "parameters are not the edges after the inputs" },
    { norm, "\"inputs\": [\"x\"]", "\"inputs\": [\"x\", \"x\"]", "inputs are not the first edges" },
    { norm, "\"role\": \"value\"", "\"role\": \"state\"", "its outputs are not the next edges" },
    { norm, "\"value\": null", "\"value\": 0", "a size is a positive integer" },
    { norm, "\"value\": null", "\"value\": 5", "made of a size that is bound" },
    { norm, "\"size\": \"a\"", "\"size\": 0", "axis `a` has size 0" },
    { norm, "\"targets\": [1]", "\"targets\": []", "wrong number of targets" },
    { norm, "\"targets\": [1]", "\"targets\": [1, 1]", "stands twice" },
    { norm, "\"targets\": [1]", "\"targets\": [7]", "not an index of it" },
    { norm, "\"results\": []", "\"results\": [0]", "only ops with an arrow" },
    { norm, "\"reduced\": false", "\"reduced\": true", "what it says is reduced" },
    { norm, "\"given\": false, \"value\": 1e-6", "\"given\": false, \"value\": 0.5", "option `eps` is not given" },
    { norm, "\"value\": \"yes\"", "\"value\": \"perhaps\"", "option `gain` has a value" },
    { norm, "\"given\": false, \"value\": \"yes\"", "\"given\": true, \"value\": \"no\"", "wrong number of inputs" },
    { norm, "\"op\": \"rmsnorm\"", "\"op\": \"softmax\"", "has 0 options" },
    { norm, "{\"edge\": \"x\", \"at\": [0, 1]}", "{\"edge\": \"x\", \"at\": [0, 0]}", "another place than an index along its own axis" },
    { norm, "{\"edge\": \"x\", \"at\": [0, 1]}", "{\"edge\": \"x\", \"at\": [0]}", "another rank" },
    { norm, "{\"edge\": \"x\", \"at\": [0, 1]}", "{\"edge\": \"v0\", \"at\": [0, 1]}", "what is made after it" },
    { norm, "\"outputs\": [{\"edge\": \"v0\", \"at\": [0, 1]}]", "\"outputs\": [{\"edge\": \"v0\", \"at\": [0, 0]}]", "one index at two positions" },
    { norm, "\"block\": null", "\"block\": 0", "another block" },
    { cut, "\"results\": [0, 1]", "\"results\": [1, 0]", "its parts are not those" },
    { cut, "\"size\": 3", "\"size\": 4", "not as long as its target" },
    { joined, "\"coefficient\": -1", "\"coefficient\": -2", "do not follow each other" },
    { picked, "\"results\": [1]", "\"results\": [0]", "results do not fit" },
    { picked, "\"format\": \"i32\"", "\"format\": \"f32\"", "another format than i32" },
    { table, "\"format\": \"i32\"", "\"format\": \"f32\"", "another format than i32" },
    { table, "\"at\": [2, 1]", "\"at\": [1, 2]", "another place" },
    { state, "{\"in\": \"s\", \"out\": \"k\"}", "", "gets no new value" },
    { state, "{\"in\": \"s\"", "{\"in\": \"x\"", "is no state" },
    { formula, "{\"input\": 0}", "{\"input\": 1}", "option `e` has a value" },
    { formula, "{\"index\": 1}", "{\"index\": 2}", "option `e` has a value" },
    { "x: a b\nrope[a b](x)", "\"targets\": [0, 1]", "\"targets\": [1]", "wrong number of targets" },
    { "x: a, y: a\nadd(x, y)", "\"op\": \"add\"", "\"op\": \"neg\"", "wrong number of inputs" },
    { "x: a b\nsum[b](x)", "\"targets\": [1]", "\"targets\": [0]", "folds something else than its targets" },
};

static const met_circuit *read_json(met_session *session, const char *text)
{
    uint32_t source = met_session_add_source(session, "check.json", text, strlen(text));
    const met_value *tree = met_json_read(session, source);
    return tree ? met_circuit_from_json(session, tree) : NULL;
}

static const char *changed(met_session *session, const char *text, const wrong *w)
{
    const char *at = strstr(text, w->from);
    if (!at)
        fail_msg("%s: no `%s` in\n%s", w->program, w->from, text);
    met_text out = met_text_new(session->arena);
    met_text_bytes(&out, text, (size_t)(at - text));
    met_text_put(&out, w->to);
    met_text_put(&out, at + strlen(w->from));
    return met_text_done(&out);
}

static void wrong_circuits_are_refused(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        const char *json = met_circuit_json(circuit_of(session, cases[i].program, ""));
        assert_non_null(read_json(session, json));
        if (read_json(session, changed(session, json, &cases[i])))
            fail_msg("%s: `%s` is let through", cases[i].program, cases[i].to);
        if (!strstr(met_session_diagnostics_text(session), cases[i].message))
            fail_msg("%s: `%s` gives\n%s", cases[i].program, cases[i].to, met_session_diagnostics_text(session));
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(wrong_circuits_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
