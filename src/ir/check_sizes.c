/* Sizes: they are positive, and made of symbols that are still free. */
#include "ir/check_parts.h"

typedef struct walk {
    const met_circuit *c;
    bool good;
} walk;

static void visit(void *context, met_size symbol)
{
    walk *w = context;
    w->good = w->good && symbol.id < w->c->symbol_count && !w->c->symbols[symbol.id].value;
}

bool met_check_dim(const met_circuit *c, const met_dim *dim)
{
    walk w = { c, dim != NULL };
    uint64_t n;
    if (dim)
        met_dim_symbols(dim, visit, &w);
    if (w.good && met_dim_is_constant(dim, &n))
        w.good = n <= MET_CHECK_SIZE;
    return w.good;
}

static bool check_symbols(const met_circuit *c)
{
    uint64_t n;
    for (uint32_t i = 0; i < c->symbol_count; i++) {
        const met_dim *value = c->symbols[i].value;
        if (!value || (met_dim_is_constant(value, &n) && n > 0 && n <= MET_CHECK_SIZE))
            continue;
        met_diag_add(c->session, MET_DIAG_size_value, (met_span){ 0 }, "the value of size `%s` is not a positive integer up to 2^48",
                     met_sym_text(c->session, c->symbols[i].name));
        return false;
    }
    return true;
}

bool met_check_sizes(const met_circuit *c)
{
    uint64_t n;
    if (!check_symbols(c))
        return false;
    for (uint32_t i = 0; i < c->axis_count; i++) {
        const char *name = met_sym_text(c->session, c->axes[i].name);
        if (!met_check_dim(c, c->axes[i].size)) {
            met_diag_add(c->session, MET_DIAG_circuit, c->axes[i].span, "the size of axis `%s` is beyond 2^48, or made of a size that is bound", name);
            return false;
        }
        if (met_dim_is_constant(c->axes[i].size, &n) && n == 0) { /* only where it is computed: floor(n/16) with n = 8 */
            met_diag_add(c->session, MET_DIAG_size_value, c->axes[i].span, "axis `%s` has size 0", name);
            return false;
        }
    }
    return true;
}
