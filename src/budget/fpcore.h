/* FPCore programs (fpbench.org/spec/fpcore-2.0.html) without branches, loops and arrays: their text read into graphs. */
#ifndef MET_BUDGET_FPCORE_H
#define MET_BUDGET_FPCORE_H

#include "base/session.h"
#include "budget/sexpr.h"
#include "budget/straight_program.h"

typedef struct met_fpcore_list {
    size_t count;
    met_straight_program **programs;
} met_fpcore_list;

/* All programs of a source. NULL with diagnostics: of the first mistake of every program. In the session's arena. */
const met_fpcore_list *met_fpcore_read(met_session *session, uint32_t source);

#endif
