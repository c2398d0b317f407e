/* A kernel's source while it is written: its arrays, how their formats are read and stored, and the text as a whole. */
#ifndef MET_REALIZE_DRAFT_H
#define MET_REALIZE_DRAFT_H

#include "ir/point.h"
#include "realize/class.h"
#include "realize/nest.h"
#include "realize/program.h"

typedef struct met_draft met_draft;

/* An operand that is packed before the kernel runs: the kernel that packs it, from its first array into its second. */
typedef struct met_draft_pack {
    met_draft *draft;
    size_t bytes;
} met_draft_pack;

typedef struct met_draft_array {
    met_edge_id edge; /* MET_NONE: a packed operand */
    uint32_t pack;    /* its number */
    const char *name; /* of its pointer: x0, x1 …, y0 … */
    bool written;
    bool words;       /* a packed operand of uint32_t rather than floats */
} met_draft_array;

struct met_draft {
    met_writer *writer;
    const met_circuit *circuit; /* settled, sizes bound */
    const met_point *point;
    const bool *lowest; /* by edge: where a guard fails -inf is stored, not 0 */
    MET_VEC(met_draft_array) arrays; /* in the order of met_kernel_call's */
    MET_VEC(met_draft_pack) packs;
    MET_VEC(met_record) records;
    int64_t units;
    size_t scratch_bytes;
    bool failed;        /* positions that cannot be counted */
};

met_draft *met_draft_new(met_arena *arena, const met_circuit *circuit, const met_point *point, const bool *lowest);

/* The pointer of an edge's array, the same however often it is asked for. */
const char *met_draft_array_of(met_draft *draft, met_edge_id edge, bool written);
/* The pointer of a packed operand: floats, or words. */
const char *met_draft_packed(met_draft *draft, met_draft_pack pack, bool words);
/* For met_nest_gates. */
met_array_namer met_draft_namer(met_draft *draft);

/* Formats that kernels hold in memory. */
bool met_draft_holds(met_format format);
/* Their dtypes, one after the other; false beyond the last. */
bool met_draft_dtype(uint32_t number, met_dtype *ret_dtype);
/* An element as a float expression. */
const char *met_draft_load(met_draft *draft, const met_site *place, const char *offset);
/* Stores a float expression, rounded to the edge's format. */
void met_draft_store(met_draft *draft, const met_site *place, const char *offset, const char *value);
/* A float expression rounded to a dtype, as a float. */
const char *met_draft_round(met_draft *draft, met_dtype dtype, const char *value);
/* The C type of a dtype's elements, and the ending of lane_load… and lane_store… for it. */
const char *met_draft_type(met_dtype dtype);
const char *met_draft_ending(met_dtype dtype);
/* Whether a text uses a name. */
bool met_mentions(const char *text, const char *name);
/* What is stored where a guard does not hold. */
const char *met_draft_unit(const met_draft *draft, met_edge_id edge);

/* The whole source. `title`: a comment in front of the function. The symbol follows from the text. Drops arrays that the
 * text does not use. */
met_program_source met_draft_finish(met_draft *draft, const met_class *class, const char *title);

/* --- generic.c --- */

/* A node of any form as plain loops, in scalar code. */
void met_write_generic(met_draft *draft, met_node_id node);
/* Several nodes in one text, one behind the other: the units of each are units of the whole. */
void met_write_several(met_draft *draft, uint32_t count, const met_node_id *nodes);
/* NULL if that is possible and worth a launch less: maps that do not read each other's results, and that are no tile programs
 * anyway since they read beyond an array. Otherwise why not. Writes into the draft, which is of no more use. */
const char *met_several_refusal(met_draft *draft, uint32_t count, const met_node_id *nodes);
/* The forms of such texts (realize/form.h), by number; NULL beyond the last. And that of a node's. */
const char *met_generic_form(uint32_t number);
const char *met_generic_form_of(const met_node *node);
/* NULL if that is possible; otherwise why not. */
const char *met_generic_refusal(const met_circuit *circuit, const met_point *point, met_node_id node);

#endif
