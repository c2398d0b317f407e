/* Hardware classes as data records. A class realizes the lane algebra: its text is a C header that stands at the top of
 * every source generated for it, and everything below that header is the same text for every class. */
#ifndef MET_REALIZE_CLASS_H
#define MET_REALIZE_CLASS_H

#include <stddef.h>
#include <stdint.h>

typedef struct met_class {
    const char *name;      /* cpu-avx512 */
    const char *text;      /* the class header, kernels/classes/NAME/lane.h, with what it includes */
    const char *flags;     /* of the compiler: "-mavx512f -mfma …" */
    const char *features;  /* what the CPU must have, by its names in /proc/cpuinfo: "avx512f avx512bw …" */
    const char *more_features; /* where the CPU has these as well, more_flags make the same bits faster; or "" */
    const char *more_flags;
    uint32_t tile_rows;    /* of the register tile of a contraction */
    uint32_t tile_lanes;   /* likewise, in values: a multiple of 16 */
    uint64_t l1_bytes, l2_bytes; /* what tiles are chosen for where nothing better is known */
} met_class;

/* What every class header begins with, for sources without lanes: kernels/classes/values.h. */
extern const unsigned char met_class_text_values[];

#define MET_LANES 16 /* values of a lane vector, on every class */

extern const met_class met_class_table[];
extern const size_t met_class_count;

/* What the texts of all classes begin with: single values, without lanes (kernels/classes/values.h). */
extern const unsigned char met_class_text_values[];

/* NULL if there is none. */
const met_class *met_class_find(const char *name);

#endif
