#include "draw/drawing.h"
void met_terminal_print(met_text *out, const met_drawing *drawing, bool ascii, bool colour){ (void)out;(void)drawing;(void)ascii;(void)colour; }
