/* Compiling generated C with the system's compiler, and loading it. */
#ifndef MET_TEST_COMPILE_H
#define MET_TEST_COMPILE_H

#include <stdbool.h>

/* A shared object of the texts, one after another (the last is NULL), as dlopen gives it; to be closed with dlclose.
 * Compiled by $CC, or cc, with the warnings of this project as errors and these flags. NULL after printing what the
 * compiler said. */
void *met_test_compile(const char *flags, const char *const *texts);

/* Whether /proc/cpuinfo names all of these features (words with blanks between them). */
bool met_test_cpu_has(const char *features);

#endif
