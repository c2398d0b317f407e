/* Reductions and normalizers as folds and maps. The formulas are the ops' definitions; see docs/numerics.md. */
#include "ir/expand_part.h"

#define MAP MET_PART_MAP

/* A fold over the targets. */
static met_operand fold(met_expander *x, const char *name, met_op_id op, const char *e, met_operand in)
{
    return met_part_fold(x, name, op, e, met_part_degree(x), in);
}

/* `count`: how many positions the targets have. */
static void define_count(met_expander *x)
{
    met_indices targets = met_part_targets(x);
    const met_dim *size = met_part_size(x, targets);
    const met_scalar *count = size ? met_scalar_size(x->to.arena, size) : met_scalar_number(x->to.arena, 1);
    for (uint32_t i = 0; !size && i < targets.count; i++) { /* more factors than one size holds */
        const met_dim *own = x->to.from->axes[x->node->indices[targets.at[i]].axis.id].size;
        count = met_scalar_call(x->to.arena, MET_FN_mul, count, met_scalar_size(x->to.arena, own), NULL);
    }
    met_part_define(x, "count", count);
}

void met_expand_mean(met_expander *x)
{
    define_count(x);
    met_operand sum = fold(x, "sum", MET_OP_sum, NULL, met_part_input(x, 0));
    MAP(x, NULL, met_part_result(x, 0), "a/count", 1, sum);
}

/* The exponential weights of the input relative to the row's largest, the base they are relative to, and their sum. */
typedef struct weights {
    met_operand weight, base, sum;
} weights;

/* e^(s - max s). */
static weights float_weights(met_expander *x, met_indices all)
{
    met_operand s = met_part_input(x, 0);
    weights w;
    w.base = fold(x, "max", MET_OP_max, NULL, s);
    w.weight = MAP(x, "exp", all, "exp(a - b)", 2, s, w.base);
    w.sum = fold(x, "sum", MET_OP_sum, NULL, w.weight);
    return w;
}

/* With t = s*log2(e) = n + f, n an integer: the weight 2^f * 2^(n - max n). Rescaling by powers of two is exact, which
 * is what lets a fused kernel change its base in the middle of a stream without changing a bit. A score of -inf has
 * n = t, so f = 0 rather than NaN, and weight 0. */
static weights pow2_weights(met_expander *x, met_indices all)
{
    met_part_define_number(x, "log2e", 1.4426950408889634);
    weights w;
    met_operand t = MAP(x, "log2", all, "a*log2e", 1, met_part_input(x, 0));
    met_operand n = MAP(x, "int", all, "rint(a)", 1, t);
    w.base = fold(x, "max", MET_OP_max, NULL, n);
    met_operand p = MAP(x, "frac", all, "exp2p(select(a == b, 0, a - b))", 2, t, n);
    w.weight = MAP(x, "exp", all, "ldexp(a, b - c)", 3, p, n, w.base);
    w.sum = fold(x, "sum", MET_OP_sum, NULL, w.weight);
    return w;
}

static weights exponential_weights(met_expander *x, met_indices all)
{
    return x->numerics == MET_NUMERICS_POW2 ? pow2_weights(x, all) : float_weights(x, all);
}

met_operand met_part_softmax(met_expander *x, const char *name)
{
    met_indices all = name ? met_part_all(x) : met_part_result(x, 0);
    weights w = exponential_weights(x, all);
    return MAP(x, name, all, "a/b", 2, w.weight, w.sum);
}

void met_expand_softmax(met_expander *x)
{
    met_part_softmax(x, NULL);
}

/* log of the sum of exponentials from its weights. */
static const char *log_formula(met_expander *x)
{
    met_part_define_number(x, "ln2", 0.6931471805599453);
    return x->numerics == MET_NUMERICS_POW2 ? "a*ln2 + log(b)" : "a + log(b)";
}

void met_expand_logsumexp(met_expander *x)
{
    weights w = exponential_weights(x, met_part_all(x));
    MAP(x, NULL, met_part_result(x, 0), log_formula(x), 2, w.base, w.sum);
}

/* The scores' logsumexp minus the score at the target. */
void met_expand_cross_entropy(met_expander *x)
{
    weights w = exponential_weights(x, met_part_all(x));
    met_operand all = MAP(x, "lse", met_part_degree(x), log_formula(x), 2, w.base, w.sum);
    met_part score = { .name = "score", .op = MET_OP_gather, .over = met_part_degree(x), .in_count = 2,
                       .ins = { met_part_input(x, 0), met_part_input(x, 1) } };
    met_operand target = met_part_emit(x, &score);
    MAP(x, NULL, met_part_result(x, 0), "a - b", 2, all, target);
}

/* The input over a function of one fold over it. */
static void normalize(met_expander *x, met_op_id op, const char *e, const char *finish)
{
    met_indices all = met_part_result(x, 0);
    met_part_define_number(x, "eps", met_part_number(x, "eps"));
    met_operand s = met_part_input(x, 0);
    met_operand statistic = fold(x, op == MET_OP_max ? "max" : "sum", op, e, s);
    MAP(x, NULL, all, finish, 2, s, statistic);
}

void met_expand_l1norm(met_expander *x)
{
    normalize(x, MET_OP_fold, "abs(a)", "a/(b + eps)");
}

void met_expand_l2norm(met_expander *x)
{
    normalize(x, MET_OP_fold, "a*a", "a/sqrt(b + eps)");
}

void met_expand_maxnorm(met_expander *x)
{
    met_indices all = met_part_result(x, 0);
    met_part_define_number(x, "eps", met_part_number(x, "eps"));
    met_operand s = met_part_input(x, 0);
    met_operand size = MAP(x, "abs", all, "abs(a)", 1, s);
    met_operand largest = fold(x, "max", MET_OP_max, NULL, size);
    MAP(x, NULL, all, "a/(b + eps)", 2, s, largest);
}

/* The root of the mean square of s, plus eps. */
static met_operand root_of(met_expander *x, met_operand s)
{
    met_part_define_number(x, "eps", met_part_number(x, "eps"));
    define_count(x);
    met_operand squares = fold(x, "sum", MET_OP_fold, "a*a", s);
    return MAP(x, "root", met_part_degree(x), "sqrt(a/count + eps)", 1, squares);
}

void met_expand_rmsnorm(met_expander *x)
{
    met_indices all = met_part_result(x, 0);
    met_operand s = met_part_input(x, 0), root = root_of(x, s);
    double offset = met_part_number(x, "offset");
    met_part_define_number(x, "offset", offset);
    if (x->node->in_count > 1)
        MAP(x, NULL, all, offset != 0 ? "a/b*(c + offset)" : "a/b*c", 3, s, root, met_part_input(x, 1));
    else
        MAP(x, NULL, all, "a/b", 2, s, root);
}

/* Gu and Dao, "Mamba" (2023) and its successors: the gate multiplies before the norm, or behind it. */
void met_expand_gated_rmsnorm(met_expander *x)
{
    enum { GATE = 1, GAIN = 2 };
    met_indices all = met_part_result(x, 0);
    met_operand s = met_part_input(x, 0), gate = met_part_input(x, GATE);
    bool first = met_part_word_is(x, "gate", "first"), gain = x->node->in_count > GAIN;
    if (first)
        s = MAP(x, "gated", all, "a*(b*sigmoid(b))", 2, s, gate);
    met_operand root = root_of(x, s);
    if (first && gain)
        MAP(x, NULL, all, "a/b*c", 3, s, root, met_part_input(x, GAIN));
    else if (first)
        MAP(x, NULL, all, "a/b", 2, s, root);
    else if (gain)
        MAP(x, NULL, all, "a/b*d*(c*sigmoid(c))", 4, s, root, gate, met_part_input(x, GAIN));
    else
        MAP(x, NULL, all, "a/b*(c*sigmoid(c))", 3, s, root, gate);
}

void met_expand_layernorm(met_expander *x)
{
    met_indices all = met_part_result(x, 0), rows = met_part_degree(x);
    met_part_define_number(x, "eps", met_part_number(x, "eps"));
    define_count(x);
    met_operand s = met_part_input(x, 0);
    met_operand sum = fold(x, "sum", MET_OP_sum, NULL, s);
    met_operand mean = MAP(x, "mean", rows, "a/count", 1, sum);
    met_operand centred = MAP(x, "centred", all, "a - b", 2, s, mean);
    met_operand squares = fold(x, "squares", MET_OP_fold, "a*a", centred);
    met_operand root = MAP(x, "root", rows, "sqrt(a/count + eps)", 1, squares);
    bool gain = met_part_word_is(x, "gain", "yes"), bias = met_part_word_is(x, "bias", "yes");
    met_operand first = x->node->in_count > 1 ? met_part_input(x, 1) : s;
    if (gain && bias)
        MAP(x, NULL, all, "a/b*c + d", 4, centred, root, first, met_part_input(x, 2));
    else if (gain || bias)
        MAP(x, NULL, all, gain ? "a/b*c" : "a/b + c", 3, centred, root, first);
    else
        MAP(x, NULL, all, "a/b", 2, centred, root);
}
