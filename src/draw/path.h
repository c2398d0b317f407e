/* Outlines of glyphs: paths in a unit box, as themes give them, placed in boxes of any size.
 *
 * The grammar is that of SVG paths with the absolute commands M L H V C Q Z only. When a path is placed in a box that is
 * not square, its corners keep their shape: a coordinate below 0.5 is measured from the near side and one above 0.5 from
 * the far side, both in units of the box's shorter side; 0.5 is the middle. */
#ifndef MET_DRAW_PATH_H
#define MET_DRAW_PATH_H

#include "base/text.h"
#include "draw/scene.h"

typedef struct met_path_step {
    char command;
    int32_t xy[6]; /* in 1/1000 */
} met_path_step;

typedef struct met_path {
    uint32_t count;
    const met_path_step *steps;
} met_path;

#define MET_PATH_LIMIT 400 /* steps */

/* False with a few words in ret_why if the text is no path. */
bool met_path_read(met_arena *arena, met_str text, met_path *ret_path, const char **ret_why);
/* The path in a box at (0, 0), as SVG path data. */
void met_path_print(met_text *out, const met_path *path, int32_t width, int32_t height);

#endif
