/* Two ways of running one subject, compared: byte by byte, and by what their records promise. */
#ifndef MET_HOST_PARITY_H
#define MET_HOST_PARITY_H

#include "host/subject.h"

/* What the records say before a byte is looked at. SAME: the same trees and functions everywhere, so the same bytes. OPEN:
 * something differs, so nothing is promised. VOID: something underflowed that the promise needs to be exact. */
typedef enum met_expectation { MET_EXPECT_SAME, MET_EXPECT_OPEN, MET_EXPECT_VOID } met_expectation;

typedef struct met_array_parity {
    const char *name;
    size_t count, different; /* elements */
    /* Of the first element that differs, if one does. */
    const uint64_t *position;
    const char *a_hex, *b_hex;
    double a, b;
    uint64_t ulps; /* values of the format from one to the other; UINT64_MAX where one is NaN, or for integers */
} met_array_parity;

typedef struct met_parity {
    met_expectation expected;
    const char *why; /* a phrase */
    bool same;
    size_t array_count;
    const met_array_parity *arrays; /* in the order of the results */
} met_parity;

/* Both must be of one subject. */
const met_parity *met_outcome_parity(const met_subject *subject, const met_outcome *a, const met_outcome *b);

#endif
