/* The words of records, in the order of their numbers: what their text and their JSON have in common. */
#ifndef MET_NUMBER_TREE_WORDS_H
#define MET_NUMBER_TREE_WORDS_H

#include "number/tree.h"

typedef struct met_tree_words {
    const char *what; /* "order" */
    const char *const *at;
    size_t count;
} met_tree_words;

extern const met_tree_words met_tree_place_words, met_tree_layout_words, met_tree_order_words, met_tree_mode_words, met_tree_flush_words,
    met_tree_tail_words, met_tree_tail_contraction_words, met_tree_start_words, met_tree_contraction_words, met_tree_node_words, met_tree_rescale_words;

bool met_tree_word(const met_tree_words *words, met_str word, uint8_t *ret_number);
/* Names the index that a record folds; false if that is not the name of one, of less than MET_TREE_AXIS bytes. */
bool met_tree_name_axis(met_tree *tree, met_str name);
/* A field by its name; NONE if there is none. */
met_tree_field met_tree_field_of(met_str name);
/* A plain format's dtype. */
bool met_tree_dtype(met_str word, uint8_t *ret_dtype);
/* From 1 to about 10^10; nothing but digits. */
bool met_tree_number(met_str text, uint64_t *ret_number);
/* "16", "n/256", or an expression over sizes in brackets, "[2*h + 1]". The last needs an arena. */
bool met_tree_width(met_arena *arena, const met_tree_names *names, met_str text, met_tree_level *level);
void met_tree_print_width(met_text *out, const met_tree_names *names, const met_tree_level *level);

#endif
