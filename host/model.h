/* Models: finding and reading architectures under kernels/circuits, with the sizes of a config.json. */
#ifndef MET_HOST_MODEL_H
#define MET_HOST_MODEL_H

#include "met/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_model_request {
    const char *name;    /* of an architecture, of a model under models/, or the path of its file (it has a slash or ends in .toml); NULL: what the
                            configuration's model_type names */
    const char *kernels; /* folder that has circuits/; NULL: $MET_KERNELS, the source tree, then the installed one */
    const char *config;  /* path of a config.json, or of a folder that has one; NULL: sizes stay free */
    bool toy;            /* the architecture's toy sizes; not together with a configuration */
    bool toy_grows;      /* with `toy`: the numbers of new and of cached tokens stay free */
    const char *mode;    /* NULL: the architecture's own, such as prefill */
    const char *layers;  /* number of layers instead of the configured one, as text; or NULL */
    const char *default_format; /* of edges that nothing states; NULL: f32 */
} met_model_request;

/* A part that the architecture uses is looked for beside its file first, then in circuits/. NULL with diagnostics. */
met_circuit *met_model_load(met_session *session, const met_model_request *request);

/* Is there a circuits/NAME.toml where architectures are looked for, or a models/NAME/model.toml? */
bool met_model_exists(const char *kernels, const char *name);

/* The names there are, for people: "bert, llama, …". */
const char *met_model_list(met_session *session, const char *kernels);

/* The same names as a list. */
const char *const *met_model_names(met_session *session, const char *kernels, size_t *ret_count);

/* The names of the modes that the architecture of a request has. NULL with diagnostics. */
const char *const *met_model_mode_names(met_session *session, const met_model_request *request, size_t *ret_count);

/* The name of the architecture that a configuration is for, by its model_type. NULL with diagnostics. */
const char *met_model_of_config(met_session *session, const char *kernels, const char *config);

/* The folder itself, as `kernels` of a request says. NULL with a diagnostic if there is none. */
const char *met_kernels_directory(met_session *session, const char *kernels);

#ifdef __cplusplus
}
#endif
#endif
