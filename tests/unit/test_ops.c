/* Every op of the vocabulary, run on small numbers with known results. Arrays are given flat, in the order of inputs and
 * parameters, separated by semicolons. */
#include "circuits.h"

typedef struct op_case {
    met_op_id op;
    const char *program;
    const char *set;
    const char *in;
    const char *out;
} op_case;

static const op_case cases[] = {
    { MET_OP_einsum, "'a b, b c -> a c'", "a=1,b=2,c=2", "1 2; 3 4 5 6", "13 16" },
    { MET_OP_einsum, "'a b, b c -> a c'(semiring=max_plus)", "a=1,b=2,c=2", "1 2; 3 4 5 6", "7 8" },
    { MET_OP_einsum, "'a b, b c -> a c'(semiring=max_times)", "a=1,b=2,c=2", "1 2; 3 4 5 6", "10 12" },
    { MET_OP_einsum, "'a b, b c -> a c'(semiring=or_and)", "a=1,b=2,c=2", "1 0; 0 4 5 6", "0 1" },
    { MET_OP_einsum, "'a b -> b a'", "a=2,b=2", "1 2 3 4", "1 3 2 4" },
    { MET_OP_einsum, "'a, a, a -> '", "a=2", "1 2; 3 4; 5 6", "63" },
    { MET_OP_linear, "x: n m\nlinear[m -> f](x, @w, @b)", "n=2,m=2,f=1", "1 2 3 4; 5 6; 100", "117 139" },
    { MET_OP_linear, "x: n m\nlinear[m -> f](x)", "n=1,m=2,f=2", "1 2; 3 4 5 6", "11 17" },
    { MET_OP_exp, "x: n\nexp(x)", "n=2", "0 1", "1 2.718281828459045" },
    { MET_OP_exp2, "x: n\nexp2(x)", "n=2", "-1 3", "0.5 8" },
    { MET_OP_log, "x: n\nlog(x)", "n=2", "1 2", "0 0.6931471805599453" },
    { MET_OP_sqrt, "x: n\nsqrt(x)", "n=2", "4 9", "2 3" },
    { MET_OP_rsqrt, "x: n\nrsqrt(x)", "n=2", "4 16", "0.5 0.25" },
    { MET_OP_neg, "x: n\nneg(x)", "n=2", "4 -9", "-4 9" },
    { MET_OP_abs, "x: n\nabs(x)", "n=2", "4 -9", "4 9" },
    { MET_OP_recip, "x: n\nrecip(x)", "n=2", "4 -8", "0.25 -0.125" },
    { MET_OP_square, "x: n\nsquare(x)", "n=2", "4 -9", "16 81" },
    { MET_OP_sin, "x: n\nsin(x)", "n=2", "0 1", "0 0.8414709848078965" },
    { MET_OP_cos, "x: n\ncos(x)", "n=2", "0 1", "1 0.5403023058681398" },
    { MET_OP_erf, "x: n\nerf(x)", "n=2", "0 1", "0 0.8427007929497149" },
    { MET_OP_relu, "x: n\nrelu(x)", "n=3", "-1 0 2", "0 0 2" },
    { MET_OP_relu2, "x: n\nrelu2(x)", "n=3", "-1 0 3", "0 0 9" },
    { MET_OP_sigmoid, "x: n\nsigmoid(x)", "n=2", "0 1", "0.5 0.7310585786300049" },
    { MET_OP_softplus, "x: n\nsoftplus(x)", "n=4", "0 1 -1000 1000", "0.6931471805599453 1.3132616875182228 0 1000" },
    { MET_OP_silu, "x: n\nsilu(x)", "n=2", "0 2", "0 1.7615941559557649" },
    { MET_OP_gelu, "x: n\ngelu(x)", "n=2", "0 1", "0 0.8413447460685429" },
    { MET_OP_gelu_tanh, "x: n\ngelu_tanh(x)", "n=2", "0 1", "0 0.8411919906082768" },
    { MET_OP_tanh, "x: n\ntanh(x)", "n=2", "0 1", "0 0.7615941559557649" },
    { MET_OP_softcap, "x: n\nsoftcap(x, 2)", "n=2", "0 2", "0 1.5231883119115297" },
    { MET_OP_scale, "x: n\nscale(x, n^-1)", "n=2", "3 4", "1.5 2" },
    { MET_OP_cast, "x: n\ncast(x, format=bf16)", "n=3", "1 1.00390625 1.01", "1 1 1.0078125" },
    { MET_OP_add, "x: n, y: n\nadd(x, y)", "n=2", "1 2; 3 5", "4 7" },
    { MET_OP_add, "x: a b, y: b\nadd['a b, b -> a b'](x, y)", "a=2,b=2", "1 2 3 4; 10 20", "11 22 13 24" },
    { MET_OP_sub, "x: n, y: n\nsub(x, y)", "n=2", "1 2; 3 5", "-2 -3" },
    { MET_OP_mul, "x: n, y: n\nmul(x, y)", "n=2", "1 2; 3 5", "3 10" },
    { MET_OP_div, "x: n, y: n\ndiv(x, y)", "n=2", "1 2; 4 5", "0.25 0.4" },
    { MET_OP_pow, "x: n, y: n\npow(x, y)", "n=2", "2 3; 10 2", "1024 9" },
    { MET_OP_maximum, "x: n, y: n\nmaximum(x, y)", "n=3", "1 6 nan; 3 5 1", "3 6 nan" },
    { MET_OP_minimum, "x: n, y: n\nminimum(x, y)", "n=3", "1 6 1; 3 5 nan", "1 5 nan" },
    { MET_OP_map, "x: a b, y: a\nmap['a b, a -> a b'](x, y, { (a - b)*i_b + a })", "a=2,b=2", "1 2 3 4; 10 20", "1 -6 3 -12" },
    { MET_OP_fold, "x: a b\nfold['a b -> a'](x, { a*i_b })", "a=2,b=3", "1 2 3 4 5 6", "8 17" },
    { MET_OP_fold, "x: a b\nfold['a b -> a'](x, { abs(a) }, with=min)", "a=2,b=3", "1 -2 3 4 5 -0.5", "1 0.5" },
    { MET_OP_sum, "x: a b\nsum[b](x)", "a=2,b=2", "1 2 3 4", "3 7" },
    { MET_OP_sum, "x: a b\nsum[a b; a](x)", "a=2,b=2", "1 2 3 4", "4 6" },
    { MET_OP_max, "x: a b\nmax[b](x)", "a=2,b=3", "1 -2 0 -3 -4 nan", "1 nan" },
    { MET_OP_min, "x: a b\nmin[b](x)", "a=2,b=2", "1 -2 -3 -4", "-2 -4" },
    { MET_OP_prod, "x: a b\nprod[b](x)", "a=2,b=2", "1 2 3 4", "2 12" },
    { MET_OP_any, "x: a b\nany[b](x)", "a=2,b=2", "0 0 0 4", "0 1" },
    { MET_OP_mean, "x: a b\nmean[b](x)", "a=2,b=2", "1 2 3 5", "1.5 4" },
    { MET_OP_logsumexp, "x: a b\nlogsumexp[b](x)", "a=1,b=2", "1000 1000", "1000.6931471805599" },
    { MET_OP_softmax, "x: a b\nsoftmax[b](x)", "a=1,b=2", "1000 1000", "0.5 0.5" },
    { MET_OP_l1norm, "x: a b\nl1norm[b](x)", "a=1,b=2", "1 -3", "0.25 -0.75" },
    { MET_OP_l2norm, "x: a b\nl2norm[b](x)", "a=1,b=2", "3 -4", "0.6 -0.8" },
    { MET_OP_maxnorm, "x: a b\nmaxnorm[b](x)", "a=1,b=2", "2 -4", "0.5 -1" },
    { MET_OP_rmsnorm, "x: a b\nrmsnorm[b](x, gain=no, eps=0)", "a=1,b=2", "1 -7", "0.2 -1.4" },
    { MET_OP_rmsnorm, "x: a b\nrmsnorm[b](x, @g, offset=1, eps=0)", "a=1,b=2", "1 -7; 1 -0.5", "0.4 -0.7" },
    { MET_OP_gated_rmsnorm, "x: a b, z: a b\ngated_rmsnorm[b](x, z, @g, eps=0)", "a=1,b=2", "1 -7; 1000 1000; 2 10", "0.4 -14" },
    { MET_OP_gated_rmsnorm, "x: a b, z: a b\ngated_rmsnorm[b](x, z, gate=last, gain=no, eps=0)", "a=1,b=2", "1 -7; 0 1", "0 -1.0234820100820068" },
    { MET_OP_layernorm, "x: a b\nlayernorm[b](x, @g, @b, eps=0)", "a=1,b=2", "1 3; 10 20; 5 5", "-5 25" },
    { MET_OP_mask, "x: a b\nsum[b](mask[a b](x, keep = { i_b <= i_a && i_b >= 1 }))", "a=3,b=3", "1 2 3 4 5 6 7 8 9", "0 5 17" },
    { MET_OP_mask_causal, "x: a b\nsum[b](mask.causal[a b](x))", "a=2,b=3", "1 2 3 4 5 6", "3 15" },
    { MET_OP_mask_window, "x: a b\nsum[b](mask.window[a b](x, 2))", "a=3,b=3", "1 2 3 4 5 6 7 8 9", "1 9 17" },
    { MET_OP_mask_padding, "x: a b, n: i32[a]\nmax[b](mask.padding[a b](x, n))", "a=3,b=2", "-1 -2 -3 4 -5 6; 1 2 0", "-1 4 0" },
    { MET_OP_rope, "x: n d\nrope[n d](x)", "n=2,d=2", "1 0 1 0", "1 0 0.5403023058681398 0.8414709848078965" },
    { MET_OP_embed, "ids: i32[n]\nembed[v -> m](ids, @table)", "n=2,v=3,m=2", "2 0; 1 2 3 4 5 6", "5 6 1 2" },
    { MET_OP_gather, "x: a b, i: i32[a]\ngather[b](x, i)", "a=2,b=2", "1 2 3 4; 1 0", "2 3" },
    { MET_OP_concat, "x: a b, y: a c, z: a d\nconcat[k](x, y, z)", "a=2,b=1,c=2,d=1", "1 2; 3 4 5 6; 7 8", "1 3 4 7 2 5 6 8" },
    { MET_OP_split, "x: a b\nu, v = split[b -> c=1, d=2](x)\n-> v", "a=2", "1 2 3 4 5 6", "2 3 5 6" },
    { MET_OP_view, "x: t\nview[s=3 <- 2*s](x)", "t=6", "1 2 3 4 5 6", "1 3 5" },
    { MET_OP_view, "x: t\nview[s=3 <- s - 1](x)", "t=6", "1 2 3 4 5 6", "0 1 2" },
    { MET_OP_kv_append, "state x: a\ny: b\nkv_append[k](x, y)", "a=2,b=1", "1 2; 3", "1 2 3" },
    { MET_OP_scan, "h: d, x: n d\ny, last = scan['d, n d -> n d, d'](h, x, { max(a, b) }, { a*i_n }, { 0 })\n-> y", "n=3,d=2",
      "5 1; 2 3 7 2 1 8", "0 0 7 3 14 16" },
    { MET_OP_scan, "h: d, x: n\ny, last = scan['d, n -> n, d'](h, x, { a + c*b }, { a*a }, { a })\n-> last", "n=2,d=2",
      "1 2; 1 0.5", "8.5 9.5" }, /* the sum of the state is recalled: 3, then 9 */
    { MET_OP_gated_decay, "h: d, a: n d, x: n d\ny, last = gated_decay['d, n d, n d -> n d, d'](h, a, x)\n-> y", "n=2,d=2",
      "1 2; 0.5 1 2 0; 3 4 5 6", "3.5 6 12 6" },
    { MET_OP_ssm,
      "h: g r p s, x: n g r p, dt: n g r, e: n g s, f: n g s\n"
      "y, last = ssm['g r p s, n g r p, n g r, g r, n g s, n g s, g r -> n g r p, g r p s'](h, x, dt, @a, e, f, @d)\n-> y",
      "n=2,g=1,r=1,p=1,s=2", "0.5 -1; 2 3; 0.5 1; 1 2 3 -1; 1 1 2 -1; -1; 10", "22.696734670143684 51.44626032029686" },
    { MET_OP_delta_rule,
      "h: k v, q: n k, e: n k, x: n v, a: n, b: n\ny, last = delta_rule['k v, n k, n k, n v, n, n -> n v, k v'](h, q, e, x, a, b)\n-> y",
      "n=2,k=2,v=1", "1 2; 1 0 1 1; 1 2 0 1; 3 4; 0.5 1; 1 0.5", "1 4" },
    { MET_OP_causal_conv, "h: j e, x: n e\ny, last = causal_conv['j e, n e, e j -> n e, j e'](h, x, @w)\n-> y", "n=2,j=3,e=1",
      "1 2 3; 4 5; 1 10 100", "432 543" },
    { MET_OP_causal_conv, "h: j e, x: n e\ny, last = causal_conv['j e, n e, e j -> n e, j e'](h, x, @w)\n-> last", "n=2,j=3,e=1",
      "1 2 3; 4 5; 1 10 100", "3 4 5" },
    { MET_OP_quantize, "x: a b\nquantize[b](x, format=mxfp4/g32)", "a=1,b=32",
      "1 2.4 2.6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 6",
      "1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 6" },
    { MET_OP_dequantize, "x: a\ndequantize(x)", "a=2", "1 2", "1 2" },
    { MET_OP_top_k, "x: a\ntop_k[a -> k=3](x)", "a=4", "2 7 2 5", "7 5 2" },
    { MET_OP_top_k, "x: a b\nv, i = top_k[a b -> k=3](x)\n-> i", "a=2,b=2", "2 7 2 5", "1 3 0" },
    { MET_OP_router, "x: e\nrouter[e -> k=2](x)", "e=3", "0 0.6931471805599453 1.0986122886681098", "0.5 0.3333333333333333" },
    { MET_OP_router, "x: e\nrouter[e -> k=2](x, renormalize=yes, scale=5)", "e=3", "0 0.6931471805599453 1.0986122886681098", "3 2" },
    { MET_OP_router, "x: e\np, i = router[e -> k=2](x, scale=2)\n-> i", "e=3", "0 2 1", "1 2" },
    /* 1/2, 3/4, 9/10; the bias chooses 0 and 1, and their own scores are the weights */
    { MET_OP_router, "x: e\nrouter[e -> k=2](x, @bias, scores=sigmoid)", "e=3", "0 1.0986122886681098 2.1972245773362196; 2 1 0", "0.5 0.75" },
    { MET_OP_router, "x: e\np, i = router[e -> k=2](x, @bias, scores=sigmoid, renormalize=yes, scale=2.5)\n-> p", "e=3",
      "0 1.0986122886681098 2.1972245773362196; 2 1 0", "1 1.5" },
    /* The two best of all, 5 and 4.9, are in groups 1 and 2; by the sum of two, 0 and 1 are the best groups, by the best one 1 and 2. */
    { MET_OP_router, "x: g e\np, i = router[g e -> k=3](x, @bias, scores=sigmoid, top_groups=2, group_score=best_two)\n-> i", "g=3,e=2",
      "0 0 0 0 0 0; 4.1 4 5 1 4.9 0", "2 0 1" },
    { MET_OP_router, "x: g e\np, i = router[g e -> k=3](x, @bias, scores=sigmoid, top_groups=2)\n-> i", "g=3,e=2",
      "0 0 0 0 0 0; 4.1 4 5 1 4.9 0", "2 4 3" },
    /* Equal groups: the lower ones. */
    { MET_OP_router, "x: g e\np, i = router[g e -> k=2](x, top_groups=1)\n-> i", "g=3,e=2", "1 2 2 1 2 1", "1 0" },
    { MET_OP_router, "x: g e\np, i = router[g e -> k=1](x, @bias, scores=sigmoid, top_groups=1)\n-> p", "g=2,e=2",
      "0 0 1.0986122886681098 2.1972245773362196; 0 0 9 0", "0.75" },
    { MET_OP_dispatch, "x: n m, i: i32[n k]\ndispatch['n m, n k -> n k m'](x, i)", "n=2,k=2,m=2", "1 2 3 4; 5 0 -1 3", "1 2 1 2 0 0 3 4" },
    { MET_OP_expert, "x: n m, i: i32[n k]\nexpert['n m, n k, e f m -> n k f'](x, i, @w)", "n=2,k=2,m=2,e=3,f=1",
      "1 2 3 4; 2 0 -1 1; 1 10 100 1000 5 6", "17 21 0 4300" },
    { MET_OP_expert, "x: n k m, i: i32[n k]\nexpert['n k m, n k, e f m -> n f'](x, i, @w)", "n=1,k=2,m=2,e=2,f=2",
      "1 2 3 4; 1 0; 1 2 3 4 5 6 7 8", "28 48" },
    { MET_OP_combine, "y: n k m, p: n k\ncombine['n k m, n k -> n m'](y, p)", "n=1,k=2,m=2", "1 2 3 4; 10 1", "13 24" },
    { MET_OP_argmax, "x: a b\nargmax[b](x)", "a=3,b=3", "1 5 5 7 6 5 1 nan 3", "1 0 1" },
    { MET_OP_cross_entropy, "x: a b, i: i32[a]\ncross_entropy[b](x, i)", "a=2,b=2", "0 0 1 3; 0 1", "0.6931471805599453 0.1269280110429726" },
};

static void run_case(const op_case *c, const char *dtype, double tolerance)
{
    met_session *session = met_session_new();
    static double in[16][64], out[16][64];
    size_t in_counts[16], out_counts[16];
    size_t count = read_arrays(c->in, in, in_counts);
    read_arrays(c->out, out, out_counts);
    const double *flat[16];
    for (size_t k = 0; k < count; k++)
        flat[k] = in[k];
    const met_circuit *circuit = circuit_of(session, c->program, c->set);
    met_eval_options options = { .dtype = dtype };
    const met_eval_result *result = run_flat(circuit, &options, count, flat);
    assert_int_equal(result->arrays[0].tensor->count, out_counts[0]);
    expect_close(c->program, out_counts[0], result->arrays[0].tensor->values, out[0], tolerance);
    met_session_free(session);
}

static void known_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run_case(&cases[k], "f64", 1e-12);
        run_case(&cases[k], "f32", 2e-4); /* logsumexp of 1000s */
    }
}

static void every_op_has_a_case(void **state)
{
    (void)state;
    bool seen[MET_OP_COUNT] = { false };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        seen[cases[k].op] = true;
        const char *name = met_op_by_id(cases[k].op)->name;
        bool named = cases[k].op == MET_OP_einsum || strstr(cases[k].program, name);
        if (!named)
            fail_msg("the case of `%s` does not use it", name);
    }
    for (int op = 0; op < MET_OP_COUNT; op++)
        if (!seen[op])
            fail_msg("`%s` has no case", met_op_by_id((met_op_id)op)->name);
}

/* top_k's indices are its second output, and ties go to the lower index. */
static void ties(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, "x: a\nv, i = top_k[a -> k=3](x)\n-> v, i", "a=4");
    const met_eval_result *result = run_flat(circuit, NULL, 1, (const double *[]){ (double[]){ 7, 5, 7, 5 } });
    expect_close("values", 3, result->arrays[0].tensor->values, (double[]){ 7, 7, 5 }, 0);
    expect_close("indices", 3, result->arrays[1].tensor->values, (double[]){ 0, 2, 1 }, 0);
    assert_string_equal(result->arrays[1].tensor->format, "i32");
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_has_a_case),
        cmocka_unit_test(known_values),
        cmocka_unit_test(ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
