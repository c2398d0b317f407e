/* The blueprint: what is read, what a class inherits, questions about it, and what the real files hold. Errors are golden
 * cases (tests/golden/lkb). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "host/blueprint.h"
#include "host/file.h"
#include "host/toml.h"
#include "lkb/lkb.h"

#define SMALL MET_ROOT_DIR "/tests/data/blueprint"

static met_session *session;

static int begin(void **state)
{
    (void)state;
    setenv("MET_DEVICES", "", 1);
    session = met_session_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

static const met_value *of_text(const char *name, const char *text)
{
    return met_toml_read(session, met_session_add_source(session, name, text, strlen(text)));
}

static const met_value *of_file(const char *name)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, SMALL "/%s", name);
    return met_toml_read(session, met_file_source(session, met_text_done(&path)));
}

static met_lkb_sources small_sources(void)
{
    return (met_lkb_sources){ .families = of_file("KERNEL_FAMILIES.toml"), .fusions = of_file("FUSIONS.toml"), .hardware = of_file("HARDWARE.toml"),
                              .devices = of_file("DEVICES.toml"), .sites = of_file("SITES.toml"),
                              .precision = of_file("PRECISION.toml") };
}

static const met_lkb *read_sources(const met_lkb_sources *sources)
{
    const met_lkb *lkb = met_lkb_read(session, sources);
    if (!lkb)
        print_error("%s", met_session_diagnostics_text(session));
    assert_non_null(lkb);
    return lkb;
}

/* The small blueprint with overlays of the class `child`; NULL: none. */
static const met_lkb *with_overlay(const char *families, const char *fusions)
{
    met_lkb_sources sources = small_sources();
    met_lkb_overlay overlay = { .class_id = "child", .families = families ? of_text("families", families) : NULL,
                                .fusions = fusions ? of_text("fusions", fusions) : NULL };
    sources.overlays = &overlay;
    sources.overlay_count = 1;
    return read_sources(&sources);
}

/* "add_norm linear norm": the rules of a class in their order. */
static const char *rules_of(const met_lkb *lkb, const char *class)
{
    const met_hardware *hardware = met_lkb_hardware(lkb, class);
    met_text text = met_text_new(session->arena);
    for (uint32_t i = 0; i < hardware->rule_count; i++)
        met_text_format(&text, "%s%s", i ? " " : "", hardware->rules[i]->id);
    return met_text_done(&text);
}

/* "row_norm/2 matmul/2": families with their number of points. */
static const char *families_of(const met_lkb *lkb, const char *class)
{
    const met_hardware *hardware = met_lkb_hardware(lkb, class);
    met_text text = met_text_new(session->arena);
    for (uint32_t i = 0; i < hardware->family_count; i++)
        met_text_format(&text, "%s%s/%u", i ? " " : "", hardware->families[i]->id, hardware->families[i]->point_count);
    return met_text_done(&text);
}

/* --- What is read --- */

static void a_rule_is_read_whole(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    sources.fusions = of_text("rules",
        "[[rule]]\nid = \"r\"\nkernels = \"linear\"\nrepeat = \"chunk\"\nchunk = 8\nmodes = \"verify\"\nrows = [2, 9]\nwhen = { residual = \"f32\" }\n"
        "capabilities = \"fma\"\nnumerics = \"differs\"\nlever = \"rescale\"\npriority = -3\ncite = \"page\"\nexample = \"id\"\npattern = ["
        "{ op = \"linear\", role = [\"q\", \"k\"], weight = \"fp8/g128\", input = \"bf16\", keep = true },"
        "{ op = \"linear\", block = \"mlp\", sibling = true, stored = true, writes = \"f16\" },"
        "{ op = \"linear\", reads = 1, optional = true, makes = \"nvfp4/g16\", holds = \"f32\" }]\n");
    const met_lkb *lkb = read_sources(&sources);
    const met_rule *rule = met_lkb_hardware(lkb, "root")->rules[0];
    assert_int_equal(rule->element_count, 3);
    const met_rule_element *first = &rule->elements[0], *second = &rule->elements[1], *third = &rule->elements[2];
    met_format fp8;
    assert_true(met_format_parse(met_str_of("fp8/g128"), &fp8));
    assert_true(first->op_count == 1 && first->ops[0] == MET_OP_linear && first->roles.count == 2 && first->keep);
    assert_true(first->has_weight && met_format_equal(first->weight, fp8) && first->has_input && first->input.dtype == MET_BF16);
    assert_true(!first->has_writes && !first->has_holds && !first->sibling && !first->optional && first->reads == UINT32_MAX);
    assert_true(second->sibling && second->stored && second->has_writes && second->writes.dtype == MET_F16);
    assert_string_equal(second->block, "mlp");
    assert_true(third->optional && third->reads == 0 && third->has_holds && third->holds.dtype == MET_F32);
    assert_true(third->has_makes && third->makes.dtype == MET_E2M1 && !first->has_makes);
    assert_true(rule->repeat == MET_REPEAT_CHUNK && rule->chunk == 8 && rule->rows_min == 2 && rule->rows_max == 9);
    assert_true(rule->tag == MET_TAG_DIFFERS && rule->priority == -3 && met_name_list_has(&rule->modes, "verify"));
    assert_string_equal(rule->lever, "rescale");
    assert_string_equal(rule->when[0].value, "f32");
    assert_string_equal(rule->example, "id");
    assert_true(met_name_list_has(&rule->capabilities, "fma") && !rule->microtest);
}

static void guards_default_to_all(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *lkb = read_sources(&sources);
    const met_rule *rule = met_lkb_hardware(lkb, "root")->rules[1];
    assert_string_equal(rule->id, "linear");
    assert_true(rule->rows_min == 1 && rule->rows_max == UINT64_MAX && rule->modes.count == 0 && rule->repeat == MET_REPEAT_ONCE);
}

static void points_are_combinations(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *lkb = read_sources(&sources);
    const met_hardware *child = met_lkb_hardware(lkb, "child");
    const met_family *matmul = met_hardware_family(child, "linear_add", NULL);
    assert_string_equal(matmul->id, "matmul");
    assert_int_equal(matmul->point_count, 3);
    static const char *const wanted[3][2] = { { "f32", "sequential" }, { "bf16", "sequential" }, { "bf16", "undeclared" } };
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t p = 0; p < 2; p++)
            assert_string_equal(matmul->points[i].values[p], wanted[i][p]);
    const met_family *norm = met_hardware_family(child, "norm", NULL);
    assert_null(norm->points[0].values[0]); /* runtime */
    assert_string_equal(norm->points[1].values[1], "none");
}

static void a_pipeline_is_read_by_op(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_family *family = met_hardware_family(met_lkb_hardware(read_sources(&sources), "root"), "norm", NULL);
    assert_int_equal(family->step_count, 6); /* `*`: three steps for each of two ops */
    assert_true(family->steps[0].op == MET_OP_rmsnorm && family->steps[3].op == MET_OP_add);
    assert_string_equal(family->steps[4].step, "compute");
    assert_string_equal(family->steps[4].precision, "f32");
}

/* --- Inheritance --- */

static void a_child_has_what_its_parent_has(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *lkb = read_sources(&sources);
    const met_hardware *root = met_lkb_hardware(lkb, "root"), *child = met_lkb_hardware(lkb, "child");
    assert_string_equal(rules_of(lkb, "child"), rules_of(lkb, "root"));
    assert_string_equal(met_hardware_setting(root, "residual"), "bf16");
    assert_string_equal(met_hardware_setting(child, "residual"), "f32");
    assert_string_equal(met_hardware_setting(child, "rescale"), "off");
    assert_true(met_name_list_has(&child->capabilities, "fma") && met_name_list_has(&child->capabilities, "unit"));
    assert_false(met_name_list_has(&root->capabilities, "unit"));
    assert_string_equal(root->class_name, "cpu-scalar");
    assert_null(child->class_name); /* what a class realizes is its own */
    /* the point that needs a unit is the child's alone */
    assert_string_equal(families_of(lkb, "root"), "row_norm/2 matmul/2");
    assert_string_equal(families_of(lkb, "child"), "row_norm/2 matmul/3");
}

static void rules_are_replaced_added_and_removed(void **state)
{
    (void)state;
    const met_lkb *lkb = with_overlay(NULL,
        "remove = [\"norm\"]\n"
        "[[rule]]\nid = \"linear\"\npattern = [{ op = \"linear\", role = \"q\" }]\nkernels = \"linear\"\nnumerics = \"reference\"\npriority = 200\ncite = \"p\"\n"
        "[[rule]]\nid = \"aaa\"\npattern = [{ op = \"linear\" }]\nkernels = \"linear\"\nnumerics = \"reference\"\npriority = 100\ncite = \"p\"\n");
    assert_string_equal(rules_of(lkb, "root"), "add_norm linear norm");
    assert_string_equal(rules_of(lkb, "child"), "linear aaa add_norm"); /* priority, then id */
    assert_string_equal(met_lkb_hardware(lkb, "child")->rules[0]->elements[0].roles.names[0], "q");
}

static void families_are_replaced_in_place(void **state)
{
    (void)state;
    const char *point = "[[family.point]]\nhow = \"copy\"\nfiles = \"f\"\n";
    met_text text = met_text_new(session->arena);
    met_text_format(&text,
        "[[family]]\nid = \"new\"\nsummary = \"s\"\nops = [\"exp\"]\nkernels = \"exp\"\ntree = \"undeclared\"\npipeline.exp.compute = \"f32\"\n%s"
        "[[family]]\nid = \"row_norm\"\nsummary = \"s\"\nops = [\"rmsnorm\", \"add\"]\nkernels = [\"norm\", \"add_norm\"]\ntree = \"rows16\"\n"
        "pipeline.\"*\".compute = \"f32\"\n%s", point, point);
    const met_lkb *lkb = with_overlay(met_text_done(&text), NULL);
    assert_string_equal(families_of(lkb, "root"), "row_norm/2 matmul/2");
    assert_string_equal(families_of(lkb, "child"), "row_norm/1 matmul/3 new/1");
    assert_true(met_hardware_family(met_lkb_hardware(lkb, "child"), "norm", NULL)->points[0].how == MET_HOW_COPY);
}

static const met_lkb *with_hardware(const char *more)
{
    met_lkb_sources sources = small_sources();
    const char *bytes;
    size_t length;
    assert_true(met_file_read(session, SMALL "/HARDWARE.toml", 1 << 20, &bytes, &length));
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "%s\n%s", bytes, more);
    sources.hardware = of_text("hardware", met_text_done(&text));
    return read_sources(&sources);
}

static void absent_kernels_say_why(void **state)
{
    (void)state;
    const met_lkb *lkb = with_hardware("[class.less]\ninherits = \"child\"\nsummary = \"s\"\nabsent = { norm = \"too slow\" }\n"
                                       "[class.least]\ninherits = \"less\"\nsummary = \"s\"\nabsent = { add_norm = \"no room\" }\nwithout = [\"unit\"]\n");
    const met_hardware *less = met_lkb_hardware(lkb, "less"), *least = met_lkb_hardware(lkb, "least");
    assert_string_equal(met_hardware_lacks(less, "norm"), "too slow");
    assert_null(met_hardware_lacks(less, "add_norm"));
    assert_string_equal(met_hardware_lacks(least, "norm"), "too slow");
    assert_non_null(met_hardware_lacks(least, "nothing"));
    /* a family without a kernel left is gone; so is a point whose capability is */
    assert_string_equal(families_of(lkb, "less"), "row_norm/2 matmul/3");
    assert_string_equal(families_of(lkb, "least"), "matmul/2");
}

static void audits_are_not_inherited(void **state)
{
    (void)state;
    const met_lkb *lkb = with_hardware("[class.unit]\ninherits = \"child\"\nsummary = \"s\"\nmatrix_units = [\"linear\"]\n"
                                       "[class.heir]\ninherits = \"unit\"\nsummary = \"s\"\n");
    assert_int_equal(met_lkb_hardware(lkb, "unit")->matrix_units.count, 1);
    assert_int_equal(met_lkb_hardware(lkb, "heir")->matrix_units.count, 0);
}

/* A grandchild before its ancestors in the file, so that order does not matter. */
static void classes_stand_in_any_order(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    sources.hardware = of_text("hardware",
        "[class.c]\ninherits = \"b\"\nsummary = \"s\"\n[class.b]\ninherits = \"root\"\nsummary = \"s\"\ndefaults = { residual = \"f32\" }\n"
        "[class.root]\nsummary = \"s\"\ndefaults = { residual = \"bf16\" }\n"
        "[capability]\nunit = \"u\"\n[setting.residual]\nvalues = [\"bf16\", \"f32\"]\nsummary = \"s\"\n");
    assert_string_equal(met_hardware_setting(met_lkb_hardware(read_sources(&sources), "c"), "residual"), "f32");
}

/* --- Asking --- */

static void roles_come_from_the_last_part(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *lkb = read_sources(&sources);
    assert_string_equal(met_lkb_role(lkb, met_str_of("layers.3.wq")), "q");
    assert_string_equal(met_lkb_role(lkb, met_str_of("wo")), "o");
    assert_null(met_lkb_role(lkb, met_str_of("layers.wq.bias")));
    assert_null(met_lkb_role(lkb, met_str_of("layers.")));
}

static void a_target_is_a_device_or_a_class(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *lkb = read_sources(&sources);
    const met_device *device;
    const met_hardware *hardware;
    assert_true(met_lkb_target(lkb, "box", &device, &hardware));
    assert_string_equal(device->id, "box");
    assert_string_equal(hardware->id, "root");
    assert_true(met_lkb_target(lkb, "child", &device, &hardware) && !device);
    assert_false(met_lkb_target(lkb, "crate", &device, &hardware));
    assert_int_equal(met_session_error_count(session), 1);
}

/* --- The digest --- */

static void further_devices_make_no_evidence_stale(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *before = read_sources(&sources);
    const met_value *more = of_text("more", "[[device]]\nid = \"mine\"\nclass = \"root\"\nlevels = [{ name = \"dram\", capacity_bytes = 9, bytes_per_s = 1e9 }]\n"
                                            "peak = { f32 = 1e9 }\nlaunch_s = 0\nunits = 1\nmemory_bytes = 9\nusable = 1\nsource = \"s\"\n");
    sources.extra_devices = &more;
    sources.extra_device_count = 1;
    const met_lkb *after = read_sources(&sources);
    assert_string_equal(before->digest, after->digest);
    assert_non_null(met_lkb_device(after, "mine"));
}

static void spans_do_not_matter(void **state)
{
    (void)state;
    met_lkb_sources sources = small_sources();
    const met_lkb *before = read_sources(&sources);
    sources.sites = of_text("sites", "# a comment\n\n[[site]]\npattern = [{ role = \"q\", op = \"linear\" }]\nid = \"q\"\n");
    assert_string_equal(before->digest, read_sources(&sources)->digest);
}

/* --- The real files --- */

static bool covers(const met_hardware *hardware, met_op_id op)
{
    for (uint32_t i = 0; i < hardware->rule_count; i++) {
        const met_rule *rule = hardware->rules[i];
        bool plain = rule->element_count == 1 && !rule->elements[0].roles.count && !rule->elements[0].block && !rule->elements[0].has_weight &&
                     rule->modes.count == 0 && rule->when_count == 0 && rule->rows_min == 1 && rule->rows_max == UINT64_MAX && !rule->capabilities.count;
        for (uint32_t k = 0; plain && k < rule->elements[0].op_count; k++)
            if (rule->elements[0].ops[k] == op && !met_hardware_lacks(hardware, rule->kernels.names[0]))
                return true;
    }
    return false;
}

static void every_op_is_covered_on_every_class(void **state)
{
    (void)state;
    const met_lkb *lkb = met_blueprint_load(session, &(met_blueprint_request){ 0 });
    if (!lkb)
        fail_msg("%s", met_session_diagnostics_text(session));
    for (uint32_t h = 0; h < lkb->hardware_count; h++)
        for (int op = 0; op < MET_OP_COUNT; op++)
            if (!covers(&lkb->hardware[h], (met_op_id)op))
                fail_msg("on %s no rule covers `%s` alone, in every mode: kernels/FUSIONS.toml wants one", lkb->hardware[h].id,
                         met_op_by_id((met_op_id)op)->name);
}

/* Bandwidth in GB/s, dense bf16, fp8 and nvfp4 TFLOP/s, SMs, GiB. */
static void the_devices_are_those_of_their_data_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *id, *class;
        double rate, bf16, fp8, nvfp4;
        uint32_t units;
        double gib, usable;
    } rows[] = {
        { "h100-sxm", "hopper", 3350, 989.5, 1979, 0, 132, 79.6, .9 },     { "h100-nvl", "hopper", 3900, 835.5, 1670.5, 0, 132, 94, .9 },
        { "h200-sxm", "hopper", 4800, 989.5, 1979, 0, 132, 140.4, .9 },    { "b200", "b200", 7700, 2250, 4500, 9000, 148, 179.1, .9 },
        { "gb200", "b200", 8000, 2500, 5000, 10000, 148, 186, .9 },        { "gb300", "b300", 8000, 2500, 5000, 15000, 148, 279, .9 },
        { "hgx-b300", "b300", 7700, 2250, 4500, 14000, 148, 268.6, .9 },   { "gb10", "gb10", 273, 125, 250, 500, 48, 121.7, .85 },
        { "gb10-measured", "gb10", 249, 123.7, 243.6, 490.8, 48, 121.7, .85 },
    };
    const met_lkb *lkb = met_blueprint_load(session, &(met_blueprint_request){ 0 });
    assert_non_null(lkb);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const met_device *d = met_lkb_device(lkb, rows[i].id);
        assert_non_null(d);
        assert_string_equal(d->class_id, rows[i].class);
        assert_true(d->levels[d->level_count - 1].bytes_per_s == rows[i].rate * 1e9);
        assert_true(d->peak[MET_PEAK_BF16] == rows[i].bf16 * 1e12 && d->peak[MET_PEAK_FP8] == rows[i].fp8 * 1e12);
        assert_true(d->peak[MET_PEAK_NVFP4] == rows[i].nvfp4 * 1e12 && d->units == rows[i].units && d->usable == rows[i].usable);
        assert_true(d->memory_bytes == (uint64_t)(rows[i].gib * 1073741824.0));
        assert_string_equal(d->levels[d->level_count - 1].name, strcmp(rows[i].class, "gb10") == 0 ? "dram" : "hbm");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rule_is_read_whole, begin, end),
        cmocka_unit_test_setup_teardown(guards_default_to_all, begin, end),
        cmocka_unit_test_setup_teardown(points_are_combinations, begin, end),
        cmocka_unit_test_setup_teardown(a_pipeline_is_read_by_op, begin, end),
        cmocka_unit_test_setup_teardown(a_child_has_what_its_parent_has, begin, end),
        cmocka_unit_test_setup_teardown(rules_are_replaced_added_and_removed, begin, end),
        cmocka_unit_test_setup_teardown(families_are_replaced_in_place, begin, end),
        cmocka_unit_test_setup_teardown(absent_kernels_say_why, begin, end),
        cmocka_unit_test_setup_teardown(audits_are_not_inherited, begin, end),
        cmocka_unit_test_setup_teardown(classes_stand_in_any_order, begin, end),
        cmocka_unit_test_setup_teardown(roles_come_from_the_last_part, begin, end),
        cmocka_unit_test_setup_teardown(a_target_is_a_device_or_a_class, begin, end),
        cmocka_unit_test_setup_teardown(further_devices_make_no_evidence_stale, begin, end),
        cmocka_unit_test_setup_teardown(spans_do_not_matter, begin, end),
        cmocka_unit_test_setup_teardown(every_op_is_covered_on_every_class, begin, end),
        cmocka_unit_test_setup_teardown(the_devices_are_those_of_their_data_sheets, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
