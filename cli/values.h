/* What the values of options say: numbers, words, lists. An option that is not given leaves what is returned as it was; one
 * that says nothing sensible is a usage error, and false. */
#ifndef MET_CLI_VALUES_H
#define MET_CLI_VALUES_H

#include <stdint.h>

#include "cli/cli.h"

/* All values of an option that may be given several times, in their order. */
const char *const *cli_values(const cli_request *request, const char *name, size_t *ret_count);

/* A natural number … */
bool cli_read_count(const cli_request *request, const char *name, uint64_t *ret_n);
/* … from `least` to `most`; UINT64_MAX is no limit. */
bool cli_read_count_within(const cli_request *request, const char *name, uint64_t least, uint64_t most, uint64_t *ret_n);
/* --threads: from 1. */
bool cli_read_threads(const cli_request *request, uint32_t *ret_n);
/* "1,16,128": up to `room` numbers from 1. */
bool cli_read_counts(const cli_request *request, const char *name, size_t room, uint64_t *ret_numbers, size_t *ret_count);
/* From `least` to `most`, which `words` says: "a number above 0, up to 1000". */
bool cli_read_number(const cli_request *request, const char *name, double least, double most, const char *words, double *ret_x);
/* One of some words, by its number; the list ends with NULL. */
bool cli_read_word(const cli_request *request, const char *name, const char *const *words, int *ret_number);

bool cli_ends_with(const char *text, const char *end);

#endif
