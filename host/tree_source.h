/* Records by the names that a command line gives them: a file (text or JSON), the kernel of a class (`linear@hopper`), a matrix
 * unit (`h100.f16`), a tree of the blueprint by its id, or a record's own text. Showing and comparing them. */
#ifndef MET_HOST_TREE_SOURCE_H
#define MET_HOST_TREE_SOURCE_H

#include "met/blueprint.h"

struct met_tree;

/* What is asked of records: their length, and sizes by name ("k=4096,h=8", or NULL) where widths are expressions. */
typedef struct met_tree_request {
    uint64_t n;
    const char *sizes;
    const char *dtype; /* of the operands; NULL: what the records are declared for, else f32 */
    bool sum;          /* numbers, not products */
} met_tree_request;

/* A record, and the formats of operands that it is declared for: those of its matrix unit. None: it says what it does to any. */
typedef struct met_tree_named {
    const char *name;
    struct met_tree *tree;
    size_t format_count;
    const char *const *formats;
    bool unit; /* a matrix unit itself, whose accumulator starts at a given c */
    /* Of a file that met tree reveal wrote: the lengths at which it was seen, and of a tree the rule that gives it, or NULL. */
    size_t seen_count;
    uint64_t *seen;
    const char *rule;
} met_tree_named;

/* NULL with diagnostics. Widths are numbers, and the record fits n, if that is not 0. */
const met_tree_named *met_tree_source(met_session *session, const met_lkb *lkb, const char *name, const met_tree_request *request);

/* What is to be said of a record at n terms, as a phrase: that it was seen at other lengths. NULL: nothing. */
const char *met_tree_note(met_session *session, const met_tree_named *named, uint64_t n);
/* Terms of a written tree; 64 of others, which have no length of their own. */
uint64_t met_tree_length(const struct met_tree *tree);
/* The record's own text. */
const char *met_tree_record_text(met_session *session, const struct met_tree *tree);
const char *met_tree_show_text(met_session *session, const met_tree_named *named, uint64_t n);
const char *met_tree_show_json(met_session *session, const struct met_tree *tree, uint64_t n);
typedef struct met_tree_compared met_tree_compared;
/* NULL with diagnostics. */
const met_tree_compared *met_tree_compare_sources(met_session *session, const met_lkb *lkb, const char *const names[2],
                                                  const met_tree_request *request);
/* The met_verdict, the first field that makes a difference ("" for none), and the format of the operands. */
int met_tree_compared_verdict(const met_tree_compared *compared, const char **ret_field, const char **ret_operands);
bool met_tree_compared_same(const met_tree_compared *compared);
/* There is an input on which they differ. */
bool met_tree_compared_input(const met_tree_compared *compared);
const char *met_tree_compared_text(const met_tree_compared *compared, const char *prefix);
const char *met_tree_compared_json(const met_tree_compared *compared);
/* PREFIX_a.npy and PREFIX_b.npy, all or none. False with diagnostics. */
bool met_tree_compared_write(const met_tree_compared *compared, const char *prefix);

#endif
