/* What a bench of kernels found, as a table of at most 80 columns and as JSON. */
#ifndef MET_HOST_BENCH_REPORT_H
#define MET_HOST_BENCH_REPORT_H

#include "host/kernel_bench.h"

const char *met_bench_table(met_session *session, const met_bench *bench);
/* A list. */
const char *met_bench_json(met_session *session, size_t count, const met_bench *const *benches);

#endif
