/* Revealing at length: dots of 4096 terms as libraries bracket them, in seconds; and a chain of 8192. */
#include <stdio.h>
#include <time.h>

#include "../unit/reveal_subjects.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int reveal_one(const char *record, uint64_t n, met_reveal_method method)
{
    met_arena *arena = met_arena_new();
    met_tree tree;
    if (!met_tree_parse(met_str_of(record), MET_F32, &tree)) {
        return 1;
    }
    record_subject *s =
        subject_of(arena, &tree, (met_black_box){.kind = MET_PROBE_DOT, .n = n, .input = MET_F32, .output = MET_F32});
    double begin = seconds();
    met_revealed got = met_reveal(arena, &s->probe, method, 1);
    bool same = got.verdict == MET_REVEAL_TREE &&
                met_bracketing_same(arena, met_bracketing_of(arena, &tree, n), got.tree.written);
    printf("%s, %u terms: %s, %llu calls, %.2f s\n", record, (unsigned)n, same ? "found" : "lost",
           (unsigned long long)got.calls, seconds() - begin);
    met_arena_free(arena);
    return !same;
}

int main(void)
{
    int failed = 0;
    failed += reveal_one("strided 64 sequential lane then strided 16 pairwise lane then adjacent, tail after 64", 4096, MET_REVEAL_AUTO);
    failed += reveal_one("strided 64 sequential lane then strided 16 pairwise lane then adjacent, tail after 64", 4133, MET_REVEAL_AUTO);
    failed += reveal_one("sequential", 4096, MET_REVEAL_AUTO);
    failed += reveal_one("pairwise", 4096, MET_REVEAL_AUTO);
    failed += reveal_one("lanes16", 4096, MET_REVEAL_TRIPLES);
    failed += reveal_one("reverse", 1 << 13, MET_REVEAL_AUTO);
    return failed;
}
