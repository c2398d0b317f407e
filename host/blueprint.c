#include "host/blueprint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/model.h"
#include "host/toml.h"
#include "host/user_data.h"
#include "lkb/lkb.h"
#include "realize/class.h"

enum { ENTRIES = 256 }; /* of a directory: more are refused */

static const char *join(met_session *session, const char *directory, const char *name)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/%s", directory, name);
    return met_text_done(&path);
}

static const met_value *read_toml(met_session *session, const char *path)
{
    uint32_t source = met_file_source(session, path);
    return source ? met_toml_read(session, source) : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a directory in order, without those that begin with a point. A directory that is not there has none. */
static bool list_names(met_session *session, const char *path, size_t *ret_count, const char **names)
{
    DIR *directory = opendir(path);
    *ret_count = 0;
    if (!directory)
        return true;
    bool full = false;
    for (struct dirent *entry; !full && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        full = *ret_count == ENTRIES;
        if (!full)
            names[(*ret_count)++] = met_arena_text(session->arena, entry->d_name, strlen(entry->d_name));
    }
    closedir(directory);
    if (full)
        met_diag_add(session, MET_DIAG_input_too_large, (met_span){ 0, 0, 0 }, "`%s` has more than %d files", path, ENTRIES);
    qsort(names, *ret_count, sizeof *names, by_name);
    return !full;
}

/* --- Overlays --- */

static bool read_overlay(met_session *session, const char *directory, met_lkb_overlay *overlay)
{
    static const char *const files[] = { "KERNEL_FAMILIES.toml", "FUSIONS.toml", "PRECISION.toml" };
    const met_value **trees[] = { &overlay->families, &overlay->fusions, &overlay->precision };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = join(session, directory, files[i]);
        if (met_file_exists(path) && !(*trees[i] = read_toml(session, path)))
            return false;
    }
    return true;
}

static bool read_overlays(met_session *session, const char *kernels, met_lkb_sources *sources)
{
    const char *names[ENTRIES], *classes = join(session, kernels, "classes");
    met_lkb_overlay *overlays = MET_NEW_ARRAY(session->arena, met_lkb_overlay, ENTRIES);
    size_t count;
    if (!list_names(session, classes, &count, names))
        return false;
    sources->overlays = overlays;
    for (size_t i = 0; i < count; i++) {
        met_lkb_overlay overlay = { .class_id = names[i] };
        const char *directory = join(session, classes, names[i]);
        if (met_file_is_directory(directory) && !read_overlay(session, directory, &overlay))
            return false;
        if (overlay.families || overlay.fusions || overlay.precision)
            overlays[sources->overlay_count++] = overlay;
    }
    return true;
}

/* --- Devices --- */

const char *met_device_directory(met_session *session)
{
    const char *own = getenv("MET_DEVICES");
    if (own)
        return *own ? own : NULL;
    return met_user_data_path(session, "devices");
}

const char *met_device_file(met_session *session, const char *name)
{
    const char *directory = met_device_directory(session);
    if (directory) {
        const char *path = join(session, directory, name);
        return met_user_data_make(session, path) ? path : NULL;
    }
    met_diag *diag = met_diag_add(session, MET_DIAG_file, (met_span){ 0, 0, 0 }, "there is no place to keep `%s`", name);
    met_diag_help(diag, "$MET_DEVICES, $XDG_DATA_HOME or $HOME names one; or name the file itself");
    return NULL;
}

static bool ends_in_toml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".toml") == 0;
}

static bool read_devices(met_session *session, const met_blueprint_request *request, met_lkb_sources *sources)
{
    const char *names[ENTRIES], *directory = met_device_directory(session);
    size_t count = 0;
    if (directory && met_file_exists(directory) && !met_file_is_directory(directory)) {
        met_diag_add(session, MET_DIAG_file, (met_span){ 0, 0, 0 }, "device records are kept in a directory, and `%s` is none", directory);
        return false;
    }
    if (directory && !list_names(session, directory, &count, names))
        return false;
    const met_value **files = MET_NEW_ARRAY(session->arena, const met_value *, count + request->device_file_count);
    sources->extra_devices = files;
    for (size_t i = 0; i < count + request->device_file_count; i++) {
        if (i < count && !ends_in_toml(names[i]))
            continue;
        const char *path = i < count ? join(session, directory, names[i]) : request->device_files[i - count];
        const met_value *file = read_toml(session, path);
        if (!file)
            return false;
        files[sources->extra_device_count++] = file;
    }
    return true;
}

/* --- All of it --- */

/* Classes whose kernels are written here are those that the generator has. */
static bool check_realized(met_session *session, const met_lkb *lkb)
{
    bool good = true;
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        const met_hardware *hardware = &lkb->hardware[i];
        if (!hardware->class_name || met_class_find(hardware->class_name))
            continue;
        const char **names = MET_NEW_ARRAY(session->arena, const char *, met_class_count);
        for (size_t k = 0; k < met_class_count; k++)
            names[k] = met_class_table[k].name;
        met_diag *d = met_diag_add(session, MET_DIAG_unknown_name, hardware->span, "`%s` realizes `%s`, for which met writes no kernels",
                                   hardware->id, hardware->class_name);
        const char *near = met_nearest(met_str_of(hardware->class_name), names, met_class_count);
        if (near)
            met_diag_help(d, "did you mean `%s`?", near);
        good = false;
    }
    return good;
}

const met_lkb *met_blueprint_load(met_session *session, const met_blueprint_request *request)
{
    met_lkb_sources sources = { 0 };
    const char *kernels = met_kernels_directory(session, request->kernels);
    if (!kernels)
        return NULL;
    const struct {
        const char *name;
        const met_value **tree;
    } files[] = {
        { "KERNEL_FAMILIES.toml", &sources.families }, { "FUSIONS.toml", &sources.fusions }, { "HARDWARE.toml", &sources.hardware },
        { "DEVICES.toml", &sources.devices },          { "SITES.toml", &sources.sites },
        { "PRECISION.toml", &sources.precision },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!(*files[i].tree = read_toml(session, join(session, kernels, files[i].name))))
            return NULL;
    if (!read_overlays(session, kernels, &sources) || !read_devices(session, request, &sources))
        return NULL;
    const char *units = join(session, kernels, "MATRIX_UNITS.toml");
    if (met_file_exists(units) && !(sources.units = read_toml(session, units)))
        return NULL;
    const met_lkb *lkb = met_lkb_read(session, &sources);
    return lkb && check_realized(session, lkb) ? lkb : NULL;
}
