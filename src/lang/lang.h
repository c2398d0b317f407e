/* The expression language, from inside the library: programs in text that stands within other files, and environments of
 * definitions for readers that put larger things together (architectures).
 *
 * An environment (met_lang) belongs to one builder. It is filled with definitions from any number of stretches of
 * sources, in any order; definitions may use each other whatever their order. A definition is then instantiated as
 * often as needed: every instance has parameters and labels of its own.
 *
 *     met_lang *lang = met_lang_new(builder);
 *     met_lang_define(lang, span_of_blocks);              // name(x: n m) -> y { … }, name = term, let name = size
 *     met_lang_define_as(lang, name, span_of_one);        // the same without its name
 *     met_lang_constant eps = { .name = …, .kind = MET_LANG_NUMBER, .number = 1e-5 };
 *     met_lang_set(lang, &eps);                           // for every instance; a use may have further ones
 *     met_lang_use use = { .definition = …, .path = …, .block = …, … };
 *     met_lang_call(lang, scope, &use, 1, &x, NULL, &y);  // in a scope of equations, or
 *     met_term *term = met_lang_term(lang, &use);         // as a term
 *
 * Parameters are called PATH.NAME; nested definitions add their own names to the path. All functions return false or
 * NULL after they have put diagnostics into the session. */
#ifndef MET_LANG_LANG_H
#define MET_LANG_LANG_H

#include "ir/builder.h"

/* Nodes that one environment may make: nested repetition must not explode. */
#define MET_LANG_NODE_LIMIT 200000

typedef struct met_lang met_lang;

met_lang *met_lang_new(met_builder *b);

/* Reads definitions: terms (name = term), definitions with typed inputs and sizes (let). Equations, inputs and outputs
 * outside a definition are refused. */
bool met_lang_define(met_lang *lang, met_span span);
/* Reads one definition whose name stands elsewhere: a term, or `(x: n m) -> y { … }`. */
bool met_lang_define_as(met_lang *lang, met_sym name, met_span span);

/* A name with a value that is not a label: usable in options, sizes and repetition counts. A size is also the size of
 * the axes of that name where they are introduced by a type, or right of an arrow in an op's brackets. A NUMBER that
 * is a natural number is a size as well, but only where it is written. */
typedef enum met_lang_constant_kind { MET_LANG_NUMBER, MET_LANG_SIZE, MET_LANG_WORD } met_lang_constant_kind;
typedef struct met_lang_constant {
    met_sym name;
    met_lang_constant_kind kind;
    double number;
    const met_dim *size;
    met_sym word; /* an option's word, such as style=half */
} met_lang_constant;

/* For all instances from now on. A later value replaces an earlier one. */
void met_lang_set(met_lang *lang, const met_lang_constant *constant);

/* What is known of a definition without instantiating it. */
typedef struct met_lang_port {
    met_sym name;
    met_edge_role role; /* INPUT or STATE */
} met_lang_port;
typedef struct met_lang_signature {
    met_span span;       /* of its name */
    bool typed;          /* has typed inputs; otherwise a term, and the rest is empty */
    uint32_t port_count; /* inputs and states in order of declaration */
    const met_lang_port *ports;
    uint32_t output_count; /* 0 if the header names none */
    const met_sym *outputs;
} met_lang_signature;
/* False, without a diagnostic, if there is no such definition. */
bool met_lang_lookup(const met_lang *lang, met_sym name, met_lang_signature *ret_signature);

/* One use of a definition. Zero is a good value for all but `definition`. */
typedef struct met_lang_use {
    met_sym definition;
    met_span span;  /* where it is used */
    met_sym path;   /* prefix of parameter and state names: "layers.0"; empty: none */
    met_sym block;  /* the block's title; empty: no block is opened */
    uint32_t family, repeat, repeat_count; /* of the block; repeat_count 0: a block of its own */
    uint32_t constant_count; /* for this instance and what it contains */
    const met_lang_constant *constants;
} met_lang_use;

/* The definition as a term: its ports are the inputs and states in order of declaration. */
met_term *met_lang_term(met_lang *lang, const met_lang_use *use);
/* Applies the definition to values of a scope: one for each input (states are declared in the scope, named under the
 * path; those made by definitions inside come with them). ret_values: room for `room` values; ret_count of them are
 * set. */
bool met_lang_call(met_lang *lang, met_scope *scope, const met_lang_use *use, uint32_t count, const met_value_id *values,
                   const met_span *spans, uint32_t room, met_value_id *ret_values, uint32_t *ret_count);

/* A whole program in a stretch of a source: what met_circuit_read does for a whole source. */
met_circuit *met_lang_read_span(met_session *session, met_span span, met_format default_format);
/* One expression, as a term. */
met_term *met_lang_read_term(met_builder *b, met_span span);

#endif
