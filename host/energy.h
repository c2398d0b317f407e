/* Counters of energy, where the system lets programs read them: the packages of /sys/class/powercap (RAPL). They count all
 * that a package uses, whoever uses it, also while nothing is done. */
#ifndef MET_HOST_ENERGY_H
#define MET_HOST_ENERGY_H

#include "met/session.h"

typedef struct met_energy met_energy;

/* $MET_SYS names a directory instead of /sys. Never NULL. */
met_energy *met_energy_new(met_session *session);
/* Why there is no counter, for people; NULL if there is one. */
const char *met_energy_unavailable(const met_energy *energy);
/* Begins to count. */
void met_energy_begin(met_energy *energy);
/* Joules since the beginning; 0 if there is no counter, or it did not move. Counters wrap: a beginning may not be further
 * back than some minutes. */
double met_energy_end(met_energy *energy);

#endif
