/* The C compiler of the machine: from the text of a kernel to a function that can be called. What was compiled once is
 * found again by the digest of its text, its flags and the compiler's version (host/cache.h). */
#ifndef MET_HOST_COMPILER_H
#define MET_HOST_COMPILER_H

#include "host/cache.h"

typedef struct met_compiler met_compiler;

/* All zero is the default. */
typedef struct met_compiler_options {
    const char *command; /* words separated by spaces, as in CC="ccache gcc"; NULL: $CC, or cc */
    const char *cache;   /* directory; NULL: $MET_CACHE, $XDG_CACHE_HOME/met or ~/.cache/met; empty: none */
    const char *flags;   /* after all other flags; NULL: none */
    uint32_t jobs;       /* compilers at a time; 0: one for each CPU that we may use */
} met_compiler_options;

/* A function called by whoever knows its type. */
typedef void (*met_function)(void);

/* A source that compiles by itself, and the one function that is wanted of it. */
typedef struct met_unit {
    const char *symbol;
    const char *text;      /* C17, NUL-terminated */
    const char *flags;     /* those that its text needs: "-mavx2 -mfma"; NULL: none */
    met_function function; /* out; lives as long as the compiler */
    bool found;            /* out: it had been compiled before */
    char key[MET_CACHE_KEY]; /* out: digest of the text, the flags, and the compiler with its version */
} met_unit;

/* Asks the compiler who it is. NULL with a diagnostic `compiler` if it does not run. */
met_compiler *met_compiler_new(met_session *session, const met_compiler_options *options);
void met_compiler_free(met_compiler *compiler);

/* Compiles what was not compiled before, several sources at a time, and loads all. False with a diagnostic `compiler` that
 * has the compiler's first words and the path of the kept source, or `file` where nothing can be written. */
bool met_compiler_build(met_compiler *compiler, size_t count, met_unit *units);

/* Sets the key of a unit, compiling nothing. */
void met_compiler_key(const met_compiler *compiler, met_unit *unit);

#endif
