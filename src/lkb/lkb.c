#include "lkb/lkb.h"

#include <string.h>

#include "lkb/read.h"

/* --- Reading --- */

static bool read_all(met_lkb_reader *r, const met_lkb_sources *sources, met_family_file *families, met_rule_file *rules,
                     met_policy *policy)
{
    bool good = met_lkb_read_hardware(r, sources->hardware);
    good = (!sources->precision || met_lkb_read_policy(r, sources->precision, false, policy)) && good;
    good = (!sources->units || met_lkb_read_units(r, sources->units)) && good;
    good = met_lkb_read_families(r, sources->families, false, families) && good;
    good = met_lkb_read_rules(r, sources->fusions, rules) && good;
    good = (!sources->sites || met_lkb_read_sites(r, sources->sites)) && good;
    return met_lkb_read_devices(r, sources->devices) && good;
}

static bool read_extra_devices(met_lkb_reader *r, const met_lkb_sources *sources)
{
    bool good = true;
    for (uint32_t i = 0; i < sources->extra_device_count; i++)
        good = met_lkb_read_devices(r, sources->extra_devices[i]) && good;
    return good;
}

static void keep_tables(met_lkb_reader *r)
{
    r->lkb->tree_count = (uint32_t)r->trees.count;
    r->lkb->trees = r->trees.at;
    r->lkb->size_count = (uint32_t)r->sizes.count;
    r->lkb->sizes = r->sizes.at;
    r->lkb->device_count = (uint32_t)r->devices.count;
    r->lkb->devices = r->devices.at;
}

const met_lkb *met_lkb_read(met_session *session, const met_lkb_sources *sources)
{
    met_lkb *lkb = MET_NEW(session->arena, met_lkb);
    met_lkb_reader r = { .session = session, .arena = session->arena, .lkb = lkb };
    met_family_file families = { 0 };
    met_rule_file rules = { 0 };
    met_policy policy = { 0 };
    lkb->session = session;
    bool good = read_all(&r, sources, &families, &rules, &policy);
    if (!good || !met_lkb_inherit(&r, &families, &rules, &policy, sources))
        return NULL;
    keep_tables(&r);
    lkb->digest = met_lkb_digest_of(session->arena, lkb);
    good = read_extra_devices(&r, sources);
    keep_tables(&r);
    return good ? lkb : NULL;
}

/* --- Asking --- */

bool met_name_list_has(const met_name_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static met_str size_name(void *context, met_size symbol)
{
    return ((const met_str *)context)[symbol.id];
}

met_tree_names met_lkb_sizes(const met_lkb *lkb)
{
    return (met_tree_names){ .name = size_name, .context = (void *)lkb->sizes };
}

const met_device *met_lkb_device(const met_lkb *lkb, const char *id)
{
    for (uint32_t i = 0; i < lkb->device_count; i++)
        if (strcmp(lkb->devices[i].id, id) == 0)
            return &lkb->devices[i];
    return NULL;
}

const met_hardware *met_lkb_hardware(const met_lkb *lkb, const char *id)
{
    for (uint32_t i = 0; i < lkb->hardware_count; i++)
        if (strcmp(lkb->hardware[i].id, id) == 0)
            return &lkb->hardware[i];
    return NULL;
}

/* Devices and the classes that are not called like one, in the order of the files. */
static size_t list_targets(const met_lkb *lkb, const char **names)
{
    size_t count = 0;
    for (uint32_t i = 0; i < lkb->hardware_count; i++)
        if (!met_lkb_device(lkb, lkb->hardware[i].id))
            names[count++] = lkb->hardware[i].id;
    for (uint32_t i = 0; i < lkb->device_count; i++)
        names[count++] = lkb->devices[i].id;
    return count;
}

bool met_lkb_target(const met_lkb *lkb, const char *name, const met_device **ret_device, const met_hardware **ret_hardware)
{
    *ret_device = met_lkb_device(lkb, name);
    *ret_hardware = met_lkb_hardware(lkb, *ret_device ? (*ret_device)->class_id : name);
    if (*ret_hardware)
        return true;
    const char **names = MET_NEW_ARRAY(lkb->session->arena, const char *, (size_t)lkb->hardware_count + lkb->device_count);
    size_t count = list_targets(lkb, names);
    met_diag *d = met_diag_add(lkb->session, MET_DIAG_hardware, (met_span){ 0, 0, 0 }, "there is no hardware `%s`", name);
    const char *near = met_nearest(met_str_of(name), names, count);
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    met_text list = met_text_new(lkb->session->arena);
    for (size_t i = 0; i < count; i++)
        met_text_format(&list, "%s%s", i ? ", " : "", names[i]);
    met_diag_help(d, "there is: %s", met_text_done(&list));
    return false;
}

const met_lkb_unit *met_lkb_unit_of(const met_lkb *lkb, const char *gpu, const char *input, bool half)
{
    for (uint32_t i = 0; i < lkb->unit_count; i++) {
        const met_lkb_unit *unit = &lkb->units[i];
        if (unit->half == half && met_name_list_has(&unit->gpus, gpu) && met_name_list_has(&unit->inputs, input))
            return unit;
    }
    return NULL;
}

const met_family *met_hardware_family(const met_hardware *hardware, const char *kernel, uint32_t *ret_kernel)
{
    for (uint32_t f = 0; f < hardware->family_count; f++)
        for (uint32_t i = 0; i < hardware->families[f]->kernels.count; i++) {
            if (strcmp(hardware->families[f]->kernels.names[i], kernel) != 0)
                continue;
            if (ret_kernel)
                *ret_kernel = i;
            return hardware->families[f];
        }
    return NULL;
}

const char *met_lkb_role(const met_lkb *lkb, met_str parameter)
{
    for (size_t i = parameter.length; i > 0; i--) {
        if (parameter.at[i - 1] != '.')
            continue;
        parameter = (met_str){ parameter.at + i, parameter.length - i };
        break;
    }
    for (uint32_t r = 0; r < lkb->role_count; r++)
        for (uint32_t i = 0; i < lkb->roles[r].weights.count; i++)
            if (met_str_is(parameter, lkb->roles[r].weights.names[i]))
                return lkb->roles[r].role;
    return NULL;
}

const char *met_hardware_setting(const met_hardware *hardware, const char *name)
{
    for (uint32_t i = 0; i < hardware->default_count; i++)
        if (strcmp(hardware->defaults[i].name, name) == 0)
            return hardware->defaults[i].value;
    return NULL;
}

const char *met_hardware_lacks(const met_hardware *hardware, const char *kernel)
{
    for (uint32_t i = 0; i < hardware->absence_count; i++)
        if (strcmp(hardware->absences[i].kernel, kernel) == 0)
            return hardware->absences[i].reason;
    /* A family that lacks a capability does not survive on the class. */
    return met_hardware_family(hardware, kernel, NULL) ? NULL : "no family of the class makes it";
}
