/* Any bytes as a record, as text and as JSON: a record that prints and reads back as it was, or diagnostics. */
#include "host/json.h"
#include "number/tree_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_same(met_session *session, const met_tree *tree)
{
    met_text text = met_text_new(session->arena);
    met_tree back;
    met_tree_print(&text, tree, MET_F32);
    if (!met_tree_read(session->arena, met_str_of(met_text_done(&text)), MET_F32, NULL, &back, NULL) ||
        !met_tree_equal(tree, &back))
        __builtin_trap(); /* not what was printed */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz.tree", (const char *)data, size);
    met_value *value = source && met_json_begins(session, source) ? met_json_read(session, source) : NULL;
    met_tree tree;
    bool good = value ? met_tree_of_value(session, value, NULL, &tree) : source && met_tree_of_source(session, source, NULL, &tree);
    if (good)
        expect_same(session, &tree);
    else if (met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
