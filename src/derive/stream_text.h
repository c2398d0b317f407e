/* Lines of pseudocode, for print and JSON alike. */
#ifndef MET_DERIVE_STREAM_TEXT_H
#define MET_DERIVE_STREAM_TEXT_H

#include "derive/stream.h"

/* `y = …`, or for a state `z ← …`: names with ' are values before the step. */
void met_stream_put_line(met_text *out, const met_stream_term *term, uint32_t value);
/* "sum, relative to m" */
void met_stream_put_kind(met_text *out, const met_stream_term *term, const met_stream_state *state);
void met_stream_put_loops(met_text *out, const met_stream_term *term, met_loops loops);
void met_stream_put_dim(met_text *out, const met_stream_term *term, const met_dim *dim);
/* Maps of the region that became part of the body (prelifts) or of the tail (postlifts). */
bool met_stream_is_lift(const met_stream_term *term, uint32_t value, met_stream_phase phase);

#endif
