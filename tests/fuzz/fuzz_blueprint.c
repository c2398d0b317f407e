/* Any bytes as one file of the blueprint beside good ones: a blueprint or diagnostics. The first byte says which file: families
 * (K), rules (F), classes (H), devices (D), sites (S), matrix units (U), precisions (P), or what a class changes of families (k), rules (f)
 * or precisions (p). */
#include <stdio.h>
#include <string.h>

#include "host/file.h"
#include "host/toml.h"
#include "lkb/lkb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const met_value *load(met_session *session, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, MET_ROOT_DIR "/tests/data/blueprint/%s.toml", name);
    return met_toml_read(session, met_file_source(session, path));
}

static void put(met_lkb_sources *sources, met_lkb_overlay *overlay, char which, const met_value *file)
{
    switch (which) {
    case 'K':
        sources->families = file;
        break;
    case 'F':
        sources->fusions = file;
        break;
    case 'H':
        sources->hardware = file;
        break;
    case 'D':
        sources->devices = file;
        break;
    case 'S':
        sources->sites = file;
        break;
    case 'U':
        sources->units = file;
        break;
    case 'P':
        sources->precision = file;
        break;
    case 'p':
        overlay->precision = file;
        break;
    case 'k':
        overlay->families = file;
        break;
    default:
        overlay->fusions = file;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz.toml", (const char *)data + 1, size - 1);
    const met_value *file = source ? met_toml_read(session, source) : NULL;
    if (file) {
        met_lkb_overlay overlay = { .class_id = "child" };
        met_lkb_sources sources = { .families = load(session, "KERNEL_FAMILIES"), .fusions = load(session, "FUSIONS"),
                                    .hardware = load(session, "HARDWARE"), .devices = load(session, "DEVICES"), .sites = load(session, "SITES"),
                                    .units = load(session, "MATRIX_UNITS"), .precision = load(session, "PRECISION") };
        put(&sources, &overlay, (char)data[0], file);
        sources.overlays = &overlay;
        sources.overlay_count = overlay.families || overlay.fusions || overlay.precision;
        const met_lkb *lkb = met_lkb_read(session, &sources);
        if (!lkb && met_session_error_count(session) == 0)
            __builtin_trap(); /* failed without saying why */
        if (lkb && (strlen(lkb->digest) != 64 || lkb->hardware_count == 0))
            __builtin_trap();
        if (lkb) {
            met_lkb_summary_text(lkb);
            met_hardware_list_json(lkb);
            met_hardware_show_text(lkb, lkb->hardware[0].id);
        }
    }
    met_session_diagnostics_json(session);
    met_session_free(session);
    return 0;
}
