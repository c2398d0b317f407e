/* The syntax tree: what was written, before anything is known about ops, names or axes. One grammar of expressions
 * serves terms, values, sizes and scalar formulas; what an expression means is decided by its place. */
#ifndef MET_LANG_AST_H
#define MET_LANG_AST_H

#include "lang/lexer.h"

/* Nesting of brackets and height of trees; below it every recursion over a tree is safe. */
#define MET_LANG_DEPTH 200
/* Entries of one list: arguments, labels, factors of a product. */
#define MET_LANG_LIST 4096

typedef struct met_ast met_ast;

/* A label of a position: a name, a name with a size, or a size without a name (a bare integer). */
typedef struct met_ast_label {
    met_sym name;
    met_ast *size; /* or NULL */
    bool bare;
    met_span span;
} met_ast_label;

typedef struct met_ast_labels {
    uint32_t count;
    met_ast_label *at;
    met_span span;
} met_ast_labels;

/* A position of an array in a signature: a label, or an affine expression. */
typedef struct met_ast_item {
    met_ast_label label;
    met_ast *affine; /* or NULL */
} met_ast_item;

typedef struct met_ast_items {
    uint32_t count;
    met_ast_item *at;
    met_span span;
} met_ast_items;

/* 'a b, b c -> a c', or the inside of view[…]. */
typedef struct met_ast_signature {
    uint32_t in_count, out_count;
    met_ast_items *ins, *outs;
} met_ast_signature;

typedef struct met_ast_brackets {
    met_span span;
    const met_ast_signature *signature; /* ['…'] and [labels <- positions]; NULL otherwise */
    bool view;
    bool has_shape;
    met_ast_labels shape, targets;
    uint32_t result_count;
    met_ast_labels *results;
} met_ast_brackets;

typedef struct met_ast_option {
    met_sym name;
    met_span name_span;
    met_ast *value;
} met_ast_option;

typedef enum met_ast_kind {
    MET_AST_ERROR, /* stands for what could not be read */
    MET_AST_NAME,
    MET_AST_NUMBER,
    MET_AST_STRING,    /* signature */
    MET_AST_PARAMETER, /* @name */
    MET_AST_OP,        /* name[brackets] */
    MET_AST_CALL,      /* callee(items…, options…); callee is a NAME, OP or STRING */
    MET_AST_FORMULA,   /* { items[0] } */
    MET_AST_NEGATE,
    MET_AST_BINARY,  /* items[0] operator items[1]; not `@` and `*` */
    MET_AST_PRODUCT, /* items[0] * items[1] * … */
    MET_AST_CHAIN,   /* items[0] @ items[1] @ … */
    MET_AST_LIFT     /* labels >> items[0] */
} met_ast_kind;

struct met_ast {
    met_ast_kind kind;
    met_span span;
    uint32_t height;
    met_sym name;
    double number;
    bool integer;
    uint64_t natural;
    met_token_kind binary;
    met_ast *callee;
    uint32_t count;
    met_ast **items;
    uint32_t option_count;
    met_ast_option *options;
    const met_ast_brackets *brackets;   /* OP */
    const met_ast_signature *signature; /* STRING */
    met_ast_labels labels;              /* LIFT */
};

/* name: format[labels] */
typedef struct met_ast_type {
    met_sym name;
    met_span name_span;
    bool state, parameter;
    met_ast *format; /* or NULL */
    met_ast_labels labels;
} met_ast_type;

typedef struct met_ast_name {
    met_sym name;
    met_span span;
} met_ast_name;

typedef enum met_statement_kind {
    MET_STATEMENT_BIND,    /* names = value: an equation or the definition of a term */
    MET_STATEMENT_BARE,    /* value, without a name */
    MET_STATEMENT_TYPES,   /* types */
    MET_STATEMENT_OUTPUTS, /* -> names */
    MET_STATEMENT_LET,     /* let names[0] = value */
    MET_STATEMENT_DEFINE   /* names[0](types) -> outputs { body } */
} met_statement_kind;

typedef struct met_statement met_statement;

typedef struct met_program {
    uint32_t count;
    met_statement *at;
    met_span span;
} met_program;

struct met_statement {
    met_statement_kind kind;
    met_span span;
    uint32_t name_count;
    met_ast_name *names;
    met_ast *value;
    met_ast **formats; /* BIND: one for each name, or NULL */
    uint32_t type_count;
    met_ast_type *types;
    bool circuit;      /* DEFINE: the program's circuit */
    bool has_outputs;  /* DEFINE */
    uint32_t output_count;
    met_ast_name *outputs;
    met_program body;
    bool equation; /* BIND, BARE: set when names are resolved */
};

/* Parses statements. False after diagnostics, all that were found. */
bool met_parse_program(met_session *session, met_span span, met_program *ret_program);
/* Parses one expression that fills the stretch. NULL after diagnostics. */
met_ast *met_parse_expression(met_session *session, met_span span);
/* Parses `(x: n m) -> y { … }`: a definition whose name is given elsewhere. False after diagnostics. */
bool met_parse_definition(met_session *session, met_sym name, met_span span, met_statement *ret_statement);

#endif
