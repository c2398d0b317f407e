#include "host/target.h"

#include <string.h>

#include "base/diag.h"
#include "host/cpu.h"
#include "host/probe.h"
#include "lkb/lkb.h"
#include "realize/class.h"

static const met_span nowhere;

/* The class of kernels that a device or class of the blueprint has. NULL with a diagnostic. */
static const char *class_of(met_session *session, const met_lkb *lkb, const char *name, const met_device **ret_device)
{
    const met_hardware *hardware;
    if (!met_lkb_target(lkb, name, ret_device, &hardware))
        return NULL;
    if (hardware->class_name)
        return met_cpu_class(session, hardware->class_name);
    met_diag *diag = met_diag_add(session, MET_DIAG_hardware, nowhere, "there are no kernels to measure for `%s`", name);
    met_diag_help(diag, "its class `%s` plans and costs only; --hardware cpu takes the best of this machine", hardware->id);
    return NULL;
}

static const met_hardware *hardware_of(const met_lkb *lkb, const char *class_name)
{
    for (uint32_t h = 0; h < lkb->hardware_count; h++)
        if (lkb->hardware[h].class_name && strcmp(lkb->hardware[h].class_name, class_name) == 0)
            return &lkb->hardware[h];
    return NULL;
}

bool met_target_find(met_session *session, const met_lkb *lkb, const char *name, const char *device, met_target *ret_target)
{
    const met_device *named = NULL;
    bool is_class = strcmp(name, "cpu") == 0 || met_class_find(name);
    const char *class_name = is_class ? met_cpu_class(session, name) : class_of(session, lkb, name, &named);
    if (!class_name)
        return false;
    const met_hardware *hardware = hardware_of(lkb, class_name);
    device = device ? device : named ? named->id : met_probe_id(session, class_name);
    const char *digest = hardware ? met_hardware_digest(session->arena, lkb, hardware) : "";
    *ret_target = (met_target){ class_name, device, digest, hardware, met_lkb_device(lkb, device) != NULL };
    return true;
}
