/* Inside of host/model.c: models that are kept under kernels/models (docs/formats/model-toml.md). */
#ifndef MET_HOST_INSTANCE_H
#define MET_HOST_INSTANCE_H

#include "base/value.h"
#include "met/session.h"

typedef struct met_instance_file {
    const char *arch;         /* the name of an architecture */
    const char *config;       /* path of its config.json */
    const char *format;       /* of arrays that nothing states; NULL: f32 */
    const met_value *weights; /* format by the last part of a parameter's name; or NULL */
    const met_value *activations; /* format in which linear maps read; or NULL */
    const met_value *toy;     /* toy sizes that these formats fit; NULL: toys have plain formats */
} met_instance_file;

/* Is there a models/NAME/model.toml in the folder of kernels? */
bool met_instance_exists(const char *kernels, const char *name);
/* False with diagnostics. */
bool met_instance_read(met_session *session, const char *kernels, const char *name, met_instance_file *ret_instance);

#endif
