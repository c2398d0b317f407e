/* Tests in a session: a new one for each. Included last, since parameters of other headers bear the same names. */
#ifndef MET_TEST_ON_SESSION_H
#define MET_TEST_ON_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/session.h"

static met_session *session;

static inline int setup(void **state)
{
    (void)state;
    session = met_session_new();
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

#endif
