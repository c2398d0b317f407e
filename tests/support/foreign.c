#include "support/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8 };

static char directory[64];

int met_test_foreign_begin(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/met-test-foreign-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

int met_test_foreign_end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

const char *met_test_foreign(const char *root, const char *name, const char *as, const char *flags)
{
    static char paths[FILES][128];
    static int count;
    char command[1024];
    char *path = paths[count++ % FILES];
    const char *cc = getenv("CC");
    snprintf(path, sizeof paths[0], "%s/%s", directory, as);
    int length = snprintf(command, sizeof command, "%s -std=gnu17 -O1 -ffp-contract=off -fPIC %s -o %s %s/foreign/%s.c -lm",
                          cc ? cc : "cc", flags, path, root, name);
    return length < (int)sizeof command && system(command) == 0 ? path : NULL;
}
