/* Static timing of routed nets by the board's "delays_ps".
 *
 * FIFOs stand at every tile port and where the router enabled SplitFIFOs; a path runs from FIFO to FIFO:
 *   data    launch, then a switch box per hop, then capture;
 *   loop    a tile's valid waits for the joined ready of all its branches, so ready back to the tile and
 * valid out again are one path: the slowest branch's ready plus the slowest branch's valid; ready   from a
 * FIFO or sink back to the start of the SplitFIFO before it; core    inside a tile, from its input FIFOs to
 * its output FIFOs. A SplitFIFO's first register cuts ready, its second data and valid. Launch from a tile is
 * fifo_to_sb (the switch box of the first hop is in it), from an IO tile io_core, from a SplitFIFO rmux;
 * capture at a tile is sb_to_fifo, at a SplitFIFO nothing beyond its switch box. O(hops) per net.
 */
#include "pnr/floor_int.h"

#include <stdlib.h>

/* ---- one net --------------------------------------------------------------------------------- */

typedef struct {
    const pnr_design *design;
    const net_data *net;
    const pnr_route *route;
    pnr_delays d;
    uint32_t *data, *valid;      /* by hop: arrival at its end since the last launch */
    uint32_t *ready, *ready_hop; /* by hop: ready before crossing the hop; the hop it comes from, or NO_HOP */
    bool *looped;                /* by hop: between the source and the first FIFO */
} timer;

static net_tile hop_tile(const timer *t, uint32_t hop) {
    return pnr_site_tile(t->design->board, t->route->hops.at[hop].x, t->route->hops.at[hop].y);
}

static net_tile pin_tile(const timer *t, net_pin pin) {
    return pnr_cell_tile(net_cell_at(t->design->net, pin.cell));
}

static uint32_t source_launch(const timer *t) {
    return t->d.launch[pin_tile(t, t->net->source)];
}

static void forward(timer *t) {
    for (uint32_t i = 0; i < t->route->hops.len; i++) {
        const pnr_hop *h = &t->route->hops.at[i];
        net_tile tile = hop_tile(t, i);
        const pnr_hop *before = h->parent == PNR_NO_HOP ? NULL : &t->route->hops.at[h->parent];
        bool after_fifo = before && before->fifo_end, goes_on = before && !after_fifo;
        uint32_t launch = after_fifo ? t->d.rmux[hop_tile(t, h->parent)] : source_launch(t);
        uint32_t from_data = goes_on ? t->data[h->parent] : launch;
        uint32_t from_valid = goes_on ? t->valid[h->parent] : launch;
        t->data[i] = from_data + (h->from_core ? 0 : t->d.data[tile]);
        t->valid[i] = from_valid + (h->from_core ? 0 : t->d.valid[tile]);
        t->looped[i] = !before || (t->looped[h->parent] && !after_fifo);
    }
}

/* Follows ready from the last hop back: ready is joined at forks and stopped at a SplitFIFO's start. */
static void backward(timer *t, uint32_t *arrives) {
    for (uint32_t i = t->route->hops.len; i-- > 0;) {
        const pnr_hop *h = &t->route->hops.at[i];
        uint32_t through = h->fifo_start ? 0 : arrives[i];
        if (h->fifo_start || arrives[i] == 0)
            t->ready_hop[i] = i;
        t->ready[i] = through + t->d.ready[hop_tile(t, i)];
        if (h->parent != PNR_NO_HOP && t->ready[i] > arrives[h->parent]) {
            arrives[h->parent] = t->ready[i];
            t->ready_hop[h->parent] = t->ready_hop[i];
        }
    }
}

typedef struct {
    uint32_t delay;
    pnr_path_kind kind;
    uint32_t hop, sink;   /* where data or valid ends: a hop's FIFO, or a sink; PNR_NO_HOP for the other */
    uint32_t ready_from;  /* loop and ready: the hop farthest from where ready arrives */
    uint32_t ready_until; /* ready: the SplitFIFO's start at its end */
} candidate;

static void consider(candidate *worst, candidate c) {
    if (c.delay > worst->delay)
        *worst = c;
}

static uint32_t capture_at(const timer *t, uint32_t sink) {
    return t->d.capture[pin_tile(t, t->net->sinks.at[sink])];
}

/* Returns the slowest ready at the source. */
static uint32_t source_ready(const timer *t, uint32_t *from) {
    uint32_t slowest = 0;
    *from = PNR_NO_HOP;
    for (uint32_t i = 0; i < t->route->hops.len; i++)
        if (t->route->hops.at[i].parent == PNR_NO_HOP && t->ready[i] > slowest) {
            slowest = t->ready[i];
            *from = t->ready_hop[i];
        }
    return slowest;
}

/* Measures the paths of data and valid ending at a hop or sink; the valid of a tile waits for `joined`
 * ready. */
static void end_paths(const timer *t, candidate *worst, uint32_t hop, uint32_t sink, uint32_t joined,
                      uint32_t joined_from) {
    uint32_t last = sink == PNR_NO_HOP ? hop : t->route->sinks.at[sink].hop;
    uint32_t capture = sink == PNR_NO_HOP ? 0 : capture_at(t, sink);
    bool after_fifo = sink != PNR_NO_HOP && last != PNR_NO_HOP && t->route->hops.at[last].fifo_end;
    uint32_t launch = after_fifo ? t->d.rmux[hop_tile(t, last)] : source_launch(t);
    uint32_t data = last == PNR_NO_HOP || after_fifo ? launch : t->data[last];
    uint32_t valid = last == PNR_NO_HOP || after_fifo ? launch : t->valid[last];
    bool looped =
        !after_fifo && (last == PNR_NO_HOP || t->looped[last]) && pin_tile(t, t->net->source) != NET_TILE_IO;
    consider(worst, (candidate){data + capture, PNR_PATH_DATA, hop, sink, PNR_NO_HOP, PNR_NO_HOP});
    if (looped)
        consider(worst,
                 (candidate){joined + valid + capture, PNR_PATH_LOOP, hop, sink, joined_from, PNR_NO_HOP});
}

static candidate worst_of_net(timer *t, arena *scratch) {
    uint32_t hops = t->route->hops.len, joined_from;
    uint32_t *arrives = arena_new_n(scratch, uint32_t, hops + 1);
    t->data = arena_new_n(scratch, uint32_t, hops + 1);
    t->valid = arena_new_n(scratch, uint32_t, hops + 1);
    t->ready = arena_new_n(scratch, uint32_t, hops + 1);
    t->ready_hop = arena_new_n(scratch, uint32_t, hops + 1);
    t->looped = arena_new_n(scratch, bool, hops + 1);
    for (uint32_t s = 0; s < t->route->sinks.len; s++) {
        const uint32_t last = t->route->sinks.at[s].hop,
                       its = t->d.ready_launch[pin_tile(t, t->net->sinks.at[s])];
        if (last == PNR_NO_HOP)
            continue;
        t->ready_hop[last] = last;
        arrives[last] = its > arrives[last] ? its : arrives[last];
    }
    forward(t);
    backward(t, arrives);
    candidate worst = {.hop = PNR_NO_HOP, .sink = PNR_NO_HOP};
    uint32_t joined = source_ready(t, &joined_from);
    for (uint32_t s = 0; s < t->route->sinks.len; s++)
        end_paths(t, &worst, PNR_NO_HOP, s, joined, joined_from);
    for (uint32_t i = 0; i < hops; i++) {
        if (t->route->hops.at[i].fifo_end)
            end_paths(t, &worst, i, PNR_NO_HOP, joined, joined_from);
        if (t->route->hops.at[i].fifo_start)
            consider(&worst,
                     (candidate){arrives[i], PNR_PATH_READY, PNR_NO_HOP, PNR_NO_HOP, t->ready_hop[i], i});
    }
    return worst;
}

/* Lists the hops from `last` back to the hop after a FIFO's end, or to the source. */
static void stretch(const timer *t, uint32_t last, uint32_t until, arena *mem, u32_vec *out) {
    for (uint32_t i = last; i != PNR_NO_HOP && i != until; i = t->route->hops.at[i].parent) {
        if (t->route->hops.at[i].fifo_end && i != last)
            break;
        vec_push(mem, out, i);
    }
}

/* ---- the path in words ----------------------------------------------------------------------- */

static bool has_trunk(const pnr_route *r) {
    for (uint32_t i = 0; i < r->hops.len; i++) {
        uint32_t uses = 0;
        for (uint32_t k = 0; k < r->hops.len; k++)
            uses += r->hops.at[k].parent == i;
        for (uint32_t s = 0; s < r->sinks.len; s++)
            uses += r->sinks.at[s].hop == i;
        if (uses > 1)
            return true;
    }
    return false;
}

static void step(arena *mem, pnr_timing_path *p, const char *what, const pnr_hop *h, uint32_t delay) {
    uint32_t before = p->steps.len ? p->steps.at[p->steps.len - 1].arrival_ps : 0;
    pnr_timing_step s = {.what = what, .delay_ps = delay, .arrival_ps = before + delay, .on_hop = h != NULL};
    if (h) {
        s.at = (pnr_site){h->x, h->y};
        s.side = h->side;
        s.track = h->track;
    }
    vec_push(mem, &p->steps, s);
}

/* Goes from `from` back to the hop after `until`, or to the source. */
static void ready_steps(const timer *t, arena *mem, pnr_timing_path *p, uint32_t from, uint32_t until) {
    for (uint32_t i = from; i != PNR_NO_HOP && i != until; i = t->route->hops.at[i].parent)
        step(mem, p, "ready", &t->route->hops.at[i], t->d.ready[hop_tile(t, i)]);
}

static void forward_steps(const timer *t, arena *mem, pnr_timing_path *p, uint32_t last, bool valid) {
    const pnr_hop *h = &t->route->hops.at[last];
    const pnr_hop *before = h->parent == PNR_NO_HOP ? NULL : &t->route->hops.at[h->parent];
    if (before && !before->fifo_end)
        forward_steps(t, mem, p, h->parent, valid);
    else if (before)
        step(mem, p, "launch from SplitFIFO", before, t->d.rmux[hop_tile(t, h->parent)]);
    else
        step(mem, p, "launch", NULL, source_launch(t));
    net_tile tile = hop_tile(t, last);
    step(mem, p, valid ? "valid" : "data", h, h->from_core ? 0 : valid ? t->d.valid[tile] : t->d.data[tile]);
}

static void draw_path(const timer *t, arena *mem, const candidate *c, pnr_timing_path *p) {
    if (c->kind != PNR_PATH_DATA)
        ready_steps(t, mem, p, c->ready_from, c->ready_until);
    if (c->kind == PNR_PATH_READY)
        return;
    uint32_t last = c->sink == PNR_NO_HOP ? c->hop : t->route->sinks.at[c->sink].hop;
    if (last == PNR_NO_HOP)
        step(mem, p, "launch", NULL, source_launch(t));
    else if (c->sink != PNR_NO_HOP && t->route->hops.at[last].fifo_end)
        step(mem, p, "launch from SplitFIFO", &t->route->hops.at[last], t->d.rmux[hop_tile(t, last)]);
    else
        forward_steps(t, mem, p, last, c->kind == PNR_PATH_LOOP);
    if (c->sink != PNR_NO_HOP)
        step(mem, p, "capture", NULL, capture_at(t, c->sink));
}

/* ---- the pass -------------------------------------------------------------------------------- */

static timer timer_of(const pnr_design *design, const pnr_delays *d, uint32_t net) {
    return (timer){
        .design = design, .net = &design->net->nets.at[net], .route = &design->route.at[net], .d = *d};
}

static uint32_t slowest_core(const pnr_design *design, const pnr_delays *d) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < design->net->cells.len; i++) {
        uint32_t core = d->core[pnr_cell_tile(&design->net->cells.at[i])];
        most = core > most ? core : most;
    }
    return most;
}

uint32_t pnr_net_delay(const pnr_design *design, const pnr_delays *d, uint32_t net) {
    arena scratch = {0};
    timer t = timer_of(design, d, net);
    uint32_t delay = design->route.at[net].sinks.len ? worst_of_net(&t, &scratch).delay : 0;
    arena_free(&scratch);
    return delay;
}

void pnr_slowest_hops(const pnr_design *design, const pnr_delays *d, uint32_t net, arena *mem, u32_vec *forth,
                      u32_vec *back) {
    timer t = timer_of(design, d, net);
    candidate worst = worst_of_net(&t, mem);
    forth->len = back->len = 0;
    if (worst.kind != PNR_PATH_READY)
        stretch(&t, worst.sink == PNR_NO_HOP ? worst.hop : t.route->sinks.at[worst.sink].hop, PNR_NO_HOP, mem,
                forth);
    if (worst.kind != PNR_PATH_DATA)
        stretch(&t, worst.ready_from, worst.ready_until, mem, back);
}

static void time_net(const pnr_design *design, const pnr_limits *limits, uint32_t n, arena *mem,
                     pnr_timing *out) {
    arena scratch = {0};
    timer t = timer_of(design, limits->d, n);
    candidate worst = worst_of_net(&t, &scratch);
    pnr_timing_path p = {.net = n, .sink = worst.sink, .kind = worst.kind, .delay_ps = worst.delay};
    p.shared_trunk = has_trunk(t.route);
    p.floor_ps = pnr_net_floor(limits, n);
    draw_path(&t, mem, &worst, &p);
    BUG_IF(p.steps.len && p.steps.at[p.steps.len - 1].arrival_ps != p.delay_ps,
           "the path of net %u is %u ps by its steps and %u ps by arrival", n,
           p.steps.at[p.steps.len - 1].arrival_ps, p.delay_ps);
    vec_push(mem, &out->paths, p);
    arena_free(&scratch);
}

/* Measures the design by the board's other table: its delays, and the board's delays for missing rows. */
static void time_corner(const pnr_design *design, const pnr_delays *nominal, pnr_timing *out) {
    pnr_delays d = *nominal;
    out->corner = pnr_read_corner(design->board, &d);
    if (!out->corner)
        return;
    out->corner_ps = slowest_core(design, &d);
    for (uint32_t n = 0; n < design->route.len; n++) {
        const uint32_t delay = pnr_net_delay(design, &d, n);
        out->corner_ps = delay > out->corner_ps ? delay : out->corner_ps;
    }
}

bool pnr_sta(const pnr_design *design, arena *mem, diagnostics *d, pnr_timing *out) {
    pnr_delays table;
    *out = (pnr_timing){.worst_net = PNR_NO_HOP};
    if (!pnr_read_delays(design->board, d, &table))
        return false;
    out->core_ps = slowest_core(design, &table);
    out->period_ps = out->core_ps;
    pnr_limits limits = pnr_design_limits(design, &table, mem);
    out->floor_ps = pnr_floor(&limits);
    for (uint32_t n = 0; n < design->route.len; n++) {
        if (design->route.at[n].sinks.len == 0)
            continue;
        time_net(design, &limits, n, mem, out);
        const pnr_timing_path *p = &out->paths.at[out->paths.len - 1];
        if (p->delay_ps > out->period_ps) {
            out->period_ps = p->delay_ps;
            out->worst_net = out->paths.len - 1;
        }
    }
    for (uint32_t i = 0; i < out->paths.len; i++)
        out->histogram[(uint64_t)(out->period_ps - out->paths.at[i].delay_ps) * PNR_SLACK_BINS /
                       (out->period_ps + 1)]++;
    time_corner(design, &table, out);
    return true;
}
