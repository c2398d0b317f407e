/* Formulas over dims, and what an architecture requires of its sizes. */
#include "lang/arch.h"
#include "lang/ast.h"

static bool size_of(met_arch *arch, const met_ast *ast, const met_dim **ret_size);

static bool bad(met_arch *arch, const met_ast *ast)
{
    met_diag *d = met_diag_add(arch->session, MET_DIAG_formula, ast->span, "this is not a formula over sizes");
    met_diag_help(d, "formulas are made of integers, dims, +, -, * and /; a quotient must be exact");
    return false;
}

static bool size_of_name(met_arch *arch, const met_ast *ast, const met_dim **ret_size)
{
    met_arch_dim *dim = met_arch_dim_of(arch, ast->name);
    if (dim && (dim->kind == MET_ARCH_SIZE || dim->kind == MET_ARCH_COUNT))
        return met_arch_size(arch, dim, ret_size);
    const char *message = dim ? "`%s` is neither a size nor a count" : "there is no dim `%s`";
    met_diag_add(arch->session, MET_DIAG_unknown_name, ast->span, message,
                 met_sym_text(arch->session, ast->name));
    return false;
}

/* Names the dims of a failed quotient or difference, and where their values came from. */
static void explain(met_arch *arch, met_diag *d, const met_ast *ast)
{
    for (int i = 0; i < 2; i++) {
        const met_arch_dim *dim = ast->items[i]->kind == MET_AST_NAME ? met_arch_dim_of(arch, ast->items[i]->name) : NULL;
        uint64_t n;
        if (!dim || !met_arch_count(dim, &n))
            continue;
        met_diag_note_at(d, &dim->place, "`%s` is %llu", met_sym_text(arch->session, dim->name), (unsigned long long)n);
    }
}

/* Differences and quotients are of numbers; of anything else they are unknown. */
static bool arithmetic(met_arch *arch, const met_ast *ast, uint64_t a, uint64_t b, const met_dim **ret_size)
{
    if (ast->binary == MET_TOKEN_MINUS) {
        if (a < b) {
            explain(arch, met_diag_add(arch->session, MET_DIAG_size_value, ast->span, "a size below 0"), ast);
            return false;
        }
        *ret_size = met_dim_constant(arch->arena, a - b);
        return true;
    }
    if (b == 0 || a % b) {
        met_diag *d = met_diag_add(arch->session, MET_DIAG_divide, ast->span, "%llu is not a multiple of %llu",
                                   (unsigned long long)a,
                                   (unsigned long long)b);
        explain(arch, d, ast);
        return false;
    }
    *ret_size = met_dim_constant(arch->arena, a / b);
    return true;
}

static bool size_of_binary(met_arch *arch, const met_ast *ast, const met_dim **ret_size)
{
    const met_dim *a, *b;
    uint64_t x, y;
    bool known = ast->binary == MET_TOKEN_PLUS || ast->binary == MET_TOKEN_MINUS || ast->binary == MET_TOKEN_SLASH;
    if (!known)
        return bad(arch, ast);
    if (!size_of(arch, ast->items[0], &a) || !size_of(arch, ast->items[1], &b))
        return false;
    if (a && b && ast->binary == MET_TOKEN_PLUS)
        *ret_size = met_dim_add(arch->arena, a, b);
    else if (a && b && met_dim_is_constant(a, &x) && met_dim_is_constant(b, &y))
        return arithmetic(arch, ast, x, y, ret_size);
    return true;
}

static bool size_of(met_arch *arch, const met_ast *ast, const met_dim **ret_size)
{
    *ret_size = NULL;
    if (ast->kind == MET_AST_NUMBER && ast->integer) {
        *ret_size = met_dim_constant(arch->arena, ast->natural);
        return true;
    }
    if (ast->kind == MET_AST_NAME)
        return size_of_name(arch, ast, ret_size);
    if (ast->kind == MET_AST_BINARY)
        return size_of_binary(arch, ast, ret_size);
    if (ast->kind != MET_AST_PRODUCT)
        return bad(arch, ast);
    const met_dim *product = met_dim_constant(arch->arena, 1);
    for (uint32_t i = 0; i < ast->count; i++) {
        const met_dim *factor;
        if (!size_of(arch, ast->items[i], &factor))
            return false;
        product = factor && product ? met_dim_mul(arch->arena, product, factor) : NULL;
    }
    *ret_size = product;
    return true;
}

bool met_arch_formula(met_arch *arch, const met_value *value, const met_dim **ret_size)
{
    met_span span;
    *ret_size = NULL;
    if (!met_arch_text(arch, value, "a formula", &span))
        return false;
    const met_ast *ast = met_parse_expression(arch->session, span);
    return ast && size_of(arch, ast, ret_size);
}

/* --- Requirements --- */

/* Two formulas, both of which are numbers; *ret_known is false while one of them is not. */
static bool two_numbers(met_arch *arch, const met_value *pair, uint64_t ret_numbers[2], bool *ret_known)
{
    *ret_known = true;
    if (!met_value_expect(arch->session, pair, MET_VALUE_LIST, "a requirement"))
        return false;
    if (pair->items.count != 2) {
        met_diag_at(arch->session, MET_DIAG_field, &pair->place, "a requirement compares two formulas");
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const met_dim *size;
        if (!met_arch_formula(arch, pair->items.at[i], &size))
            return false;
        *ret_known = *ret_known && size && met_dim_is_constant(size, &ret_numbers[i]);
    }
    return true;
}

static bool holds_equal(uint64_t a, uint64_t b)
{
    return a == b;
}

static bool holds_divides(uint64_t a, uint64_t b)
{
    return a != 0 && b % a == 0;
}

static bool holds_at_most(uint64_t a, uint64_t b)
{
    return a <= b;
}

static const struct {
    const char *key, *help;
    met_code code;
    bool (*holds)(uint64_t a, uint64_t b);
} relations[] = {
    { "equal", "they must be equal", MET_DIAG_size, holds_equal },
    { "divides", "the first must divide the second", MET_DIAG_divide, holds_divides },
    { "at_most", "the first must be at most the second", MET_DIAG_size_value, holds_at_most },
};
enum { RELATIONS = sizeof relations / sizeof *relations };

/* RELATIONS with a diagnostic unless it says exactly one. */
static int relation_of(met_arch *arch, const met_value *require)
{
    int found = RELATIONS, count = 0;
    for (int r = 0; r < RELATIONS; r++)
        if (met_value_get(require, relations[r].key)) {
            found = r;
            count++;
        }
    if (count == 1)
        return found;
    met_diag_at(arch->session, MET_DIAG_field, &require->place, "a requirement says one of `equal`, `divides` and `at_most`");
    return RELATIONS;
}

static bool check_one(met_arch *arch, const met_value *require)
{
    static const char *const known_fields[] = { "equal", "divides", "at_most", "why" };
    uint64_t n[2];
    bool known;
    met_str why;
    if (!met_value_expect(arch->session, require, MET_VALUE_TABLE, "a requirement") ||
        !met_value_only(arch->session, require, known_fields, 4))
        return false;
    const met_value *reason = met_value_require(arch->session, require, "why");
    if (!reason || !met_value_to_string(arch->session, reason, "why", &why))
        return false;
    int r = relation_of(arch, require);
    const met_value *pair = r < RELATIONS ? met_value_get(require, relations[r].key) : NULL;
    if (!pair || !two_numbers(arch, pair, n, &known))
        return false;
    if (!known || relations[r].holds(n[0], n[1]))
        return true;
    met_str a = pair->items.at[0]->string, b = pair->items.at[1]->string;
    met_diag *d = met_diag_at(arch->session, relations[r].code, &pair->place,
                              "`%.*s` is %llu and `%.*s` is %llu: %.*s",
                              MET_STR_ARGS(a), (unsigned long long)n[0], MET_STR_ARGS(b), (unsigned long long)n[1],
                                  MET_STR_ARGS(why));
    met_diag_help(d, "%s", relations[r].help);
    return false;
}

bool met_arch_check(met_arch *arch)
{
    bool good = true;
    for (size_t i = 0; i < arch->requires.count; i++)
        good = check_one(arch, arch->requires.at[i]) && good;
    return good;
}
