/* Drift, in both directions, between forms and points made by hand. */
#include "audited.h"

#include "audit/drift.h"

#include "on_session.h"

static const met_family_param params[] = { { .name = "weight", .kind = MET_PARAM_COMPILE }, { .name = "rows", .kind = MET_PARAM_RUNTIME },
                                           { .name = "gain", .kind = MET_PARAM_POLICY } };
static const char *const packed_names[] = { "weight" };

static met_form_point form(const char *name, const char *weight)
{
    const char **values = met_arena_alloc(session->arena, 1, sizeof *values);
    values[0] = weight;
    return (met_form_point){ name, 1, packed_names, values };
}

static const char *const file_a[] = { "a.h" }, *const files_ab[] = { "a.h", "b.h" }, *const pack[] = { "pack" };

static met_family_point point(const char *weight, const char *gain)
{
    const char **values = met_arena_alloc(session->arena, 3, sizeof *values);
    values[0] = weight;
    values[2] = gain;
    return (met_family_point){ .values = values, .files = { 1, file_a } };
}

static bool only_a(void *context, const char *file)
{
    (void)context;
    return strcmp(file, "a.h") == 0;
}

/* How many differences there are between the forms and one family with these points. */
static uint32_t drift(const char *class_name, uint32_t form_count, const met_form_point *forms, uint32_t point_count,
                      const met_family_point *points)
{
    met_lkb lkb = { .session = session };
    met_family family = { .id = "matmul", .form = "contract", .param_count = 3, .params = params, .point_count = point_count,
                          .points = points };
    const met_family *families[] = { &family };
    met_hardware hardware = { .id = "toy", .class_name = class_name, .family_count = 1, .families = families,
                              .residual = { 1, pack } };
    met_drift_facts facts = { form_count, forms, only_a, NULL };
    met_session_clear_diagnostics(session);
    uint32_t found = met_drift_check(&lkb, &hardware, &facts);
    assert_int_equal(found, met_session_error_count(session));
    return found;
}

static void same(void **state)
{
    (void)state;
    /* parameters that the form does not have tell no forms apart; a residual needs no family */
    met_form_point forms[] = { form("contract", "f32"), form("contract", "bf16"), form("pack", "f32") };
    met_family_point points[] = { point("f32", "yes"), point("f32", "no"), point("bf16", "yes") };
    assert_int_equal(drift("cpu-scalar", 3, forms, 3, points), 0);
}

static void made_but_not_declared(void **state)
{
    (void)state;
    met_form_point forms[] = { form("contract", "f32"), form("contract", "bf16") };
    met_family_point points[] = { point("f32", "yes") };
    assert_int_equal(drift("cpu-scalar", 2, forms, 1, points), 1);
    expect_diag(session, MET_DIAG_drift, "`toy` makes `contract(weight=bf16)`, which is no point of this family");
    forms[1] = form("scan", "f32");
    assert_int_equal(drift("cpu-scalar", 2, forms, 1, points), 1);
    expect_diag(session, MET_DIAG_drift, "`toy` makes `scan(weight=f32)`, which is in no family and no named residual");
}

static void declared_but_not_made(void **state)
{
    (void)state;
    met_form_point forms[] = { form("contract", "f32") };
    met_family_point points[] = { point("f32", "yes"), point("fp8/tensor", "yes") };
    assert_int_equal(drift("cpu-scalar", 1, forms, 2, points), 1);
    expect_diag(session, MET_DIAG_drift, "`toy` does not make `matmul(weight=fp8/tensor, gain=yes)`");
    assert_int_equal(drift(NULL, 0, NULL, 2, points), 0); /* a class that nobody writes for */
}

static void files(void **state)
{
    (void)state;
    met_form_point forms[] = { form("contract", "f32") };
    met_family_point points[] = { point("f32", "yes") };
    points[0].files = (met_name_list){ 2, files_ab };
    assert_int_equal(drift("cpu-scalar", 1, forms, 1, points), 1);
    expect_diag(session, MET_DIAG_drift, "the file `b.h` of this point of `matmul` does not exist");
    assert_int_equal(drift(NULL, 0, NULL, 1, points), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same, setup, teardown),
        cmocka_unit_test_setup_teardown(made_but_not_declared, setup, teardown),
        cmocka_unit_test_setup_teardown(declared_but_not_made, setup, teardown),
        cmocka_unit_test_setup_teardown(files, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
