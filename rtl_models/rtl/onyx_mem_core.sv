// Core of a MEM tile in mode 0 (fiber access) and mode 3 (vector reducer, profile onyx-ext): raw configuration words
// in, port FIFOs, the two primitives on one memory.
//
// cfg0_i..cfg3_i are CONFIG_SPACE_0..3. Fields used in mode 0 (bit of the 128): 0 writer on, 16:1 its stop level,
// 17 accumulating write, 18 lowest level, 19 initial blank, 20 compressed, 21 block write, 22 fiber access on,
// 23 reader on, 39:24 its stop level, 40 accumulating read, 41 root, 59 lookup, 92:77 dimension, 93 dense,
// 94 block read, 95 buffet on, 99:96 capacity of ID 1, 103:100 capacity of ID 0. The others have no effect.
// In mode 3: 0 on, 1 bfloat16. Streams: in0 coordinates, in1 values; out0, out1 the same of the sums.
// Streams in mode 0: in0 references, in1 write addresses, in2 blocks from the GLB, in3 write data; out0 blocks to the GLB,
// out1 coordinates or values, out2 positions. Every port has a depth-2 FIFO.
// Contract: with tile_en_i = 0 or another mode nothing is taken, offered or changed.
// sram_*: configuration access, effective with tile_en_i = 1 and en_i = 0 only. Four accesses, in lane order 0..3,
// move one 64-bit word: the fourth write stores; each read shows its lane on sram_rdata_o from the next cycle
// on. Running (en_i = 1) puts the lane counter back to 0.
// hazard_q: what the chip would have got wrong since the last flush, a bit a kind from second-block on in the order of
// rtl_models/cycle/cycle.h (docs/errata.md). No port has it and nothing depends on it: simulators look at it, synthesis
// removes it.
module onyx_mem_core #(
    parameter bit Monitors = 1'b1
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic        tile_en_i,
    input  logic [ 1:0] mode_i,
    input  logic [31:0] cfg0_i,
    input  logic [31:0] cfg1_i,
    input  logic [31:0] cfg2_i,
    input  logic [31:0] cfg3_i,
    input  onyx_pkg::inputs_t in_i,
    output logic [ 3:0] in_ready_o,
    output onyx_pkg::outputs_t out_o,
    input  logic [ 2:0] out_ready_i,
    input  logic        sram_we_i,
    input  logic        sram_re_i,
    input  logic [ 8:0] sram_addr_i,
    input  logic [15:0] sram_wdata_i,
    output logic [15:0] sram_rdata_o
);
  logic on_fiber, on_vector, used, en;
  assign on_fiber  = tile_en_i && (mode_i == 2'd0);
  assign on_vector = tile_en_i && (mode_i == 2'd3) && cfg0_i[0];
  assign used      = on_fiber || on_vector;
  assign en        = en_i && used;

  // Heads of the input FIFOs (h0 .. h3) and tails of the output FIFOs (t0 .. t2).
  onyx_pkg::stream_t h0, h1, h2, h3, t0, t1, t2;
  logic [3:0] head_ready, fiber_in_ready;
  logic [2:0] tail_ready;
  onyx_port_fifos u_ports (
      .clk_i,
      .rst_ni,
      .en_i        (en),
      .flush_i,
      .used_i      (used),
      .in_i,
      .in_ready_o,
      .head_o      ({h3, h2, h1, h0}),
      .head_ready_i(head_ready),
      .tail_i      ({t2, t1, t0}),
      .tail_ready_o(tail_ready),
      .out_o,
      .out_ready_i
  );

  // -- configuration access to the memory --
  logic [1:0] lane_q, read_lane_q;
  logic [15:0] lane0_q, lane1_q, lane2_q;
  logic [63:0] sram_line;
  logic config_access;

  assign config_access = on_fiber && !en_i && (sram_we_i || sram_re_i);
  assign sram_rdata_o  = (read_lane_q == 2'd0) ? sram_line[15:0]
                       : (read_lane_q == 2'd1) ? sram_line[31:16]
                       : (read_lane_q == 2'd2) ? sram_line[47:32] : sram_line[63:48];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lane_q      <= 2'd0;
      read_lane_q <= 2'd0;
      lane0_q     <= 16'd0;
      lane1_q     <= 16'd0;
      lane2_q     <= 16'd0;
    end else if (en_i) begin
      lane_q <= 2'd0;
    end else if (config_access) begin
      lane_q      <= lane_q + 2'd1;
      read_lane_q <= lane_q;
      if (sram_we_i && (lane_q == 2'd0)) lane0_q <= sram_wdata_i;
      if (sram_we_i && (lane_q == 2'd1)) lane1_q <= sram_wdata_i;
      if (sram_we_i && (lane_q == 2'd2)) lane2_q <= sram_wdata_i;
    end
  end

  logic part_on;
  logic [7:0] hazard;
  assign part_on = on_fiber && cfg0_i[22];

  // -- each primitive's side of the shared ports --
  onyx_pkg::stream_t fiber_out0, fiber_out1, fiber_out2, vector_out0, vector_out1;
  logic [1:0] vector_in_ready;
  assign head_ready = on_vector ? {2'd0, vector_in_ready} : fiber_in_ready;
  assign t0         = on_vector ? vector_out0 : fiber_out0;
  assign t1         = on_vector ? vector_out1 : fiber_out1;
  assign t2         = {~on_vector & fiber_out2.valid, fiber_out2.data};

  // The vector reducer has the memory by the port of the configuration bus: a fiber access that stands still.
  logic vector_req, vector_we, vector_hazard, unused_vector_stir;
  logic [8:0] vector_addr;
  logic [63:0] vector_wdata;
  onyx_vector_reduce u_vector_reduce (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en && on_vector),
      .flush_i    (flush_i),
      .bf16_i     (cfg0_i[1]),
      .crd_data_i (h0.data),
      .crd_valid_i(h0.valid),
      .crd_ready_o(vector_in_ready[0]),
      .val_data_i (h1.data),
      .val_valid_i(h1.valid),
      .val_ready_o(vector_in_ready[1]),
      .crd_data_o (vector_out0.data),
      .crd_valid_o(vector_out0.valid),
      .crd_ready_i(tail_ready[0]),
      .val_data_o (vector_out1.data),
      .val_valid_o(vector_out1.valid),
      .val_ready_i(tail_ready[1]),
      .mem_req_o  (vector_req),
      .mem_we_o   (vector_we),
      .mem_addr_o (vector_addr),
      .mem_wdata_o(vector_wdata),
      .mem_rdata_i(sram_line),
      .stir_o     (unused_vector_stir),
      .hazard_o   (vector_hazard)
  );

  logic [1:0] turn_q;
  logic unused_stir;  // for netlists with gated clocks, like the vector reducer's
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 2'd0;
    else if (en) turn_q <= flush_i ? 2'd0 : turn_q + 2'd1;
  end

  onyx_fiber_access u_fiber_access (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .en_i             (en && on_fiber),
      .flush_i          (flush_i),
      .wr_run_i         (part_on && cfg0_i[0]),
      .wr_block_mode_i  (cfg0_i[21]),
      .wr_lowest_level_i(cfg0_i[18]),
      .wr_compressed_i  (cfg0_i[20]),
      .wr_spacc_i       (cfg0_i[17]),
      .wr_init_blank_i  (cfg0_i[19]),
      .wr_stop_lvl_i    (cfg0_i[16:1]),
      .rd_run_i         (part_on && cfg0_i[23]),
      .rd_root_i        (cfg1_i[9]),
      .rd_lookup_i      (cfg1_i[27]),
      .rd_dense_i       (cfg2_i[29]),
      .rd_block_mode_i  (cfg2_i[30]),
      .rd_spacc_i       (cfg1_i[8]),
      .rd_stop_lvl_i    ({cfg1_i[7:0], cfg0_i[31:24]}),
      .rd_dim_size_i    (cfg2_i[28:13]),
      .buffet_run_i     (part_on && cfg2_i[31]),
      .cap_log_0_i      (cfg3_i[7:4]),
      .cap_log_1_i      (cfg3_i[3:0]),
      .pos_in_data_i     (h0.data),
      .pos_in_valid_i    (h0.valid),
      .pos_in_ready_o    (fiber_in_ready[0]),
      .addr_in_data_i    (h1.data),
      .addr_in_valid_i   (h1.valid),
      .addr_in_ready_o   (fiber_in_ready[1]),
      .block_wr_data_i   (h2.data),
      .block_wr_valid_i  (h2.valid),
      .block_wr_ready_o  (fiber_in_ready[2]),
      .data_in_data_i    (h3.data),
      .data_in_valid_i   (h3.valid),
      .data_in_ready_o   (fiber_in_ready[3]),
      .block_rd_data_o   (fiber_out0.data),
      .block_rd_valid_o  (fiber_out0.valid),
      .block_rd_ready_i  (tail_ready[0]),
      .coord_out_data_o  (fiber_out1.data),
      .coord_out_valid_o (fiber_out1.valid),
      .coord_out_ready_i (tail_ready[1]),
      .pos_out_data_o    (fiber_out2.data),
      .pos_out_valid_o   (fiber_out2.valid),
      .pos_out_ready_i   (tail_ready[2]),
      .sram_req_i       (on_vector ? en && !flush_i && vector_req : config_access && (sram_re_i || (lane_q == 2'd3))),
      .sram_we_i        (on_vector ? vector_we : sram_we_i),
      .sram_addr_i      (on_vector ? vector_addr : sram_addr_i),
      .sram_wdata_i     (on_vector ? vector_wdata : {sram_wdata_i, lane2_q, lane1_q, lane0_q}),
      .sram_rdata_o     (sram_line),
      .turn_i           (turn_q),
      .stir_o           (unused_stir),
      .hazard_o         (hazard)
  );

  // Fields of other modes.
  logic unused_cfg;
  assign unused_cfg = &{1'b0, cfg1_i[31:28], cfg1_i[26:10],
                        cfg2_i[12:0], cfg3_i[31:8]};

  generate
    if (Monitors) begin : g_monitors
      logic [8:0] hazard_q  /* verilator public_flat_rd */;
      // A read-out of values bears a sink that stalls a fifth of the time: words sent less four times the cycles
      // waited. A run sends some 1024 words, so what is lower than the least of 13 bits does not come back.
      logic signed [12:0] balance_q, balance_d;
      logic reads_values;
      logic [7:0] now;
      assign now          = on_vector ? {5'd0, vector_hazard, 2'd0} : hazard;
      assign reads_values = on_fiber && cfg1_i[27] && cfg2_i[30];
      always_comb begin
        balance_d = balance_q;
        if (out_o[onyx_pkg::StreamBits-1] && reads_values) begin
          if (!out_ready_i[0] && (balance_q > -13'sd4000)) balance_d = balance_q - 13'sd4;
          else if (out_ready_i[0] && (balance_q < 13'sd4000)) balance_d = balance_q + 13'sd1;
        end
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          hazard_q  <= 9'd0;
          balance_q <= 13'sd0;
        end else if (en) begin
          hazard_q  <= flush_i ? 9'd0 : {balance_d[12], hazard_q[7:0] | now};
          balance_q <= flush_i ? 13'sd0 : balance_d;
        end
      end
    end
  endgenerate
endmodule
