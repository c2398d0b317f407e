/* What a command line's hardware means where kernels are measured: a class that this machine can run, the device that evidence
 * is about, and the digest of what the blueprint says of the class. */
#ifndef MET_HOST_TARGET_H
#define MET_HOST_TARGET_H

#include "met/blueprint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_target {
    const char *class_name; /* cpu-avx512 */
    const char *device;     /* id */
    const char *blueprint;  /* met_hardware_digest of the class; "" if the blueprint does not have it */
    const struct met_hardware *hardware; /* likewise; NULL */
    bool priced;            /* the blueprint has the device */
} met_target;

/* `name` is a class of kernels, "cpu" for the best of this machine, or a device, whose class counts; of one that is both, the
 * class is meant, as a device of that name is another machine. `device` NULL: the one that was named, or what `met hw probe`
 * calls this machine. False with diagnostics: `usage`, or `hardware` for what cannot run here. */
bool met_target_find(met_session *session, const met_lkb *lkb, const char *name, const char *device, met_target *ret_target);

#ifdef __cplusplus
}
#endif
#endif
