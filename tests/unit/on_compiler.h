/* Tests that compile: a session, and a compiler with the user's cache. Included last, since parameters of other headers bear the
 * same names. */
#ifndef MET_TEST_ON_COMPILER_H
#define MET_TEST_ON_COMPILER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/session.h"
#include "host/compiler.h"

static met_session *session;
static met_compiler *compiler;

static inline int setup(void **state)
{
    (void)state;
    session = met_session_new();
    compiler = met_compiler_new(session, &(met_compiler_options){ 0 });
    return compiler ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    met_compiler_free(compiler);
    met_session_free(session);
    return 0;
}

#endif
