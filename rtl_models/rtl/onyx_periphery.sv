// All of the chip around the array: the controller, the tiles of the global buffer, and the wires between them and the
// array's pins. onyx_chip joins both; a simulation may put another form of the array at these pins.
//
// Contract:
// - awaddr_i .. rready_i: the controller's AXI4-Lite port, as of onyx_glc. irq_o is the chip's interrupt.
// - buf_*: the processor's 64-bit port of the buffer: tile in address bits 21:18, an access a cycle, read data the
//   cycle behind. Accesses while array_rst_no is low are lost.
// - Tile t of the buffer feeds and drains columns 2t and 2t+1; column x at data bits [16*x +: 16] and bit x of valid
//   and ready. A stalled column changes nothing here: its IO tile shows its FIFOs, and a load's word is lost.
// - cfg_*: a configuration bus for each tile's columns, bus t at bits [32*t +: 32] and bit t. Words of the tile's
//   chain and of the controller, which pass a register a tile, are or-ed where both come. A read reaches all buses at
//   once, behind words where both come, and the answer comes back without a register: the strobe lasts until the
//   answer has settled.
// - flush_o: group g of four columns sees the pulse of the tile that bits 4g+3 to 4g of the flush crossbar name.
// - The controller's global reset, array_rst_no, is the array's and the buffer's: registers and DMAs, not the memory.
// - A tile's clock runs while both of its clock enables are set, in each cycle with an access of the tile, and on
//   demand while the tile has anything to do; demand_i 0 takes the demand away, as a chip might that owes no clock.
//   With Lazy the enabled clock runs on demand, too: the same results, sooner simulated.
// - A tile's broadcast stall holds the words of its chain, unless its clock always runs.
// - stream_done_i: done pulses of streams that run outside of the buffer, loads below stores; for simulations.
module onyx_periphery #(
    parameter int unsigned Tiles = 16,
    parameter int unsigned Width = 2 * Tiles,
    parameter int unsigned BankWords = 16384,
    parameter bit Lazy = 1'b0,
    localparam int unsigned Groups = (Width + 3) / 4
) (
    input  logic clk_i, rst_ni,
    output logic irq_o,
    // registers, AXI4-Lite
    input  logic awvalid_i, input logic [12:0] awaddr_i, output logic awready_o,
    input  logic wvalid_i, input logic [31:0] wdata_i, output logic wready_o,
    output logic bvalid_o, input logic bready_i,
    input  logic arvalid_i, input logic [12:0] araddr_i, output logic arready_o,
    output logic rvalid_o, output logic [31:0] rdata_o, input logic rready_i,
    // buffer
    input  logic buf_we_i, buf_re_i, input logic [7:0] buf_strb_i, input logic [21:0] buf_addr_i,
    input  logic [63:0] buf_wdata_i, output logic [63:0] buf_rdata_o,
    // array
    output logic                array_rst_no,
    output logic [   Width-1:0] stall_o,
    output logic [  Groups-1:0] flush_o,
    output logic [32*Tiles-1:0] cfg_addr_o,
    output logic [32*Tiles-1:0] cfg_data_o,
    output logic [   Tiles-1:0] cfg_write_o,
    output logic                cfg_read_o,
    input  logic [        31:0] cfg_rdata_i,
    output logic [16*Width-1:0] glb2io_data_o,
    output logic [   Width-1:0] glb2io_valid_o,
    input  logic [   Width-1:0] glb2io_ready_i,
    input  logic [16*Width-1:0] io2glb_data_i,
    input  logic [   Width-1:0] io2glb_valid_i,
    output logic [   Width-1:0] io2glb_ready_o,
    // simulation
    input  logic                demand_i,
    input  logic [        31:0] stream_done_i,
    output logic [        47:0] start_o,         // configuration, stores, loads
    output logic [        47:0] done_o,          // the same order, of the buffer
    output logic [14*Tiles-1:0] collision_o,     // as of onyx_glb_tile
    output logic [ 6*Tiles-1:0] in_use_o
);
  if (Tiles < 1 || Tiles > 16) begin : g_bad
    $error("onyx_periphery: Tiles must be 1..16");
  end
  if (Width < 1 || Width > 2 * Tiles) begin : g_bad_width
    $error("onyx_periphery: Width must be 1..2*Tiles");
  end

  logic [15:0] load_start, store_start, config_start;
  logic [15:0] load_done, store_done, config_done;
  logic [15:0] clk_en, bank_clk_en, cfg_stall;
  logic reg_we, cfg_write;
  logic [11:0] reg_addr;
  logic [31:0] reg_wdata, reg_rdata, stall, crossbar, cfg_addr, cfg_data;

  onyx_glc u_glc (
      .clk_i, .rst_ni, .awaddr_i, .awvalid_i, .awready_o, .wdata_i, .wvalid_i, .wready_o, .bvalid_o, .bready_i,
      .araddr_i, .arvalid_i, .arready_o, .rdata_o, .rvalid_o, .rready_i,
      .glb_reg_we_o     (reg_we),
      .glb_reg_addr_o   (reg_addr),
      .glb_reg_wdata_o  (reg_wdata),
      .glb_reg_rdata_i  (reg_rdata),
      .glb_clk_en_o     (clk_en),
      .glb_bank_clk_en_o(bank_clk_en),
      .glb_cfg_stall_o  (cfg_stall),
      .array_rst_no,
      .stall_o          (stall),
      .flush_crossbar_o (crossbar),
      .cfg_write_o      (cfg_write),
      .cfg_read_o,
      .cfg_addr_o       (cfg_addr),
      .cfg_data_o       (cfg_data),
      .cfg_rdata_i,
      .g2f_start_o      (load_start),
      .f2g_start_o      (store_start),
      .pc_start_o       (config_start),
      .g2f_done_i       (load_done | stream_done_i[15:0]),
      .f2g_done_i       (store_done | stream_done_i[31:16]),
      .pc_done_i        (config_done),
      .irq_o
  );
  assign stall_o = stall[Width-1:0];
  assign start_o = {config_start, store_start, load_start};
  assign done_o  = {config_done, store_done, load_done};

  logic rst_n;
  assign rst_n = rst_ni & array_rst_no;

  // By column, room for an odd one at the right edge.
  logic [32*Tiles-1:0] load_data, store_data;
  logic [2*Tiles-1:0] load_valid, load_ready, store_valid, store_ready;
  assign glb2io_data_o  = load_data[16*Width-1:0];
  assign glb2io_valid_o = load_valid[Width-1:0];
  assign io2glb_ready_o = store_ready[Width-1:0];
  assign load_ready     = (2 * Tiles)'(glb2io_ready_i);
  assign store_valid    = (2 * Tiles)'(io2glb_valid_i);
  assign store_data     = (32 * Tiles)'(io2glb_data_i);

  // From the tiles, by number.
  logic [64*Tiles-1:0] buf_rdata;
  logic [32*Tiles-1:0] tile_rdata;
  logic [15:0] flush;
  // The chain: what enters tile t from the west is at t, its exit eastwards at t + 1. The controller's words beside it.
  // verilator lint_off UNOPTFLAT
  logic [Tiles:0] chain_valid;
  logic [32*Tiles+31:0] chain_addr, chain_data;
  logic [65*Tiles+64:0] words;  // each {write, address, data}
  // verilator lint_on UNOPTFLAT
  assign chain_valid[0]   = 1'b0;
  assign chain_addr[31:0] = 32'd0;
  assign chain_data[31:0] = 32'd0;
  assign words[64:0]      = {cfg_write, cfg_addr, cfg_data};

  for (genvar t = 0; t < Tiles; t++) begin : g_tile
    logic clk, here, we, re, reg_here, access, stirs, enabled;
    logic south_valid;
    logic [31:0] south_addr, south_data;
    logic [64:0] word_q;
    assign here     = buf_addr_i[21:18] == 4'(t);
    assign we       = buf_we_i & here & array_rst_no;
    assign re       = buf_re_i & here & array_rst_no;
    assign reg_here = reg_we & (reg_addr[11:8] == 4'(t));
    assign access   = we | re | reg_here;
    assign enabled  = clk_en[t] & bank_clk_en[t];
    onyx_clock_gate u_gate (
        .clk_i,
        .awake_i(access | ((enabled | demand_i) & stirs) | (enabled & ~Lazy)),
        .clk_o  (clk)
    );
    onyx_glb_tile #(
        .BankWords(BankWords)
    ) u_tile (
        .clk_i            (clk),
        .rst_ni           (rst_n),
        .proc_we_i        (we),
        .proc_re_i        (re),
        .proc_strb_i      (buf_strb_i),
        .proc_addr_i      (buf_addr_i[17:0]),
        .proc_wdata_i     (buf_wdata_i),
        .proc_rdata_o     (buf_rdata[64*t+:64]),
        .reg_we_i         (reg_here),
        .reg_addr_i       (reg_addr[7:0]),
        .reg_wdata_i      (reg_wdata),
        .reg_rdata_o      (tile_rdata[32*t+:32]),
        .ld_start_i       (load_start[t]),
        .st_start_i       (store_start[t]),
        .pc_start_i       (config_start[t]),
        .ld_done_o        (load_done[t]),
        .st_done_o        (store_done[t]),
        .pc_done_o        (config_done[t]),
        .flush_o          (flush[t]),
        .stir_o           (stirs),
        .collision_o      (collision_o[14*t+:14]),
        .in_use_o         (in_use_o[6*t+:6]),
        .even_data_o      (load_data[32*t+:16]),
        .even_valid_o     (load_valid[2*t]),
        .even_ready_i     (load_ready[2*t]),
        .odd_data_o       (load_data[32*t+16+:16]),
        .odd_valid_o      (load_valid[2*t+1]),
        .odd_ready_i      (load_ready[2*t+1]),
        .even_data_i      (store_data[32*t+:16]),
        .even_valid_i     (store_valid[2*t]),
        .even_ready_o     (store_ready[2*t]),
        .odd_data_i       (store_data[32*t+16+:16]),
        .odd_valid_i      (store_valid[2*t+1]),
        .odd_ready_o      (store_ready[2*t+1]),
        .cfg_hold_i       (cfg_stall[t] & ~clk_en[t]),
        .cfg_west_valid_i (chain_valid[t]),
        .cfg_west_addr_i  (chain_addr[32*t+:32]),
        .cfg_west_data_i  (chain_data[32*t+:32]),
        .cfg_south_valid_o(south_valid),
        .cfg_south_addr_o (south_addr),
        .cfg_south_data_o (south_data),
        .cfg_east_valid_o (chain_valid[t+1]),
        .cfg_east_addr_o  (chain_addr[32*t+32+:32]),
        .cfg_east_data_o  (chain_data[32*t+32+:32])
    );

    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) word_q <= 65'd0;
      else word_q <= words[65*t+:65] & {65{words[65*t+64]}};
    end
    assign words[65*t+65+:65]     = word_q;

    assign cfg_write_o[t]         = south_valid | word_q[64];
    assign cfg_addr_o[32*t+:32]   = cfg_write_o[t] ? (south_addr & {32{south_valid}}) | word_q[63:32] : cfg_addr;
    assign cfg_data_o[32*t+:32]   = (south_data & {32{south_valid}}) | word_q[31:0];
  end
  for (genvar t = Tiles; t < 16; t++) begin : g_absent
    assign load_done[t]   = 1'b0;
    assign store_done[t]  = 1'b0;
    assign config_done[t] = 1'b0;
    assign flush[t]       = 1'b0;
  end

  for (genvar g = 0; g < Groups; g++) begin : g_flush
    assign flush_o[g] = flush[crossbar[4*g+:4]];
  end

  // Answers: of the addressed register at once, of the tile that was read last.
  logic [3:0] buf_tile_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) buf_tile_q <= 4'd0;
    else if (buf_re_i) buf_tile_q <= buf_addr_i[21:18];
  end
  always_comb begin
    reg_rdata   = 32'd0;
    buf_rdata_o = 64'd0;
    for (int unsigned t = 0; t < Tiles; t++) begin
      if (reg_addr[11:8] == 4'(t)) reg_rdata = tile_rdata[32*t+:32];
      if (buf_tile_q == 4'(t)) buf_rdata_o = buf_rdata[64*t+:64];
    end
  end

  // The chain's eastern end, and bits of the controller for columns and tiles that are not there.
  logic unused_end;
  assign unused_end = ^{chain_valid[Tiles], chain_addr[32*Tiles+:32], chain_data[32*Tiles+:32],
                        words[65*Tiles+:65], load_data, load_valid, store_ready, stall,
                        crossbar, load_start, store_start, config_start, clk_en, bank_clk_en, cfg_stall};
`include "onyx_assert.svh"
  `ONYX_ASSERT(ResetSilences, array_rst_no || ~|{cfg_write_o, glb2io_valid_o, done_o},
      "the buffer says nothing while the controller resets")
endmodule
