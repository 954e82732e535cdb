/* wave.c: which tiles the CTAs of a wave touch, and what all waves fetch. */
#include "wave.h"

#include <string.h>

#include "arith.h"

/* ---- the raster --------------------------------------------------------------------- */

static void add_digit(kci_raster *raster, int loop, double trips)
{
    if (trips > 1 && raster->count < KCI_MAX_LOOPS + 2) {
        raster->trips[raster->count] = trips;
        raster->loop[raster->count++] = loop;
    }
}

static double trips_of(const kci_tiling *tiling, const double *sizes, int loop)
{
    return kci_max(1, kci_ceil(sizes[loop] / tiling->tile[loop]));
}

static bool in_raster(const kci_tiling *tiling, int loop)
{
    for (int i = 0; i < tiling->raster_count; i++)
        if (tiling->raster[i] == loop)
            return true;
    return false;
}

/* Parts of a split reduction are the slowest digits, then grid loops that the
 * raster does not name, then the raster's; group = g cuts its last loop in runs of g. */
void kci_raster_of(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, kci_raster *raster)
{
    raster->count = 0;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (tiling->split[l] > 1)
            add_digit(raster, (int)l, kci_min(tiling->split[l], trips_of(tiling, sizes, (int)l)));
    for (int i = 0; i < tiling->grid_count; i++)
        if (!in_raster(tiling, tiling->grid_order[i]))
            add_digit(raster, tiling->grid_order[i], trips_of(tiling, sizes, tiling->grid_order[i]));
    int named = tiling->raster_count;
    double group = tiling->raster_group;
    for (int i = 0; i < named; i++) {
        int loop = tiling->raster[i], last = tiling->raster[named - 1];
        double runs = trips_of(tiling, sizes, last);
        bool cut = group >= 1 && group < runs && named > 1;
        if (cut && i == named - 2)
            add_digit(raster, last, kci_ceil(runs / group));
        add_digit(raster, loop, cut && i == named - 1 ? group : trips_of(tiling, sizes, loop));
    }
}

/* One level: digit d, whose block is `inner` CTAs.  [start, start + length) may wrap
 * round the level's size. */
typedef struct walk {
    bool indexes[KCI_MAX_LOOPS + 2];    /* the tensor */
    double inner[KCI_MAX_LOOPS + 2];    /* CTAs below one value of digit d */
    double block[KCI_MAX_LOOPS + 2];    /* and below all of them */
    double all[KCI_MAX_LOOPS + 3];      /* different tiles from digit d on */
} walk;

static double distinct(const walk *w, size_t d, double start, double length)
{
    for (; w->all[d] > 1; d++) {
        double inner = w->inner[d];
        bool indexes = w->indexes[d];
        if (length >= w->block[d])
            return w->all[d];
        if (!indexes && length >= inner)
            return w->all[d + 1];
        if (indexes && inner == 1)
            return kci_ceil(length);
        start = kci_mod(start, inner);
        double before = inner - start; /* what is left of the first block */
        if (!indexes || before >= length)
            continue;
        double whole = kci_floor((length - before) / inner), rest = length - before - whole * inner;
        double sum = distinct(w, d + 1, start, before) + whole * w->all[d + 1];
        if (rest > 0)
            sum += distinct(w, d + 1, 0, rest);
        return kci_min(sum, w->all[d]);
    }
    return 1;
}

static void start_walk(walk *w, const kci_raster *raster, kci_set loops)
{
    double inner = 1, all = 1;
    w->all[raster->count] = 1;
    for (size_t d = raster->count; d-- > 0;) {
        bool indexes = loops & KCI_BIT(raster->loop[d]);
        w->indexes[d] = indexes;
        w->inner[d] = inner;
        w->block[d] = inner *= raster->trips[d];
        w->all[d] = all *= indexes ? raster->trips[d] : 1;
    }
}

double kci_raster_distinct(const kci_raster *raster, kci_set loops, double start, double length)
{
    walk w;
    start_walk(&w, raster, loops);
    return distinct(&w, 0, start, length);
}

/* ---- waves ----------------------------------------------------------------------------- */

enum { SAMPLES = 16 };

/* Tiles that wave `wave` touches and the `left` waves before it did not. */
static double new_tiles(const walk *w, double wave, double resident, double ctas, double left)
{
    double start = wave * resident, length = kci_min(resident, ctas - start);
    double before = kci_min(left, wave) * resident;
    double tiles = distinct(w, 0, start - before, before + length);
    return before > 0 ? tiles - distinct(w, 0, start - before, before) : tiles;
}

/* Tiles fetched by all waves: exact for few waves, else the first, the last and
 * equally spaced ones between.  The first waves, which leave all they touch to the next,
 * fetch what they touch together. */
static double fetched(const walk *w, double waves, double resident, double ctas, double left)
{
    if (waves <= left + 1)
        return w->all[0];
    if (waves <= SAMPLES + 2) {
        double sum = distinct(w, 0, 0, (left + 1) * resident);
        for (double i = left + 1; i < waves; i++)
            sum += new_tiles(w, i, resident, ctas, left);
        return sum;
    }
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        sum += new_tiles(w, 1 + kci_floor(i * (waves - 2) / SAMPLES), resident, ctas, left);
    return sum * (waves - 2) / SAMPLES + new_tiles(w, 0, resident, ctas, left) +
           new_tiles(w, waves - 1, resident, ctas, left);
}

/* ---- answers --------------------------------------------------------------------------- */

static bool same_raster(const kci_raster *a, const kci_raster *b)
{
    bool same = a->count == b->count;
    for (size_t d = 0; d < a->count && same; d++)
        same = a->trips[d] == b->trips[d] && a->loop[d] == b->loop[d];
    return same;
}

void kci_waves_start(kci_waves *w, const kci_graph *graph, const kci_tiling *tiling, const double *sizes, double resident,
                     double ctas)
{
    kci_raster raster;
    kci_raster_of(graph, tiling, sizes, &raster);
    resident = kci_min(resident, ctas);
    if (w->count > 0 && w->resident == resident && w->ctas == ctas && same_raster(&w->raster, &raster))
        return;
    w->count = kci_ceil(ctas / resident);
    w->resident = resident;
    w->ctas = ctas;
    w->answered = 0;
    w->raster.count = raster.count;
    memcpy(w->raster.trips, raster.trips, raster.count * sizeof *raster.trips);
    memcpy(w->raster.loop, raster.loop, raster.count * sizeof *raster.loop);
}

/* `left` below 0: what the middle wave touches. */
static double work_out(const kci_waves *waves, kci_set loops, double left)
{
    walk w;
    start_walk(&w, &waves->raster, loops);
    if (left >= 0)
        return fetched(&w, waves->count, waves->resident, waves->ctas, left);
    double middle = kci_floor(waves->count / 2) * waves->resident;
    return distinct(&w, 0, kci_min(middle, waves->ctas - waves->resident), waves->resident);
}

static double answer(kci_waves *w, kci_set loops, double left)
{
    for (size_t i = 0; i < w->answered; i++)
        if (w->answers[i].loops == loops && w->answers[i].left == left)
            return w->answers[i].tiles;
    double tiles = work_out(w, loops, left);
    if (w->answered < KCI_WAVE_ANSWERS) {
        w->answers[w->answered].loops = loops;
        w->answers[w->answered].left = left;
        w->answers[w->answered++].tiles = tiles;
    }
    return tiles;
}

double kci_waves_touch(kci_waves *w, kci_set loops)
{
    return answer(w, loops, -1);
}

double kci_waves_fetch(kci_waves *w, kci_set loops, double left)
{
    return answer(w, loops, kci_min(left, w->count)); /* beyond, all that was touched is left */
}
