/* Tests in an arena: a new one for each. Included last, since parameters of other headers bear the same names. */
#ifndef MET_TEST_ON_ARENA_H
#define MET_TEST_ON_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

static met_arena *arena;

static inline int setup(void **state)
{
    (void)state;
    arena = met_arena_new();
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    met_arena_free(arena);
    return 0;
}

#endif
