/* A routed design to tiles and nets: bypassed hops vanish, registered ones stay. */
#include "engines/cycle_load.h"

#include "boards/onyx/fabric.h"

static cycle_cell load_cell(const pnr_design *d, const bits_map *map, net_cell cell, arena *mem) {
    const net_cell_data *data = net_cell_at(d->net, cell);
    const net_mode_info *mode = &net_mode_table[data->mode];
    pnr_site at = d->site.at[cell.v - 1];
    cycle_cell out = {.tile_en = true,
                      .mode = mode->chip_mode,
                      .late = at.y > ONYX_NEAR_ROWS,
                      .name = arena_printf(mem, "x%uy%u %s", at.x, at.y, mode->name)};
    if (mode->tile == NET_TILE_IO)
        out.kind = data->output ? CYCLE_IO_OUT : CYCLE_IO_IN;
    else
        out.kind = mode->tile == NET_TILE_PE ? CYCLE_PE : CYCLE_MEM;
    for (uint32_t w = 0; w < 4 && mode->tile != NET_TILE_IO; w++)
        out.space[w] = bits_core_space(d, map, cell, w);
    for (int i = 0; i < CYCLE_INS; i++)
        out.port_in[i] = mode->port_in[i];
    for (int o = 0; o < CYCLE_OUTS; o++)
        out.port_out[o] = mode->port_out[o];
    return out;
}

static cycle_net load_net(const net_data *net, const pnr_route *route, arena *mem) {
    cycle_net out = {.cell = net->source.cell.v - 1, .port = net->source.port};
    /* The register each hop stands behind, itself included. */
    uint32_t *behind = arena_new_n(mem, uint32_t, route->hops.len + 1);
    for (uint32_t h = 0; h < route->hops.len; h++) {
        const pnr_hop *hop = &route->hops.at[h];
        behind[h] = hop->parent == PNR_NO_HOP ? CYCLE_SOURCE : behind[hop->parent];
        if (!hop->registered)
            continue;
        vec_push(mem, &out.registers, (cycle_register){behind[h], hop->fifo_start, hop->fifo_end});
        behind[h] = out.registers.len - 1;
    }
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        uint32_t hop = route->sinks.at[s].hop;
        vec_push(mem, &out.sinks,
                 (cycle_sink){.cell = net->sinks.at[s].cell.v - 1,
                              .port = net->sinks.at[s].port,
                              .from = hop == PNR_NO_HOP ? CYCLE_SOURCE : behind[hop]});
    }
    return out;
}

enum { MOST_SINKS = 64, MOST_REGISTERS = 240 }; /* of a net, in the cycle model */

/* Returns what keeps registers of a net from being modelled, or NULL: only bitstreams of other tools have it.
 */
static const char *why_not_paired(const cycle_net *net, arena *mem) {
    const uint32_t n = net->registers.len;
    uint32_t *readers = arena_new_n(mem, uint32_t, n + 1);
    bool pairs = true, forks = false;
    for (uint32_t i = 0; i < n + net->sinks.len; i++) {
        const bool starts = i < n && net->registers.at[i].start, ends = i < n && net->registers.at[i].end;
        const uint32_t before = i < n ? net->registers.at[i].from : net->sinks.at[i - n].from;
        const bool open = before != CYCLE_SOURCE && net->registers.at[before].start;
        pairs = pairs && ends == open && (i >= n || starts != ends);
        forks = forks || (before != CYCLE_SOURCE && readers[before]++ > 0);
    }
    if (!pairs)
        return "has a register that is no half of a SplitFIFO pair";
    if (forks)
        return "forks behind a SplitFIFO pair, which may deliver words twice";
    return n > MOST_REGISTERS ? "has too many SplitFIFO pairs" : NULL;
}

/* Makes a net whose registers are not modelled a wire, and says so. */
static bool check_registers(cycle_net *net, const char *from, arena *mem, diagnostics *d) {
    const char *why = why_not_paired(net, mem);
    if (net->sinks.len > MOST_SINKS)
        return diag_unmappable(d, (src_loc){0}, "E0662-sinks",
                               "the net from '%s' has %u sinks; the cycle model moves at most %d together",
                               from, net->sinks.len, MOST_SINKS);
    if (!why)
        return true;
    diag_warning(d, (src_loc){0}, "E0661-wired-net",
                 "the net from '%s' %s: the cycle model takes the net for a wire, so cycles may differ", from,
                 why);
    diag_hint(d, "engine rtl has every register of the bitstream");
    net->registers.len = 0;
    for (uint32_t s = 0; s < net->sinks.len; s++)
        net->sinks.at[s].from = CYCLE_SOURCE;
    return true;
}

bool cycle_load(const pnr_design *decoded, const bits_map *map, arena *mem, diagnostics *d,
                cycle_design *out) {
    const netlist *n = decoded->net;
    *out = (cycle_design){.recorded = false};
    if (!bits_check_sparse(decoded, map, d))
        return false;
    for (uint32_t i = 0; i < n->cells.len; i++)
        vec_push(mem, &out->cells, load_cell(decoded, map, (net_cell){i + 1}, mem));
    bool good = true;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        cycle_net net = load_net(&n->nets.at[i], &decoded->route.at[i], mem);
        good = check_registers(&net, out->cells.at[net.cell].name, mem, d) && good;
        vec_push(mem, &out->nets, net);
    }
    return good;
}

bool cycle_find_early(const cycle_design *design, cycle_stream *outputs, uint32_t n, bool *early,
                      diagnostics *d) {
    uint64_t cycles;
    cycle_run(cycle_build(design, d->mem), outputs, n, false, d->mem, &cycles);
    for (uint32_t i = 0; i < n; i++) {
        const cycle_stream *s = &outputs[i];
        early[i] = s->taken == s->blocks;
        if (early[i] || !s->got.len)
            continue;
        diag_unmappable(d, (src_loc){0}, "E0713-early-output",
                        "%u %s of output '%s' %s before any load, and the rest not: the chip would lose them",
                        s->got.len, plural(s->got.len, "word", "words"), design->cells.at[s->cell].name,
                        plural(s->got.len, "comes", "come"));
        return diag_hint(d, "another format or order, so that the level needs a load or none of it does");
    }
    return true;
}
