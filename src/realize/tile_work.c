/* The order of work: what is done before the stream, for every slice and after it, pass by pass; which work shares a nest;
 * which values are kept in scratch. */
#include "realize/tile.h"

/* --- Lists --- */

bool met_tile_streams(const met_tile *tile, uint32_t step)
{
    return tile->kernel->steps[step].phase == MET_STEP_FOLD;
}

/* What a contraction leaves is rounded or stored afterwards, unless it is an f32 that stays. */
static bool needs_finish(const met_tile *tile, uint32_t step)
{
    uint32_t out = tile->kernel->steps[step].outs[0];
    bool wide = tile->kernel->circuit->edges[tile->kernel->values[out].edge.id].format.dtype == MET_F32;
    return !wide || tile->values[out].stored;
}

static met_tile_round *open_rows(met_tile *tile, met_tile_list *list)
{
    if (list->rounds.count == 0 || list->rounds.at[list->rounds.count - 1].contract != MET_NONE) {
        met_tile_round round = { .contract = MET_NONE };
        MET_PUSH(tile->arena, &list->rounds, round);
    }
    return &list->rounds.at[list->rounds.count - 1];
}

static void add_work(met_tile *tile, met_tile_list *list, uint32_t step, bool finish)
{
    met_tile_round *round = open_rows(tile, list);
    MET_PUSH(tile->arena, &round->work, ((met_tile_work){ .step = step, .finish = finish }));
}

static void add_step(met_tile *tile, met_tile_list *list, uint32_t step)
{
    if (tile->steps[step].kind != MET_TILE_CONTRACT) {
        add_work(tile, list, step, false);
        return;
    }
    met_tile_round round = { .contract = step };
    MET_PUSH(tile->arena, &list->rounds, round);
    if (!met_tile_streams(tile, step) && needs_finish(tile, step))
        add_work(tile, list, step, true);
}

/* Whether anything reads a fold over the stream when it is complete: a running statistic may be read only as it runs. */
static bool is_wanted(const met_tile *tile, uint32_t fold)
{
    const met_kernel *kernel = tile->kernel;
    uint32_t made = kernel->steps[fold].outs[0];
    bool wanted = tile->values[made].stored;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_kernel_step *reader = &kernel->steps[s];
        bool later = reader->phase == MET_STEP_TAIL || reader->pass > kernel->steps[fold].pass ||
                     (reader->phase == MET_STEP_BODY && reader->pass_last > kernel->steps[fold].pass);
        for (uint32_t k = 0; later && k < met_tile_node(tile, s)->in_count; k++)
            wanted = wanted || reader->ins[k] == made;
    }
    return wanted;
}

static void fill_pass(met_tile *tile, uint32_t pass)
{
    const met_kernel *kernel = tile->kernel;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_kernel_step *step = &kernel->steps[s];
        bool body = step->phase == MET_STEP_BODY && step->pass <= pass && pass <= step->pass_last;
        bool fold = step->phase == MET_STEP_FOLD && step->pass == pass;
        if (body || fold)
            add_step(tile, &tile->body[pass], s);
        if (fold && (tile->steps[s].kind == MET_TILE_FOLD ? is_wanted(tile, s) : needs_finish(tile, s)))
            add_work(tile, &tile->tail[pass], s, true);
    }
    for (uint32_t s = 0; s < kernel->step_count; s++)
        if (kernel->steps[s].phase == MET_STEP_TAIL && kernel->steps[s].pass == pass)
            add_step(tile, &tile->tail[pass], s);
}

static void fill_lists(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    bool streams = kernel->stream != MET_NONE;
    tile->pass_count = streams ? kernel->pass_count : 0;
    tile->body = MET_NEW_ARRAY(tile->arena, met_tile_list, tile->pass_count);
    tile->tail = MET_NEW_ARRAY(tile->arena, met_tile_list, tile->pass_count);
    for (uint32_t s = 0; s < kernel->step_count; s++)
        if (!streams || kernel->steps[s].phase == MET_STEP_HEAD)
            add_step(tile, &tile->head, s);
    for (uint32_t p = 0; p < tile->pass_count; p++)
        fill_pass(tile, p);
}

/* --- Nests --- */

/* The columns that a piece of work runs over; MET_NONE: rows alone. */
uint32_t met_tile_work_column(const met_tile *tile, const met_tile_work *work)
{
    const met_tile_step *step = &tile->steps[work->step];
    if (!work->finish)
        return step->column;
    return step->kind == MET_TILE_CONTRACT ? step->lanes : MET_NONE;
}

/* Whether a step reads what another one folds. */
static bool reads_fold(const met_tile *tile, uint32_t reader, uint32_t fold)
{
    if (tile->steps[fold].kind != MET_TILE_FOLD)
        return false;
    const met_node *node = met_tile_node(tile, reader);
    uint32_t made = tile->kernel->steps[fold].outs[0];
    for (uint32_t k = 0; k < node->in_count; k++)
        if (tile->kernel->steps[reader].ins[k] == made)
            return true;
    const met_kernel_step *step = &tile->kernel->steps[reader];
    if (step->phase != MET_STEP_FOLD || tile->kernel->accumulators[step->accumulator].base == MET_NONE)
        return false;
    return tile->kernel->accumulators[tile->kernel->accumulators[step->accumulator].base].step == fold;
}

/* The gate that a piece of work needs its nest to have; false if any will do. */
bool met_tile_work_gate(const met_tile *tile, const met_tile_work *work, uint32_t *ret_gate)
{
    const met_tile_step *step = &tile->steps[work->step];
    uint32_t out = tile->kernel->steps[work->step].outs[0];
    if (step->kind == MET_TILE_FOLD && !work->finish) {
        *ret_gate = step->gate;
        return true;
    }
    *ret_gate = tile->values[out].gate;
    return tile->values[out].stored;
}

static void number_nests(met_tile *tile, met_tile_round *round)
{
    uint32_t nest = 0, gate = MET_NONE, from = 0;
    bool gated = false;
    for (uint32_t k = 0; k < round->work.count; k++) {
        met_tile_work *work = &round->work.at[k];
        uint32_t column = met_tile_work_column(tile, work), own = MET_NONE;
        bool own_gated = met_tile_work_gate(tile, work, &own);
        bool joins = k > 0 && column != MET_NONE && column == met_tile_work_column(tile, &round->work.at[k - 1]) &&
                     !(own_gated && gated && own != gate);
        for (uint32_t j = from; joins && j < k; j++)
            joins = !reads_fold(tile, work->step, round->work.at[j].step);
        if (!joins) {
            nest += k > 0;
            from = k;
            gated = false;
        }
        gate = own_gated ? own : gate;
        gated = gated || own_gated;
        work->nest = nest;
    }
}

/* --- What is kept --- */

typedef struct spot {
    const met_tile_list *list;
    uint32_t round, nest;
    bool there;
} spot;

/* Where a list makes a value, if it does: a contraction's own value is made where it is finished. */
static spot made_in(const met_tile *tile, const met_tile_list *list, uint32_t value)
{
    for (uint32_t r = 0; r < list->rounds.count; r++)
        for (uint32_t k = 0; k < list->rounds.at[r].work.count; k++) {
            const met_tile_work *work = &list->rounds.at[r].work.at[k];
            bool running = tile->steps[work->step].kind == MET_TILE_FOLD && met_tile_streams(tile, work->step);
            if (tile->kernel->steps[work->step].outs[0] == value && (work->finish || !running))
                return (spot){ list, r, work->nest, true };
        }
    return (spot){ .there = false };
}

/* A value is kept if it is read elsewhere than in the nest (one number a row: the round) that makes it. */
static void keep_for(met_tile *tile, const met_tile_list *list, uint32_t round, uint32_t nest, uint32_t value)
{
    met_tile_value *v = &tile->values[value];
    if (v->maker == MET_NONE)
        return;
    bool running = tile->pass_count > 0 && met_tile_streams(tile, v->maker) &&
        tile->steps[v->maker].kind == MET_TILE_FOLD &&
                   list == &tile->body[tile->kernel->steps[v->maker].pass];
    if (running)
        return;
    spot made = made_in(tile, list, value);
    bool here = made.there && made.round == round && (v->column == MET_NONE || made.nest == nest);
    v->kept = v->kept || !here;
    v->reread = v->reread || !here;
}

static void keep_values(met_tile *tile, const met_tile_list *list)
{
    for (uint32_t r = 0; r < list->rounds.count; r++) {
        const met_tile_round *round = &list->rounds.at[r];
        if (round->contract != MET_NONE) {
            const met_kernel_step *step = &tile->kernel->steps[round->contract];
            uint32_t a = step->ins[tile->steps[round->contract].row_operand];
            tile->values[a].kept = tile->values[a].reread = tile->values[a].maker != MET_NONE;
            tile->values[step->outs[0]].kept = true;
        }
        for (uint32_t k = 0; k < round->work.count; k++) {
            const met_tile_work *work = &round->work.at[k];
            const met_node *node = met_tile_node(tile, work->step);
            for (uint32_t i = 0; !work->finish && i < node->in_count; i++)
                keep_for(tile, list, r, work->nest, tile->kernel->steps[work->step].ins[i]);
        }
    }
}

/* --- Tiles: values of the stream take turns --- */

/* The last step of the slices that reads a value, or MET_NONE if it must stay. */
static uint32_t last_reader(const met_tile *tile, uint32_t value)
{
    uint32_t last = tile->values[value].maker;
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_node *node = met_tile_node(tile, s);
        for (uint32_t k = 0; k < node->in_count; k++)
            if (tile->kernel->steps[s].ins[k] == value)
                last = s;
    }
    return last;
}

static void give_tile(met_tile *tile, uint32_t value)
{
    met_tile_value *v = &tile->values[value];
    uint32_t maker = v->maker;
    bool turns = tile->stream != MET_NONE && v->column == tile->stream &&
                 tile->kernel->steps[maker].phase == MET_STEP_BODY;
    bool after = tile->steps[maker].kind == MET_TILE_CONTRACT; /* it writes rows while others are still read */
    uint32_t last = turns ? last_reader(tile, value) : MET_NONE;
    for (uint32_t t = 0; turns && t < tile->rooms.count; t++) {
        met_tile_room *room = &tile->rooms.at[t];
        bool free = room->free_after != MET_NONE && room->column == v->column &&
                    (after ? room->free_after < maker : room->free_after <= maker);
        if (!free)
            continue;
        room->free_after = last;
        v->tile = t;
        return;
    }
    v->tile = (uint32_t)tile->rooms.count;
    MET_PUSH(tile->arena, &tile->rooms, ((met_tile_room){ .column = v->column, .free_after = last, .part = turns }));
}

static void each_list(met_tile *tile, void (*fn)(met_tile *tile, met_tile_list *list))
{
    fn(tile, &tile->head);
    for (uint32_t p = 0; p < tile->pass_count; p++) {
        fn(tile, &tile->body[p]);
        fn(tile, &tile->tail[p]);
    }
}

static void number_list(met_tile *tile, met_tile_list *list)
{
    for (uint32_t r = 0; r < list->rounds.count; r++)
        number_nests(tile, &list->rounds.at[r]);
}

static void keep_list(met_tile *tile, met_tile_list *list)
{
    keep_values(tile, list);
}

void met_tile_order(met_tile *tile)
{
    fill_lists(tile);
    each_list(tile, number_list);
    each_list(tile, keep_list);
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        uint32_t value = tile->kernel->steps[s].outs[0];
        if (tile->values[value].kept && tile->values[value].column != MET_NONE)
            give_tile(tile, value);
    }
}
