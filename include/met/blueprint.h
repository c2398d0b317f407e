/* The blueprint: devices, hardware classes, kernel families and rules, as the files under kernels/ state them. Reading it
 * from files is host/blueprint.h; texts about it live as long as its session. */
#ifndef MET_BLUEPRINT_H
#define MET_BLUEPRINT_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_lkb met_lkb;

/* Tables of at most 80 columns: all devices and classes; one of them by name (NULL with a diagnostic if there is none);
 * counts of the whole. The JSON is described in docs/blueprint.md. */
const char *met_hardware_list_text(const met_lkb *lkb);
const char *met_hardware_list_json(const met_lkb *lkb);
const char *met_hardware_show_text(const met_lkb *lkb, const char *name);
const char *met_hardware_show_json(const met_lkb *lkb, const char *name);
const char *met_lkb_summary_text(const met_lkb *lkb);
const char *met_lkb_summary_json(const met_lkb *lkb);

#ifdef __cplusplus
}
#endif
#endif
