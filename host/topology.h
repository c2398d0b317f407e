/* What the system says of the machine: processor, caches, memory. Everything here is told, nothing is measured. */
#ifndef MET_HOST_TOPOLOGY_H
#define MET_HOST_TOPOLOGY_H

#include "met/session.h"

#define MET_CACHE_LEVELS 6

typedef struct met_cache_level {
    uint32_t level; /* 1, 2, 3 … */
    uint64_t bytes; /* of one such cache */
    uint32_t shared_by; /* CPUs of the machine that have one in common; at least 1 */
} met_cache_level;

/* The data caches of the first CPU from the innermost out, as /sys lists them, or else as the C library has them from the
 * processor; 0 if neither says. $MET_SYS names a directory instead of /sys. */
uint32_t met_cache_levels(met_cache_level ret_levels[MET_CACHE_LEVELS]);

/* Bytes that this process may use: those of the machine, or fewer if its control group has fewer. */
uint64_t met_memory_bytes(void);
/* Bytes that are free now, likewise. */
uint64_t met_memory_free(void);

/* The name of the processor; "unknown processor" if nobody says. $MET_CPUINFO as in host/cpu.h. */
const char *met_processor_name(met_session *session);

#endif
