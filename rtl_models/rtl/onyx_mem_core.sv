// The primitives of a MEM tile, the fiber access and the vector or matrix reducer (profile onyx-ext), on one memory,
// between the heads of the tile's input FIFOs and the tails of its output FIFOs (onyx_core).
//
// Streams of the fiber access: in0 references, in1 write addresses, in2 blocks from the GLB, or of other tiles on the
// way there, in3 write data; out0 blocks to the GLB, out1 coordinates or values, out2 positions. Of the reducers: in0
// coordinates, in1 values, in2 the outer coordinates of matrices; out0 to out2 the same of the sums. Fields of
// CONFIG_SPACE that are not read here have no effect.
// Contract: with used_i = 0 nothing is taken, offered or changed; hazard_o: what is at fault in this cycle, a bit a
// kind. sram_*: configuration access, effective with used_i = 1, the mode of the fiber access and en_i = 0 only. Four
// accesses, in lane order 0..3, move one 64-bit word: the fourth write stores; each read shows its lane on sram_rdata_o
// from the next cycle on. Running (en_i = 1) puts the lane counter back to 0.
module onyx_mem_core (
    input  logic clk_i, rst_ni, en_i, flush_i, used_i,
    input  logic [2:0] mode_i,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [127:0] space_i,
    // verilator lint_on UNUSEDSIGNAL
    input  onyx_pkg::inputs_t head_i, output logic [3:0] head_ready_o,
    output onyx_pkg::outputs_t tail_o, input  logic [2:0] tail_ready_i,
    output logic [8:0] hazard_o,
    input  logic sram_we_i, sram_re_i,
    input  logic [8:0] sram_addr_i,
    input  logic [15:0] sram_wdata_i,
    output logic [15:0] sram_rdata_o
);
  logic on_fiber, on_vector, en;
  assign on_fiber  = used_i && (mode_i == 3'(onyx_fabric_pkg::MEM_MODE_FIBER_ACCESS_16));
  assign on_vector = used_i && (mode_i == 3'(onyx_fabric_pkg::MEM_MODE_VEC_REDUCE));
  assign en        = en_i && used_i;

  onyx_pkg::stream_t h0, h1, h2, h3;
  assign {h3, h2, h1, h0} = head_i;

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

  // -- each primitive's side of the shared ports --
  onyx_pkg::stream_t fiber0, fiber1, fiber2, vector0, vector1, vector2;
  logic [3:0] fiber_ready;
  logic [2:0] vector_ready;
  logic [8:0] fiber_hazard;
  logic vector_hazard;
  assign head_ready_o = on_vector ? {1'b0, vector_ready} : fiber_ready;
  assign tail_o       = on_vector ? {vector2, vector1, vector0} : {fiber2, fiber1, fiber0};
  assign hazard_o     = on_vector ? {6'd0, vector_hazard, 2'd0} : fiber_hazard;

  // The vector reducer uses the memory through the configuration bus's port: the fiber access stands still.
  logic vector_req, vector_we, unused_vector_stir;
  logic [8:0] vector_addr;
  logic [63:0] vector_wdata;
  onyx_matrix_reduce u_matrix_reduce (
      .clk_i, .rst_ni, .en_i(en && on_vector), .flush_i, .bf16_i(space_i[onyx_fabric_pkg::VEC_REDUCE_BF16_LO]),
      .op_i(space_i[onyx_fabric_pkg::VEC_REDUCE_OP_LO+:onyx_fabric_pkg::VEC_REDUCE_OP_BITS]),
      .inner_i(space_i[onyx_fabric_pkg::VEC_REDUCE_INNER_LO+:onyx_fabric_pkg::VEC_REDUCE_INNER_BITS]),
      .crd_i(h0), .crd_ready_o(vector_ready[0]), .val_i(h1), .val_ready_o(vector_ready[1]),
      .crd_o(vector0), .crd_ready_i(tail_ready_i[0]), .val_o(vector1), .val_ready_i(tail_ready_i[1]),
      .outer_i(h2), .outer_ready_o(vector_ready[2]), .outer_o(vector2), .outer_ready_i(tail_ready_i[2]),
      .mem_req_o(vector_req), .mem_we_o(vector_we), .mem_addr_o(vector_addr), .mem_wdata_o(vector_wdata),
      .mem_rdata_i(sram_line), .stir_o(unused_vector_stir), .hazard_o(vector_hazard)
  );

  logic [1:0] turn_q;
  logic unused_stir;  // for netlists with gated clocks, like the vector reducer's
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 2'd0;
    else if (en) turn_q <= flush_i ? 2'd0 : turn_q + 2'd1;
  end

  logic part_on;
  assign part_on = on_fiber && space_i[onyx_fabric_pkg::FIBER_ACCESS_16_TILE_EN_LO];
  onyx_fiber_access u_fiber_access (
      .clk_i, .rst_ni, .en_i(en && on_fiber), .flush_i,
      .wr_run_i(part_on && space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_TILE_EN_LO]),
      .wr_block_mode_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_BLOCK_MODE_LO]),
      .wr_lowest_level_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_LOWEST_LEVEL_LO]),
      .wr_compressed_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_COMPRESSED_LO]),
      .wr_spacc_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_SPACC_MODE_LO]),
      .wr_init_blank_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_INIT_BLANK_LO]),
      .wr_stop_lvl_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_STOP_LVL_LO+:16]),
      .wr_before_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_BEFORE_LO+:onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_BEFORE_BITS]),
      .wr_behind_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_BEHIND_LO+:onyx_fabric_pkg::FIBER_ACCESS_16_WRITE_SCANNER_BEHIND_BITS]),
      .rd_run_i(part_on && space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_TILE_EN_LO]),
      .rd_root_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_ROOT_LO]),
      .rd_lookup_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_LOOKUP_LO]),
      .rd_dense_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_DENSE_LO]),
      .rd_block_mode_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_BLOCK_MODE_LO]),
      .rd_spacc_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_SPACC_MODE_LO]),
      .rd_skip_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_SKIP_LO]),
      .rd_ahead_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_AHEAD_LO+:onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_AHEAD_BITS]),
      .rd_stop_lvl_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_STOP_LVL_LO+:16]),
      .rd_dim_size_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_READ_SCANNER_DIM_SIZE_LO+:16]),
      .buffet_run_i(part_on && space_i[onyx_fabric_pkg::FIBER_ACCESS_16_BUFFET_TILE_EN_LO]),
      .cap_log_0_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_0_LO+:4]),
      .cap_log_1_i(space_i[onyx_fabric_pkg::FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_1_LO+:4]),
      .pos_in_i(h0), .pos_in_ready_o(fiber_ready[0]), .addr_in_i(h1), .addr_in_ready_o(fiber_ready[1]),
      .block_wr_i(h2), .block_wr_ready_o(fiber_ready[2]), .data_in_i(h3), .data_in_ready_o(fiber_ready[3]),
      .block_rd_o(fiber0), .block_rd_ready_i(tail_ready_i[0]), .coord_out_o(fiber1), .coord_out_ready_i(tail_ready_i[1]),
      .pos_out_o(fiber2), .pos_out_ready_i(tail_ready_i[2]),
      .sram_req_i(on_vector ? en && !flush_i && vector_req : config_access && (sram_re_i || (lane_q == 2'd3))),
      .sram_we_i(on_vector ? vector_we : sram_we_i), .sram_addr_i(on_vector ? vector_addr : sram_addr_i),
      .sram_wdata_i(on_vector ? vector_wdata : {sram_wdata_i, lane2_q, lane1_q, lane0_q}), .sram_rdata_o(sram_line),
      .turn_i(turn_q), .stir_o(unused_stir), .hazard_o(fiber_hazard)
  );
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneController, !(on_fiber && on_vector), "one controller has the tile")
endmodule
