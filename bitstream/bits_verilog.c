/* A design as a SystemVerilog netlist: the primitives of rtl_models between their port FIFOs, joined by plain
 * wires where a route is bypassed and by SplitFIFOs where it is registered. Every configuration bit has
 * become a constant or a wire, so the cycles are those of the configured tiles at a fraction of the work.
 *
 * A node of a net is its source or one of its hops. A node offers data and valid; its ready is the AND of the
 * readies of the hops and sinks it feeds. Only the source gates valid with ready, as the tiles do.
 */
#include "bitstream/bits_int.h"
#include "bitstream/bits_primitives.h"
#include "boards/onyx/fabric.h"

typedef struct {
    const pnr_design *design;
    const bits_map *map;
    const bits_verilog_options *how;
    diagnostics *d;
    arena scratch;
    FILE *out;
    bool good;
} writer;

/* ---- names ----------------------------------------------------------------------------------- */

static pnr_site site_of(const writer *w, net_cell cell) {
    return w->design->site.at[cell.v - 1];
}

static const char *cell_name(writer *w, net_cell cell) {
    pnr_site at = site_of(w, cell);
    return arena_printf(&w->scratch, "x%uy%u", at.x, at.y);
}

static const char *hop_name(writer *w, const pnr_hop *h) {
    static const char letter[4] = {'e', 's', 'w', 'n'};
    return arena_printf(&w->scratch, "x%uy%u_%c%u", h->x, h->y, letter[h->side], h->track);
}

/* Names node `hop` of a net, or its source. */
static const char *node_name(writer *w, uint32_t net, uint32_t hop) {
    net_pin source = w->design->net->nets.at[net].source;
    if (hop != PNR_NO_HOP)
        return hop_name(w, &w->design->route.at[net].hops.at[hop]);
    return arena_printf(&w->scratch, "%s_out%u", cell_name(w, source.cell), source.port);
}

static bool is_far(const writer *w, net_cell cell) {
    return site_of(w, cell).y > ONYX_NEAR_ROWS;
}

static const char *flush_of(const writer *w, net_cell cell) {
    return is_far(w, cell) ? "flush_far_q" : "flush_i";
}

/* Returns the clock and the enable of a cell's registers: a gated clock, or the enable alone. */
static const char *clocked(writer *w, net_cell cell) {
    const char *name = cell_name(w, cell);
    return w->how->enables ? arena_printf(&w->scratch, ".clk_i, .rst_ni, .en_i(%s_awake)", name)
                           : arena_printf(&w->scratch, ".clk_i(%s_clk), .rst_ni, .en_i(1'b1)", name);
}

/* Names the stream at an IO column, for the names of its ports. */
static const char *port_name(writer *w, bool output, uint32_t x) {
    if (w->how->port)
        return w->how->port[x];
    return arena_printf(&w->scratch, "%s_%u", output ? "out" : "in", x);
}

static void declare_stream(writer *w, const char *name) {
    fprintf(w->out, "  onyx_pkg::stream_t %s;\n  logic %s_ready;\n", name, name);
}

/* ---- who listens ----------------------------------------------------------------------------- */

/* Returns whether any net drives, or is driven by, a port. */
static bool output_used(const writer *w, net_cell cell, uint32_t port) {
    const netlist *n = w->design->net;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        if (n->nets.at[i].source.cell.v == cell.v && n->nets.at[i].source.port == port)
            return true;
    }
    return false;
}

static bool input_used(const writer *w, net_cell cell, uint32_t port) {
    const netlist *n = w->design->net;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        for (uint32_t k = 0; k < n->nets.at[i].sinks.len; k++) {
            if (n->nets.at[i].sinks.at[k].cell.v == cell.v && n->nets.at[i].sinks.at[k].port == port)
                return true;
        }
    }
    return false;
}

static const char *sink_name(writer *w, uint32_t net, uint32_t sink) {
    net_pin pin = w->design->net->nets.at[net].sinks.at[sink];
    return arena_printf(&w->scratch, "%s_in%u", cell_name(w, pin.cell), pin.port);
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* Writes the ready of a node: the AND over its fan-out. The taking side of a hop with a register is called
 * NAME_take. */
static void write_ready(writer *w, uint32_t net, uint32_t node) {
    const pnr_route *route = &w->design->route.at[net];
    const char *and = "";
    fprintf(w->out, "  assign %s_ready = ", node_name(w, net, node));
    for (uint32_t i = 0; i < route->hops.len; i++) {
        if (route->hops.at[i].parent != node)
            continue;
        fprintf(w->out, "%s%s_%s", and, hop_name(w, &route->hops.at[i]),
                route->hops.at[i].registered ? "take" : "ready");
        and = " & ";
    }
    for (uint32_t i = 0; i < route->sinks.len; i++) {
        if (route->sinks.at[i].hop != node)
            continue;
        fprintf(w->out, "%s%s_ready", and, sink_name(w, net, i));
        and = " & ";
    }
    fprintf(w->out, "%s;\n", *and? "" : "1'b1");
}

static void write_hop(writer *w, uint32_t net, uint32_t index) {
    const pnr_hop *h = &w->design->route.at[net].hops.at[index];
    const char *name = hop_name(w, h), *from = node_name(w, net, h->parent);
    declare_stream(w, name);
    if (!h->registered) {
        fprintf(w->out, "  assign %s = %s;\n", name, from);
        return;
    }
    fprintf(w->out,
            "  logic %s_take;\n"
            "  onyx_split_fifo u_%s (\n"
            "      .clk_i, .rst_ni, .ce_i(1'b1), .fifo_i(1'b1), .start_i(1'b%u), .end_i(1'b%u),\n"
            "      .in_i(%s), .in_ready_o(%s_take), .out_o(%s), .out_ready_i(%s_ready)\n"
            "  );\n",
            name, name, h->fifo_start, h->fifo_end, from, name, name, name);
}

static void write_net(writer *w, uint32_t net) {
    const pnr_route *route = &w->design->route.at[net];
    fprintf(w->out, "\n  // %s\n", node_name(w, net, PNR_NO_HOP));
    for (uint32_t i = 0; i < route->hops.len; i++)
        write_hop(w, net, i);
    for (uint32_t i = 0; i < route->sinks.len; i++) {
        const char *to = sink_name(w, net, i), *from = node_name(w, net, route->sinks.at[i].hop);
        fprintf(w->out, "  assign %s = %s;\n", to, from);
    }
    write_ready(w, net, PNR_NO_HOP);
    for (uint32_t i = 0; i < route->hops.len; i++)
        write_ready(w, net, i);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Writes the depth-2 FIFO of a core's port, from stream `in` to stream `out`; `queued`: the stream inside, if
 * different from `out`. */
static void write_fifo(writer *w, const char *instance, net_cell cell, const char *in, const char *queued,
                       const char *out) {
    fprintf(w->out,
            "  onyx_fifo2 u_%s (\n      %s, .flush_i(%s),\n"
            "      .in_i(%s), .in_ready_o(%s_ready), .out_o(%s), .out_ready_i(%s_ready)\n  );\n",
            instance, clocked(w, cell), flush_of(w, cell), in, in, queued, out);
}

/* Declares and names the stream of a cell's port: x1y1_head0. */
static const char *port_stream(writer *w, net_cell cell, const char *what, uint32_t port) {
    const char *name = arena_printf(&w->scratch, "%s_%s%u", cell_name(w, cell), what, port);
    declare_stream(w, name);
    return name;
}

/* An input port: the net's stream x1y1_in0 goes through the FIFO to the primitive's x1y1_head0. */
static void write_input(writer *w, net_cell cell, uint32_t port) {
    const char *in = port_stream(w, cell, "in", port), *head = port_stream(w, cell, "head", port);
    write_fifo(w, in, cell, in, head, head);
}

/* An output port is a source: its valid waits for the ready of its whole fan-out. */
static void write_output(writer *w, net_cell cell, uint32_t port) {
    const char *tail = port_stream(w, cell, "tail", port), *out = port_stream(w, cell, "out", port);
    const char *queued = arena_printf(&w->scratch, "%s_held", out);
    fprintf(w->out, "  onyx_pkg::stream_t %s;\n", queued);
    write_fifo(w, out, cell, tail, queued, out);
    fprintf(w->out, "  assign %s = {%s.valid & %s_ready, %s.data};\n", out, queued, out, queued);
}

/* Returns `n` bits, at most 32, of a cell's CONFIG_SPACE from bit `lo` on. */
static uint32_t space_bits(const pnr_design *design, const bits_map *map, const net_cell_data *cell,
                           uint32_t lo, uint32_t n) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < cell->config.len; i++) {
        const bits_field *f = bits_find(map, net_mode_table[cell->mode].tile, 0,
                                        names_text(design->net->names, cell->config.at[i].field));
        if (!f || !f->space || f->lo >= lo + n || f->hi < lo)
            continue;
        const uint64_t value = cell->config.at[i].value & UINT64_MAX >> (63 - (f->hi - f->lo));
        bits |= f->lo >= lo ? value << (f->lo - lo) : value >> (lo - f->lo);
    }
    return (uint32_t)(bits & ((UINT64_C(1) << n) - 1));
}

uint32_t bits_core_space(const pnr_design *design, const bits_map *map, net_cell cell, uint32_t word) {
    return space_bits(design, map, net_cell_at(design->net, cell), word * 32, 32);
}

static const char *mode_field(writer *w, const net_cell_data *cell, const char *name) {
    return arena_printf(&w->scratch, "%s%s", net_mode_table[cell->mode].prefix, name);
}

/* Writes the constant at a module's input, as "84'h...". */
static void write_constant(writer *w, const net_cell_data *cell, const bits_config_port *c) {
    net_tile tile = net_mode_table[cell->mode].tile;
    const char *first = mode_field(w, cell, c->from), *last = mode_field(w, cell, c->to);
    const bits_field *from = bits_find(w->map, tile, 0, first), *to = bits_find(w->map, tile, 0, last);
    bool plain =
        !w->map->others.len && !pnr_board_extended(w->design->board); /* the board has a single profile */
    if (!from && !to &&
        (plain || bits_is_elsewhere(w->map, tile, first))) { /* this profile lacks the register */
        fprintf(w->out, ",\n      .%s('0)", c->port);
        return;
    }
    BUG_IF(!from || !to, "no field %s or %s", first, last);
    uint32_t width = to->hi - from->lo + 1u;
    fprintf(w->out, ",\n      .%s(%u'h", c->port, width);
    for (uint32_t digit = (width + 3) / 4; digit-- > 0;) {
        const uint32_t n = digit * 4 + 4 > width ? width - digit * 4 : 4;
        fprintf(w->out, "%x", space_bits(w->design, w->map, cell, from->lo + digit * 4, n));
    }
    fputs(")", w->out);
}

/* Declares the stream of a port without a net: an input is never valid, and an output is always taken; lint
 * asks for names of open signals. */
static void declare_unused(writer *w, const char *name, uint32_t port, bool input) {
    if (input)
        fprintf(w->out, "  logic unused_%s_head%u_ready;\n", name, port);
    else
        fprintf(w->out, "  onyx_pkg::stream_t unused_%s_tail%u;\n", name, port);
}

static void write_head(writer *w, const char *port, const char *name, uint32_t number, bool used) {
    const char *head = arena_printf(&w->scratch, "%s_head%u", name, number);
    fprintf(w->out, ",\n      .%s_i(%s), .%s_ready_o(%s%s_ready)", port, used ? head : "18'd0", port,
            used ? "" : "unused_", head);
}

static void write_tail(writer *w, const char *port, const char *name, uint32_t number, bool used) {
    const char *tail = arena_printf(&w->scratch, "%s_tail%u", name, number);
    fprintf(w->out, ",\n      .%s_o(%s%s), .%s_ready_i(%s%s)", port, used ? "" : "unused_", tail, port,
            used ? tail : "1'b1", used ? "_ready" : "");
}

static void declare_ports(writer *w, net_cell cell, const bits_primitive *p) {
    const char *name = cell_name(w, cell);
    for (uint32_t port = 0; port < 4 && p->in[port]; port++) {
        if (input_used(w, cell, port))
            write_input(w, cell, port);
        else
            declare_unused(w, name, port, true);
    }
    for (uint32_t port = 0; port < 3 && p->out[port]; port++) {
        if (output_used(w, cell, port))
            write_output(w, cell, port);
        else
            declare_unused(w, name, port, false);
    }
}

static uint32_t count_hazards(const net_cell_data *cell) {
    const bits_primitive *p = &bits_primitives[cell->mode];
    uint32_t n = 0;
    while (p->hazard[n] != HAZARD_NONE)
        n++;
    return n;
}

/* Writes the condition of a word moving into or out of the FIFO from stream `in` to `out`, with contents
 * `queued`. */
static void write_moves(writer *w, const char *name, const char *in, const char *queued, const char *out,
                        uint32_t port) {
    fprintf(w->out, " |\n      (%s_%s%u.valid & %s_%s%u_ready) | (%s_%s%u%s.valid & %s_%s%u_ready)", name, in,
            port, name, in, port, name, out, port, queued, name, out, port);
}

/* The core's clock runs in cycles with a possible change: in a flush, when a word moves at a port, or on
 * request of the primitive. Most cores rest most of the time, and a stopped clock costs a simulator nothing.
 */
static void write_clock(writer *w, net_cell cell, const bits_primitive *p) {
    const char *name = cell_name(w, cell);
    fprintf(w->out, "  assign %s_awake = %s", name, flush_of(w, cell));
    if (p->stirs)
        fprintf(w->out, " | %s_stir", name);
    for (uint32_t port = 0; port < 4 && p->in[port]; port++) {
        if (input_used(w, cell, port))
            write_moves(w, name, "in", "", "head", port);
    }
    for (uint32_t port = 0; port < 3 && p->out[port]; port++) {
        if (output_used(w, cell, port))
            write_moves(w, name, "tail", "_held", "out", port);
    }
    fputs(";\n", w->out);
    if (!w->how->enables)
        fprintf(w->out, "  onyx_clock_gate u_%s_clk (.clk_i, .awake_i(%s_awake), .clk_o(%s_clk));\n", name,
                name, name);
}

/* Connects a module's monitors to x1y1_hazard[], in the order of the table. */
static void write_watch(writer *w, const net_cell_data *data, const char *name) {
    const bits_primitive *p = &bits_primitives[data->mode];
    if (p->watch[0] && !p->watch[1])
        fprintf(w->out, ",\n      .%s(%s_hazard)", p->watch[0], name);
    for (int i = 0; i < 3 && p->watch[1] && p->watch[i]; i++)
        fprintf(w->out, ",\n      .%s(%s_hazard[%d])", p->watch[i], name, i);
}

static void write_core(writer *w, net_cell cell, const net_cell_data *data) {
    const bits_primitive *p = &bits_primitives[data->mode];
    const char *name = cell_name(w, cell);
    fprintf(w->out, "\n  // %s: %s\n  logic %s_awake;\n", name, net_mode_table[data->mode].name, name);
    if (!w->how->enables)
        fprintf(w->out, "  logic %s_clk;\n", name);
    declare_ports(w, cell, p);
    if (p->stirs)
        fprintf(w->out, "  logic %s_stir;\n", name);
    if (data->mode == NET_MODE_FIBER_ACCESS)
        fprintf(w->out, "  logic [63:0] unused_%s_sram;\n", name);
    if (count_hazards(data))
        fprintf(w->out, "  logic [%u:0] %s_hazard;\n", count_hazards(data) - 1, name);
    fprintf(w->out, "  %s u_%s (\n      %s, .flush_i(%s)", p->module, name, clocked(w, cell),
            flush_of(w, cell));
    for (const bits_config_port *c = p->config; c->port; c++)
        write_constant(w, data, c);
    for (uint32_t port = 0; port < 4 && p->in[port]; port++)
        write_head(w, p->in[port], name, port, input_used(w, cell, port));
    for (uint32_t port = 0; port < 3 && p->out[port]; port++)
        write_tail(w, p->out[port], name, port, output_used(w, cell, port));
    if (data->mode == NET_MODE_FIBER_ACCESS)
        fprintf(w->out,
                ",\n      .sram_req_i(1'b0), .sram_we_i(1'b0), .sram_addr_i(9'd0), .sram_wdata_i(64'd0),\n"
                "      .sram_rdata_o(unused_%s_sram), .turn_i(turn%s_q)",
                name, is_far(w, cell) ? "_far" : "");
    if (p->stirs)
        fprintf(w->out, ",\n      .stir_o(%s_stir)", name);
    write_watch(w, data, name);
    fputs("\n  );\n", w->out);
    write_clock(w, cell, p);
}

/* Writes an IO tile, a FIFO of 16 bits: the array adds a control bit 0 on the way in, and drops the bit on
 * the way out. */
static void write_io(writer *w, net_cell cell, const net_cell_data *data) {
    const char *name = cell_name(w, cell);
    const char *port = port_name(w, data->output, site_of(w, cell).x);
    fprintf(w->out, "\n  // %s: %s\n", name, net_mode_table[data->mode].name);
    const char *stream = arena_printf(&w->scratch, data->output ? "%s_in0" : "%s_out0", name);
    declare_stream(w, stream);
    if (data->output) {
        fprintf(w->out,
                "  onyx_fifo2 #(.Width(16)) u_%s (\n      .clk_i, .rst_ni, .en_i(1'b1), .flush_i,\n"
                "      .in_i({%s.valid, %s.data[15:0]}), .in_ready_o(%s_ready),\n"
                "      .out_o({%s_valid_o, %s_data_o}), .out_ready_i(%s_ready_i)\n  );\n"
                "  logic unused_%s;\n  assign unused_%s = %s.data[16];\n",
                name, stream, stream, stream, port, port, port, name, name, stream);
        return;
    }
    fprintf(w->out,
            "  logic [16:0] %s_held;\n"
            "  onyx_fifo2 #(.Width(16)) u_%s (\n      .clk_i, .rst_ni, .en_i(1'b1), .flush_i,\n"
            "      .in_i({%s_valid_i, %s_data_i}), .in_ready_o(%s_ready_o),\n"
            "      .out_o(%s_held), .out_ready_i(%s_ready)\n  );\n"
            "  assign %s = {%s_held[16] & %s_ready, 1'b0, %s_held[15:0]};\n",
            stream, name, port, port, port, stream, stream, stream, stream, stream, stream);
}

/* ---- designs without a netlist ------------------------------------------------------------- */

static void refuse(writer *w, const net_cell_data *cell, pnr_site at, const char *what) {
    diag_error(w->d, cell->loc, "E0660-not-specialised", "tile x%uy%u: %s", at.x, at.y, what);
    diag_hint(w->d,
              "only sparse designs whose cores are enabled have a netlist; run the configured array instead");
    w->good = false;
}

static uint32_t config_value(const writer *w, const net_cell_data *cell, const char *name) {
    for (uint32_t i = 0; i < cell->config.len; i++) {
        if (!strcmp(names_text(w->design->net->names, cell->config.at[i].field), name))
            return cell->config.at[i].value;
    }
    return 0;
}

/* Register fields other than mode and tile_en override handshakes or belong to dense mode. */
static void check_cell(writer *w, const net_cell_data *cell, pnr_site at) {
    net_tile tile = net_mode_table[cell->mode].tile;
    for (uint32_t i = 0; i < cell->config.len; i++) {
        const char *name = names_text(w->design->net->names, cell->config.at[i].field);
        const bits_field *f = bits_find(w->map, tile, 0, name);
        bool plain = !strcmp(name, "mode") || !strcmp(name, "tile_en") || (f && f->space);
        if (cell->config.at[i].value && !plain)
            refuse(w, cell, at, arena_printf(w->d->mem, "field %s overrides the sparse handshake", name));
    }
    if (tile == NET_TILE_IO)
        return;
    const char *enable = mode_field(w, cell, "tile_en");
    if (!bits_primitives[cell->mode].module)
        refuse(w, cell, at,
               arena_printf(w->d->mem, "mode %s has no primitive", net_mode_table[cell->mode].name));
    else if (!config_value(w, cell, enable))
        refuse(w, cell, at, arena_printf(w->d->mem, "field %s is 0, so the core never works", enable));
}

/* ---- the module ------------------------------------------------------------------------------ */

static bool has_far_rows(const writer *w) {
    bool far = false;
    for (uint32_t i = 0; i < w->design->site.len; i++)
        far |= w->design->site.at[i].y > ONYX_NEAR_ROWS;
    return far;
}

static uint32_t count_all_hazards(const netlist *n) {
    uint32_t hazards = 0;
    for (uint32_t i = 0; i < n->cells.len; i++)
        hazards += count_hazards(&n->cells.at[i]);
    return hazards;
}

/* Names hazard `index` of the design: x1y1_hazard[2]. */
static const char *hazard_name(writer *w, uint32_t index) {
    const netlist *n = w->design->net;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        uint32_t count = count_hazards(&n->cells.at[i]);
        if (index < count)
            return arena_printf(&w->scratch, "%s_hazard[%u]", cell_name(w, (net_cell){i + 1}), index);
        index -= count;
    }
    return "1'b0";
}

/* Bit h of the hazard words is set if hazard h has been raised since the last flush; hazards are counted over
 * all cells in order, 32 to a word. */
static void write_hazards(writer *w) {
    fputs("\n  // What the chip would have got wrong since the last flush.\n", w->out);
    for (uint32_t word = 0; word * 32 < count_all_hazards(w->design->net); word++) {
        fprintf(w->out, "  logic [31:0] hazard_%u;\n  assign hazard_%u = {", word, word);
        for (uint32_t bit = 32; bit-- > 0;)
            fprintf(w->out, "%s%s", hazard_name(w, word * 32 + bit), bit ? ", " : "};\n");
        fprintf(w->out,
                "  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
                "    if (!rst_ni) hazard_%u_o <= 32'd0;\n"
                "    else hazard_%u_o <= %s ? 32'd0 : hazard_%u_o | hazard_%u;\n  end\n",
                word, word, has_far_rows(w) ? "(flush_i | flush_far_q)" : "flush_i", word, word);
    }
}

static void write_ports(writer *w) {
    fprintf(w->out,
            "module %s (\n    input  logic clk_i,\n    input  logic rst_ni,\n    input  logic flush_i",
            w->how->module ? w->how->module : "onyx_design");
    for (uint32_t i = 0; i < w->design->net->cells.len; i++) {
        const net_cell_data *cell = &w->design->net->cells.at[i];
        if (net_mode_table[cell->mode].tile != NET_TILE_IO)
            continue;
        const char *port = port_name(w, cell->output, w->design->site.at[i].x);
        if (cell->output)
            fprintf(w->out,
                    ",\n    output logic [15:0] %s_data_o,\n    output logic %s_valid_o,\n"
                    "    input  logic %s_ready_i",
                    port, port, port);
        else
            fprintf(w->out,
                    ",\n    input  logic [15:0] %s_data_i,\n    input  logic %s_valid_i,\n"
                    "    output logic %s_ready_o",
                    port, port, port);
    }
    for (uint32_t word = 0; word * 32 < count_all_hazards(w->design->net); word++)
        fprintf(w->out, ",\n    output logic [31:0] hazard_%u_o", word);
    fputs("\n);\n", w->out);
}

/* The turns of the memories' ports count on while cores rest. */
static void write_turns(writer *w, const char *name, const char *flush) {
    fprintf(w->out,
            "  logic [1:0] %s;\n  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
            "    if (!rst_ni) %s <= 2'd0;\n    else %s <= %s ? 2'd0 : %s + 2'd1;\n  end\n",
            name, name, name, flush, name);
}

static bool has_memories(const writer *w, bool far) {
    bool found = false;
    for (uint32_t i = 0; i < w->design->net->cells.len; i++)
        found |=
            w->design->net->cells.at[i].mode == NET_MODE_FIBER_ACCESS && is_far(w, (net_cell){i + 1}) == far;
    return found;
}

static void write_flush(writer *w) {
    if (has_far_rows(w))
        fprintf(w->out,
                "  // Rows from %u on see flush one cycle later.\n  logic flush_far_q;\n"
                "  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
                "    if (!rst_ni) flush_far_q <= 1'b0;\n    else flush_far_q <= flush_i;\n  end\n",
                ONYX_NEAR_ROWS + 1);
    if (has_memories(w, false))
        write_turns(w, "turn_q", "flush_i");
    if (has_memories(w, true))
        write_turns(w, "turn_far_q", "flush_far_q");
}

static void write_module(writer *w) {
    const netlist *n = w->design->net;
    fputs("// A configured design: primitives, port FIFOs and routes, generated from a bitstream. Same "
          "cycles as the\n"
          "// configured array. A word moves at an edge with valid and ready. onyx_pkg.sv is read before.\n",
          w->out);
    write_ports(w);
    write_flush(w);
    for (uint32_t i = 0; i < n->cells.len; i++) {
        net_cell cell = {i + 1};
        if (net_mode_table[n->cells.at[i].mode].tile == NET_TILE_IO)
            write_io(w, cell, &n->cells.at[i]);
        else
            write_core(w, cell, &n->cells.at[i]);
    }
    for (uint32_t i = 0; i < n->nets.len; i++)
        write_net(w, i);
    write_hazards(w);
    fputs("endmodule\n", w->out);
}

bool bits_check_sparse(const pnr_design *design, const bits_map *map, diagnostics *d) {
    writer w = {.design = design, .map = map, .d = d, .good = true};
    for (uint32_t i = 0; i < design->net->cells.len; i++)
        check_cell(&w, &design->net->cells.at[i], design->site.at[i]);
    arena_free(&w.scratch);
    return w.good;
}

bool bits_to_verilog(const pnr_design *design, const bits_map *map, const bits_verilog_options *how,
                     const char *path, diagnostics *d) {
    writer w = {.design = design, .map = map, .how = how, .d = d, .good = true};
    file_out f;
    if (!bits_check_sparse(design, map, d) || !file_create(&f, path, d->mem, d))
        return false;
    w.out = f.stream;
    write_module(&w);
    arena_free(&w.scratch);
    return file_commit(&f, d);
}

static void list_columns(writer *w, const bool *driven, const char *name, bool output) {
    fprintf(w->out, "#define %s(X)", name);
    for (uint32_t x = 0; x < w->design->board->width; x++) {
        for (uint32_t i = 0; i < w->design->net->cells.len; i++) {
            const net_cell_data *cell = &w->design->net->cells.at[i];
            if (net_mode_table[cell->mode].tile == NET_TILE_IO && cell->output == output &&
                w->design->site.at[i].x == x && (!driven || driven[x]))
                fprintf(w->out, " X(%u)", x);
        }
    }
    fputc('\n', w->out);
}

void bits_monitors_of(const pnr_design *design, arena *mem, bits_monitors *out) {
    writer w = {.design = design};
    for (uint32_t i = 0; i < design->net->cells.len; i++) {
        const net_cell_data *cell = &design->net->cells.at[i];
        for (uint32_t k = 0; k < count_hazards(cell); k++)
            vec_push(mem, out,
                     ((bits_monitor){bits_hazard_names[bits_primitives[cell->mode].hazard[k]],
                                     arena_printf(mem, "%s %s", cell_name(&w, (net_cell){i + 1}),
                                                  net_mode_table[cell->mode].name)}));
    }
    arena_free(&w.scratch);
}

bool bits_write_ports(const pnr_design *design, const bool *driven, const char *path, diagnostics *d) {
    writer w = {.design = design, .d = d, .good = true};
    bits_monitors monitors = {0};
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    bits_monitors_of(design, &w.scratch, &monitors);
    w.out = f.stream;
    fputs("/* Ports of onyx_design.sv; generated beside it. */\n", w.out);
    list_columns(&w, driven, "ONYX_INPUTS", false);
    list_columns(&w, driven, "ONYX_OUTPUTS", true);
    fputs("#define ONYX_HAZARD_WORDS(X)", w.out);
    for (uint32_t word = 0; word * 32 < monitors.len; word++)
        fprintf(w.out, " X(%u)", word);
    fputs("\n#define ONYX_HAZARDS(X)", w.out);
    for (uint32_t i = 0; i < monitors.len; i++)
        fprintf(w.out, " \\\n    X(\"%s\", \"%s\")", monitors.at[i].kind, monitors.at[i].tile);
    fputc('\n', w.out);
    arena_free(&w.scratch);
    return file_commit(&f, d);
}
