#include "draw/drawing.h"
void met_html_print(met_text *out, const met_drawing *drawing){ met_svg_print(out, drawing); }
