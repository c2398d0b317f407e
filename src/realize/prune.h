/* What a text needs of a library: the class headers and the texts of contractions are libraries of small definitions, of
 * which a kernel uses some. Compiling and reading the others would be a waste. */
#ifndef MET_REALIZE_PRUNE_H
#define MET_REALIZE_PRUNE_H

#include "base/text.h"

/* The library without the definitions that neither `text` nor what it needs mentions. Definitions are used below where they
 * stand; each begins in column 0 and ends with a brace in column 0, or with a ; or } at the end of a line. MACRO(name, …)
 * may stand for one. Other directives stay, but for conditions around nothing. A comment belongs to what follows it. */
const char *met_prune(met_arena *arena, const char *library, const char *text);

/* The end of the definition that a text begins with, comments and directives before it included. */
const char *met_definition_end(const char *text);

#endif
