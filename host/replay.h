/* Recordings of matrix units run again by the blueprint's records: does every line come out as it did? */
#ifndef MET_HOST_REPLAY_H
#define MET_HOST_REPLAY_H

#include "host/recording.h"
#include "met/blueprint.h"

typedef struct met_replayed {
    met_recording recording;
    const char *unit;      /* id of the record; NULL: there is none, and nothing was run */
    const char *name;      /* "h100.e4m3", with "->f16" behind it: what the record was looked for by */
    size_t lines, matches;
    /* Of the first line that differs, if there is one: from 1 on, and its numbers. */
    size_t first;
    size_t terms;
    const uint32_t *a, *b;
    uint32_t c, recorded, got;
} met_replayed;

/* All recordings below a directory. `unit` "h100.e4m3" names the GPU and the format of the operands for all of them; NULL: as
 * their files are named. NULL with diagnostics. */
const met_replayed *met_replay(met_session *session, const met_lkb *lkb, const char *directory, const char *unit, size_t *ret_count);

/* Of a table with a word on every first difference; of JSON (docs/emulation.md). */
const char *met_replay_text(met_session *session, size_t count, const met_replayed *replayed);
const char *met_replay_json(met_session *session, size_t count, const met_replayed *replayed);
/* Every one has a record, and every line matches. */
bool met_replay_good(size_t count, const met_replayed *replayed);

#endif
