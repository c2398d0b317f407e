/* Architectures: families of models as data. An architecture is a file (docs/formats/architecture-toml.md) and the parts
 * it uses, merged; with the sizes of one model bound, it becomes a circuit.
 *
 *     met_arch *arch = met_arch_read(session, toml, load, context);      // parts found, merged and checked
 *     met_config_apply(arch, config) && met_arch_settle(arch, builder, mode);  // what every dim stands for
 *     met_circuit *circuit = met_arch_circuit(arch, builder, format);
 *
 * All functions return NULL or false after they have put diagnostics into the session. */
#ifndef MET_LANG_ARCH_H
#define MET_LANG_ARCH_H

#include "base/value.h"
#include "ir/builder.h"
#include "lang/lang.h"
#include "met/model.h"

/* Files and dims of one architecture, and layers of one model, at most. */
#define MET_ARCH_PARTS 64
#define MET_ARCH_DIMS_LIMIT 1000
#define MET_ARCH_LAYERS 10000

/* One file: the architecture itself (part 0) or a part that it uses. */
typedef struct met_arch_part {
    met_str path;
    const met_value *value;
    uint32_t user; /* the part that first used it; its own index for part 0 */
} met_arch_part;

/* What the merged files say under one key of one table. */
typedef struct met_arch_entry {
    met_sym name;
    met_place key_place;
    const met_value *value;
    uint32_t part;
} met_arch_entry;

/* The tables that merge key by key: an entry of who uses a part stands in place of the part's own. */
typedef enum met_arch_table {
    MET_ARCH_DIMS,
    MET_ARCH_MODES,
    MET_ARCH_BLOCKS,
    MET_ARCH_MODEL,
    MET_ARCH_INPUTS,
    MET_ARCH_PARAMETERS,
    MET_ARCH_LAYERS_TABLE,
    MET_ARCH_KINDS,
    MET_ARCH_CONFIG,
    MET_ARCH_KEYS,
    MET_ARCH_TOY,
    MET_ARCH_TABLES
} met_arch_table;

typedef struct met_arch_entries {
    MET_VEC(met_arch_entry) list;
    met_map *by_name;
} met_arch_entries;

typedef enum met_arch_kind {
    MET_ARCH_SIZE,   /* of axes: a symbol while nothing binds it */
    MET_ARCH_COUNT,  /* a natural number that is no axis: layers, query heads */
    MET_ARCH_NUMBER, /* eps, theta */
    MET_ARCH_WORD,   /* an option's word, or a choice between blocks */
    MET_ARCH_SWITCH
} met_arch_kind;

/* A dim, and what it stands for once something has given it a value. */
typedef struct met_arch_dim {
    met_sym name;
    met_arch_kind kind;
    const met_arch_entry *entry;
    bool known, busy;
    met_place place; /* of what gave the value */
    const met_dim *size; /* SIZE, COUNT */
    double number;
    met_sym word;
    bool on;
} met_arch_dim;

typedef struct met_arch {
    met_session *session;
    met_arena *arena;
    met_sym name;
    MET_VEC(met_arch_part) parts;
    met_arch_entries tables[MET_ARCH_TABLES];
    MET_VEC(const met_value *) requires;
    MET_VEC(met_arch_dim) dims; /* as tables[MET_ARCH_DIMS] */
    met_builder *builder;       /* set by met_arch_settle; sizes without a value become its symbols */
    met_sym mode;
    bool layers_cut; /* the caller wants a number of layers of its own */
    const met_value *layers_by, *layers_said; /* a rule of config.json on the kinds of layers, and the list there; or NULL */
    const met_value *over; /* names of the axes that the mode repeats the model over, or NULL */
} met_arch;

/* --- arch.c --- */

met_arch *met_arch_read(met_session *session, const met_value *value, met_model_part load, void *context);
/* NULL if there is none. */
const met_arch_entry *met_arch_entry_of(const met_arch *arch, met_arch_table table, const char *name);
const met_arch_entry *met_arch_entry_by(const met_arch *arch, met_arch_table table, met_sym name);
/* The names of a table, for "did you mean". */
const char *const *met_arch_names(const met_arch *arch, met_arch_table table, size_t *ret_count);
/* Diagnoses every key of a table that is not among `known`; true if there is none. */
bool met_arch_only(const met_arch *arch, met_arch_table table, const char *const *known, size_t count);
/* An interned copy of a value's string; false with a diagnostic if it is none. */
bool met_arch_word(const met_arch *arch, const met_value *value, const char *what, met_sym *ret_word);
/* The stretch of source in which a string value stands; a source of its own if it was written with escapes. */
bool met_arch_text(const met_arch *arch, const met_value *value, const char *what, met_span *ret_span);

/* --- arch_dims.c --- */

/* Reads the dims' declarations. */
bool met_arch_declare(met_arch *arch);
met_arch_dim *met_arch_dim_of(const met_arch *arch, met_sym name);
/* The dim that a value names, which must be of kind `kind`; NULL after a diagnostic. */
met_arch_dim *met_arch_dim_named(const met_arch *arch, const met_value *value, const char *what, met_arch_kind kind);
/* Gives a dim a value that must fit its kind, on behalf of what stands at `place`. Two different values are an error. */
bool met_arch_give(met_arch *arch, met_arch_dim *dim, const met_value *value, const met_place *place);
/* Chooses the mode (NULL: the architecture's own) and finds the value of every dim. */
bool met_arch_settle(met_arch *arch, met_builder *builder, const char *mode);
/* The value of a SIZE or COUNT, if it is a number by now. */
bool met_arch_count(const met_arch_dim *dim, uint64_t *ret_count);

/* --- arch_formula.c --- */

/* A formula over dims: sums, products, differences and exact quotients. *ret_size is NULL if it cannot be known. */
bool met_arch_formula(met_arch *arch, const met_value *value, const met_dim **ret_size);
/* Checks every `require`, as far as sizes are known. */
bool met_arch_check(met_arch *arch);
/* The value of a dim, found now if need be; NULL in *ret_size: unknown. */
bool met_arch_size(met_arch *arch, met_arch_dim *dim, const met_dim **ret_size);

/* --- arch_toy.c --- */

/* Gives dims the architecture's toy sizes: small ones, with which every kind of layer and every feature is there. To be
 * called instead of met_config_apply. A table `own`, unless NULL, has sizes that stand in place of these. If it
 * `grows`, n and c stay free. */
bool met_arch_toy(met_arch *arch, const met_value *own, bool grows);
/* After settling: diagnoses sizes that are still free, unless it `grows`, and kinds of layers that do not occur. */
bool met_arch_toy_check(met_arch *arch, bool grows);

/* --- arch_layout.c, arch_kinds.c, arch_blocks.c, arch_circuit.c --- */

typedef struct met_arch_layout {
    uint64_t count;
    uint32_t *kinds;  /* of each layer: index into the table of kinds */
    uint32_t *totals; /* layers of each kind */
    met_str path;     /* prefix of the layers' parameters */
} met_arch_layout;

bool met_arch_layout_of(met_arch *arch, met_arch_layout *ret_layout);
/* The kind that a value names. False after a diagnostic. */
bool met_arch_layer_kind(const met_arch *arch, const met_value *value, uint32_t *ret_kind);
/* Sets what config.json says of the kinds of layers: all of them, or those in a list of numbers, which it marks in `taken`. */
bool met_arch_kinds_of_config(const met_arch *arch, met_arch_layout *l, bool *taken);

/* Defines all blocks in an environment, those that depend on the mode, a switch or a word as these say. */
bool met_arch_define(met_arch *arch, met_lang *lang);
/* What the arch is with its dims settled. */
met_circuit *met_arch_circuit(met_arch *arch, met_format default_format);

/* --- arch_weights.c --- */

/* The circuit with parameters in other formats: `table` says them by the last part of names. In a `whole` model every
 * one of them is found. NULL with diagnostics. */
met_circuit *met_arch_weights(const met_circuit *circuit, const met_value *table, bool whole);

/* --- arch_activations.c --- */

/* The circuit with a `quantize` before the linear maps that have quantized weights, into the format that `table` states as
 * `linear`; one for each array. NULL with diagnostics. */
met_circuit *met_arch_activations(const met_circuit *circuit, const met_value *table);

/* --- config.c --- */

/* Gives dims the values of a model's config.json: every key is mapped, ignored for a reason that is stated, or refused. */
bool met_config_apply(met_arch *arch, const met_value *config);
/* Checks what the architecture says of config.json. */
bool met_config_check(met_arch *arch);

#endif
