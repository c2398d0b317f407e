/* Recorded operands and results of matrix units, in the files of MATLAB-tensor-core: in one directory a_GPU_FORMAT.txt and
 * b_GPU_FORMAT.txt, c_GPU_fp32.txt, and d_GPU_fp32.txt or d_GPU_fp16.txt or both. A line is one element d = Σ a·b + c. A number
 * is a word of 8 hexadecimal digits or of 32 binary ones: the f32 that equals it (docs/emulation.md). */
#ifndef MET_HOST_RECORDING_H
#define MET_HOST_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "met/session.h"

/* A file of results, and what belongs to it. */
typedef struct met_recording {
    const char *path;      /* of the d file */
    const char *directory;
    const char *gpu;       /* as the name has it: "H100" */
    const char *format;    /* "fp16", "E4M3" */
    bool half;             /* results are f16 */
} met_recording;

/* All below a directory, by path. NULL with diagnostics `file` or `recording`; none is an error. */
const met_recording *met_recordings_find(met_session *session, const char *directory, size_t *ret_count);

/* Patterns of f32, line by line. */
typedef struct met_recorded {
    size_t lines, terms;     /* terms: products of a line, 1 to MET_RECORDED_TERMS */
    const uint32_t *a, *b;   /* lines × terms */
    const uint32_t *c, *d;   /* lines */
} met_recorded;

#define MET_RECORDED_TERMS 4096

/* False with diagnostics `file` or `recording`. */
bool met_recording_read(met_session *session, const met_recording *recording, met_recorded *ret_recorded);

#endif
