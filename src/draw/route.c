/* Room for bent wires between two x, and, on a character grid, the columns of their uprights. */
#include <stdlib.h>

#include "draw/figure.h"

enum { PX = 16, LEAST = 26 * PX, MOST = 96 * PX, SLOPE = 4 };

static int32_t pixel_width(met_wire *const *wires, size_t count)
{
    int32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t rise = abs(wires[i]->y1 - wires[i]->y0);
        most = rise > most ? rise : most;
    }
    if (most == 0)
        return 0;
    int32_t width = LEAST + most / SLOPE;
    return width > MOST ? MOST : width;
}

/* Curves that start at one point share an upright: a net. */
typedef struct net {
    int32_t y0, low, high;
    int32_t bend; /* from 1; 0: not yet */
} net;

typedef struct router {
    met_wire *const *wires;
    size_t count;
    size_t *net_of; /* for each wire; SIZE_MAX: straight */
    net *nets;
    size_t net_count;
} router;

static void find_nets(router *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const met_wire *w = r->wires[i];
        r->net_of[i] = SIZE_MAX;
        if (w->y0 == w->y1)
            continue;
        size_t n = 0;
        while (n < r->net_count && r->nets[n].y0 != w->y0)
            n++;
        if (n == r->net_count)
            r->nets[r->net_count++] = (net){ w->y0, w->y0, w->y0, 0 };
        r->net_of[i] = n;
        r->nets[n].low = w->y1 < r->nets[n].low ? w->y1 : r->nets[n].low;
        r->nets[n].high = w->y1 > r->nets[n].high ? w->y1 : r->nets[n].high;
    }
}

/* The net that leaves along the row where wire i arrives: its upright must stand further left. */
static size_t blocker(const router *r, size_t i)
{
    for (size_t n = 0; n < r->net_count; n++)
        if (n != r->net_of[i] && r->nets[n].y0 == r->wires[i]->y1)
            return n;
    return SIZE_MAX;
}

/* The first column right of everything that must be left of the net, and where no other upright overlaps. */
static int32_t free_column(const router *r, size_t n)
{
    int32_t least = 1;
    for (size_t i = 0; i < r->count; i++) {
        size_t b = r->net_of[i] == n && r->wires[i]->jog_x < 0 ? blocker(r, i) : SIZE_MAX;
        if (b != SIZE_MAX && r->nets[b].bend >= least)
            least = r->nets[b].bend + 1;
    }
    for (bool clash = true; clash;) {
        clash = false;
        for (size_t k = 0; k < r->net_count; k++) {
            bool overlap = r->nets[k].low <= r->nets[n].high && r->nets[n].low <= r->nets[k].high;
            if (k != n && r->nets[k].bend == least && overlap) {
                least++;
                clash = true;
            }
        }
    }
    return least;
}

static bool is_ready(const router *r, size_t n)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t b = r->net_of[i] == n && r->wires[i]->jog_x < 0 ? blocker(r, i) : SIZE_MAX;
        if (b != SIZE_MAX && r->nets[b].bend == 0)
            return false;
    }
    return true;
}

/* Wires whose rows are exchanged block each other in a circle: let those of one net wait in the free row before their
 * own, and finish the turn further right. */
static void break_circle(router *r, size_t n)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t b = r->net_of[i] == n ? blocker(r, i) : SIZE_MAX;
        if (b == SIZE_MAX || r->nets[b].bend != 0)
            continue;
        r->wires[i]->jog_x = 0;
        r->wires[i]->jog_y = r->wires[i]->y1 > r->wires[i]->y0 ? r->wires[i]->y1 - 1 : r->wires[i]->y1 + 1;
    }
}

static int32_t route_cells(router *r)
{
    find_nets(r);
    int32_t columns = 0;
    for (size_t done = 0; done < r->net_count; done++) {
        size_t n = 0;
        while (n < r->net_count && (r->nets[n].bend != 0 || !is_ready(r, n)))
            n++;
        if (n == r->net_count) {
            for (n = 0; r->nets[n].bend != 0;)
                n++;
            break_circle(r, n);
        }
        r->nets[n].bend = free_column(r, n);
        columns = r->nets[n].bend > columns ? r->nets[n].bend : columns;
    }
    for (size_t i = 0; i < r->count; i++) {
        met_wire *w = r->wires[i];
        if (r->net_of[i] == SIZE_MAX)
            continue;
        w->bend = w->x0 + r->nets[r->net_of[i]].bend;
        if (w->jog_x == 0)
            w->jog_x = w->x0 + ++columns;
    }
    return columns ? columns + 2 : 0;
}

int32_t met_route_width(const met_drafter *d, met_wire *const *wires, size_t count)
{
    if (!d->measure->cells)
        return pixel_width(wires, count);
    router r = { .wires = wires, .count = count };
    r.net_of = MET_NEW_ARRAY(d->arena, size_t, count + 1);
    r.nets = MET_NEW_ARRAY(d->arena, net, count + 1);
    return route_cells(&r);
}
