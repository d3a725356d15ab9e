/* deadlock_streams.c - families of streams that run in step, and cells treated as one process. */
#include "lower_onyx/deadlock_int.h"

enum { FIFO = 2 };
#define READ_SCANNER "fiber_access_16_inst_read_scanner_"

static uint32_t new_stream(dl_model *m, uint32_t parent, bool loose) {
    const bool united = m->streams.len && m->streams.at[parent].united;
    vec_push(m->mem, &m->streams, (dl_stream){.parent = parent, .loose = loose, .united = united});
    return m->streams.len - 1;
}

static bool reader(const dl_model *m, const net_cell_data *c, const char *field) {
    return net_config_of(m->n, c, arena_printf(m->mem, READ_SCANNER "%s", field)) != 0;
}

/* Returns the family of a scanner's output for references of family `parent`. Dense scanners of one size give
 * a fiber of equal length for each reference, and share a family. Behind a union some references may be
 * absent, and a scanner makes no fiber of an absent reference. */
static uint32_t scanned_stream(dl_model *m, const net_cell_data *c, uint32_t parent) {
    const uint32_t size = reader(m, c, "dense") ? net_config_of(m->n, c, READ_SCANNER "dim_size") : 0;
    for (uint32_t s = 0; size && s < m->streams.len && !m->streams.at[parent].united; s++) {
        if (m->streams.at[s].dense == size && m->streams.at[s].parent == parent)
            return s;
    }
    const uint32_t made = new_stream(m, parent, false);
    m->streams.at[made].dense = size;
    return made;
}

/* Lists the nets at a cell's inputs, by port; DL_NONE: no net, or only a gate's own net. */
static void nets_into(const dl_model *m, uint32_t cell, uint32_t net[DL_INS]) {
    for (int i = 0; i < DL_INS; i++)
        net[i] = DL_NONE;
    for (uint32_t k = 0; k < m->n->nets.len; k++) {
        const net_data *data = &m->n->nets.at[k];
        for (uint32_t s = 0; s < data->sinks.len; s++) {
            if (data->sinks.at[s].cell.v - 1 == cell && data->source.cell.v - 1 != cell &&
                !net_listens(m->n, data->sinks.at[s]) && !net_chains(m->n, data->sinks.at[s]))
                net[data->sinks.at[s].port] = k;
        }
    }
}

/* Returns the regions of a joiner: side 0 alone 1, side 1 alone 2, both 4; 0 for other cells. */
static uint32_t regions_of(const dl_model *m, const net_cell_data *c) {
    if (c->mode == NET_MODE_REGION_JOIN)
        return net_config_of(m->n, c, "region_join_inst_regions");
    if (c->mode != NET_MODE_INTERSECT)
        return 0;
    return net_config_of(m->n, c, "intersect_unit_inst_joiner_op") ? 7 : 4;
}

static dl_kind kind_of(const dl_model *m, const net_cell_data *c, const uint32_t in[DL_INS]) {
    static const dl_kind kinds[NET_MODES] = {
#define TILE_MODE(constant, name, tile, value, prefix, early, flow, ...) [NET_MODE_##constant] = DL_##flow,
#include "lower_onyx/tiles.def"
#undef TILE_MODE
    };
    /* A joiner with equal operands, found in trees of joiners, passes all tokens in step. */
    if ((regions_of(m, c) & 4) && m->origin[in[0]] == m->origin[in[1]])
        return DL_STEP;
    if (c->mode == NET_MODE_INTERSECT)
        return regions_of(m, c) == 7 ? DL_UNION : DL_INTERSECT;
    if (c->mode == NET_MODE_CRDDROP && in[1] == DL_NONE)
        return DL_STEP; /* the dropper is a gate */
    if (c->mode == NET_MODE_VECTOR_REDUCE && in[DL_OUTER] != DL_NONE)
        return DL_MATRIX;
    if (c->mode != NET_MODE_FIBER_ACCESS)
        return kinds[c->mode];
    if (reader(m, c, "block_mode"))
        return in[DL_PAIRED] != DL_NONE && in[DL_DATA] != DL_NONE ? DL_STEP : DL_SOURCE;
    if (in[DL_DATA] != DL_NONE)
        return reader(m, c, "spacc_mode") ? DL_SUM : DL_STORE;
    return reader(m, c, "root") ? DL_SOURCE : reader(m, c, "lookup") ? DL_STEP : DL_SCAN;
}

/* Returns the process of a cell: a new process, or the process of an earlier cell. A joiner shares the
 * process of a joiner with equal coordinates; the value memory of an accumulator shares the process of its
 * position memory. */
static uint32_t process_for(dl_model *m, const net_cell_data *c, dl_kind kind, const uint32_t in[DL_INS]) {
    if (kind == DL_SUM && reader(m, c, "lookup"))
        return m->process_of[m->n->nets.at[in[DL_REFERENCES]].source.cell.v - 1];
    bool joiner = kind == DL_INTERSECT || kind == DL_UNION;
    uint32_t regions = joiner ? regions_of(m, c) : 0;
    uint32_t crd[2] = {joiner ? m->origin[in[0]] : 0, joiner ? m->origin[in[1]] : 0};
    for (uint32_t p = 0; joiner && p < m->processes.len; p++) {
        const dl_process *other = &m->processes.at[p];
        if (other->kind == kind && other->regions == regions && other->crd[0] == crd[0] &&
            other->crd[1] == crd[1])
            return p;
    }
    vec_push(m->mem, &m->processes, (dl_process){.kind = kind, .crd = {crd[0], crd[1]}, .regions = regions});
    return m->processes.len - 1;
}

static uint32_t parent_of(const dl_model *m, uint32_t stream) {
    return m->streams.at[stream].parent;
}

/* Returns whether the stream's tokens are known to be fibers of another stream's. */
static bool nested(const dl_model *m, uint32_t stream) {
    return stream != 0 && !m->streams.at[stream].loose;
}

/* Makes the families of a process's outputs, by port; false if the families of its inputs do not match. */
static bool make_streams(dl_model *m, const net_cell_data *c, dl_kind kind, const uint32_t in[DL_INS],
                         uint32_t out[DL_OUTS]) {
    uint32_t s[DL_INS];
    bool fits = true;
    for (int i = 0; i < DL_INS; i++)
        s[i] = in[i] == DL_NONE ? DL_NONE : m->stream_of[in[i]];
    uint32_t all = 0;
    switch (kind) {
    case DL_SOURCE:
        all = c->mode == NET_MODE_FIBER_ACCESS ? new_stream(m, 0, false) : 0;
        break;
    case DL_STORE:
        all = reader(m, c, "lookup") ? s[DL_REFERENCES] : new_stream(m, s[DL_REFERENCES], false);
        break;
    case DL_SUM: /* a fiber for each added vector, and a fiber for each loop of vectors */
        fits = nested(m, s[DL_REFERENCES]);
        all = new_stream(m, s[DL_REFERENCES], !fits);
        out[0] = new_stream(m, fits ? parent_of(m, s[DL_REFERENCES]) : 0, !fits);
        out[1] = out[2] = all;
        return fits;
    case DL_STEP:
        all = c->mode == NET_MODE_FIBER_ACCESS && s[DL_REFERENCES] == DL_NONE ? s[DL_DATA] : s[0];
        for (int i = 0; i < DL_INS; i++)
            fits &= s[i] == DL_NONE || s[i] == all || (c->mode == NET_MODE_FIBER_ACCESS && i == DL_BLOCK);
        break;
    case DL_SCAN:
        all = scanned_stream(m, c, s[DL_REFERENCES]);
        break;
    case DL_INTERSECT:
    case DL_UNION:
        fits = m->sorted[in[0]] && m->sorted[in[1]] && nested(m, s[0]) && nested(m, s[1]) && s[0] == s[2] &&
               s[1] == s[3] && parent_of(m, s[0]) == parent_of(m, s[1]);
        all = new_stream(m, fits ? parent_of(m, s[0]) : 0, !fits);
        m->streams.at[all].united |= kind == DL_UNION;
        break;
    case DL_DROP: /* a dropped inner fiber takes its stops away: the outer stream no longer runs in step */
        fits = nested(m, s[0]) && parent_of(m, s[0]) == s[1];
        out[0] = new_stream(m, 0, true);
        out[1] = new_stream(m, fits ? parent_of(m, s[1]) : 0, !fits || !nested(m, s[1]));
        return fits;
    case DL_HOLD:
        fits = nested(m, s[0]) && parent_of(m, s[0]) == s[1];
        all = s[0];
        break;
    case DL_REPEAT:
        fits = nested(m, s[1]) && (s[0] == DL_NONE || parent_of(m, s[1]) == s[0]);
        all = s[1];
        break;
    case DL_REDUCE:
        all = nested(m, s[0]) ? parent_of(m, s[0]) : new_stream(m, 0, true);
        break;
    case DL_VECTOR: /* a fiber for each loop of vectors */
        fits = s[0] == s[1] && nested(m, s[0]) && nested(m, parent_of(m, s[0]));
        all = new_stream(m, fits ? parent_of(m, parent_of(m, s[0])) : 0, !fits);
        break;
    case DL_MATRIX: /* a fiber of rows for each loop of matrices */
        fits = s[0] == s[1] && nested(m, s[0]) && parent_of(m, s[0]) == s[DL_OUTER] &&
               nested(m, s[DL_OUTER]) && nested(m, parent_of(m, s[DL_OUTER]));
        out[DL_OUTER] = new_stream(m, fits ? parent_of(m, parent_of(m, s[DL_OUTER])) : 0, !fits);
        out[0] = out[1] = new_stream(m, fits ? out[DL_OUTER] : 0, !fits);
        return fits;
    }
    out[0] = out[1] = out[2] = all;
    return fits;
}

/* Returns whether coordinates at a cell's output increase in every fiber. */
static bool gives_sorted(const dl_model *m, const net_cell_data *c, dl_kind kind, const uint32_t in[DL_INS],
                         uint32_t port) {
    if (kind == DL_SUM)
        return port < 2 && !reader(m, c, "lookup");
    if (kind == DL_VECTOR || kind == DL_MATRIX)
        return port != 1;
    if (c->mode == NET_MODE_FIBER_ACCESS)
        return port == 1 && (kind == DL_SCAN || (kind == DL_SOURCE && reader(m, c, "root")));
    if (c->mode == NET_MODE_INTERSECT || c->mode == NET_MODE_REGION_JOIN)
        return port == 0 && m->sorted[in[0]] && m->sorted[in[1]];
    if (kind == DL_DROP)
        return port == 1 && m->sorted[in[1]];
    return kind == DL_HOLD && port == 0 && m->sorted[in[0]];
}

/* A reducer makes a sum for every stop, also for the stop of an empty fiber; operations pass this sum on. */
static bool gives_padded(const dl_model *m, dl_kind kind, const uint32_t in[DL_INS]) {
    bool any = kind == DL_REDUCE;
    for (int i = 0; i < DL_INS && kind == DL_STEP; i++)
        any |= in[i] != DL_NONE && m->padded[in[i]];
    return any;
}

/* Returns the number of tokens that wait behind an input before the primitive takes them. */
static uint32_t inner_room(dl_kind kind, uint32_t port) {
    return (kind == DL_REPEAT && port == 0) || (kind == DL_SCAN && port == DL_REFERENCES) ? FIFO : 0;
}

static void add_channels(dl_model *m, const uint32_t *const *extra) {
    for (uint32_t k = 0; k < m->n->nets.len; k++) {
        const net_data *net = &m->n->nets.at[k];
        m->first[k] = m->channels.len;
        uint32_t source = m->process_of[net->source.cell.v - 1];
        vec_push(m->mem, &m->processes.at[source].out, k);
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            uint32_t p = m->process_of[net->sinks.at[s].cell.v - 1], port = net->sinks.at[s].port;
            if (m->processes.at[p].kind == DL_SUM && port == DL_DATA)
                m->processes.at[p].aligned &=
                    parent_of(m, m->stream_of[k]) == parent_of(m, m->processes.at[p].stream);
            uint32_t room = FIFO + inner_room(m->processes.at[p].kind, port) + (extra ? extra[k][s] : 0);
            if (p != source && !net_listens(m->n, net->sinks.at[s]) &&
                !net_chains(m->n,
                            net->sinks.at[s])) /* no net leads from a memory of an accumulator to the other */
                vec_push(m->mem, &m->processes.at[p].in, m->channels.len);
            vec_push(m->mem, &m->channels, (dl_channel){k, s, p, port, m->stream_of[k], room});
        }
    }
}

void dl_build(const netlist *n, const uint32_t *const *extra, arena *mem, dl_model *out) {
    u32_vec order = {0}, *driven = arena_new_n(mem, u32_vec, n->cells.len + 1);
    *out = (dl_model){.n = n, .mem = mem};
    out->process_of = arena_new_n(mem, uint32_t, n->cells.len + 1);
    out->stream_of = arena_new_n(mem, uint32_t, n->nets.len + 1);
    out->origin = arena_new_n(mem, uint32_t, n->nets.len + 1);
    out->padded = arena_new_n(mem, bool, n->nets.len + 1);
    out->sorted = arena_new_n(mem, bool, n->nets.len + 1);
    out->first = arena_new_n(mem, uint32_t, n->nets.len + 1);
    new_stream(out, 0, false);
    net_sort_cells(n, mem, &order, driven);
    out->cyclic = order.len < n->cells.len;
    for (uint32_t i = 0; i < order.len && !out->cyclic; i++) {
        uint32_t cell = order.at[i], in[DL_INS], made[DL_OUTS], known = out->processes.len;
        const net_cell_data *c = &n->cells.at[cell];
        nets_into(out, cell, in);
        dl_kind kind = kind_of(out, c, in);
        uint32_t p = out->process_of[cell] = process_for(out, c, kind, in);
        dl_process *process = &out->processes.at[p];
        if (p == known) {
            process->aligned = make_streams(out, c, kind, in, made);
            process->stream = made[kind == DL_SUM];
            process->total = made[0];
        } else if (kind == DL_SUM) {
            made[0] = process->total;
            made[1] = made[2] = process->stream;
        } else { /* joiners of the same streams share a process */
            process->aligned &= in[2] != DL_NONE && in[3] != DL_NONE &&
                                out->stream_of[in[2]] == out->stream_of[in[0]] &&
                                out->stream_of[in[3]] == out->stream_of[in[1]];
            made[0] = made[1] = made[2] = process->stream;
        }
        for (uint32_t k = 0; k < driven[cell].len; k++) {
            uint32_t net = driven[cell].at[k], port = n->nets.at[net].source.port;
            bool through = regions_of(out, c) != 0 && kind == DL_STEP && port == 0;
            out->stream_of[net] = made[port];
            out->origin[net] = through ? out->origin[in[0]] : p * DL_OUTS + port;
            out->padded[net] = gives_padded(out, kind, in);
            out->sorted[net] = gives_sorted(out, c, kind, in, port);
        }
    }
    if (!out->cyclic)
        add_channels(out, extra);
}
