/* Curves: one or more lines over two logarithmic scales, as SVG with the fonts and colours of a theme. Lines are named at
 * their right ends, and told apart by colour and by dashes. It knows nothing of what they mean. */
#ifndef MET_DRAW_CURVE_H
#define MET_DRAW_CURVE_H

#include "base/session.h"
#include "met/value.h"

typedef struct met_curve {
    const char *name;
    uint32_t count;
    const double *x, *y; /* > 0, x ascending; NaN: the line has a gap there */
    bool minor;          /* thin and grey */
} met_curve;

#define MET_CURVES 16 /* at most in one picture */

typedef struct met_curve_plot {
    const char *title;
    const char *x_label, *y_label;
    bool x_binary; /* marks at powers of two, with KiB and MiB, rather than at powers of ten */
    uint32_t curve_count;
    const met_curve *curves;
} met_curve_plot;

/* NUL-terminated; NULL with diagnostics if the theme is wrong. `theme` may be NULL. */
const char *met_curve_svg(met_session *session, const met_curve_plot *plot, const met_value *theme);

#endif
