/* Inside of elaboration: from syntax to the builder. An instance is one use of one definition: its labels, its values,
 * its parameters. Functions return NULL or false after a diagnostic. */
#ifndef MET_LANG_ELABORATE_H
#define MET_LANG_ELABORATE_H

#include "base/diag.h"
#include "lang/ast.h"
#include "lang/lang.h"

typedef struct met_defs met_defs;

typedef struct met_def {
    met_sym name;
    met_span span;
    const met_statement *statement; /* BIND: a term; DEFINE; LET */
    met_defs *home;                 /* where the names in it are looked up */
    bool busy;                      /* being instantiated: another use is recursion */
    bool costed;
    uint64_t cost;
    uint64_t sized;      /* LET: the question to which `size` is the answer; 0: none yet */
    const met_dim *size;
} met_def;

/* Definitions in scope; those of a body have the program's as `outer`. */
struct met_defs {
    met_defs *outer;
    met_map *by_name;
    MET_VEC(met_def *) list;
};

struct met_lang {
    met_builder *b;
    met_session *session;
    met_arena *arena;
    met_defs *defs;
    met_map *constant_ids; /* pair (name, 0) */
    MET_VEC(met_lang_constant) constants;
    uint64_t made;  /* nodes so far, for the limit */
    uint32_t depth; /* definitions within definitions */
    uint32_t lets;  /* sizes within sizes */
    uint64_t asked; /* how many sizes were asked for, not counting those within others */
};

/* What a name of an instance may be; a name may be several of these at once. */
typedef enum met_space {
    MET_SPACE_LABEL,     /* axis id: the axis that the label first introduced */
    MET_SPACE_TYPED,     /* axis id: the same, by typed inputs alone */
    MET_SPACE_SIZE,      /* index into sizes: a size that no label had introduced */
    MET_SPACE_CONSTANT,  /* index into constants */
    MET_SPACE_VALUE,     /* value id; MET_NONE: of an equation that failed */
    MET_SPACE_PARAMETER, /* value id, or MET_NONE for one made inside a term */
    MET_SPACE_TYPE,      /* index into types: declared type of a parameter */
    MET_SPACE_STATE,     /* 0: never updated, 1: updated */
    MET_SPACE_USES,      /* how often a definition was used */
    MET_SPACE_PLACES     /* from here on: index into places, of a name in another space */
} met_space;

typedef struct met_instance met_instance;
struct met_instance {
    met_lang *lang;
    met_instance *outer; /* a part of the same definition (one copy of a repetition) */
    met_instance *user;  /* who uses this definition: constants are inherited from it */
    met_defs *defs;
    met_sym path;
    met_scope *scope; /* NULL in terms */
    const met_ast *stored; /* the value whose formats the present statement says, or NULL */
    bool open;        /* unknown arrays become inputs: the program itself */
    met_map *names;
    MET_VEC(const met_dim *) sizes;
    MET_VEC(met_lang_constant) constants;
    MET_VEC(const met_ast_type *) types;
    MET_VEC(uint64_t) type_places; /* of the types, in the order of parameters */
    MET_VEC(met_lang_port) ports; /* of the scope, in order; under their full names */
    MET_VEC(const char *) value_names; /* for "did you mean" */
    MET_VEC(met_span) places;
    MET_VEC(met_value_id) last;        /* values of the last equation */
};

/* --- names.c --- */

met_defs *met_defs_new(met_lang *lang, met_defs *outer);
met_def *met_defs_find(const met_defs *defs, met_sym name);
/* Adds a definition; a name that is taken, or an op's, is a diagnostic. */
bool met_defs_add(met_lang *lang, met_defs *defs, const met_ast_name *name, const met_statement *statement);
/* Adds all definitions of a program; statements that are equations, types and outputs are left alone. */
bool met_defs_gather(met_lang *lang, met_defs *defs, met_program *program, const met_statement *header);

met_instance *met_instance_new(met_lang *lang, met_defs *defs, met_instance *user, met_sym path);
/* This instance's own entry. */
bool met_instance_get(const met_instance *inst, met_space space, met_sym name, uint32_t *ret_id);
/* … or that of the instances it is a part of. */
bool met_instance_find(const met_instance *inst, met_space space, met_sym name, uint32_t *ret_id);
void met_instance_set(met_instance *inst, met_space space, met_sym name, uint32_t id);
const met_lang_constant *met_instance_constant(const met_instance *inst, met_sym name);
void met_instance_add_constant(met_instance *inst, const met_lang_constant *constant);
/* Remembers where a name comes from, and adds that to a diagnostic about a second one. */
void met_instance_set_place(met_instance *inst, met_space space, met_sym name, met_span span);
void met_instance_note_place(const met_instance *inst, met_space space, met_sym name, met_diag *diag, const char *what);
/* path.name; path.name.2 for the second use of a definition. */
met_sym met_path_join(met_lang *lang, met_sym path, met_str name);
met_sym met_instance_use_path(met_instance *inst, met_sym name);

typedef MET_VEC(met_value_id) met_values;

typedef enum met_rearrangement { MET_NOT_ONE, MET_ID, MET_COPY, MET_DROP, MET_SWAP, MET_PERMUTE } met_rearrangement;
met_rearrangement met_rearrangement_of(const met_lang *lang, met_sym name);
/* "unknown name", with the nearest ones. `values`: names of values are wanted too. */
void met_unknown_name(met_instance *inst, met_sym name, met_span span, bool values);

/* --- classify.c --- */

/* How the arguments of a call divide: arrays first, then scalars. */
uint32_t met_call_arrays(const met_lang *lang, const met_defs *defs, const met_ast *call,
                         bool (*is_value)(void *context, met_sym name), void *context);
/* An expression that makes values: a call with arrays, or the name of a value. */
bool met_is_value(const met_lang *lang, const met_defs *defs, const met_ast *ast, bool (*is_value)(void *, met_sym), void *context);
bool met_instance_is_value(void *instance, met_sym name);
/* Nodes that a term or definition makes, at most; saturates. */
uint64_t met_cost(met_instance *inst, const met_ast *ast);
uint64_t met_cost_def(met_instance *inst, met_def *def);
bool met_afford(met_lang *lang, uint64_t cost, met_span span);

/* --- size.c --- */

const met_dim *met_size_of(met_instance *inst, const met_ast *ast);
const met_dim *met_size_by_name(met_instance *inst, met_sym name, met_span span);
/* The size of a label that has none written: by `let` or constant if `declared`, or of a size used before. NULL: none. */
const met_dim *met_size_of_label(met_instance *inst, met_sym name, met_span span, bool declared, bool *ret_failed);
bool met_count_of(met_instance *inst, const met_ast *ast, uint64_t *ret_count);

/* --- formula.c --- */

typedef struct met_formula_context {
    uint32_t inputs; /* letters that are arrays */
    bool has_indices;
    uint32_t label_count;
    const met_sym *labels; /* in the order of the op's indices */
} met_formula_context;
const met_scalar *met_formula_of(met_instance *inst, const met_ast *ast, const met_formula_context *context);

/* --- touch.c --- */

/* Makes the sizes that the call's scalars and options mention under names of the op's own labels; false after a diagnostic. */
bool met_touch_formulas(met_instance *inst, const met_ast *callee, const met_ast *call, uint32_t arrays);

/* --- request.c --- */

/* The op's node: `op` NULL for an einsum string. `call` NULL if there are no parentheses; its first `arrays` items are
 * arrays, and already seen to. */
met_term *met_make_op(met_instance *inst, const met_ast *callee, const met_ast *call, uint32_t arrays);

/* --- types.c --- */

/* Axes for labels of a type or a lift. */
bool met_make_axes(met_instance *inst, const met_ast_labels *labels, bool typed, met_axis_id *ret_axes);
bool met_format_of_ast(met_instance *inst, const met_ast *ast, met_format *ret_format);

/* --- term.c --- */

met_term *met_elaborate_term(met_instance *inst, const met_ast *ast);
/* Options of a call of a definition, as constants of its instance. */
bool met_call_constants(met_instance *inst, met_instance *callee, const met_ast *call);

/* --- define.c --- */

/* Instantiates a definition for `user`; ret_ports may be NULL where states are refused. */
typedef struct met_made {
    met_term *term;
    uint32_t port_count;
    const met_lang_port *ports; /* NULL for terms: all are inputs */
    met_span defined;           /* where the definition is; no place for ops */
} met_made;
typedef struct met_block_spec {
    bool open;
    met_sym name;
    uint32_t family, repeat, repeat_count;
} met_block_spec;
bool met_instantiate(met_instance *user, met_def *def, met_sym path, met_block_spec block, const met_ast *call, met_span span,
                     met_made *ret_made);
/* Runs the equations, types and outputs of a program in the instance's scope. */
bool met_run_statements(met_instance *inst, const met_program *program);
/* The `-> names` of a program, or NULL. */
const met_statement *met_outputs_of(const met_program *program);
bool met_collect_outputs(met_instance *inst, uint32_t count, const met_ast_name *names, met_values *ret_values);
/* Declares typed inputs, states and parameters. */
bool met_declare_types(met_instance *inst, const met_statement *statement, bool inputs_allowed);

/* --- value.c --- */

bool met_elaborate_values(met_instance *inst, const met_ast *ast, met_values *ret_values);
met_value_id met_declare_source(met_instance *inst, const met_array_spec *spec);
/* `@name`, with its declared type if it has one. */
bool met_parameter_value(met_instance *inst, met_sym name, met_span span, met_value_id *ret_value);
/* Applies a made definition; states become sources of this scope. */
bool met_apply_made(met_instance *inst, const met_made *made, uint32_t count, const met_value_id *values, const met_span *spans,
                    met_span span, met_values *ret_values);

#endif
