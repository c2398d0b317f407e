/* Records of groups against schedules: what met_settled_record says of a group's folds before anything is written is how the
 * kernels that are written for it fold, for every class. */
#include "models.h"

#include "plan/of_lowering.h"
#include "realize/program.h"

static met_session *session;

/* Trees of folds that round, and how accumulators are rescaled, as sorted lines: both sides are lists of the same words. */
typedef struct words {
    size_t count;
    const char *at[512];
} words;

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_word(words *list, const char *begin, size_t length)
{
    assert_true(list->count < 512);
    list->at[list->count++] = met_arena_text(session->arena, begin, length);
}

/* From the record's text: `…; TREE; …` of lines that fold and are not exact, and the word of `rescale %N by WORD`. */
static words words_of_text(const char *text)
{
    words list = { 0 };
    for (const char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        if (memcmp(line, "rescale ", 8) == 0) {
            const char *by = strstr(line, " by ") + 4;
            add_word(&list, by, (size_t)(end - by));
        }
        const char *fold = strstr(line, "fold "), *tree = strstr(line, "; ");
        if (!fold || fold > end || !tree || tree > end || memcmp(tree, "; exact", 7) == 0)
            continue;
        const char *close = strstr(tree + 2, "; ");
        close = close && close < end ? close : end;
        add_word(&list, tree + 2, (size_t)(close - tree - 2));
    }
    qsort(list.at, list.count, sizeof *list.at, compare_words);
    return list;
}

/* From the records of the launches that do the work of written nodes begin … end - 1. */
static words words_of_launches(const met_program *program, const met_settled *settled, uint32_t begin, uint32_t end)
{
    static const char *const rescaled[] = { "none", "float", "pow2" };
    words list = { 0 };
    for (uint32_t l = 0; l < program->launch_count; l++) {
        for (uint32_t r = 0; r < program->launches[l].record_count; r++) {
            const met_record *record = &program->launches[l].records[r];
            uint32_t origin = settled->origin[record->node.id];
            const met_node *node = &settled->circuit->nodes[record->node.id];
            if (origin < begin || origin >= end)
                continue;
            met_tree tree = record->tree;
            if (tree.rescale != MET_RESCALE_NONE)
                add_word(&list, rescaled[tree.rescale], strlen(rescaled[tree.rescale]));
            tree.rescale = MET_RESCALE_NONE;
            tree.slice = 0;
            if (met_monoid_is_exact(met_node_primitive(settled->circuit, node).monoid))
                continue;
            met_text text = met_text_new(session->arena);
            met_tree_print(&text, &tree, MET_F32);
            add_word(&list, text.at, text.length);
        }
    }
    qsort(list.at, list.count, sizeof *list.at, compare_words);
    return list;
}

static const char *joined(const words *list)
{
    met_text text = met_text_new(session->arena);
    for (size_t k = 0; k < list->count; k++)
        met_text_format(&text, "%s%s", k ? " | " : "", list->at[k]);
    return met_text_done(&text);
}

/* Groups of 1, 2, … step nodes, in turn. */
static const met_lowering *lowering_of(const met_circuit *circuit, uint32_t step)
{
    met_lowering *lowering = met_arena_alloc(session->arena, 1, sizeof *lowering);
    met_lowering_group *groups = met_arena_alloc(session->arena, circuit->node_count, sizeof *groups);
    met_node_id *nodes = met_arena_alloc(session->arena, circuit->node_count, sizeof *nodes);
    *lowering = (met_lowering){ .circuit = circuit, .groups = groups };
    for (uint32_t n = 0; n < circuit->node_count; n++)
        nodes[n].id = n;
    for (uint32_t begin = 0, end; begin < circuit->node_count; begin = end) {
        end = begin + 1 + (lowering->group_count + step - 1) % step;
        end = end < circuit->node_count ? end : circuit->node_count;
        groups[lowering->group_count++] = (met_lowering_group){ .node_count = end - begin, .nodes = nodes + begin,
                                                                .source = MET_GROUP_DERIVED };
    }
    return lowering;
}

static size_t compare_groups(const met_circuit *circuit, const met_point *point, const met_class *class, uint32_t step)
{
    const met_settled *settled = met_settled_new(circuit, point);
    met_realize_request request = { class, point };
    met_plan_options options = { class->l2_bytes, met_realize_accepts_at, &request };
    met_region_judge *judge = met_region_judge_new(settled, &options);
    const met_lowering *lowering = lowering_of(circuit, step);
    const met_plan *plan = met_plan_of_lowering(lowering, settled, &options);
    const met_program *program = plan ? met_realize(plan, class, NULL) : NULL;
    if (!program)
        fail_msg("%s", met_session_diagnostics_text(session));
    size_t words_seen = 0;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        const char *text = met_settled_record(judge, group->node_count, group->nodes);
        assert_non_null(text);
        words said = words_of_text(text);
        words made = words_of_launches(program, settled, group->nodes[0].id, group->nodes[0].id + group->node_count);
        if (strcmp(joined(&said), joined(&made)) != 0)
            fail_msg("%s, group %u: the record says `%s`, the kernels do `%s`\n%s", class->name, (unsigned)g, joined(&said),
                     joined(&made), text);
        words_seen += said.count;
    }
    return words_seen;
}

static void compare_points(const met_circuit *circuit, const met_class *class, uint32_t steps)
{
    for (uint32_t step = 1; step <= steps; step++) {
        met_point point = met_point_of(MET_F32);
        assert_true(compare_groups(circuit, &point, class, step) > 0);
        point = met_point_of(MET_BF16);
        point.dot = MET_DOT_PAIRS;
        compare_groups(circuit, &point, class, step);
        point.dot = MET_DOT_F32;
        point.numerics = MET_NUMERICS_FLOAT;
        point.division = MET_DIVISION_EAGER;
        compare_groups(circuit, &point, class, step);
    }
}

static const met_circuit *program_of(const char *program, const char *set)
{
    uint32_t source = met_session_add_source(session, "test", program, strlen(program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    circuit = circuit ? met_circuit_bind(circuit, set) : NULL;
    if (!circuit)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return circuit;
}

static void schedules_keep_records(void **state)
{
    (void)state;
    static const char config[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 1, \"vocab_size\": 40, \"rope_theta\": 10000}";
    static const char *const programs[][2] = {
        { "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'", "q=20,x=300,d=8" },
        { "'q d, x d -> q x' @ mask.causal[q x] @ softmax[x] @ 'q x, x d -> q d'", "q=20,x=300,d=8" },
        { "x: n m\nlogsumexp[v](linear[m -> v](x, @w))", "n=5,m=24,v=90" },
        { "x: n m\nlinear[m -> f](layernorm[m](x, @gain, @bias), @w)", "n=5,m=24,f=90" },
    };
    for (size_t c = 0; c < met_class_count; c++) {
        session = met_session_new();
        for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
            compare_points(program_of(programs[p][0], programs[p][1]), &met_class_table[c], 4);
        compare_points(model_of(session, "llama", config, "prefill", "n=6"), &met_class_table[c], 6);
        compare_points(model_of(session, "llama", config, "decode", "c=5"), &met_class_table[c], 3);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(schedules_keep_records) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
