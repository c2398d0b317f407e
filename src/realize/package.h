/* A program as C to be used elsewhere: one source, which needs libc and libm only, and its header. The arrays of inputs,
 * parameters, outputs and states are arguments; sizes are those that the program was made for. */
#ifndef MET_REALIZE_PACKAGE_H
#define MET_REALIZE_PACKAGE_H

#include "realize/program.h"

typedef struct met_package {
    const char *source;
    const char *header;
} met_package;

/* `name` is that of the function and, with ".h", of the header, see met_package_name_valid. `origin`
 * says in words what the program was made from, for the comment on top; any text. */
met_package met_package_of(const met_program *program, const char *name, const char *origin);

/* Whether a text can be such a name: letters, digits and _, beginning with a letter, and no word of C or of the source. */
bool met_package_name_valid(const char *name);

#endif
