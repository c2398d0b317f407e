/* What this machine's processor can do, and which class of kernels fits it. */
#ifndef MET_HOST_CPU_H
#define MET_HOST_CPU_H

#include "met/session.h"

/* Whether all features ("avx2 fma") are among those of a processor, as the text of /proc/cpuinfo lists what the system
 * lets programs use. If not, *ret_missing is the first that is not, within `features`, and its length. */
bool met_cpu_features(const char *cpuinfo, const char *features, const char **ret_missing, size_t *ret_length);

/* The name of the class that `hardware` means: a class that this processor can run, or with "cpu" the best of them. NULL
 * with a diagnostic: `usage` for a name that no class has, `hardware` for a class that needs what the processor lacks.
 * $MET_CPUINFO names a file to read instead of /proc/cpuinfo. */
const char *met_cpu_class(met_session *session, const char *hardware);

/* Whether this machine can run the kernels of a class. */
bool met_cpu_can_run(met_session *session, const char *class_name);

/* The flags to compile kernels of a class with on this machine: the class's own, and those for what it has beyond. */
const char *met_cpu_flags(met_session *session, const char *class_name);

#endif
