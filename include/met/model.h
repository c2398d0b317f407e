/* Models: an architecture, read from its file, and the sizes of one model, read from its Hugging Face `config.json`.
 * The formats are docs/formats/architecture-toml.md and docs/formats/model-config.md. */
#ifndef MET_MODEL_H
#define MET_MODEL_H

#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the file of a part that an architecture uses, by its path beside the architecture: "blocks/rope.toml". Returns
 * its value tree, or NULL after a diagnostic. */
typedef const met_value *(*met_model_part)(void *context, const char *path);

/* All zero is the default throughout. */
typedef struct met_model_options {
    const met_value *config;    /* the model's config.json; NULL: sizes stay symbols, the rest takes its defaults */
    bool toy;                   /* the sizes of [toy] instead of a configuration: small, with all that the architecture has */
    const met_value *toy_sizes; /* with `toy`, a table: sizes that stand in place of the architecture's own; NULL: none */
    bool toy_grows;             /* with `toy`: the number of new tokens, n, and of cached ones, c, stay symbols */
    const met_value *weights;   /* a table: the format of the parameters whose names end in a key; NULL: none is stated */
    const met_value *activations; /* a table: `linear`, the format in which linear maps with quantized weights read what they
                                     contract with them; NULL: as it is */
    const char *mode;           /* "prefill", "decode" …; NULL: the architecture's own */
    uint32_t layers;            /* this many, whatever the configuration says; 0: as it says */
    const char *default_format; /* of edges that nothing states; NULL: f32 */
    met_model_part part;        /* NULL: the architecture may use no parts */
    void *part_context;
} met_model_options;

/* The circuit of a model. Inputs are token ids; the output is one score a vocabulary entry for decoders, the hidden states
 * for encoders. Parameters and states are named by their place: tok_embeddings, layers.0.wq, layers.0.keys.cache.
 * NULL with diagnostics. */
met_circuit *met_model_read(met_session *session, const met_value *arch, const met_model_options *options);

/* The names of its modes, in order. NULL with diagnostics. */
const char *const *met_model_modes(met_session *session, const met_value *arch, const met_model_options *options,
                                   size_t *ret_count);

#ifdef __cplusplus
}
#endif
#endif
