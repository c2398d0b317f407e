/* Tests of the blueprint as the repository has it, without devices of this machine. Included last, since parameters of other
 * headers bear the same names. */
#ifndef MET_TEST_ON_BLUEPRINT_H
#define MET_TEST_ON_BLUEPRINT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/session.h"
#include "host/blueprint.h"
#include "lkb/lkb.h"

static met_session *session;
static const met_lkb *lkb;

static inline int setup(void **state)
{
    (void)state;
    setenv("MET_DEVICES", "", 1);
    session = met_session_new();
    lkb = met_blueprint_load(session, &(met_blueprint_request){ .kernels = MET_ROOT_DIR "/kernels" });
    return lkb ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

#endif
