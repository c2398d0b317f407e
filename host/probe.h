/* Probing: what this machine does, measured. Memory levels with their bandwidths, the peak of multiply-adds, the cost of a
 * launch; with all cores that the process may use, and with one. What cannot be measured is absent and says why; it is
 * never zero. Figures become a record of DEVICES.toml (host/probe_record.h).
 *
 * Kernels of the probe are C in the lane algebra of a class, compiled as all kernels are: what they reach is what kernels
 * of that class can reach, not what the processor could do otherwise. */
#ifndef MET_HOST_PROBE_H
#define MET_HOST_PROBE_H

#include "host/sample.h"
#include "host/topology.h"

/* A rate or a time. */
typedef struct met_figure {
    const char *missing; /* why there is none; NULL: there is one */
    double value;        /* of a rate that of the quickest sample, which is what the machine can do; of a time the median */
    double median;
    double spread;       /* see met_sample */
    size_t repeats;
} met_figure;

/* With all cores, and with one. */
typedef struct met_figure_pair {
    met_figure all, one;
} met_figure_pair;

typedef struct met_probe_level {
    const char *name;
    uint64_t capacity_bytes; /* of one cache, or of the memory */
    uint32_t shared_by;      /* of the cores in use, so many have it in common */
    uint64_t set_bytes;      /* that the cores together went through */
    bool partly_cached;      /* of the memory: there was not enough to go beyond the last cache twice over */
    met_figure_pair read, write; /* bytes a second; writing counts what is stored, not the lines read for it */
} met_probe_level;

typedef struct met_probe {
    const char *id;          /* of the device */
    const char *class_name;
    const char *processor;
    uint32_t cores;          /* that the process may use */
    uint64_t memory_bytes;   /* that it may use */
    uint32_t level_count;    /* from the innermost out; the last is the memory */
    const met_probe_level *levels;
    met_figure_pair fma_f32, dot_bf16; /* flops a second, a multiply-add counted as two */
    met_figure_pair launch;            /* seconds */
    const char *no_energy;   /* why there is no energy counter; NULL: there is one */
} met_probe;

typedef struct met_probe_options {
    const char *class_name; /* "cpu" or NULL: the best of this machine */
    const char *id;         /* NULL: made from processor, cores and class */
    const char *cache;      /* see met_compiler_options */
    bool quick;             /* fewer and smaller samples */
    met_clock clock;        /* without a function: the real one */
    uint64_t memory_set_bytes; /* to go through for the memory, at least; 0: enough */
} met_probe_options;

/* NULL with diagnostics: of the class, the compiler, threads or memory. */
const met_probe *met_probe_run(met_session *session, const met_probe_options *options);

/* The id that a device of this machine has by default: letters, digits and "-". */
const char *met_probe_id(met_session *session, const char *class_name);

#endif
