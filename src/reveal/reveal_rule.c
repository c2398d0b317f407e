/* Rules behind trees. To be replaced as a whole: this finds none. */
#include "reveal/reveal.h"

bool met_reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, met_tree *ret_rule)
{
    (void)arena;
    (void)count;
    (void)revealed;
    (void)ret_rule;
    return false;
}
