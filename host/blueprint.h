/* Finding and reading the files of the blueprint: KERNEL_FAMILIES.toml, FUSIONS.toml, HARDWARE.toml, DEVICES.toml and SITES.toml
 * in the kernels directory, overlays in its classes/CLASS/, and device records of this machine's. */
#ifndef MET_HOST_BLUEPRINT_H
#define MET_HOST_BLUEPRINT_H

#include "met/blueprint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_blueprint_request {
    const char *kernels; /* as met_model_request.kernels: NULL: $MET_KERNELS, the source tree, then the installed one */
    size_t device_file_count;
    const char *const *device_files; /* further files like DEVICES.toml */
} met_blueprint_request;

/* Reads and checks everything; the device files of met_device_directory as well. NULL with diagnostics. */
const met_lkb *met_blueprint_load(met_session *session, const met_blueprint_request *request);

/* Where a user's own device records are kept, one file each: $MET_DEVICES, else devices/ in met's part of the user's data
 * directory ($XDG_DATA_HOME or ~/.local/share). NULL if there is no such place; it need not exist. */
const char *met_device_directory(met_session *session);
/* The path of a record of that name in it; the directory is made. NULL with a diagnostic. */
const char *met_device_file(met_session *session, const char *name);

#ifdef __cplusplus
}
#endif
#endif
