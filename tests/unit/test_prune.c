/* Libraries cut down to what a text needs. */
#include "cases.h"
#include "realize/class.h"
#include "realize/prune.h"

static const char library[] =
    "/* What all of it is. */\n"
    "#include <math.h>\n"
    "\n"
    "#define FN static inline\n"
    "#define LONG 12 + \\\n"
    "    13\n"
    "\n"
    "typedef struct pair { int at[2]; } pair; /* two */\n"
    "\n"
    "/* One. */\n"
    "FN int one(void) { return 1; }\n"
    "/* Two: one and one. */\n"
    "FN int two(int x)\n"
    "{\n"
    "#pragma GCC unroll 2\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        x += one();\n"
    "    return x;\n"
    "}\n"
    "#ifdef WIDE\n"
    "FN int wide(pair p) { return p.at[0]; }\n"
    "#else\n"
    "FN int narrow(void) { return 0; }\n"
    "#endif\n"
    "\n"
    "#define EACH(name, value) \\\n"
    "    FN int name(void) { return value; }\n"
    "EACH(three, 3)\n"
    "EACH(four,\n"
    "     two(2))\n"
    "\n"
    "static const int table[] = {\n"
    "    5, 6,\n"
    "};\n";

static void prunes(const char *text, const char *expected)
{
    met_arena *arena = met_arena_new();
    assert_string_equal(met_prune(arena, library, text), expected);
    met_arena_free(arena);
}

static void test_nothing_is_needed(void **state)
{
    (void)state;
    prunes("int main(void) { return 0; }\n", "/* What all of it is. */\n#include <math.h>\n");
}

static void test_needs_of_needs(void **state)
{
    (void)state;
    prunes("return two(0);\n", "/* What all of it is. */\n"
                               "#include <math.h>\n"
                               "\n"
                               "#define FN static inline\n"
                               "\n"
                               "/* One. */\n"
                               "FN int one(void) { return 1; }\n"
                               "/* Two: one and one. */\n"
                               "FN int two(int x)\n"
                               "{\n"
                               "#pragma GCC unroll 2\n"
                               "    for (int i = 0; i < 2; i++)\n"
                               "        x += one();\n"
                               "    return x;\n"
                               "}\n");
}

static void test_macros_that_define(void **state)
{
    (void)state;
    prunes("return three();\n", "/* What all of it is. */\n"
                                "#include <math.h>\n"
                                "\n"
                                "#define FN static inline\n"
                                "\n"
                                "#define EACH(name, value) \\\n"
                                "    FN int name(void) { return value; }\n"
                                "EACH(three, 3)\n");
}

static void test_conditions_and_tables(void **state)
{
    (void)state;
    prunes("return narrow() + table[LONG];\n", "/* What all of it is. */\n"
                                               "#include <math.h>\n"
                                               "\n"
                                               "#define FN static inline\n"
                                               "#define LONG 12 + \\\n"
                                               "    13\n"
                                               "\n"
                                               "#ifdef WIDE\n"
                                               "#else\n"
                                               "FN int narrow(void) { return 0; }\n"
                                               "#endif\n"
                                               "\n"
                                               "static const int table[] = {\n"
                                               "    5, 6,\n"
                                               "};\n");
}

/* What is mentioned stays, whatever it is: pruning by the whole library drops nothing but what nobody mentions. */
static void test_classes_keep_what_they_mention(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    for (size_t c = 0; c < met_class_count; c++) {
        const char *text = met_class_table[c].text;
        const char *all = met_prune(arena, text, text), *again = met_prune(arena, all, text);
        assert_string_equal(all, again);
        assert_non_null(strstr(all, "lane_fold_add"));
        assert_null(strstr(met_prune(arena, text, "lane_add"), "lane_fold_add"));
    }
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_needed),
        cmocka_unit_test(test_needs_of_needs),
        cmocka_unit_test(test_macros_that_define),
        cmocka_unit_test(test_conditions_and_tables),
        cmocka_unit_test(test_classes_keep_what_they_mention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
