/* The text that kernels with contractions are made of: register tiles and the packing of their operands, in terms of the
 * lane algebra (kernels/classes/tile.h, pack.h and pairs.h, which say what the functions do). A kernel's own text calls
 *
 *   pack_panels(FORMAT_BF16, panels, panel, b, k_step, l_step, depth, lanes)   the lane operand into panels of floats
 *   pack_rows(FORMAT_F32, rows, row, a, offsets, k_step, count, depth)         rows of the other operand, as floats
 *   pack_contract(FORMAT_F32, rows, lanes, depth, a, a_row, source, c, c_row, fresh, live, parts, room)
 *                                                                               both at once, a block at a time
 *   tile_contract(rows, lanes, depth, a, a_row, b, c, c_row, fresh, live)      c (+)= a·b
 *   tile_contract_parts(rows, lanes, depth, a, a_row, b, c, c_row, parts)      the same, by row over a part of k
 *
 * and, where the lane operand stays packed as bf16 or the bf16 dot product is meant,
 *
 *   pairs_panels(panels, panel, b, k_step, l_step, depth, lanes)
 *   pairs_contract(rows, lanes, depth, a, a_row, b, c, c_row, fresh, room)     with floats
 *   pairs_contract_dot(rows, lanes, depth, a, a_row, b, c, c_row, fresh)       with pairs, from pairs_rows_of_…
 *
 * All of them are sequential in k, whatever is cut into blocks. */
#ifndef MET_REALIZE_CONTRACTION_H
#define MET_REALIZE_CONTRACTION_H

#include <stdbool.h>

#include "base/text.h"
#include "realize/class.h"
#include "type/format.h"

/* Stands after the class's own text. `pairs`: also what works with packed bf16. */
void met_contraction_text(met_text *out, const met_class *class, bool pairs);

/* FORMAT_F32, FORMAT_BF16, FORMAT_F16; NULL for what operands cannot be stored in. */
const char *met_contraction_format(met_dtype dtype);

/* Floats of packed panels of `lanes` lanes and `depth` rows, and words where they hold pairs. False if they cannot be
 * counted. */
bool met_packed_floats(const met_class *class, uint64_t depth, uint64_t lanes, uint64_t *ret_floats);
bool met_packed_words(const met_class *class, uint64_t depth, uint64_t lanes, uint64_t *ret_words);
/* Floats of the `room` of pack_contract and pairs_contract. */
uint64_t met_contraction_room(const met_class *class);

#endif
