/* Unique names: the second thing called d is d.2, whatever number it was written with. */
#ifndef MET_IR_NAMES_H
#define MET_IR_NAMES_H

#include "base/session.h"

typedef struct met_namer met_namer;

met_namer *met_namer_new(met_session *session);
/* A name that was not given out before: `wanted` without a number at its end, then numbered from .2 on. */
met_sym met_namer_unique(met_namer *namer, met_sym wanted);
/* Takes this very name if nobody has it. */
bool met_namer_take(met_namer *namer, met_sym exact);
/* `d` of `d.2`. */
met_sym met_name_base(met_session *session, met_sym name);
/* Whether the language can write it: letters, digits and _, in parts joined by dots, a letter first. */
bool met_name_valid(met_str name);

#endif
