/* The parameters of a circuit from a checkpoint: by their own names or, for architectures that kernels/CHECKPOINTS.toml knows, by
 * those of the Hugging Face Hub. */
#ifndef MET_HOST_CHECKPOINT_H
#define MET_HOST_CHECKPOINT_H

#include "met/circuit.h"
#include "met/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All parameters of the circuit, whose sizes must be bound. `path` as met_safetensors_open takes it; `kernels` as
 * met_model_request has it. A tensor fits a parameter if its axes are those of the parameter, or runs of them merged. What is
 * missing, not wanted or of another shape is said in one diagnostic. NULL with diagnostics. Lives as long as the session. */
const met_named_tensor *met_checkpoint_load(const met_circuit *circuit, const char *path, const char *kernels, size_t *ret_count);

#ifdef __cplusplus
}
#endif
#endif
