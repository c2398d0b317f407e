/* What a probe found, written: as a record of DEVICES.toml, as a table for people, as JSON. */
#ifndef MET_HOST_PROBE_RECORD_H
#define MET_HOST_PROBE_RECORD_H

#include "host/probe.h"

/* The record, with all that has no field of its own in comments. NULL with a diagnostic `run` if something is missing that
 * every device has. */
const char *met_probe_toml(met_session *session, const met_probe *probe);
/* Adds a note to the session if figures cannot be trusted, as the machine did other things: samples that lie apart by more than
 * half of their median, a peak of bf16 below that of f32, or of all cores below that of one. */
void met_probe_doubt(met_session *session, const met_probe *probe);
/* At most 80 columns wide. */
const char *met_probe_table(met_session *session, const met_probe *probe);
/* An object; what is missing is null beside a string that says why. */
const char *met_probe_json(met_session *session, const met_probe *probe);

#endif
