/* One stretch of memory for all buffers of a program: nothing overlaps that is needed at the same time, whatever the
 * program, and a chain takes what two of its links take. */
#include "models.h"

#include "realize/arena.h"

/* A program of buffers and launches alone, without a circuit's edges but those that are given. */
typedef struct maker {
    met_arena *arena;
    met_circuit circuit;
    met_plan plan;
    met_program program;
} maker;

static maker *maker_new(met_arena *arena, uint32_t launches, uint32_t buffers)
{
    maker *m = met_arena_alloc(arena, 1, sizeof *m);
    m->arena = arena;
    m->plan.circuit = &m->circuit;
    m->program = (met_program){ .plan = &m->plan, .launch_count = launches, .buffer_count = buffers,
                                .launches = met_arena_alloc(arena, launches, sizeof(met_launch)),
                                .buffers = met_arena_alloc(arena, buffers, sizeof(met_buffer)) };
    met_edge *edges = met_arena_alloc(arena, buffers, sizeof *edges);
    met_edge_id *outputs = met_arena_alloc(arena, buffers, sizeof *outputs);
    m->circuit.edges = edges;
    m->circuit.outputs = outputs;
    return m;
}

static void put_buffer(maker *m, uint32_t b, size_t bytes, met_edge_role role, bool output)
{
    ((met_buffer *)(uintptr_t)m->program.buffers)[b] = (met_buffer){ { b }, "b", bytes };
    ((met_edge *)(uintptr_t)m->circuit.edges)[b].role = role;
    if (output)
        ((met_edge_id *)(uintptr_t)m->circuit.outputs)[m->circuit.output_count++].id = b;
}

static void put_launch(maker *m, uint32_t l, uint32_t count, const uint32_t *named, bool constant)
{
    ((met_launch *)(uintptr_t)m->program.launches)[l] =
        (met_launch){ .array_count = count, .arrays = met_arena_copy(m->arena, named, count, sizeof *named), .constant = constant };
}

static const met_layout *layout_of(const maker *m, const bool *outside)
{
    const met_layout *layout = met_layout_new(&m->program, outside, m->arena);
    const char *fault = met_layout_check(&m->program, outside, layout);
    if (fault)
        fail_msg("%s", fault);
    return layout;
}

/* in 64 -> a 128 -> b 256 -> c 128 -> d 64: a and c share, in and d do not share with anything. */
static void chain(void **state)
{
    (void)state;
    static const size_t bytes[] = { 64, 128, 256, 100, 64 };
    met_arena *arena = met_arena_new();
    maker *m = maker_new(arena, 4, 5);
    for (uint32_t b = 0; b < 5; b++)
        put_buffer(m, b, bytes[b], b == 0 ? MET_EDGE_INPUT : MET_EDGE_VALUE, b == 4);
    for (uint32_t l = 0; l < 4; l++)
        put_launch(m, l, 2, (uint32_t[]){ l, l + 1 }, false);
    const met_layout *layout = layout_of(m, NULL);
    assert_int_equal(layout->sum, 64 + 128 + 256 + 128 + 64);
    assert_int_equal(layout->bytes, 64 + 256 + 128); /* d stands where b stood */
    assert_int_equal(layout->offset[1], layout->offset[3]);
    assert_int_equal(layout->offset[4], layout->offset[2]);
    /* if the caller holds what goes in and out, only the links are left */
    layout = layout_of(m, (bool[]){ true, false, false, false, true });
    assert_int_equal(layout->bytes, 256 + 128);
    met_arena_free(arena);
}

/* What is packed once is read in every run, so nothing may stand there, not even before it is read. */
static void constants_stay(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker *m = maker_new(arena, 3, 4);
    put_buffer(m, 0, 64, MET_EDGE_PARAMETER, false);
    put_buffer(m, 1, 64, MET_EDGE_VALUE, false);
    put_buffer(m, 2, 64, MET_EDGE_VALUE, false);
    put_buffer(m, 3, 64, MET_EDGE_VALUE, true);
    put_launch(m, 0, 1, (uint32_t[]){ 1 }, false);
    put_launch(m, 1, 2, (uint32_t[]){ 0, 2 }, true);
    put_launch(m, 2, 2, (uint32_t[]){ 2, 3 }, false);
    const met_layout *layout = layout_of(m, NULL);
    assert_int_equal(layout->bytes, 3 * 64);
    assert_int_equal(layout->offset[1], layout->offset[3]);
    met_arena_free(arena);
}

static uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static maker *random_maker(met_arena *arena, uint64_t *seed)
{
    enum { BUFFERS = 24, LAUNCHES = 12 };
    maker *m = maker_new(arena, LAUNCHES, BUFFERS);
    for (uint32_t b = 0; b < BUFFERS; b++)
        put_buffer(m, b, random_below(seed, 1000), b < 4 ? MET_EDGE_INPUT : MET_EDGE_VALUE, random_below(seed, 8) == 0);
    for (uint32_t l = 0; l < LAUNCHES; l++) {
        uint32_t named[4];
        for (int a = 0; a < 4; a++)
            named[a] = random_below(seed, BUFFERS);
        put_launch(m, l, 4, named, random_below(seed, 6) == 0);
    }
    return m;
}

static void random_programs(void **state)
{
    (void)state;
    uint64_t seed = 5, saved = 0;
    for (int k = 0; k < 200; k++) {
        met_arena *arena = met_arena_new();
        maker *m = random_maker(arena, &seed);
        const met_layout *layout = layout_of(m, NULL), *again = layout_of(m, NULL);
        assert_memory_equal(layout->offset, again->offset, m->program.buffer_count * sizeof *layout->offset);
        assert_true(layout->bytes <= layout->sum);
        saved += layout->sum - layout->bytes;
        met_arena_free(arena);
    }
    assert_true(saved > 0);
}

/* The check finds buffers that were moved onto one that is needed. */
static void faults_are_found(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker *m = maker_new(arena, 1, 2);
    put_buffer(m, 0, 64, MET_EDGE_INPUT, false);
    put_buffer(m, 1, 65, MET_EDGE_VALUE, true);
    put_launch(m, 0, 2, (uint32_t[]){ 0, 1 }, false);
    met_layout layout = *layout_of(m, NULL);
    uint64_t offset[2] = { 64, 64 };
    layout.offset = offset;
    assert_string_equal(met_layout_check(&m->program, NULL, &layout), "two buffers overlap that are needed at the same time");
    offset[0] = 128;
    offset[1] = 0;
    assert_null(met_layout_check(&m->program, NULL, &layout));
    offset[1] = 32;
    assert_string_equal(met_layout_check(&m->program, NULL, &layout), "a buffer does not begin on a line");
    offset[1] = 192;
    assert_string_equal(met_layout_check(&m->program, NULL, &layout), "a buffer ends beyond the arena");
    met_arena_free(arena);
}

/* Sizes that nobody can have are not wrapped around. */
static void large_sizes(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker *m = maker_new(arena, 1, 3);
    for (uint32_t b = 0; b < 3; b++)
        put_buffer(m, b, SIZE_MAX / 2, MET_EDGE_INPUT, false);
    put_launch(m, 0, 3, (uint32_t[]){ 0, 1, 2 }, false);
    assert_int_equal(met_layout_new(&m->program, NULL, arena)->bytes, UINT64_MAX / 2);
    met_arena_free(arena);
}

static void models(void **state)
{
    (void)state;
    static const char config[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 2, \"vocab_size\": 40, \"rope_theta\": 10000}";
    static const met_planner planners[] = { MET_PLANNER_NONE, MET_PLANNER_FUSED };
    met_session *session = met_session_new();
    met_point point = met_point_of(MET_F32);
    const met_circuit *settled = met_circuit_settle(model_of(session, "llama", config, "decode", "c=5"), &point);
    const met_class *class = met_class_find("cpu-avx2");
    met_plan_options options = { class->l2_bytes, met_realize_accepts, (void *)(uintptr_t)class };
    for (int p = 0; p < 2; p++) {
        const met_program *program = met_realize(met_plan_make(settled, &point, planners[p], &options), class, NULL);
        assert_non_null(program);
        const met_layout *layout = met_layout_new(program, NULL, session->arena);
        const char *fault = met_layout_check(program, NULL, layout);
        if (fault)
            fail_msg("%s", fault);
        assert_true(layout->bytes < layout->sum);
    }
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain),       cmocka_unit_test(constants_stay), cmocka_unit_test(random_programs),
        cmocka_unit_test(faults_are_found), cmocka_unit_test(large_sizes), cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
