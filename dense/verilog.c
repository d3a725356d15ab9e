/* A dense design as a netlist: an instance for each node of its array. */
#include "dense/verilog.h"

#include "boards/onyx/fabric.h"
#include "dense/load.h"
#include "dense/run.h"
#include "support/file.h"

enum { FEATURES = 2, REGISTERS = 64, SPACE_WORDS = 46, DIGIT = 4 };

typedef struct {
    FILE *out;
    const dense_design *design;
    const dense_array *array;
    const char **name; /* of a value */
    uint8_t *used;     /* whether a node in use reads the value */
    uint32_t *words;   /* of CONFIG_SPACE: [site][feature][register] */
    arena *mem;
    diagnostics *d;
    bool far, good; /* rows that see the flush late */
} writer;

/* ---- values ------------------------------------------------------------------------------------ */

/* The names of a node's outputs, behind its tile; NULL: none. */
static const char *const outputs[][DENSE_OUTS] = {
    [DENSE_NODE_REGISTER] = {"q"},
    [DENSE_NODE_PE] = {"out0", "bit0"},
    [DENSE_NODE_POND] = {"pond", "pond_bit0", "pond_bit1"},
    [DENSE_NODE_UB] = {"out0", "out1", "bit0", "bit1"},
    [DENSE_NODE_RAM] = {"out0", "bit0", "bit1"},
    [DENSE_NODE_VALID] = {"bit2"},
    [DENSE_NODE_INPUT] = {"word", "bit"},
    [DENSE_NODE_OUTPUT] = {NULL},
};

static bool is_word(const dense_node *n, uint32_t output) {
    const char *name = outputs[n->kind][output];
    return n->kind == DENSE_NODE_REGISTER ? !n->is_bit : !strstr(name, "bit");
}

static bool in_use(const writer *w, const dense_node *n) {
    if (n->kind == DENSE_NODE_OUTPUT)
        return n->in[0] || n->in[1];
    return n->kind != DENSE_NODE_INPUT || w->used[n->out[0]] || w->used[n->out[1]];
}

static void find_used(const writer *w) {
    for (uint32_t i = 0; i < w->array->nodes.len; i++) {
        for (uint32_t k = 0; k < DENSE_INS; k++)
            w->used[w->array->nodes.at[i].in[k]] = 1;
    }
}

static void name_values(const writer *w, const dense_node *n) {
    for (uint32_t o = 0; o < DENSE_OUTS; o++) {
        const uint32_t value = n->out[o];
        if (value && n->kind == DENSE_NODE_REGISTER)
            w->name[value] = arena_printf(w->mem, "x%uy%u_q%u", n->x, n->y, value);
        else if (value)
            w->name[value] = arena_printf(w->mem, "%sx%uy%u_%s", w->used[value] ? "" : "unused_", n->x, n->y,
                                          outputs[n->kind][o]);
    }
}

static const char *word_of(const writer *w, const dense_node *n, uint32_t input) {
    return n->in[input] ? w->name[n->in[input]] : "16'd0";
}

static const char *bit_of(const writer *w, const dense_node *n, uint32_t input) {
    static const char *const constant[] = {"1'b0", "1'b1"};
    return n->in[input] < 2 ? constant[n->in[input]] : w->name[n->in[input]];
}

static void declare(const writer *w, const dense_node *n) {
    for (uint32_t o = 0; o < DENSE_OUTS; o++) {
        if (n->out[o])
            fprintf(w->out, "  logic %s%s;\n", is_word(n, o) ? "[15:0] " : "", w->name[n->out[o]]);
    }
}

/* ---- settings ---------------------------------------------------------------------------------- */

static uint32_t *register_of(const writer *w, uint32_t x, uint32_t y, uint32_t feature, uint32_t number) {
    return &w->words[((y * w->design->board->width + x) * FEATURES + feature) * REGISTERS + number];
}

static void find_words(const writer *w) {
    const bits_stream all = dense_encode(w->design, w->mem);
    for (uint32_t i = 0; i < all.words.len; i++) {
        const uint32_t address = all.words.at[i].address;
        if (bits_feature(address) < FEATURES && bits_reg(address) < REGISTERS)
            *register_of(w, bits_x(address), bits_y(address), bits_feature(address), bits_reg(address)) =
                all.words.at[i].data;
    }
}

/* Prints bits `from` to `from + n - 1` of a tile's CONFIG_SPACE as a number. */
static void write_space(const writer *w, const dense_node *node, uint32_t feature, uint32_t from,
                        uint32_t n) {
    const net_tile kind = pnr_site_tile(w->design->board, node->x, node->y);
    uint32_t space[SPACE_WORDS] = {0};
    for (uint32_t k = from / 32; k <= (from + n - 1) / 32; k++) {
        const bits_field *word =
            bits_find(w->design->map, kind, feature, arena_printf(w->mem, "CONFIG_SPACE_%u", k));
        space[k] = word ? *register_of(w, node->x, node->y, feature, word->reg) : 0;
    }
    fprintf(w->out, "%u'h", n);
    for (uint32_t digit = (n + DIGIT - 1) / DIGIT; digit-- > 0;) {
        uint32_t value = 0;
        for (uint32_t b = digit * DIGIT; b < digit * DIGIT + DIGIT && b < n; b++)
            value |= (space[(from + b) / 32] >> (from + b) % 32 & 1) << b % DIGIT;
        fprintf(w->out, "%x", value);
    }
}

/* ---- instances --------------------------------------------------------------------------------- */

static void begin_cell(const writer *w, const dense_node *n, const char *module, const char *kind) {
    fprintf(w->out, "  %s u_x%uy%u_%s (\n      .clk_i, .rst_ni", module, n->x, n->y, kind);
}

static void write_flush(const writer *w, const dense_node *n) {
    fprintf(w->out, ", .en_i(1'b1), .flush_i(%s),\n      ", n->late ? "flush_far_q" : "flush_i");
}

static void write_pe(const writer *w, const dense_node *n) {
    begin_cell(w, n, "onyx_dense_pe", "pe");
    fputs(", .en_i(1'b1),\n      .inst_i(", w->out);
    write_space(w, n, 0, 1, 84);
    fprintf(w->out, "),\n      .data_i({%s, %s, %s}), .bit_i({%s, %s, %s}),\n", word_of(w, n, 2),
            word_of(w, n, 1), word_of(w, n, 0), bit_of(w, n, 5), bit_of(w, n, 4), bit_of(w, n, 3));
    fprintf(w->out, "      .data_o(%s), .bit_o(%s)\n  );\n", w->name[n->out[0]], w->name[n->out[1]]);
}

static bool is_zero(const uint16_t *words, uint32_t n) {
    bool zero = true;
    for (uint32_t i = 0; words && i < n; i++)
        zero = zero && !words[i];
    return zero;
}

static void refuse_contents(writer *w, const dense_node *n, const char *what) {
    diag_error(w->d, (src_loc){0}, "E0660-not-specialised",
               "tile x%uy%u: %s has contents that the netlist cannot have", n->x, n->y, what);
    diag_hint(w->d, "only a ROM's contents are constants; onyx run --engine rtl runs the configured tiles");
    w->good = false;
}

static void write_pond(writer *w, const dense_node *n) {
    if (!is_zero(n->contents, DENSE_POND_WORDS))
        refuse_contents(w, n, "a Pond");
    begin_cell(w, n, "onyx_dense_pond", "pond");
    write_flush(w, n);
    fputs(".write_i(", w->out);
    write_space(w, n, 1, 271, 271);
    fputs("),\n      .read_i(", w->out);
    write_space(w, n, 1, 0, 271);
    fprintf(w->out, "),\n      .data_i({%s, %s}), .data_o(%s), .bit_o({%s, %s}),\n", word_of(w, n, 1),
            word_of(w, n, 0), w->name[n->out[0]], w->name[n->out[2]], w->name[n->out[1]]);
    fputs("      .word_write_i(1'b0), .word_addr_i(5'd0), .word_i(16'd0)\n  );\n", w->out);
}

static void write_sram_wires(const writer *w, const dense_node *n) {
    fprintf(w->out,
            "  logic x%uy%u_req, x%uy%u_we;\n  logic [8:0] x%uy%u_addr;\n  logic [63:0] x%uy%u_wdata, "
            "x%uy%u_line;\n",
            n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y);
}

static void write_sram_pins(const writer *w, const dense_node *n) {
    fprintf(w->out,
            "      .sram_req_o(x%uy%u_req), .sram_we_o(x%uy%u_we), .sram_addr_o(x%uy%u_addr),\n"
            "      .sram_wdata_o(x%uy%u_wdata), .sram_rdata_i(x%uy%u_line)\n  );\n",
            n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y);
}

static void write_sram(const writer *w, const dense_node *n) {
    fprintf(w->out,
            "  onyx_sram u_x%uy%u_sram (\n      .clk_i, .req_i(x%uy%u_req), .we_i(x%uy%u_we), "
            ".addr_i(x%uy%u_addr),\n      .wdata_i(x%uy%u_wdata), .rdata_o(x%uy%u_line)\n  );\n",
            n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y);
}

static void write_ub(const writer *w, const dense_node *n) {
    write_sram_wires(w, n);
    begin_cell(w, n, "onyx_dense_buffer", "buffer");
    write_flush(w, n);
    fputs(".cfg_i(", w->out);
    write_space(w, n, 0, 0, 1276);
    fprintf(
        w->out,
        "),\n      .data_i({%s, %s}), .chain_i({%s, %s}),\n      .data_o({%s, %s}), .valid_o({%s, %s}),\n",
        word_of(w, n, 1), word_of(w, n, 0), word_of(w, n, 3), word_of(w, n, 2), w->name[n->out[1]],
        w->name[n->out[0]], w->name[n->out[3]], w->name[n->out[2]]);
    write_sram_pins(w, n);
    write_sram(w, n);
}

static void write_valid(const writer *w, const dense_node *n) {
    begin_cell(w, n, "onyx_dense_valid", "valid");
    write_flush(w, n);
    fputs(".cfg_i(", w->out);
    write_space(w, n, 0, 1276, 183);
    fprintf(w->out, "), .bit_o(%s)\n  );\n", w->name[n->out[0]]);
}

/* A ROM: lines that are not 0, by address. */
static void write_rom(const writer *w, const dense_node *n) {
    fprintf(w->out,
            "  logic unused_x%uy%u_write;\n  assign unused_x%uy%u_write = x%uy%u_we ^ (^x%uy%u_wdata);\n"
            "  always_ff @(posedge clk_i) begin\n    if (x%uy%u_req) begin\n      case (x%uy%u_addr)\n",
            n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y, n->x, n->y);
    for (uint32_t line = 0; line < DENSE_LINES; line++) {
        const uint16_t *word = &n->contents[line * DENSE_LANES];
        if (!is_zero(word, DENSE_LANES))
            fprintf(w->out, "        9'd%u: x%uy%u_line <= 64'h%04x%04x%04x%04x;\n", line, n->x, n->y,
                    word[3], word[2], word[1], word[0]);
    }
    fprintf(w->out, "        default: x%uy%u_line <= 64'd0;\n      endcase\n    end\n  end\n", n->x, n->y);
}

static void write_ram(writer *w, const dense_node *n) {
    const bool rom = n->in[3] == 0;
    if (!rom && !is_zero(n->contents, DENSE_LINES * DENSE_LANES))
        refuse_contents(w, n, "a RAM that is written");
    write_sram_wires(w, n);
    fprintf(w->out, "  logic unused_x%uy%u_high;\n  assign unused_x%uy%u_high = ^%s;\n", n->x, n->y, n->x,
            n->y, word_of(w, n, 1));
    begin_cell(w, n, "onyx_dense_ram", "ram");
    fprintf(w->out, ",\n      .ren_i(%s), .wen_i(%s), .addr_i(11'(%s)), .data_i(%s),\n", bit_of(w, n, 2),
            bit_of(w, n, 3), word_of(w, n, 1), word_of(w, n, 0));
    fprintf(w->out, "      .data_o(%s), .ready_o(%s), .valid_o(%s),\n", w->name[n->out[0]],
            w->name[n->out[1]], w->name[n->out[2]]);
    write_sram_pins(w, n);
    if (rom)
        write_rom(w, n);
    else
        write_sram(w, n);
}

/* ---- IO tiles: a FIFO that moves in each cycle ------------------------------------------------- */

static void write_fifo(const writer *w, const dense_node *n, const char *what, const char *in,
                       const char *out) {
    const bool word = strcmp(what, "data") == 0, to_array = n->kind == DENSE_NODE_INPUT;
    const char *cell = arena_printf(w->mem, "%s_%u_%s", to_array ? "in" : "out", n->x, what);
    fprintf(w->out,
            "  logic unused_%s_ready, unused_%s_valid;\n  onyx_fifo2 #(.Width(%u)) u_%s (\n"
            "      .clk_i, .rst_ni, .en_i(1'b1), .flush_i, .in_i({1'b1, %s}), .in_ready_o(unused_%s_ready),\n"
            "      .out_o({unused_%s_valid, %s}), .out_ready_i(1'b1)\n  );\n",
            cell, cell, word ? 16 : 1, cell, in, cell, cell, out);
}

static void write_io(const writer *w, const dense_node *n) {
    const bool to_array = n->kind == DENSE_NODE_INPUT;
    if (to_array) {
        write_fifo(w, n, "data", arena_printf(w->mem, "in_%u_data_i", n->x), w->name[n->out[0]]);
        write_fifo(w, n, "bit", arena_printf(w->mem, "in_%u_bit_i", n->x), w->name[n->out[1]]);
    } else {
        write_fifo(w, n, "data", word_of(w, n, 0), arena_printf(w->mem, "out_%u_data_o", n->x));
        write_fifo(w, n, "bit", bit_of(w, n, 1), arena_printf(w->mem, "out_%u_bit_o", n->x));
    }
}

/* ---- the module -------------------------------------------------------------------------------- */

static void write_ports(const writer *w) {
    fputs(
        "// A configured dense design: units, registers on routes and IO FIFOs, generated from a bitstream, "
        "with\n// the cycles of the configured tiles. onyx_dense_pkg.sv is read before.\n"
        "module onyx_design (\n    input  logic clk_i,\n    input  logic rst_ni,\n    input  logic flush_i",
        w->out);
    for (uint32_t i = 0; i < w->array->nodes.len; i++) {
        const dense_node *n = &w->array->nodes.at[i];
        if (in_use(w, n) && n->kind == DENSE_NODE_INPUT)
            fprintf(w->out, ",\n    input  logic [15:0] in_%u_data_i,\n    input  logic in_%u_bit_i", n->x,
                    n->x);
        if (in_use(w, n) && n->kind == DENSE_NODE_OUTPUT)
            fprintf(w->out, ",\n    output logic [15:0] out_%u_data_o,\n    output logic out_%u_bit_o", n->x,
                    n->x);
    }
    fputs("\n);\n", w->out);
}

static void write_far_flush(const writer *w) {
    if (w->far)
        fprintf(w->out,
                "  // Rows from %u on see the flush a cycle later.\n  logic flush_far_q;\n"
                "  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
                "    if (!rst_ni) flush_far_q <= 1'b0;\n    else flush_far_q <= flush_i;\n  end\n",
                ONYX_NEAR_ROWS + 1);
}

/* Registers on routes, all in a block. */
static void write_registers(const writer *w) {
    static const char *const when[] = {"    if (!rst_ni) begin\n", "    end else begin\n"};
    uint32_t registers = 0;
    for (uint32_t i = 0; i < w->array->nodes.len; i++)
        registers += w->array->nodes.at[i].kind == DENSE_NODE_REGISTER;
    if (!registers)
        return;
    fputs("\n  // Registers on routes.\n  always_ff @(posedge clk_i or negedge rst_ni) begin\n", w->out);
    for (uint32_t k = 0; k < 2; k++) {
        fputs(when[k], w->out);
        for (uint32_t i = 0; i < w->array->nodes.len; i++) {
            const dense_node *n = &w->array->nodes.at[i];
            const char *from = n->is_bit ? k ? bit_of(w, n, 0) : "1'b0" : k ? word_of(w, n, 0) : "16'd0";
            if (n->kind == DENSE_NODE_REGISTER)
                fprintf(w->out, "      %s <= %s;\n", w->name[n->out[0]], from);
        }
    }
    fputs("    end\n  end\n", w->out);
}

static void write_node(writer *w, const dense_node *n) {
    switch (n->kind) {
    case DENSE_NODE_PE:
        write_pe(w, n);
        break;
    case DENSE_NODE_POND:
        write_pond(w, n);
        break;
    case DENSE_NODE_UB:
        write_ub(w, n);
        break;
    case DENSE_NODE_RAM:
        write_ram(w, n);
        break;
    case DENSE_NODE_VALID:
        write_valid(w, n);
        break;
    case DENSE_NODE_INPUT:
    case DENSE_NODE_OUTPUT:
        write_io(w, n);
        break;
    case DENSE_NODE_REGISTER:
    case DENSE_NODE_ALL: /* of marks, never of a design */
        break;
    }
}

static void write_module(writer *w) {
    write_ports(w);
    write_far_flush(w);
    for (uint32_t i = 0; i < w->array->nodes.len; i++) {
        if (in_use(w, &w->array->nodes.at[i]))
            declare(w, &w->array->nodes.at[i]);
    }
    write_registers(w);
    for (uint32_t i = 0; i < w->array->nodes.len; i++) {
        if (in_use(w, &w->array->nodes.at[i]))
            write_node(w, &w->array->nodes.at[i]);
    }
    fputs("endmodule\n", w->out);
}

bool dense_to_verilog(const dense_design *design, const char *path, diagnostics *d) {
    const uint32_t sites = design->board->width * design->board->height;
    dense_array array;
    dense_order order;
    uint32_t ring = 0;
    file_out f;
    writer w = {.design = design, .array = &array, .mem = d->mem, .d = d, .good = true};
    if (!dense_load(design, d, &array))
        return false;
    if (!dense_sort(&array, d->mem, &order, &ring)) {
        dense_report_ring(&array, ring, d);
        return false;
    }
    w.name = arena_new_n(d->mem, const char *, array.values);
    w.used = arena_new_n(d->mem, uint8_t, array.values);
    w.words = arena_new_n(d->mem, uint32_t, sites * FEATURES * REGISTERS);
    find_used(&w);
    find_words(&w);
    for (uint32_t i = 0; i < array.nodes.len; i++) {
        name_values(&w, &array.nodes.at[i]);
        w.far = w.far || array.nodes.at[i].late;
    }
    if (!file_create(&f, path, d->mem, d))
        return false;
    w.out = f.stream;
    write_module(&w);
    if (!w.good)
        file_abandon(&f);
    return w.good && file_commit(&f, d);
}
