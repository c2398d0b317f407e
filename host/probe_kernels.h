/* The kernels of the probe, as C in the lane algebra of a class. */
#ifndef MET_HOST_PROBE_KERNELS_H
#define MET_HOST_PROBE_KERNELS_H

#include "host/compiler.h"
#include "realize/class.h"

/* Each goes `times` times through `bytes` at `at` (a multiple of 64 lines; not used by those that only compute), and leaves
 * something in *sink, so that a compiler cannot do without. */
typedef void (*met_probe_fn)(void *at, int64_t bytes, int64_t times, float *sink);

typedef enum met_probe_kernel { MET_PROBE_READ, MET_PROBE_WRITE, MET_PROBE_FMA, MET_PROBE_DOT, MET_PROBE_NOTHING,
                                MET_PROBE_KERNELS } met_probe_kernel;

/* The least that `bytes` can be, and what it is a multiple of. */
#define MET_PROBE_GRAIN 4096

/* Compiles all of them. False with diagnostics. */
bool met_probe_kernels(met_session *session, met_compiler *compiler, const met_class *class,
                       met_probe_fn ret_kernels[MET_PROBE_KERNELS]);

/* Flops of one time of FMA or DOT. */
double met_probe_flops(const met_class *class, met_probe_kernel kernel);

#endif
