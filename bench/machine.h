/* What this machine can do at most, measured: multiply-adds in the widest vectors, from chains that do not wait for each
 * other, and reading memory that no cache holds. Shares in the tables are shares of these. */
#ifndef MET_BENCH_MACHINE_H
#define MET_BENCH_MACHINE_H

#include <stddef.h>

/* Some milliseconds of multiply-adds on `threads` threads. Returns flops done (two a multiply-add). */
double machine_fma_f32(unsigned threads);
/* The same with the bf16 dot product, two products a lane; 0 at once if the CPU has none. */
double machine_dot_bf16(unsigned threads);

/* Reads `bytes` at `data` once, divided among the threads. Returns the bytes read. */
double machine_read(const void *data, size_t bytes, unsigned threads);

/* Of the largest cache; 0 if unknown. */
size_t machine_cache_bytes(void);
/* Bytes to go round in so that caches do not help: twice the largest cache, at least 512 MiB. */
size_t machine_round_bytes(void);

/* "Some CPU, 2 cores"; of the program's life. */
const char *machine_name(void);

#endif
