/* Expressions of FPCore programs. */
#include "base/diag.h"
#include "budget/fpcore_parts.h"

/* FPCore's names of real numbers, with more digits than any format keeps (OEIS A000796, A001113, A002162, A002392, A002193). */
static const struct {
    const char *name, *digits;
} constants[] = {
    { "PI", "3.14159265358979323846264338327950288419716939937510" },
    { "PI_2", "1.57079632679489661923132169163975144209858469968755" },
    { "PI_4", "0.785398163397448309615660845819875721049292349843776" },
    { "M_1_PI", "0.318309886183790671537767526745028724068919291480913" },
    { "M_2_PI", "0.636619772367581343075535053490057448137838582961826" },
    { "E", "2.71828182845904523536028747135266249775724709369996" },
    { "LN2", "0.693147180559945309417232121458176568075500134360255" },
    { "LN10", "2.30258509299404568401799145468436420760110148862877" },
    { "SQRT2", "1.41421356237309504880168872420969807856967187537695" },
    { "SQRT1_2", "0.707106781186547524400844362104849039284835937688474" },
};

static bool fail(met_fpcore_reader *r, met_code code, met_span span, const char *message)
{
    met_diag_add(r->session, code, span, "%s", message);
    return false;
}

/* The same with the word that it is about. */
static bool fail_at(met_fpcore_reader *r, met_code code, met_span span, const char *message, met_str word)
{
    met_diag_add(r->session, code, span, "%s: `%.*s`", message, MET_STR_ARGS(word));
    return false;
}

static bool read_number(met_fpcore_reader *r, met_str digits, met_span span, bool irrational, uint32_t *ret_node)
{
    met_exact exact;
    met_exact_status status = met_exact_read(digits, r->format->bits, r->format->least, &exact);
    if (status == MET_EXACT_TOO_LONG)
        return fail_at(r, MET_DIAG_input_too_large, span, "a number of more digits or a larger exponent than is read", digits);
    if (status == MET_EXACT_NO_NUMBER)
        return fail_at(r, MET_DIAG_syntax, span, "not a number", digits);
    if (irrational) { /* the digits go on: what follows them is far below the last place of the slip */
        exact.slip = (met_interval){ met_next_down(exact.slip.lo), met_next_up(exact.slip.hi) };
        exact.real = (met_interval){ met_next_down(exact.real.lo), met_next_up(exact.real.hi) };
    }
    *ret_node = met_straight_add_exact(r->program, exact, r->format, span);
    return true;
}

static bool read_word(met_fpcore_reader *r, const met_sexpr *e, uint32_t *ret_node)
{
    for (size_t i = r->names.count; i-- > 0;) {
        if (met_str_equal(r->names.at[i].name, e->text)) {
            *ret_node = r->names.at[i].node;
            return true;
        }
    }
    if (met_exact_begins(e->text))
        return read_number(r, e->text, e->span, false, ret_node);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (met_str_is(e->text, constants[i].name))
            return read_number(r, met_str_of(constants[i].digits), e->span, true, ret_node);
    return fail_at(r, MET_DIAG_unknown_name, e->span, "nothing here has this name", e->text);
}

/* (let ([x e] …) body); let* sees its own names as it goes. */
static bool read_let(met_fpcore_reader *r, const met_sexpr *e, bool in_turn, uint32_t *ret_node)
{
    size_t outer = r->names.count;
    if (e->count != 3 || e->items[1].kind != MET_SEXPR_LIST)
        return fail(r, MET_DIAG_syntax, e->span, "a list of names with their values belongs here, then an expression");
    const met_sexpr *names = &e->items[1];
    met_fpcore_name *found = MET_NEW_ARRAY(r->session->arena, met_fpcore_name, names->count);
    for (size_t i = 0; i < names->count; i++) {
        const met_sexpr *pair = &names->items[i];
        if (pair->kind != MET_SEXPR_LIST || pair->count != 2 || pair->items[0].kind != MET_SEXPR_WORD)
            return fail(r, MET_DIAG_syntax, pair->span, "a name and its value, in brackets");
        found[i].name = pair->items[0].text;
        if (!met_fpcore_expression(r, &pair->items[1], &found[i].node))
            return false;
        if (in_turn)
            MET_PUSH(r->session->arena, &r->names, found[i]);
    }
    for (size_t i = 0; !in_turn && i < names->count; i++)
        MET_PUSH(r->session->arena, &r->names, found[i]);
    if (!met_fpcore_expression(r, &e->items[2], ret_node))
        return false;
    r->names.count = outer;
    return true;
}

bool met_fpcore_rounds_to_nearest(met_session *session, const met_sexpr *key, const met_sexpr *value)
{
    if (!met_sexpr_is(key, ":round") || met_sexpr_is(value, "nearestEven"))
        return true;
    met_diag_add(session, MET_DIAG_unknown_option, value->span, "bounds are derived for rounding to nearest alone");
    return false;
}

/* (! :precision binary32 e): other properties say nothing that matters here, except rounding. */
static bool read_annotation(met_fpcore_reader *r, const met_sexpr *e, uint32_t *ret_node)
{
    const met_straight_format *outer = r->format;
    if (e->count < 2 || e->count % 2)
        return fail(r, MET_DIAG_syntax, e->span, "properties with their values belong here, then an expression");
    for (size_t i = 1; i + 1 < e->count; i += 2) {
        const met_sexpr *value = &e->items[i + 1];
        if (!met_fpcore_rounds_to_nearest(r->session, &e->items[i], value))
            return false;
        if (!met_sexpr_is(&e->items[i], ":precision"))
            continue;
        r->format = value->kind == MET_SEXPR_WORD ? met_straight_format_find(value->text) : NULL;
        if (!r->format)
            return fail(r, MET_DIAG_unknown_name, value->span, "a precision that bounds are not derived for");
    }
    bool good = met_fpcore_expression(r, &e->items[e->count - 1], ret_node);
    r->format = outer;
    return good;
}

/* + and * of more than two, as FPCore 1 allows, go from the left. */
static bool read_chain(met_fpcore_reader *r, const met_sexpr *e, unsigned code, uint32_t *ret_node)
{
    uint32_t pair[2];
    if (!met_fpcore_expression(r, &e->items[1], &pair[0]))
        return false;
    for (size_t i = 2; i < e->count; i++) {
        if (!met_fpcore_expression(r, &e->items[i], &pair[1]))
            return false;
        pair[0] = met_straight_add(r->program, code, pair, r->format, e->span);
    }
    *ret_node = pair[0];
    return true;
}

static bool read_operation(met_fpcore_reader *r, const met_sexpr *e, uint32_t *ret_node)
{
    met_str name = e->items[0].text;
    bool known;
    unsigned code = met_straight_op_find(name, e->count - 1, &known);
    if (!code && known && e->count > 3 && (met_str_is(name, "+") || met_str_is(name, "*")))
        return read_chain(r, e, met_str_is(name, "+") ? MET_STRAIGHT_ADD : MET_STRAIGHT_MUL, ret_node);
    if (!code && known)
        return fail_at(r, MET_DIAG_arity, e->span, "a wrong number of arguments", name);
    if (!code) {
        met_diag *d = met_diag_add(r->session, MET_DIAG_unknown_name, e->items[0].span, "no operation that bounds are derived for: `%.*s`",
                                   MET_STR_ARGS(name));
        met_diag_help(d, "programs are read that have neither branches, loops nor arrays");
        return false;
    }
    uint32_t args[MET_STRAIGHT_ARITY] = { 0 };
    for (size_t i = 1; i < e->count; i++)
        if (!met_fpcore_expression(r, &e->items[i], &args[i - 1]))
            return false;
    *ret_node = met_straight_add(r->program, code, args, r->format, e->span);
    return true;
}

bool met_fpcore_expression(met_fpcore_reader *r, const met_sexpr *e, uint32_t *ret_node)
{
    if (e->kind == MET_SEXPR_WORD)
        return read_word(r, e, ret_node);
    if (e->kind == MET_SEXPR_STRING || e->count == 0 || e->items[0].kind != MET_SEXPR_WORD)
        return fail(r, MET_DIAG_syntax, e->span, "an expression is a number, a name, or an operation in brackets");
    if (met_sexpr_is(&e->items[0], "let") || met_sexpr_is(&e->items[0], "let*"))
        return read_let(r, e, met_sexpr_is(&e->items[0], "let*"), ret_node);
    if (met_sexpr_is(&e->items[0], "!"))
        return read_annotation(r, e, ret_node);
    return read_operation(r, e, ret_node);
}
