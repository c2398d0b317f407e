/* The evidence store: what groups of nodes took on a device, measured, in one SQLite file that any number of processes may
 * use at once. A row says what was computed (a digest of the shape of the nodes), by which kernels (a digest of their
 * texts, flags and compiler), under which blueprint; a row for other kernels or another blueprint is stale, and no answer.
 *
 * The store knows nothing of circuits: host/measured.h makes its keys. A file that is not a store of this version, or is
 * damaged, is refused as a whole. docs/evidence.md has the schema. */
#ifndef MET_HOST_EVIDENCE_H
#define MET_HOST_EVIDENCE_H

#include "met/session.h"

typedef struct met_evidence met_evidence;

/* Whether the arrays of a group were in the caches when it began. */
typedef enum met_caches { MET_CACHES_WARM, MET_CACHES_COLD } met_caches;
const char *met_caches_name(met_caches caches); /* warm, cold */

/* What decides whether a row is an answer. Digests are 64 hexadecimal digits. */
typedef struct met_evidence_key {
    const char *computes;  /* digest of the shape of the nodes, sizes and formats included */
    const char *device;    /* its id */
    const char *class_name; /* cpu-avx512 */
    uint32_t threads;
    met_caches caches;
    const char *kernel;    /* digest of texts, flags and compiler; NULL in a question: whichever was measured last */
    const char *blueprint; /* digest; "" where none was read */
} met_evidence_key;

typedef struct met_evidence_row {
    met_evidence_key key;
    const char *family, *name, *point; /* family, kernel and "weight=bf16 dot=f32"; "" where no family has it */
    const char *nodes;      /* ops, for people: "softmax, einsum" */
    const char *sizes;      /* sizes of loops, for people: "n=1 m=4096" */
    uint64_t rows;          /* of the request */
    uint32_t launches;      /* that it takes */
    uint32_t repeats;       /* samples */
    double min_s, median_s; /* of a run of all its launches */
    double spread;          /* distance of the quartiles over the median */
    bool has_joules;        /* measured by a counter; else unavailable */
    double joules;          /* of a run */
    int64_t measured_at;    /* seconds since 1970, UTC */
} met_evidence_row;

typedef enum met_evidence_verdict {
    MET_EVIDENCE_ABSENT,
    MET_EVIDENCE_FRESH,
    MET_EVIDENCE_OTHER_BLUEPRINT, /* stale: measured under another one */
    MET_EVIDENCE_OTHER_KERNEL     /* stale: the generator, the compiler or its flags have changed since */
} met_evidence_verdict;
const char *met_evidence_verdict_words(met_evidence_verdict verdict); /* "measured", "other kernel" … */

/* Opens the file; path NULL: evidence.sqlite in the user's data directory ($MET_EVIDENCE before that). To write, it is made
 * if it is not there. To read, the default file may be missing and is then empty. NULL with one diagnostic: `file`, or
 * `evidence` for a file that is no sound store of this version. Must be closed. */
met_evidence *met_evidence_open(met_session *session, const char *path, bool write);
void met_evidence_close(met_evidence *evidence);
const char *met_evidence_path(const met_evidence *evidence);

/* Puts rows in, all or none; a row with the same key replaces the old one. False with a diagnostic. */
bool met_evidence_put(met_evidence *evidence, size_t count, const met_evidence_row *rows);

/* The fresh row of a key (*ret_row is set, its texts live as long as the session); else why there is none. Something wrong
 * with the file is a diagnostic, and ABSENT. */
met_evidence_verdict met_evidence_find(met_evidence *evidence, const met_evidence_key *key, met_evidence_row *ret_row);

/* All rows of a device (NULL: of all), by device, class, computes, threads, caches, time. NULL with a diagnostic. */
const met_evidence_row *met_evidence_rows(met_evidence *evidence, const char *device, size_t *ret_count);

/* Removes what was measured under another blueprint than this one. False with a diagnostic. */
bool met_evidence_forget(met_evidence *evidence, const char *blueprint, size_t *ret_count);

#endif
