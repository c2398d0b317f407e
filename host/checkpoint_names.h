/* What checkpoints call parameters: kernels/CHECKPOINTS.toml. */
#ifndef MET_HOST_CHECKPOINT_NAMES_H
#define MET_HOST_CHECKPOINT_NAMES_H

#include "base/session.h"
#include "base/vec.h"

/* A pattern with {} for a number, and what stands for it elsewhere. */
typedef struct met_checkpoint_name {
    met_str parameter, stored;
} met_checkpoint_name;

typedef struct met_checkpoint_names {
    MET_VEC(met_checkpoint_name) names; /* the first that fits and is there counts */
    MET_VEC(met_str) ignored;
} met_checkpoint_names;

/* Those of an architecture; empty if the file does not know it. NULL with diagnostics. */
const met_checkpoint_names *met_checkpoint_names_read(met_session *session, const char *kernels, met_str architecture);

/* Whether a name fits a pattern; *ret_number is what stands for {}, empty if the pattern has none. */
bool met_checkpoint_fits(met_str pattern, met_str name, met_str *ret_number);
/* The pattern with `number` for {} and, if the pattern has it, `expert` for {e}. *ret_experts says whether it has. */
const char *met_checkpoint_fill(met_session *session, met_str pattern, met_str number, uint64_t expert, bool *ret_experts);

#endif
