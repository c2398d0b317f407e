/* Reading FPCore: what programs are read into, and what is said of those that are not read. */
#include "cases.h"

#include <stdio.h>

#include "base/diag.h"
#include "budget/fpcore.h"

static const met_fpcore_list *read_text(met_session *session, const char *text)
{
    return met_fpcore_read(session, met_session_add_source(session, "text", text, strlen(text)));
}

/* Operations of the first program, besides its arguments. */
static size_t operations_of(const char *text)
{
    met_session *session = met_session_new();
    const met_fpcore_list *list = read_text(session, text);
    if (!list)
        fail_msg("%s", met_session_diagnostics_text(session));
    size_t count = list->programs[0]->nodes.count - list->programs[0]->arg_count;
    met_session_free(session);
    return count;
}

static void equal_operations_are_one(void **state)
{
    (void)state;
    assert_int_equal(operations_of("(FPCore (x) x)"), 0);
    assert_int_equal(operations_of("(FPCore (x) (* (+ x 1) (+ x 1)))"), 3);
    assert_int_equal(operations_of("(FPCore (x) (* (+ x 1) (+ 1 x)))"), 4);
    assert_int_equal(operations_of("(FPCore (x) (let ([y (+ x 1)]) (* y y)))"), 3);
    assert_int_equal(operations_of("(FPCore (x) (+ x x x x))"), 3);
    /* the same constant in another format is another one, as is 0.1 beside the double nearest to it */
    assert_int_equal(operations_of("(FPCore (x) (+ 0.1 (! :precision binary32 0.1)))"), 3);
    assert_int_equal(operations_of("(FPCore (x) (+ 0.5 1/2))"), 2);
    assert_int_equal(operations_of("(FPCore (x) (+ 0.1 0.1000000000000000055511151231257827021181583404541015625))"), 3);
}

static void names_have_scopes(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    /* let takes the outer x for y, let* the inner one; afterwards x is the argument again */
    const met_fpcore_list *list = read_text(session, "(FPCore (x) (let ([x 2] [y x]) (* y 1)))"
                                                     "(FPCore (x) (let* ([x 2] [y x]) (* y 1)))"
                                                     "(FPCore (x) (- (let ((x 3)) x) x))");
    assert_non_null(list);
    assert_int_equal(list->count, 3);
    const met_straight_program *outer = list->programs[0], *inner = list->programs[1], *after = list->programs[2];
    assert_int_equal(outer->nodes.at[outer->nodes.at[outer->result].args[0]].code, MET_STRAIGHT_ARG);
    assert_int_equal(inner->nodes.at[inner->nodes.at[inner->result].args[0]].code, MET_STRAIGHT_CONST);
    assert_int_equal(after->nodes.at[after->nodes.at[after->result].args[0]].code, MET_STRAIGHT_CONST);
    assert_int_equal(after->nodes.at[after->nodes.at[after->result].args[1]].code, MET_STRAIGHT_ARG);
    met_session_free(session);
}

static void conditions_are_read(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_fpcore_list *list = read_text(
        session, "; a comment (\n(FPCore named (a b c d) :name \"N\" :precision binary32 :cite [x y] :alt (foo) :pre "
                 "(and (<= 1 a 9/2) (> 3 b (- 2)) (<= 0 c) (>= 7 c) (< a (+ b 1) d) (!= a b) (or (< a 1) (< b 1)) (== d 5)) (+ a b))");
    assert_non_null(list);
    const met_straight_program *p = list->programs[0];
    assert_true(met_str_is(p->name, "N"));
    assert_ptr_equal(p->format, &met_straight_formats[1]);
    static const double ranges[4][2] = { { 1, 4.5 }, { -2, 3 }, { 0, 7 }, { 5, 5 } };
    for (size_t i = 0; i < 4; i++)
        assert_true(p->args[i].range.lo == ranges[i][0] && p->args[i].range.hi == ranges[i][1]);
    assert_int_equal(p->conditions.count, 2); /* a < b + 1 and b + 1 < d */
    assert_int_equal(p->ignored, 2);
    met_session_free(session);
}

/* A condition on a sum of arguments limits its multiples, whatever the box. */
static void conditions_limit_sums(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_fpcore_list *list = read_text(session, "(FPCore (a b) :pre (and (<= 0 a 9) (<= 0 b 9) (>= (- a b) 0.5)) (sqrt (* 4 (- b a))))");
    const met_straight_program *p = list->programs[0];
    const met_straight_node *sum = &p->nodes.at[p->nodes.at[p->result].args[0]];
    assert_true(sum->within.hi == -2);
    met_session_free(session);
}

static void mistakes_are_pointed_at(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message, *place; /* place: what is underlined begins so */
    } cases[] = {
        { "", "no program", "" },
        { "x", "begins with `FPCore`", "x" },
        { "(FPCore (x) (+ x 1)", "does not end", "(FPCore" },
        { "(FPCore (x) (+ x 1]", "wrong closing", "]" },
        { "(FPCore (x) x))", "nothing opens", ")" },
        { "(FPCore (x) :name \"abc", "does not end", "\"abc" },
        { "(FPCore x)", "list of its arguments", "(FPCore" },
        { "(FPCore (x))", "without an expression", "(FPCore" },
        { "(FPCore (x) :pre)", "without a value", ":pre" },
        { "(FPCore (x) x y)", "after the program's expression", "y" },
        { "(FPCore (x x) x)", "two arguments", "x) x" },
        { "(FPCore (x (y)) x)", "argument is a name", "(y)" },
        { "(FPCore (x) y)", "has this name", "y" },
        { "(FPCore (x) (if (< x 1) x 2))", "no operation", "if" },
        { "(FPCore (x) (while (< x 1) ([i 0 1]) x))", "no operation", "while" },
        { "(FPCore (x) (sqrt x x))", "wrong number", "(sqrt" },
        { "(FPCore (x) (fma x x))", "wrong number", "(fma" },
        { "(FPCore (x) (let (y 1) y))", "name and its value", "y 1" },
        { "(FPCore (x) (let ([y 1])))", "list of names", "(let" },
        { "(FPCore (x) ())", "an expression is", "()" },
        { "(FPCore (x) \"x\")", "an expression is", "\"x\"" },
        { "(FPCore (x) 1e)", "not a number", "1e" },
        { "(FPCore (x) 1e999999)", "larger exponent", "1e9" },
        { "(FPCore (x) :precision binary80 x)", "precision", "binary80" },
        { "(FPCore (x) (! :round toZero (+ x 1)))", "nearest", "toZero" },
        { "(FPCore (x) :round toPositive (+ x 1))", "nearest", "toPositive" },
        { "(FPCore (x) :pre (< x z) x)", "has this name", "z" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        assert_null(read_text(session, cases[i].text));
        assert_int_equal(session->diags.count, 1);
        const met_diag *diag = session->diags.at[0];
        if (!strstr(diag->message, cases[i].message) || strncmp(cases[i].text + diag->main.span.begin, cases[i].place, strlen(cases[i].place)) != 0)
            fail_msg("`%s`: %s, at `%s`", cases[i].text, diag->message, cases[i].text + diag->main.span.begin);
        met_session_free(session);
    }
}

static void sizes_are_limited(void **state)
{
    (void)state;
    enum { LENGTH = 400004 };
    char *text = calloc(LENGTH + 1, 1);
    met_session *session = met_session_new();
    memset(text, '(', LENGTH);
    assert_null(read_text(session, text));
    memset(text, 'x', LENGTH);
    for (size_t i = 1; i < LENGTH; i += 2)
        text[i] = ' ';
    met_session_clear_diagnostics(session);
    assert_null(read_text(session, text));
    assert_true(strstr(met_session_diagnostics_text(session), "more than 200000") != NULL);
    /* a program of too many operations */
    size_t at = (size_t)snprintf(text, LENGTH, "(FPCore (x) (+ x");
    for (int i = 0; i < 5000; i++)
        at += (size_t)snprintf(text + at, LENGTH - at, " %d", i);
    snprintf(text + at, LENGTH - at, "))");
    met_session_clear_diagnostics(session);
    assert_null(read_text(session, text));
    assert_true(strstr(met_session_diagnostics_text(session), "4096 operations") != NULL);
    met_session_free(session);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_operations_are_one), cmocka_unit_test(names_have_scopes),       cmocka_unit_test(conditions_are_read),
        cmocka_unit_test(conditions_limit_sums),    cmocka_unit_test(mistakes_are_pointed_at), cmocka_unit_test(sizes_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
