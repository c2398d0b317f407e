/* What the parts of signature.c share: one node in the making. Nothing else includes this. */
#ifndef MET_IR_SIGNATURE_PARTS_H
#define MET_IR_SIGNATURE_PARTS_H

#include "base/diag.h"
#include "ir/builder_parts.h"

enum { MET_OP_ARRAYS = 64, MET_OP_LABELS = 32 };

typedef struct met_maker {
    met_builder *b;
    const met_request *request;
    met_term *term;
    draft_node node;
    uint32_t index_room;
    met_sym path;
    bool failed;
} met_maker;

/* A list of index numbers: what the letters of a pattern stand for. */
typedef struct met_label_list {
    uint32_t count;
    uint32_t at[MET_OP_LABELS];
} met_label_list;

/* What the letters of a pattern stand for: S, T, R, P, 0 and N of ir/op.h. */
typedef struct met_letters {
    met_label_list shape, targets, rest, prefix, result, fresh;
} met_letters;

/* signature_maker.c */
void met_maker_fail(met_maker *m, met_code code, met_span span, const char *message, const char *help);
bool met_maker_find(const met_maker *m, met_sym label, uint32_t *ret_index);
/* The index of a label, made with a fresh axis on first sight. */
uint32_t met_maker_label(met_maker *m, const met_label_spec *label);
/* A list without repetition. */
void met_maker_labels(met_maker *m, const met_items *items, met_label_list *ret_list);
bool met_labels_hold(const met_label_list *list, uint32_t index);
met_affine met_maker_affine(met_maker *m, uint32_t index);
met_access met_maker_access(met_maker *m, const met_label_list *list);
void met_maker_axes(const met_maker *m, const met_label_list *list, met_axis_id *ret_axes);
uint32_t met_maker_edge(met_maker *m, uint32_t rank, const met_axis_id *axes, met_edge_role role);
void met_maker_in(met_maker *m, uint32_t edge, met_access access);
/* An input or an output whose positions are the labels of the list. */
void met_maker_array(met_maker *m, const met_label_list *list);
void met_maker_out(met_maker *m, const met_label_list *list);

/* signature_pattern.c */
/* The labels of the brackets, read into the node as well. */
void met_maker_letters(met_maker *m, met_letters *l);
/* The next parameter slot of a row, and the option that says whether it is there: "b:bias". False at the end. */
bool met_op_next_slot(const char **at, met_str *ret_name, met_str *ret_option);
void met_make_pattern(met_maker *m);

/* signature_explicit.c */
void met_make_signature(met_maker *m);
void met_make_concat(met_maker *m);
void met_make_split(met_maker *m);

#endif
