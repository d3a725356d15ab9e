#include "tests/deadlock/play.h"

#include "rtl_models/cycle/primitives.h"

/* ---- building -------------------------------------------------------------------------------- */

void made_begin(made *m, name_table *names, arena *mem) {
    *m = (made){.n = {.mem = mem, .names = names}};
}

net_pin made_pin(net_cell cell, uint8_t port) {
    return (net_pin){cell, port};
}

net_cell made_cell(made *m, net_mode mode) {
    static const char tags[] = {[NET_TILE_PE] = 'p', [NET_TILE_MEM] = 'm', [NET_TILE_IO] = 'I'};
    net_cell_data c = {.mode = mode, .tag = tags[net_mode_table[mode].tile], .number = m->n.cells.len};
    c.name = names_intern(m->n.names, arena_printf(m->n.mem, "%s_%u", net_mode_table[mode].name, c.number));
    vec_push(m->n.mem, &m->n.cells, c);
    return (net_cell){m->n.cells.len};
}

static void set(made *m, net_cell cell, const char *field, uint32_t value) {
    name_id name = names_intern(m->n.names, field);
    vec_push(m->n.mem, &net_cell_at(&m->n, cell)->config, (net_config){name, value});
}

void made_connect(made *m, net_pin from, net_cell to, uint8_t port) {
    net_data *net = NULL;
    for (uint32_t i = 0; i < m->n.nets.len; i++) {
        net_pin source = m->n.nets.at[i].source;
        if (source.cell.v == from.cell.v && source.port == from.port)
            net = &m->n.nets.at[i];
    }
    if (!net) {
        vec_push(m->n.mem, &m->n.nets, (net_data){.source = from});
        net = &m->n.nets.at[m->n.nets.len - 1];
    }
    vec_push(m->n.mem, &net->sinks, ((net_pin){to, port}));
}

static net_cell memory(made *m) {
    net_cell cell = made_cell(m, NET_MODE_FIBER_ACCESS);
    set(m, cell, "fiber_access_16_inst_tile_en", 1);
    set(m, cell, "fiber_access_16_inst_write_scanner_tile_en", 1);
    set(m, cell, "fiber_access_16_inst_buffet_tile_en", 1);
    set(m, cell, "fiber_access_16_inst_read_scanner_tile_en", 1);
    set(m, cell, "fiber_access_16_inst_write_scanner_compressed", 1);
    set(m, cell, "fiber_access_16_inst_buffet_buffet_capacity_log_0", 8);
    set(m, cell, "fiber_access_16_inst_buffet_buffet_capacity_log_1", 8);
    return cell;
}

/* Returns the load stream of all levels of the tensor, if present. */
static net_cell load_in_turn(const made *m, name_id tensor) {
    for (uint32_t c = 1; c <= m->n.cells.len; c++) {
        const net_cell_data *cell = &m->n.cells.at[c - 1];
        if (cell->mode == NET_MODE_IO_IN && cell->level == SAM_IN_TURN && name_eq(cell->tensor, tensor))
            return (net_cell){c};
    }
    return (net_cell){0};
}

static void load(made *m, net_cell mem, uint32_t tensor, int level) {
    const name_id name = names_intern(m->n.names, arena_printf(m->n.mem, "T%u", tensor));
    net_cell io = m->in_turn ? load_in_turn(m, name) : (net_cell){0};
    if (!io.v) {
        io = made_cell(m, NET_MODE_IO_IN);
        net_cell_at(&m->n, io)->tensor = name;
        net_cell_at(&m->n, io)->level = m->in_turn ? SAM_IN_TURN : level;
    }
    set(m, mem, "fiber_access_16_inst_write_scanner_block_mode", 1);
    made_connect(m, made_pin(io, 0), mem, 2);
    vec_push(m->n.mem, &m->loads, ((made_load){mem, tensor, level}));
}

void made_share_loads(made *m) {
    uint32_t order[PLAY_TENSORS] = {0};
    for (uint32_t i = 0; i < m->loads.len; i++) {
        const made_load *l = &m->loads.at[i];
        if (l->level + 1 > (int)order[l->tensor])
            order[l->tensor] = (uint32_t)l->level + 1;
    }
    for (uint32_t i = 0; i < m->loads.len; i++) {
        const made_load *l = &m->loads.at[i];
        const bool values = l->level == SAM_MODE_VALS;
        const uint32_t all = 2 * order[l->tensor] + 1, before = values ? all - 1 : 2 * (uint32_t)l->level;
        const name_id name = names_intern(m->n.names, arena_printf(m->n.mem, "T%u", l->tensor));
        set(m, l->cell, "fiber_access_16_inst_write_scanner_before", before);
        set(m, l->cell, "fiber_access_16_inst_write_scanner_behind", all - before - (values ? 1 : 2));
        net_cell_at(&m->n, load_in_turn(m, name))->num_blocks = all;
    }
}

net_cell made_scan(made *m, uint32_t tensor, uint32_t level, const net_pin *ref) {
    net_cell mem = memory(m);
    load(m, mem, tensor, (int)level);
    if (ref)
        made_connect(m, *ref, mem, 0);
    else
        set(m, mem, "fiber_access_16_inst_read_scanner_root", 1);
    return mem;
}

void made_skip(made *m, net_cell scanner, net_pin partner) {
    set(m, scanner, "fiber_access_16_inst_read_scanner_skip", 1);
    made_connect(m, partner, scanner, 1);
}

net_cell made_lookup(made *m, uint32_t tensor, net_pin ref) {
    net_cell mem = memory(m);
    load(m, mem, tensor, SAM_MODE_VALS);
    set(m, mem, "fiber_access_16_inst_read_scanner_lookup", 1);
    set(m, mem, "fiber_access_16_inst_write_scanner_lowest_level", 1);
    made_connect(m, ref, mem, 0);
    return mem;
}

void made_write(made *m, net_pin from, bool values) {
    made_write_in_turn(m, &from, &values, 1);
}

void made_write_in_turn(made *m, const net_pin *from, const bool *values, uint32_t n) {
    net_cell before = {0};
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        net_cell mem = memory(m);
        set(m, mem, "fiber_access_16_inst_read_scanner_block_mode", 1);
        if (values[i]) {
            set(m, mem, "fiber_access_16_inst_read_scanner_lookup", 1);
            set(m, mem, "fiber_access_16_inst_write_scanner_lowest_level", 1);
        }
        made_connect(m, from[i], mem, 3);
        if (i) {
            set(m, mem, "fiber_access_16_inst_read_scanner_ahead", blocks);
            made_connect(m, made_pin(before, 0), mem, 2);
        }
        blocks += values[i] ? 1 : 2;
        before = mem;
    }
    net_cell io = made_cell(m, NET_MODE_IO_OUT);
    made_connect(m, made_pin(before, 0), io, 0);
    net_cell_at(&m->n, io)->output = true;
    net_cell_at(&m->n, io)->num_blocks = blocks;
}

net_cell made_pe(made *m, net_mode mode, const net_pin *in, uint8_t n_in) {
    net_cell cell = made_cell(m, mode);
    for (uint8_t i = 0; i < n_in; i++)
        made_connect(m, in[i], cell, i);
    return cell;
}

net_cell made_join(made *m, bool is_union, const net_pin side0[2], const net_pin side1[2]) {
    const net_pin in[] = {side0[0], side1[0], side0[1], side1[1]};
    net_cell cell = made_pe(m, NET_MODE_INTERSECT, in, 4);
    if (is_union)
        set(m, cell, "intersect_unit_inst_joiner_op", 1);
    return cell;
}

net_cell made_region_join(made *m, uint32_t regions, const net_pin side0[2], const net_pin side1[2]) {
    const net_pin in[] = {side0[0], side1[0], side0[1], side1[1]};
    net_cell cell = made_pe(m, NET_MODE_REGION_JOIN, in, 4);
    set(m, cell, "region_join_inst_regions", regions);
    return cell;
}

net_cell made_repeat(made *m, const net_pin *ref, net_pin crd) {
    net_cell signal = made_pe(m, NET_MODE_RSG, &crd, 1), cell = made_cell(m, NET_MODE_REPEAT);
    if (ref)
        made_connect(m, *ref, cell, 0);
    else
        set(m, cell, "Repeat_inst_root", 1);
    made_connect(m, made_pin(signal, 0), cell, 1);
    return cell;
}

net_cell made_vector_sum(made *m, net_pin crd, net_pin val) {
    const net_pin in[] = {crd, val};
    net_cell cell = made_pe(m, NET_MODE_VECTOR_REDUCE, in, 2);
    set(m, cell, "vec_reduce_inst_tile_en", 1);
    return cell;
}

net_cell made_matrix_sum(made *m, net_pin outer, net_pin crd, net_pin val) {
    net_cell cell = made_vector_sum(m, crd, val);
    made_connect(m, outer, cell, 2);
    set(m, cell, "vec_reduce_inst_inner", 5);
    return cell;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Fields that control the movement of tokens, and their places in CONFIG_SPACE (docs/registers.md). */
static const struct {
    const char *field;
    uint8_t word, bit;
} places[] = {{"fiber_access_16_inst_write_scanner_tile_en", 0, 0},
              {"fiber_access_16_inst_write_scanner_lowest_level", 0, 18},
              {"fiber_access_16_inst_write_scanner_compressed", 0, 20},
              {"fiber_access_16_inst_write_scanner_block_mode", 0, 21},
              {"fiber_access_16_inst_write_scanner_spacc_mode", 0, 17},
              {"fiber_access_16_inst_write_scanner_init_blank", 0, 19},
              {"fiber_access_16_inst_read_scanner_spacc_mode", 1, 8},
              {"Repeat_inst_spacc_mode", 0, 17},
              {"fiber_access_16_inst_tile_en", 0, 22},
              {"fiber_access_16_inst_read_scanner_tile_en", 0, 23},
              {"fiber_access_16_inst_read_scanner_root", 1, 9},
              {"fiber_access_16_inst_read_scanner_lookup", 1, 27},
              {"fiber_access_16_inst_read_scanner_dim_size", 2, 13},
              {"fiber_access_16_inst_read_scanner_dense", 2, 29},
              {"fiber_access_16_inst_read_scanner_block_mode", 2, 30},
              {"fiber_access_16_inst_buffet_tile_en", 2, 31},
              {"fiber_access_16_inst_buffet_buffet_capacity_log_1", 3, 0},
              {"fiber_access_16_inst_buffet_buffet_capacity_log_0", 3, 4},
              {"fiber_access_16_inst_write_scanner_before", 3, 8},
              {"fiber_access_16_inst_write_scanner_behind", 3, 12},
              {"fiber_access_16_inst_read_scanner_skip", 3, 16},
              {"fiber_access_16_inst_read_scanner_ahead", 3, 17},
              {"vec_reduce_inst_tile_en", 0, 0},
              {"vec_reduce_inst_inner", 0, 6},
              {"intersect_unit_inst_joiner_op", 0, 1},
              {"region_join_inst_regions", 0, 1},
              {"Repeat_inst_root", 0, 18}};

static cycle_cell cell_of(const netlist *n, const net_cell_data *c) {
    const net_mode_info *mode = &net_mode_table[c->mode];
    cycle_cell out = {.tile_en = true, .mode = mode->chip_mode, .name = names_text(n->names, c->name)};
    out.kind = mode->tile == NET_TILE_PE    ? CYCLE_PE
               : mode->tile == NET_TILE_MEM ? CYCLE_MEM
               : c->output                  ? CYCLE_IO_OUT
                                            : CYCLE_IO_IN;
    if (out.kind == CYCLE_PE)
        out.space[0] = 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        out.space[places[i].word] |= net_config_of(n, c, places[i].field) << places[i].bit;
    return out;
}

void play_design(const netlist *n, const uint32_t *const *pairs, uint32_t all, arena *mem,
                 cycle_design *out) {
    *out = (cycle_design){.recorded = false};
    for (uint32_t i = 0; i < n->cells.len; i++)
        vec_push(mem, &out->cells, cell_of(n, &n->cells.at[i]));
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        cycle_net to = {.cell = net->source.cell.v - 1, .port = net->source.port};
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            uint32_t from = CYCLE_SOURCE, wanted = pairs ? pairs[i][s] : all;
            for (uint32_t r = 0; r < 2 * wanted; r++) {
                vec_push(mem, &to.registers, (cycle_register){from, r % 2 == 0, r % 2 == 1});
                from = to.registers.len - 1;
            }
            net_pin sink = net->sinks.at[s];
            vec_push(mem, &to.sinks, (cycle_sink){sink.cell.v - 1, sink.port, from});
        }
        vec_push(mem, &out->nets, to);
    }
}

/* Least number of levels of a tensor, known from a stream. */
static uint32_t levels_of(const net_cell_data *c) {
    return c->level == SAM_IN_TURN     ? (uint32_t)c->num_blocks / 2
           : c->level == SAM_MODE_VALS ? 0
                                       : (uint32_t)c->level + 1;
}

/* The levels of a tensor: streams of the same name. */
static uint32_t order_of(const netlist *n, name_id tensor) {
    uint32_t order = 0;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        if (c->mode == NET_MODE_IO_IN && name_eq(c->tensor, tensor) && levels_of(c) > order)
            order = levels_of(c);
    }
    return order;
}

static uint32_t tensor_of(const netlist *n, const net_cell_data *c) {
    uint32_t tensor = (uint32_t)strtoul(names_text(n->names, c->tensor) + 1, NULL, 10);
    BUG_IF(tensor >= PLAY_TENSORS, "tensor %u", tensor);
    return tensor;
}

static uint32_t power(uint32_t extent, uint32_t times) {
    uint32_t out = 1;
    for (uint32_t i = 0; i < times; i++)
        out *= extent;
    return out;
}

/* Whether the pattern has any of the `points` points from `first`. */
static bool any_point(uint64_t pattern, uint32_t first, uint32_t points) {
    for (uint32_t p = first; p < first + points; p++) {
        if (pattern >> p & 1)
            return true;
    }
    return false;
}

/* Adds the blocks of a level, segments and coordinates, or values; SAM_IN_TURN: of all levels, followed by
 values.
 */
static void level_words(uint64_t pattern, uint32_t order, uint32_t extent, int level, arena *mem,
                        u16_vec *out) {
    uint32_t points = power(extent, order);
    for (uint32_t l = 0; level == SAM_IN_TURN && l < order; l++)
        level_words(pattern, order, extent, (int)l, mem, out);
    if (level == SAM_MODE_VALS || level == SAM_IN_TURN) {
        const uint32_t at = out->len;
        vec_push(mem, out, 0);
        for (uint32_t p = 0; p < points; p++) {
            if (order == 0 || (pattern >> p & 1)) /* a scalar is there always */
                vec_push(mem, out, (uint16_t)(p + 1));
        }
        out->at[at] = (uint16_t)(out->len - at - 1);
        return;
    }
    uint32_t below = power(extent, order - (uint32_t)level - 1), fibers = power(extent, (uint32_t)level);
    u16_vec segments = {0}, crd = {0};
    vec_push(mem, &segments, 0);
    for (uint32_t f = 0; f < fibers; f++) {
        uint32_t first = f * below * extent;
        if (level > 0 && !any_point(pattern, first, below * extent))
            continue;
        for (uint32_t c = 0; c < extent; c++) {
            if (any_point(pattern, first + c * below, below))
                vec_push(mem, &crd, (uint16_t)c);
        }
        vec_push(mem, &segments, (uint16_t)crd.len);
    }
    vec_push(mem, out, (uint16_t)segments.len);
    for (uint32_t i = 0; i < segments.len; i++)
        vec_push(mem, out, segments.at[i]);
    vec_push(mem, out, (uint16_t)crd.len);
    for (uint32_t i = 0; i < crd.len; i++)
        vec_push(mem, out, crd.at[i]);
}

/* Whether a repeater met an empty fiber of references: the repeater keeps the stop until the next token, and
 * padding keeps this data from the chip (docs/errata.md). */
typedef struct {
    const netlist *n;
    const cycle_design *design;
    bool **items; /* by net and sink: the last token was no stop */
    bool met;
} empty_repeated;

static void watch_repeaters(void *context, uint64_t cycle, uint32_t net, uint32_t sink,
                            cycle_activity activity, uint32_t token) {
    (void)cycle;
    empty_repeated *e = context;
    const cycle_sink *to = &e->design->nets.at[net].sinks.at[sink];
    if (activity != CYCLE_MOVES || to->port != 0 || e->n->cells.at[to->cell].mode != NET_MODE_REPEAT)
        return;
    e->met |= rtl_is_stop(token) && !e->items[net][sink];
    e->items[net][sink] = !rtl_is_stop(token);
}

static empty_repeated empty_repeated_of(const netlist *n, const cycle_design *design, arena *mem) {
    empty_repeated e = {n, design, arena_new_n(mem, bool *, design->nets.len + 1), false};
    for (uint32_t i = 0; i < design->nets.len; i++)
        e.items[i] = arena_new_n(mem, bool, design->nets.at[i].sinks.len + 1);
    return e;
}

/* Runs a design of the netlist, from reset, on tensors: bit p of pattern[t] means that tensor "Tt" stores
 * point p in storage order; all its levels have `extent` coordinates, their number follows from its streams.
 * *met: an ALU met a stop and a value (streams of different shape), or a repeater an empty fiber. `graph`:
 * prints who waits for whom. */
static cycle_end play_run(const netlist *n, const cycle_design *design, const uint64_t *pattern,
                          uint32_t extent, bool graph, bool *met) {
    arena scratch = {0};
    cycle_model *model = cycle_build(design, &scratch);
    cycle_stream *streams = arena_new_n(&scratch, cycle_stream, n->cells.len + 1);
    uint32_t n_streams = 0;
    uint64_t cycles;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        cycle_stream *s = &streams[n_streams];
        if (c->mode != NET_MODE_IO_IN && c->mode != NET_MODE_IO_OUT)
            continue;
        *s = (cycle_stream){.cell = i, .blocks = c->num_blocks};
        if (c->mode == NET_MODE_IO_IN) {
            u16_vec words = {0};
            level_words(pattern[tensor_of(n, c)], order_of(n, c->tensor), extent, c->level, &scratch, &words);
            s->words = words.at;
            s->length = words.len;
            s->blocks = 0;
        }
        n_streams++;
    }
    empty_repeated repeated = empty_repeated_of(n, design, &scratch);
    cycle_watch(model, watch_repeaters, &repeated);
    cycle_end end = cycle_run(model, streams, n_streams, false, &scratch, &cycles);
    const cycle_hazards *hazards = cycle_hazards_of(model);
    *met = repeated.met;
    for (uint32_t i = 0; i < hazards->len; i++)
        *met |= hazards->at[i].kind == CYCLE_HAZARD_ALU_STOP;
    if (graph && end == CYCLE_STUCK)
        print_message("%s", cycle_wait_graph(model, &scratch));
    arena_free(&scratch);
    return end;
}

/* ---- judging --------------------------------------------------------------------------------- */

static void print_netlist(const netlist *n, const uint32_t *const *pairs, uint32_t all) {
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        const net_cell_data *from = net_cell_at(n, net->source.cell);
        print_message("%s.%u ->", names_text(n->names, from->name), net->source.port);
        for (uint32_t s = 0; s < net->sinks.len; s++)
            print_message(" %s.%u (%u pairs)",
                          names_text(n->names, net_cell_at(n, net->sinks.at[s].cell)->name),
                          net->sinks.at[s].port, pairs ? pairs[i][s] : all);
        print_message("\n");
    }
}

/* The longest fiber of a level. */
static uint32_t longest_of(uint64_t pattern, uint32_t order, uint32_t extent, uint32_t level) {
    const uint32_t below = power(extent, order - level - 1);
    uint32_t longest = 0;
    for (uint32_t f = 0; f < power(extent, level); f++) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < extent; k++)
            here += any_point(pattern, (f * extent + k) * below, below);
        longest = here > longest ? here : longest;
    }
    return longest;
}

/* Longest fiber of any stream: the operands' longest, but up to the extent for a union.
 */
static uint32_t longest_fiber(const netlist *n, const uint64_t *pattern, uint32_t extent) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        if ((c->mode == NET_MODE_INTERSECT && net_config_of(n, c, "intersect_unit_inst_joiner_op")) ||
            (c->mode == NET_MODE_REGION_JOIN && (net_config_of(n, c, "region_join_inst_regions") & 3) == 3))
            return extent;
        if (c->mode != NET_MODE_IO_IN || c->level == SAM_MODE_VALS)
            continue;
        const uint32_t levels = levels_of(c);
        for (uint32_t level = c->level == SAM_IN_TURN ? 0 : levels - 1; level < levels; level++) {
            const uint32_t here = longest_of(pattern[tensor_of(n, c)], order_of(n, c->tensor), extent, level);
            longest = here > longest ? here : longest;
        }
    }
    return longest;
}

uint32_t made_rings(const netlist *n, arena *mem) {
    uint32_t *group = arena_new_n(mem, uint32_t, n->cells.len + 1), rings = 0;
    for (uint32_t i = 0; i <= n->cells.len; i++)
        group[i] = i;
    for (uint32_t k = 0; k < n->nets.len; k++) {
        const net_data *net = &n->nets.at[k];
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            const uint32_t a = group[net->source.cell.v], b = group[net->sinks.at[s].cell.v];
            rings += a == b;
            for (uint32_t i = 0; i <= n->cells.len; i++)
                group[i] = group[i] == b ? a : group[i];
        }
    }
    return rings;
}

static judgement verdict_of(const netlist *n, const uint32_t *const *pairs, uint32_t all, arena *mem) {
    const uint32_t **extra = arena_new_n(mem, const uint32_t *, n->nets.len + 1);
    for (uint32_t i = 0; i < n->nets.len; i++) {
        uint32_t sinks = n->nets.at[i].sinks.len, *tokens = arena_new_n(mem, uint32_t, sinks + 1);
        for (uint32_t s = 0; s < sinks; s++)
            tokens[s] = 2 * (pairs ? pairs[i][s] : all);
        extra[i] = tokens;
    }
    net_liveness found;
    net_deadlock(n, extra, mem, &found);
    return (judgement){.fiber = found.fiber, .undecided = found.undecided, .rings = made_rings(n, mem)};
}

/* Whether the run ends badly for another reason than the room of the design. */
static bool hopeless(const netlist *n, const cycle_design *design, const uint64_t *pattern, uint32_t extent) {
    bool met;
    return play_run(n, design, pattern, extent, false, &met) == CYCLE_STUCK || met;
}

judgement play_judge(const netlist *n, const uint32_t *const *pairs, uint32_t all, uint32_t extent,
                     uint32_t most, prng *random, const char *what) {
    arena scratch = {0};
    judgement j = verdict_of(n, pairs, all, &scratch);
    cycle_design bounded, roomy, unbounded;
    play_design(n, pairs, all, &scratch, &bounded);
    play_design(n, NULL, PLAY_ROOMY, &scratch, &roomy);
    play_design(n, NULL, PLAY_UNBOUNDED, &scratch, &unbounded);
    uint32_t bits[PLAY_TENSORS] = {0}, total = 0;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        if (c->mode == NET_MODE_IO_IN)
            bits[tensor_of(n, c)] = power(extent, order_of(n, c->tensor));
    }
    for (uint32_t t = 0; t < PLAY_TENSORS; t++)
        total += bits[t];
    bool every = total < 32 && 1u << total <= most;
    for (uint32_t run = 0; run < (every ? 1u << total : most); run++) {
        uint64_t pattern[PLAY_TENSORS] = {0}, rest = run;
        uint32_t density = prng_below(random, 5); /* of 4 */
        bool met, empty = true;
        for (uint32_t t = 0; t < PLAY_TENSORS; t++) {
            for (uint32_t b = 0; b < bits[t] && !every; b++)
                pattern[t] |= (uint64_t)(prng_below(random, 4) < density) << b;
            if (every) {
                pattern[t] = rest & ((1ull << bits[t]) - 1);
                rest >>= bits[t];
            }
            empty = empty && !pattern[t];
        }
        j.runs++;
        j.empty += empty;
        if (play_run(n, &bounded, pattern, extent, false, &met) == CYCLE_DONE)
            continue;
        if (hopeless(n, &roomy, pattern, extent) && hopeless(n, &unbounded, pattern, extent)) {
            j.hopeless++;
            continue;
        }
        j.deadlocks++;
        if (!j.undecided && j.fiber >= longest_fiber(n, pattern, extent)) {
            print_netlist(n, pairs, all);
            for (uint32_t t = 0; t < PLAY_TENSORS; t++)
                print_message("T%u: points %llx, extent %u\n", t, (unsigned long long)pattern[t], extent);
            play_run(n, &bounded, pattern, extent, true, &met);
            fail_msg("%s, run %u: stuck, which the analysis excludes (fibers up to %u)", what, run, j.fiber);
        }
    }
    arena_free(&scratch);
    return j;
}
