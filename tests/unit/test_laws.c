/* Laws of terms, on random boxes: both sides are built anew and frozen, and must be the same circuit. */
#include "terms.h"

#include "ir/affine.h"

enum { ARRAYS = 3, POOL = 4 };

/* A box as data, so that each side of a law builds its own. Axes are numbers: POOL of them for a box, then those shared
 * by all boxes. */
typedef struct shape {
    uint32_t rank;
    uint32_t axes[8];
} shape;

typedef struct plan {
    uint32_t in_count, out_count;
    shape ins[ARRAYS], outs[ARRAYS];
    int literal[POOL]; /* sizes that are numbers; 0: a symbol */
} plan;

static shape draw_shape(uint64_t *seed, uint32_t rank)
{
    shape s = { .rank = rank };
    for (uint32_t i = 0; i < rank; i++)
        s.axes[i] = draw(seed, POOL);
    return s;
}

static plan draw_plan(uint64_t *seed, uint32_t in_count, const uint32_t *in_ranks, uint32_t in_offset, uint32_t out_count,
                      const uint32_t *out_ranks, uint32_t out_offset)
{
    plan p = { .in_count = in_count, .out_count = out_count };
    for (uint32_t i = 0; i < in_count; i++)
        p.ins[i] = draw_shape(seed, in_ranks[i] + in_offset);
    for (uint32_t i = 0; i < out_count; i++)
        p.outs[i] = draw_shape(seed, out_ranks[i] + out_offset);
    for (uint32_t i = 0; i < POOL; i++)
        p.literal[i] = draw(seed, 12) == 0 ? 4 : 0;
    return p;
}

static uint32_t draw_ranks(uint64_t *seed, uint32_t *ranks)
{
    for (uint32_t i = 0; i < ARRAYS; i++)
        ranks[i] = draw(seed, 3);
    return 1 + draw(seed, ARRAYS);
}

static met_term *build(bench *t, const char *name, const plan *p)
{
    met_array_spec specs[2 * ARRAYS];
    met_axis_id axes[POOL];
    for (uint32_t i = 0; i < POOL; i++) {
        met_text label = met_text_new(t->session->arena);
        met_text_format(&label, "%s%u", name, i);
        const met_dim *size = p->literal[i] ? met_dim_constant(t->session->arena, (uint64_t)p->literal[i]) : NULL;
        axes[i] = axis_of(t, met_str_of(met_text_done(&label)), size);
    }
    for (uint32_t k = 0; k < p->in_count + p->out_count; k++) {
        const shape *s = k < p->in_count ? &p->ins[k] : &p->outs[k - p->in_count];
        met_axis_id *own = MET_NEW_ARRAY(t->session->arena, met_axis_id, s->rank);
        for (uint32_t i = 0; i < s->rank; i++)
            own[i] = axes[s->axes[i]];
        specs[k] = (met_array_spec){ .rank = s->rank, .axes = own };
    }
    return met_term_box(t->b, name_of(t, name), p->in_count, specs, p->out_count, specs + p->in_count, (met_span){ 0 });
}

/* --- A circuit as text --- */

static void put_access(met_text *text, const met_node *node, const met_access *access)
{
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index = MET_NONE;
        assert_true(met_affine_is_index(access->at[p], &index));
        met_text_format(text, " %u:%u", index, node->indices[index].axis.id);
    }
}

/* Everything of it but spans; "" if the term could not be made. */
static const char *circuit_text(bench *t, met_term *term)
{
    met_circuit *c = term ? freeze(t, term) : NULL;
    met_text text = met_text_new(t->session->arena);
    for (uint32_t i = 0; c && i < c->axis_count; i++) {
        met_text_format(&text, "axis %s ", met_sym_text(t->session, c->axes[i].name));
        met_dim_print(&text, c->axes[i].size, met_circuit_size_name, c);
    }
    for (uint32_t e = 0; c && e < c->edge_count; e++) {
        met_text_format(&text, "\n%s:", met_sym_text(t->session, c->edges[e].name));
        for (uint32_t p = 0; p < c->edges[e].rank; p++)
            met_text_format(&text, " %u", c->edges[e].axes[p].id);
    }
    for (uint32_t n = 0; c && n < c->node_count; n++) {
        const met_node *node = &c->nodes[n];
        met_text_format(&text, "\n%s", met_sym_text(t->session, node->box_name));
        for (uint32_t i = 0; i < node->in_count; i++) {
            met_text_format(&text, " in %u", node->ins[i].id);
            put_access(&text, node, &node->in_access[i]);
        }
        for (uint32_t i = 0; i < node->out_count; i++) {
            met_text_format(&text, " out %u", node->outs[i].id);
            put_access(&text, node, &node->out_access[i]);
        }
    }
    for (uint32_t i = 0; c && i < c->input_count; i++)
        met_text_format(&text, "%s %u", i ? "" : "\nin", c->inputs[i].id);
    for (uint32_t i = 0; c && i < c->output_count; i++)
        met_text_format(&text, "%s %u", i ? "" : "\nout", c->outputs[i].id);
    return met_text_done(&text);
}

/* Builds one side of a law from up to four boxes f, g, h, k, which are made in this order whatever the side. */
typedef met_term *(*side)(bench *t, met_term *const *boxes);

static int compare_sides(uint32_t count, const plan *plans, side left, side right)
{
    static const char *const names[] = { "f", "g", "h", "k" };
    const char *texts[2];
    bench *benches[2];
    for (int s = 0; s < 2; s++) {
        met_term *boxes[4];
        benches[s] = bench_new();
        for (uint32_t i = 0; i < count; i++)
            boxes[i] = build(benches[s], names[i], &plans[i]);
        texts[s] = circuit_text(benches[s], (s ? right : left)(benches[s], boxes));
    }
    if (strcmp(texts[0], texts[1]) != 0)
        fail_msg("one side:\n%s\nthe other:\n%s\n%s%s", texts[0], texts[1], met_session_diagnostics_text(benches[0]->session),
                 met_session_diagnostics_text(benches[1]->session));
    int made = *texts[0] != 0;
    met_session_free(benches[0]->session);
    met_session_free(benches[1]->session);
    return made;
}

static met_term *times(bench *t, met_term *f, met_term *g)
{
    return met_term_product(t->b, f, g);
}

/* --- Laws --- */

static met_term *left_nested(bench *t, met_term *const *x)
{
    return compose(t, compose(t, x[0], x[1]), x[2]);
}

static met_term *right_nested(bench *t, met_term *const *x)
{
    return compose(t, x[0], compose(t, x[1], x[2]));
}

/* (f @ g) @ h = f @ (g @ h), lifting included, where no array passes by. */
static void association(void **state)
{
    (void)state;
    uint64_t seed = 10;
    int made = 0;
    for (int round = 0; round < 600; round++) {
        uint32_t a[ARRAYS], b[ARRAYS], c[ARRAYS], d[ARRAYS], offset[6];
        uint32_t as = draw_ranks(&seed, a), bs = draw_ranks(&seed, b), cs = draw_ranks(&seed, c), ds = draw_ranks(&seed, d);
        for (int i = 0; i < 6; i++)
            offset[i] = draw(&seed, 3);
        plan plans[3] = { draw_plan(&seed, as, a, offset[0], bs, b, offset[1]), draw_plan(&seed, bs, b, offset[2], cs, c, offset[3]),
                          draw_plan(&seed, cs, c, offset[4], ds, d, offset[5]) };
        made += compare_sides(3, plans, left_nested, right_nested);
    }
    assert_true(made > 300);
}

static met_term *products_composed(bench *t, met_term *const *x)
{
    return compose(t, times(t, x[0], x[1]), times(t, x[2], x[3]));
}

static met_term *compositions_multiplied(bench *t, met_term *const *x)
{
    return times(t, compose(t, x[0], x[2]), compose(t, x[1], x[3]));
}

/* (f * g) @ (h * k) = (f @ h) * (g @ k), where nothing is lifted. */
static void interchange(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int made = 0;
    for (int round = 0; round < 400; round++) {
        uint32_t a[ARRAYS], b[ARRAYS], c[ARRAYS];
        uint32_t as = draw_ranks(&seed, a), bs = draw_ranks(&seed, b), cs = draw_ranks(&seed, c);
        plan plans[4] = { draw_plan(&seed, as, a, 0, bs, b, 0), draw_plan(&seed, bs, b, 0, cs, c, 0),
                          draw_plan(&seed, bs, b, 0, cs, c, 0), draw_plan(&seed, cs, c, 0, as, a, 0) };
        made += compare_sides(4, plans, products_composed, compositions_multiplied);
    }
    assert_true(made > 200);
}

static met_term *lift(bench *t, const char *axes, met_term *f)
{
    met_array_spec spec;
    read_specs(t, axes, &spec);
    return met_term_lift(t->b, spec.rank, spec.axes, f);
}

static met_term *lifted_whole(bench *t, met_term *const *x)
{
    return lift(t, "y z", compose(t, x[0], x[1]));
}

static met_term *lifted_parts(bench *t, met_term *const *x)
{
    met_term *f = lift(t, "y z", x[0]);
    return compose(t, f, lift(t, "y z", x[1]));
}

static met_term *lifted_at_once(bench *t, met_term *const *x)
{
    return lift(t, "y z", x[0]);
}

static met_term *lifted_in_steps(bench *t, met_term *const *x)
{
    axis_of(t, met_str_of("y"), NULL); /* the same axes in the same order on both sides */
    return lift(t, "y", lift(t, "z", x[0]));
}

/* b >> (f @ g) = (b >> f) @ (b >> g), and a b >> f = a >> (b >> f). */
static void lifting(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int round = 0; round < 300; round++) {
        uint32_t a[ARRAYS], b[ARRAYS], c[ARRAYS];
        uint32_t as = draw_ranks(&seed, a), bs = draw_ranks(&seed, b), cs = draw_ranks(&seed, c);
        plan plans[2] = { draw_plan(&seed, as, a, 0, bs, b, 0), draw_plan(&seed, bs, b, 0, cs, c, 0) };
        compare_sides(2, plans, lifted_whole, lifted_parts);
        assert_int_equal(compare_sides(1, plans, lifted_at_once, lifted_in_steps), 1);
    }
}

/* --- Rearrangements --- */

static met_term *id(bench *t)
{
    return met_term_id(t->b, (met_span){ 0 });
}

static met_term *copy(bench *t, uint32_t count)
{
    return met_term_copy(t->b, count, (met_span){ 0 });
}

static met_term *swap(bench *t)
{
    return met_term_permute(t->b, 2, (const uint32_t[]){ 1, 0 }, (met_span){ 0 });
}

static met_term *alone(bench *t, met_term *const *x)
{
    (void)t;
    return x[0];
}

static met_term *between_ids(bench *t, met_term *const *x)
{
    return compose(t, id(t), compose(t, x[0], id(t)));
}

static met_term *copied_and_dropped(bench *t, met_term *const *x)
{
    met_term *one = compose(t, copy(t, 2), times(t, copy(t, 0), id(t)));
    return compose(t, x[0], one);
}

static met_term *copied_at_once(bench *t, met_term *const *x)
{
    return compose(t, x[0], copy(t, 3));
}

static met_term *copied_in_steps(bench *t, met_term *const *x)
{
    return compose(t, compose(t, x[0], copy(t, 2)), times(t, id(t), copy(t, 2)));
}

static met_term *swapped_after(bench *t, met_term *const *x)
{
    return compose(t, times(t, x[0], x[1]), swap(t));
}

static met_term *swapped_before(bench *t, met_term *const *x)
{
    return compose(t, swap(t), times(t, x[1], x[0]));
}

static met_term *swapped_twice(bench *t, met_term *const *x)
{
    return compose(t, compose(t, times(t, x[0], x[1]), swap(t)), swap(t));
}

static met_term *side_by_side(bench *t, met_term *const *x)
{
    return times(t, x[0], x[1]);
}

static met_term *id_lifted(bench *t, met_term *const *x)
{
    return compose(t, lift(t, "y z", x[0]), lift(t, "y z", id(t)));
}

/* id is neutral; copies may be made one after the other; what is copied and dropped was never there; boxes slide through
 * a swap. */
static void rearrangements(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int round = 0; round < 200; round++) {
        uint32_t a[ARRAYS], b[ARRAYS];
        draw_ranks(&seed, a);
        draw_ranks(&seed, b);
        plan plans[2] = { draw_plan(&seed, 1, a, 0, 1, b, 0), draw_plan(&seed, 1, a + 1, 0, 1, b + 1, 0) };
        assert_int_equal(compare_sides(1, plans, alone, between_ids), 1);
        compare_sides(1, plans, alone, copied_and_dropped);
        compare_sides(1, plans, copied_at_once, copied_in_steps);
        compare_sides(1, plans, lifted_at_once, id_lifted);
        compare_sides(2, plans, swapped_after, swapped_before);
        compare_sides(2, plans, swapped_twice, side_by_side);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(association),
        cmocka_unit_test(interchange),
        cmocka_unit_test(lifting),
        cmocka_unit_test(rearrangements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
