/* FORKS.md: what a class has besides instantiations of families. Named residuals (kernels that no family makes) and shadows:
 * copies, which are points realised by a text of their own, and twins, which are kernels of two rules with one pattern. */
#ifndef MET_AUDIT_FORKS_H
#define MET_AUDIT_FORKS_H

#include "base/text.h"
#include "lkb/lkb.h"

/* Markdown, a section a class in file order. */
void met_forks_print(met_text *out, const met_lkb *lkb);

/* Two rules of a class that take the same nodes, to different kernels. */
typedef struct met_twin {
    const met_rule *a, *b;
} met_twin;
const met_twin *met_forks_twins(met_arena *arena, const met_hardware *hardware, uint32_t *ret_count);

#endif
