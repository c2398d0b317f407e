/* Microtests: two programs of one circuit, run on the same numbers and compared byte by byte, ordinary and hostile ones
 * (infinities, NaN, zeros of both signs, cancellation, subnormals). What a rule's tag promises is tried this way. */
#ifndef MET_HOST_MICROTEST_H
#define MET_HOST_MICROTEST_H

#include "host/compiler.h"
#include "realize/program.h"

/* One program, compiled. Its arrays are filled anew for every set of numbers. */
typedef struct met_trial met_trial;

/* NULL with diagnostics. The compiler must outlive it. */
met_trial *met_trial_new(met_session *session, const met_program *program, met_compiler *compiler);
void met_trial_free(met_trial *trial);

typedef enum met_numbers { MET_NUMBERS_NORMAL, MET_NUMBERS_WAVE, MET_NUMBERS_CANCEL, MET_NUMBERS_INFINITE, MET_NUMBERS_TINY } met_numbers;
#define MET_NUMBERS_COUNT (MET_NUMBERS_TINY + 1)
const char *met_numbers_name(met_numbers numbers);

typedef enum met_trial_verdict { MET_TRIAL_SAME, MET_TRIAL_DIFFERENT, MET_TRIAL_VOID, MET_TRIAL_FAILED } met_trial_verdict;

/* Runs both on one set of numbers and compares outputs and new states. VOID: bytes differ, and something underflowed where
 * accumulators are rescaled by powers of two, which is what the promise excludes. FAILED: a diagnostic says why there is no
 * result. *ret_why: the first element that differs; NULL otherwise. */
met_trial_verdict met_trial_compare(met_trial *a, met_trial *b, met_numbers numbers, const char **ret_why);

#endif
