/* What the tests of the language share: a session for each, programs in, types of edges out as text. */
#ifndef MET_TESTS_LANG_TEXT_H
#define MET_TESTS_LANG_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/circuit.h"
#include "lang/lang.h"
#include "met/circuit.h"
#include "met/term.h"

static met_session *session;

static int begin(void **state)
{
    (void)state;
    session = met_session_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

static uint32_t source_of(const char *text)
{
    met_session_clear_diagnostics(session);
    return met_session_add_source(session, "text", text, strlen(text));
}

static const met_circuit *read_circuit(const char *text)
{
    const met_circuit *circuit = met_circuit_read(session, source_of(text), NULL);
    if (!circuit)
        print_error("%s\n%s", text, met_session_diagnostics_text(session));
    assert_non_null(circuit);
    assert_int_equal(met_session_error_count(session), 0);
    return circuit;
}

/* "name: axis=size axis …", sizes only where they are not a symbol of the same name. */
static const char *edge_text(const met_circuit *circuit, met_edge_id id)
{
    const met_edge *edge = &circuit->edges[id.id];
    met_text text = met_text_new(session->arena);
    met_text_put(&text, met_sym_text(session, edge->name));
    met_text_char(&text, ':');
    for (uint32_t i = 0; i < edge->rank; i++) {
        const met_axis *axis = &circuit->axes[edge->axes[i].id];
        met_text size = met_text_new(session->arena);
        met_dim_print(&size, axis->size, met_circuit_size_name, (void *)circuit);
        met_text_format(&text, " %s", met_sym_text(session, axis->name));
        if (strcmp(met_text_done(&size), met_sym_text(session, axis->name)) != 0)
            met_text_format(&text, "=%s", met_text_done(&size));
    }
    return met_text_done(&text);
}

static void expect_edges(const met_circuit *circuit, uint32_t count, const met_edge_id *ids, const char *const *wanted)
{
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(edge_text(circuit, ids[i]), wanted[i]);
    assert_null(wanted[count]);
}

#define SCORES "'q h d, x h d -> h q x' @ scale(d^-0.5)"
#define MIX "'h q x, x h d -> q h d'"

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
