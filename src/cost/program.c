#include "cost/program.h"

/* The tableau: row i says basic[i] = at[i][last] - Σ at[i][j]·variable j. The last row holds the gains, negated. Variables
 * from column_count on are the slacks of the rows. */
typedef struct tableau {
    uint32_t rows, columns; /* columns: variables, slacks, right side */
    met_ratio *at;
    uint32_t *basic;
} tableau;

static met_ratio *cell(const tableau *t, uint32_t row, uint32_t column)
{
    return &t->at[(size_t)row * t->columns + column];
}

met_lp met_lp_new(met_arena *arena, uint32_t rows, uint32_t columns)
{
    met_lp lp = { rows, columns, MET_NEW_ARRAY(arena, met_ratio, (size_t)rows * columns), MET_NEW_ARRAY(arena, met_ratio, rows),
                  MET_NEW_ARRAY(arena, met_ratio, columns) };
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        lp.rows[i] = met_ratio_of(0, 1);
    for (uint32_t i = 0; i < rows; i++)
        lp.right[i] = met_ratio_of(0, 1);
    for (uint32_t i = 0; i < columns; i++)
        lp.gain[i] = met_ratio_of(0, 1);
    return lp;
}

static tableau tableau_of(met_arena *arena, const met_lp *lp)
{
    tableau t = { lp->row_count, lp->column_count + lp->row_count + 1, NULL, MET_NEW_ARRAY(arena, uint32_t, lp->row_count) };
    t.at = MET_NEW_ARRAY(arena, met_ratio, ((size_t)t.rows + 1) * t.columns);
    for (uint32_t i = 0; i <= t.rows; i++) {
        for (uint32_t j = 0; j < t.columns; j++)
            *cell(&t, i, j) = met_ratio_of(0, 1);
        for (uint32_t j = 0; j < lp->column_count; j++)
            *cell(&t, i, j) = i < t.rows ? lp->rows[(size_t)i * lp->column_count + j] :
                                           met_ratio_sub(met_ratio_of(0, 1), lp->gain[j]);
        if (i < t.rows) {
            *cell(&t, i, lp->column_count + i) = met_ratio_of(1, 1);
            *cell(&t, i, t.columns - 1) = lp->right[i];
            t.basic[i] = lp->column_count + i;
        }
    }
    return t;
}

/* The first variable whose gain is positive; the number of columns if there is none. */
static uint32_t entering(const tableau *t)
{
    uint32_t j = 0;
    while (j + 1 < t->columns && met_ratio_sign(*cell(t, t->rows, j)) >= 0)
        j++;
    return j;
}

/* The row that limits it most, of several that of the first variable; the number of rows if none does. */
static uint32_t leaving(const tableau *t, uint32_t column)
{
    uint32_t best = t->rows;
    met_ratio least = { 0, 1 };
    for (uint32_t i = 0; i < t->rows; i++) {
        if (met_ratio_sign(*cell(t, i, column)) <= 0)
            continue;
        met_ratio ratio = met_ratio_div(*cell(t, i, t->columns - 1), *cell(t, i, column));
        int order = best == t->rows ? -1 : met_ratio_compare(ratio, least);
        if (order < 0 || (order == 0 && t->basic[i] < t->basic[best])) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

static bool pivot(tableau *t, uint32_t row, uint32_t column)
{
    bool fits = true;
    met_ratio by = *cell(t, row, column);
    for (uint32_t j = 0; j < t->columns; j++)
        *cell(t, row, j) = met_ratio_div(*cell(t, row, j), by);
    for (uint32_t j = 0; j < t->columns; j++)
        fits = fits && met_ratio_fits(*cell(t, row, j));
    for (uint32_t i = 0; i <= t->rows; i++) {
        met_ratio factor = *cell(t, i, column);
        if (i == row || met_ratio_sign(factor) == 0)
            continue;
        for (uint32_t j = 0; j < t->columns; j++) {
            *cell(t, i, j) = met_ratio_sub(*cell(t, i, j), met_ratio_mul(factor, *cell(t, row, j)));
            fits = fits && met_ratio_fits(*cell(t, i, j));
        }
    }
    t->basic[row] = column;
    return fits;
}

bool met_lp_maximize(met_arena *arena, const met_lp *lp, met_lp_optimum *ret_optimum)
{
    tableau t = tableau_of(arena, lp);
    for (uint32_t column; (column = entering(&t)) + 1 < t.columns;) {
        uint32_t row = leaving(&t, column);
        if (row == t.rows || !pivot(&t, row, column))
            return false;
    }
    met_lp_optimum o = { .value = *cell(&t, t.rows, t.columns - 1), .x = MET_NEW_ARRAY(arena, met_ratio, lp->column_count),
                         .dual = MET_NEW_ARRAY(arena, met_ratio, lp->row_count), .dual_unique = true };
    for (uint32_t j = 0; j < lp->column_count; j++)
        o.x[j] = met_ratio_of(0, 1);
    for (uint32_t i = 0; i < t.rows; i++) {
        o.dual[i] = *cell(&t, t.rows, lp->column_count + i);
        if (t.basic[i] < lp->column_count)
            o.x[t.basic[i]] = *cell(&t, i, t.columns - 1);
        o.dual_unique = o.dual_unique && met_ratio_sign(*cell(&t, i, t.columns - 1)) > 0;
    }
    *ret_optimum = o;
    return true;
}
