/* The parser: what it accepts, and where and how it refuses the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "lang/ast.h"

#include "on_session.h"

static met_span source_of(const char *text)
{
    met_session_clear_diagnostics(session);
    uint32_t id = met_session_add_source(session, "text", text, strlen(text));
    return (met_span){ id, 0, (uint32_t)strlen(text) };
}

static met_program accept(const char *text)
{
    met_program program = { 0 };
    bool good = met_parse_program(session, source_of(text), &program);
    if (!good)
        print_error("%s", met_session_diagnostics_text(session));
    assert_true(good);
    assert_int_equal(met_session_error_count(session), 0);
    return program;
}

static met_ast *expression(const char *text)
{
    met_ast *ast = met_parse_expression(session, source_of(text));
    if (!ast)
        print_error("%s", met_session_diagnostics_text(session));
    assert_non_null(ast);
    return ast;
}

/* The nth diagnostic has this code and underlines exactly this text, at its first place after the one before. */
static void expect(size_t number, met_code code, const char *underlined, const char *words)
{
    assert_true(number < session->diags.count);
    const met_diag *diag = session->diags.at[number];
    met_str text = met_session_source(session, diag->main.span.source)->text;
    assert_string_equal(met_code_table[diag->code].text, met_code_table[code].text);
    assert_int_equal(diag->main.span.end - diag->main.span.begin, strlen(underlined));
    assert_memory_equal(text.at + diag->main.span.begin, underlined, strlen(underlined));
    assert_non_null(strstr(diag->message, words));
}

static void refuse(const char *text, size_t errors)
{
    met_program program;
    assert_false(met_parse_program(session, source_of(text), &program));
    if (met_session_error_count(session) != errors)
        print_error("%s", met_session_diagnostics_text(session));
    assert_int_equal(met_session_error_count(session), errors);
}

/* --- Shapes of trees --- */

static void precedence(void **state)
{
    (void)state;
    met_ast *ast = expression("a >> f * g @ h ^ 2");
    assert_int_equal(ast->kind, MET_AST_LIFT);
    assert_int_equal(ast->labels.count, 1);
    ast = ast->items[0];
    assert_int_equal(ast->kind, MET_AST_CHAIN);
    assert_int_equal(ast->items[0]->kind, MET_AST_PRODUCT);
    assert_int_equal(ast->items[1]->kind, MET_AST_BINARY);

    ast = expression("-d^-0.5*2 + 1 <= n && m == 3 || x");
    assert_int_equal(ast->binary, MET_TOKEN_OR);
    ast = ast->items[0];
    assert_int_equal(ast->binary, MET_TOKEN_AND);
    ast = ast->items[0];
    assert_int_equal(ast->binary, MET_TOKEN_LE);
    ast = ast->items[0];
    assert_int_equal(ast->binary, MET_TOKEN_PLUS);
    ast = ast->items[0];
    assert_int_equal(ast->kind, MET_AST_PRODUCT);
    assert_int_equal(ast->items[0]->kind, MET_AST_NEGATE);
    assert_int_equal(ast->items[0]->items[0]->binary, MET_TOKEN_CARET);

    ast = expression("a^b^c"); /* from the right */
    assert_int_equal(ast->items[1]->kind, MET_AST_BINARY);
    ast = expression("a - b - c"); /* from the left */
    assert_int_equal(ast->items[0]->kind, MET_AST_BINARY);
    ast = expression("f @ g @ h");
    assert_int_equal(ast->count, 3);
    ast = expression("i_x <-1"); /* not an arrow */
    assert_int_equal(ast->binary, MET_TOKEN_LT);
    assert_int_equal(ast->items[1]->kind, MET_AST_NEGATE);
}

static void names_and_numbers(void **state)
{
    (void)state;
    assert_string_equal(met_sym_text(session, expression("layers.0.wq")->name), "layers.0.wq");
    assert_string_equal(met_sym_text(session, expression("d.2")->name), "d.2");
    assert_int_equal(expression("18446744073709551615")->natural, UINT64_MAX);
    assert_true(expression("1e-5")->number == 1e-5);
    assert_false(expression("1e2")->integer);
    assert_true(expression("2.50")->number == 2.5);
}

static void lines(void **state)
{
    (void)state;
    assert_int_equal(accept("a = f\n  @ g\n\n  @ h\nb = a @\n  c\nd = b\n  >> d").count, 3);
    assert_int_equal(accept("x: n m; y: m\n@w: f m\nz = f(x,\n  y)\n").count, 4);
    assert_int_equal(accept("# only a comment \xC3\xA9\n\n").count, 0);
    assert_int_equal(accept("a = f\n# between\n@ g").count, 1);
    assert_int_equal(accept("a = f(\n  b\n  , c[\nx\n]\n)\nd = e").count, 2);
    assert_int_equal(accept("a = map({ a +\n b\n })\r\nb = c").count, 2);
    met_program p = accept("f(x: n m, state k: p d) -> y {\n  y = g(x)\n}\ncircuit h(x: n) { -> x }");
    assert_int_equal(p.count, 2);
    assert_int_equal(p.at[0].type_count, 2);
    assert_true(p.at[0].types[1].state);
    assert_true(p.at[1].circuit);
    assert_int_equal(p.at[1].body.at[0].kind, MET_STATEMENT_OUTPUTS);
}

static void types(void **state)
{
    (void)state;
    met_program p = accept("x: bf16[n, m=4*k], y: fp8/g128[n 64], s: [], @w: f m, state k: n");
    assert_int_equal(p.count, 1);
    assert_int_equal(p.at[0].type_count, 5);
    assert_int_equal(p.at[0].types[0].labels.count, 2);
    assert_non_null(p.at[0].types[0].labels.at[1].size);
    assert_true(p.at[0].types[1].labels.at[1].bare);
    assert_int_equal(p.at[0].types[2].labels.count, 0);
    assert_true(p.at[0].types[3].parameter);
    assert_true(p.at[0].types[4].state);
}

static void brackets(void **state)
{
    (void)state;
    const met_ast_brackets *b = expression("softmax[q x h; x]")->brackets;
    assert_true(b->has_shape);
    assert_int_equal(b->shape.count, 3);
    assert_int_equal(b->targets.count, 1);
    b = expression("split[x -> a, b=2 c]")->brackets;
    assert_int_equal(b->result_count, 2);
    assert_int_equal(b->results[1].count, 2);
    b = expression("mask[q, x]")->brackets;
    assert_int_equal(b->targets.count, 2);
    b = expression("view[w, k c <- 2*w + k - 1, c, 0]")->brackets;
    assert_true(b->view);
    assert_int_equal(b->signature->ins[0].count, 3);
    assert_null(b->signature->ins[0].at[1].affine);
    assert_non_null(b->signature->ins[0].at[2].affine);
    b = expression("map['q (d + 4) 3, n=2 ->']")->brackets;
    assert_int_equal(b->signature->in_count, 2);
    assert_int_equal(b->signature->ins[0].count, 3);
    assert_int_equal(b->signature->out_count, 1);
    assert_int_equal(b->signature->outs[0].count, 0);
}

/* --- Refusals --- */

static void several_at_once(void **state)
{
    (void)state;
    refuse("a = f(b c, d)\nb = 3 + ;\nc = softmax[x y\nd = ok @ fine\n-> -> y\n", 4);
    expect(0, MET_DIAG_syntax, "c", "expected `)`, found a name");
    expect(1, MET_DIAG_syntax, ";", "expected an expression, found `;`");
    expect(2, MET_DIAG_syntax, "[", "never closed");
    expect(3, MET_DIAG_syntax, "->", "expected a name, found `->`");
    refuse("a = f(g(1 2), h[x y z w -> ; ], k)", 2); /* two in one statement */
    expect(0, MET_DIAG_syntax, "2", "expected `)`");
    expect(1, MET_DIAG_syntax, ";", "expected `]`");
}

static void single(void **state)
{
    (void)state;
    static const struct {
        const char *text, *underlined, *words;
        met_code code;
    } cases[] = {
        { "a = )", ")", "expected an expression, found `)`", MET_DIAG_syntax },
        { "a = f(", "(", "never closed", MET_DIAG_syntax },
        { "a = f(b", "(", "never closed", MET_DIAG_syntax },
        { "a = (f @ g", "(", "`(` is never closed", MET_DIAG_syntax },
        { "a = f g", "g", "expected the end of the statement, found a name", MET_DIAG_syntax },
        { "a = 4m", "4m", "runs into a name", MET_DIAG_syntax },
        { "a = 'a b", "'a b", "does not end", MET_DIAG_syntax },
        { "a = 'a b'", "", "expected `->`, found the end of the text", MET_DIAG_syntax },
        { "a = 'a @ b -> c'", "@", "expected a label, found `@`", MET_DIAG_syntax },
        { "a = ! b", "!", "does not use", MET_DIAG_syntax },
        { "a = f(eps=1, x)", "x", "without a name after", MET_DIAG_syntax },
        { "a = (f @ g)(x)", "(f @ g)", "only an op", MET_DIAG_syntax },
        { "a = 3[x]", "3", "only an op takes labels", MET_DIAG_syntax },
        { "a = f @", "", "expected an expression, found the end of the text", MET_DIAG_syntax },
        { "a = @ 3", "3", "expected a name, found a number", MET_DIAG_syntax },
        { "a = softmax[1.5]", "1.5", "a size is an integer", MET_DIAG_syntax },
        { "f(x: n) -> y", "", "expected `{`, found the end of the text", MET_DIAG_syntax },
        { "f(x n) -> y { }", "n", "expected `:`, found a name", MET_DIAG_syntax },
        { "f(x: n) { y = g(x)", "{", "`{` is never closed", MET_DIAG_syntax },
        { "[a b @ f", "@", "expected `]`", MET_DIAG_syntax },
        { "let f = ", "", "expected an expression", MET_DIAG_syntax },
        { "a = 18446744073709551616", "18446744073709551616", "64 bits", MET_DIAG_input_too_large },
        { "a = 1e999", "1e999", "range of doubles", MET_DIAG_input_too_large },
        { "a = \xC3\xA9", "\xC3\xA9", "ASCII", MET_DIAG_encoding },
        { "# \xC3(", "\xC3", "not UTF-8", MET_DIAG_encoding },
        { "# \xED\xA0\x80", "\xED", "not UTF-8", MET_DIAG_encoding }, /* a surrogate */
        { "\x01", "\x01", "control character", MET_DIAG_encoding },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_program program;
        assert_false(met_parse_program(session, source_of(cases[i].text), &program));
        if (met_session_error_count(session) == 0 || !strstr(met_session_diagnostics_text(session), cases[i].words) ||
            session->diags.at[0]->main.span.end - session->diags.at[0]->main.span.begin != strlen(cases[i].underlined))
            print_error("%s\n%s", cases[i].text, met_session_diagnostics_text(session));
        expect(0, cases[i].code, cases[i].underlined, cases[i].words);
    }
}

static void nul_byte(void **state)
{
    (void)state;
    met_session_clear_diagnostics(session);
    uint32_t id = met_session_add_source(session, "text", "a = f\0g", 7);
    met_program program;
    assert_false(met_parse_program(session, (met_span){ id, 0, 7 }, &program));
    assert_int_equal(session->diags.at[0]->code, MET_DIAG_encoding);
    assert_int_equal(session->diags.at[0]->main.span.begin, 5);
}

/* Only the stretch is read, and places are those of the source. */
static void stretch(void **state)
{
    (void)state;
    met_span span = source_of("key = \"softmax[x] @ %\" # rest");
    span.begin = 7;
    span.end = 21;
    assert_null(met_parse_expression(session, span));
    assert_int_equal(session->diags.at[0]->main.span.begin, 20);
    span.end = 17;
    met_session_clear_diagnostics(session);
    assert_non_null(met_parse_expression(session, span));
}

static void repeat(char *out, const char *piece, size_t count)
{
    size_t length = strlen(piece);
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * length, piece, length);
    out[count * length] = 0;
}

static void limits(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    char *text = malloc(MANY * 8 + 64);
    assert_non_null(text);
    static const char *const deep[] = { "(", "{", "f(", "-", "a^", "[a] >> ", "f(x: n) {", "a+", "a/", "a<" };
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        met_program program;
        repeat(text, deep[i], MANY / 3);
        strcat(text, "z");
        assert_false(met_parse_program(session, source_of(text), &program));
    }
    for (size_t depth = 200; depth <= 201; depth++) {
        repeat(text, "(", depth);
        text[depth] = 'z';
        repeat(text + depth + 1, ")", depth);
        met_program program;
        assert_int_equal(met_parse_program(session, source_of(text), &program), depth == 200);
    }
    expect(0, MET_DIAG_too_deep, "z", "nested too deeply");
    met_program program;
    static const char *const wide[] = { "a*", "a,", "a ", "1 ", "f(a),", "a b " };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        repeat(text, wide[i], MANY);
        met_parse_program(session, source_of(text), &program);
        assert_true(met_session_error_count(session) > 0);
    }
    repeat(text, "f @ ", MANY);
    strcat(text, "f");
    assert_int_equal(accept(text).at[0].value->count, MANY + 1);
    repeat(text, "a;\n", MANY);
    assert_int_equal(accept(text).count, MANY);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(precedence, setup, teardown),
        cmocka_unit_test_setup_teardown(names_and_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(lines, setup, teardown),
        cmocka_unit_test_setup_teardown(types, setup, teardown),
        cmocka_unit_test_setup_teardown(brackets, setup, teardown),
        cmocka_unit_test_setup_teardown(several_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(single, setup, teardown),
        cmocka_unit_test_setup_teardown(nul_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(stretch, setup, teardown),
        cmocka_unit_test_setup_teardown(limits, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
