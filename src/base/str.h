/* Strings: borrowed stretches of bytes, and names interned to small integers. */
#ifndef MET_BASE_STR_H
#define MET_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct met_str {
    const char *at;
    size_t length;
} met_str;

/* A string literal or other NUL-terminated text as a met_str. */
met_str met_str_of(const char *text);
bool met_str_equal(met_str a, met_str b);
bool met_str_is(met_str a, const char *text);
/* <0, 0, >0: bytewise, shorter first. */
int met_str_compare(met_str a, met_str b);

/* Printing a met_str: printf("%.*s", MET_STR_ARGS(s)). */
#define MET_STR_ARGS(s) ((int)((s).length > 1000000 ? 1000000 : (s).length)), ((s).at ? (s).at : "")

/* An interned name. Equal text, equal id; id 0 is the empty name. Ids follow first use, so they are reproducible. */
typedef struct met_sym {
    uint32_t id;
} met_sym;

#endif
