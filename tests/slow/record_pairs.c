/* A hundred thousand pairs of random records: none undecided, none wrongly called different or the same. */
#include <stdlib.h>
#include <string.h>

#include "../unit/record_pairs.h"

int main(int count, char **arguments)
{
    pair_counts counts = {0};
    uint64_t pairs = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000, seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 7;
    bool good = compare_pairs(seed, pairs, 300, true, &counts);
    printf("%llu the same, %llu different\n", (unsigned long long)counts.same, (unsigned long long)counts.different);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
