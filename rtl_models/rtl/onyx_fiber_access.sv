// Fiber access: write scanner, buffet and read scanner around one memory of 512 x 64 bits.
//
// Contract: streams as in onyx_write_scanner (addr, block, data) and onyx_read_scanner (pos, partner in; block_rd,
// coord, pos out). A finished block is freed by the reader when its tree is done, so trees follow each other
// without a flush. Configuration must not change while running. *_run_i are the enable bits of the three
// parts. sram_*: 64-bit access to the memory for the configuration bus, only while en_i = 0; it disturbs
// a read under way, so only before a run or after its end.
module onyx_fiber_access (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic wr_run_i, wr_block_mode_i, wr_lowest_level_i, wr_compressed_i, wr_spacc_i, wr_init_blank_i,
    input  logic [15:0] wr_stop_lvl_i,
    input  logic [ 3:0] wr_before_i, wr_behind_i,  // blocks of others on the stream `block_wr`: onyx_block_share
    input  logic rd_run_i, rd_root_i, rd_lookup_i, rd_dense_i, rd_block_mode_i, rd_spacc_i,
    input  logic rd_skip_i,  // `addr_in` is the reader's `partner`: the writer must have no use for it
    input  logic [ 3:0] rd_ahead_i,  // blocks of others on the stream `block_rd`, which come on `block_wr`: onyx_block_chain
    input  logic [15:0] rd_stop_lvl_i, rd_dim_size_i,
    input  logic buffet_run_i,
    input  logic [ 3:0] cap_log_0_i, cap_log_1_i,
    input  onyx_pkg::stream_t pos_in_i, output logic pos_in_ready_o,
    input  onyx_pkg::stream_t addr_in_i, output logic addr_in_ready_o,
    input  onyx_pkg::stream_t block_wr_i, output logic block_wr_ready_o,
    input  onyx_pkg::stream_t data_in_i, output logic data_in_ready_o,
    output onyx_pkg::stream_t block_rd_o, input  logic block_rd_ready_i,
    output onyx_pkg::stream_t coord_out_o, input  logic coord_out_ready_i,
    output onyx_pkg::stream_t pos_out_o, input  logic pos_out_ready_i,
    input  logic        sram_req_i,
    input  logic        sram_we_i,
    input  logic [ 8:0] sram_addr_i,
    input  logic [63:0] sram_wdata_i,
    output logic [63:0] sram_rdata_o,
    input  logic [ 1:0] turn_i,  // 0 in the cycle after a flush, then 1, 2, 3, 0, ..: whose turn it is
    output logic        stir_o,  // a register may change at the edge (but that behind turn_i)
    // second-block, write-order, overflow, equal-crd, empty-fiber, dense-again, dense-stop, late-done, values-stalled
    // (docs/errata.md)
    output logic [ 8:0] hazard_o
);
  // The links between the scanners and the buffet, each with a near and a far end.
  onyx_pkg::write_t wr_near, wr_far;
  onyx_pkg::read_t rd_near, rd_far;
  onyx_pkg::stream_t rsp_near, rsp_far;
  logic wr_near_ready, wr_far_ready, rd_near_ready, rd_far_ready, rsp_near_ready, rsp_far_ready;
  onyx_pkg::stream_t rsp_mid;
  logic rsp_mid_ready, rsp_mid_stir;
  logic mem_req, mem_we;
  logic [8:0] mem_addr;
  logic [63:0] mem_wdata, mem_rdata;

  logic write_stir, buffet_stir, read_stir, wr_stir, rd_stir, rsp_stir;
  assign stir_o = write_stir | wr_stir | buffet_stir | rd_stir | rsp_mid_stir | rsp_stir | read_stir;

  logic wr_addr_ready, partner_ready;
  assign addr_in_ready_o = rd_skip_i ? partner_ready : wr_addr_ready;

  onyx_pkg::stream_t own_block;
  logic own_block_ready, share_ready, chain_ready;
  logic chained;  // `block_wr` is the chain's: the writer must have no use for it
  assign chained = rd_ahead_i != 4'd0;
  assign block_wr_ready_o = chained ? chain_ready : share_ready;
  onyx_block_share u_share (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(wr_run_i && wr_block_mode_i), .two_i(!wr_lowest_level_i), .before_i(wr_before_i), .behind_i(wr_behind_i),
      .in_i({block_wr_i.valid && !chained, block_wr_i.data}), .in_ready_o(share_ready), .out_o(own_block), .out_ready_i(own_block_ready)
  );

  onyx_write_scanner u_write_scanner (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(wr_run_i), .block_mode_i(wr_block_mode_i), .lowest_level_i(wr_lowest_level_i),
      .compressed_i(wr_compressed_i), .spacc_i(wr_spacc_i), .init_blank_i(wr_init_blank_i),
      .stop_lvl_i(wr_stop_lvl_i[7:0]),
      .addr_i({addr_in_i.valid && !rd_skip_i, addr_in_i.data}), .addr_ready_o(wr_addr_ready), .block_i(own_block), .block_ready_o(own_block_ready),
      .data_i(data_in_i), .data_ready_o(data_in_ready_o), .cmd_o(wr_near), .cmd_ready_i(wr_near_ready),
      .stir_o(write_stir), .hazard_equal_o(hazard_o[3]), .hazard_empty_o(hazard_o[4])
  );

  onyx_fifo_link #(.Width(onyx_pkg::WriteBits - 1), .Stages(3)) u_wr_link (
      .clk_i, .rst_ni, .en_i, .flush_i, .stir_o(wr_stir),
      .in_i(wr_near), .in_ready_o(wr_near_ready), .out_o(wr_far), .out_ready_i(wr_far_ready)
  );
  onyx_fifo_link #(.Width(onyx_pkg::ReadBits - 1), .Stages(2)) u_rd_link (
      .clk_i, .rst_ni, .en_i, .flush_i, .stir_o(rd_stir),
      .in_i(rd_near), .in_ready_o(rd_near_ready), .out_o(rd_far), .out_ready_i(rd_far_ready)
  );
  onyx_fifo_link #(.Width(17), .Stages(1)) u_rsp_near (
      .clk_i, .rst_ni, .en_i, .flush_i, .stir_o(rsp_mid_stir),
      .in_i(rsp_near), .in_ready_o(rsp_near_ready), .out_o(rsp_mid), .out_ready_i(rsp_mid_ready)
  );
  onyx_fifo_link #(.Width(17), .Stages(1)) u_rsp_far (
      .clk_i, .rst_ni, .en_i, .flush_i, .stir_o(rsp_stir),
      .in_i(rsp_mid), .in_ready_o(rsp_mid_ready), .out_o(rsp_far), .out_ready_i(rsp_far_ready)
  );

  onyx_buffet u_buffet (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(buffet_run_i), .cap_log_0_i, .cap_log_1_i,
      .wr_i(wr_far), .wr_ready_o(wr_far_ready), .rd_i(rd_far), .rd_ready_o(rd_far_ready),
      .rsp_o(rsp_near), .rsp_ready_i(rsp_near_ready), .rsp_empty_i(!rsp_mid.valid),
      .mem_req_o(mem_req), .mem_we_o(mem_we), .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata), .mem_rdata_i(mem_rdata),
      .turn_i, .stir_o(buffet_stir),
      .hazard_second_o(hazard_o[0]), .hazard_order_o(hazard_o[1]), .hazard_overflow_o(hazard_o[2])
  );

  onyx_pkg::stream_t read_block;
  logic read_block_ready;
  onyx_read_scanner u_read_scanner (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(rd_run_i), .root_i(rd_root_i), .lookup_i(rd_lookup_i), .dense_i(rd_dense_i),
      .block_mode_i(rd_block_mode_i), .spacc_i(rd_spacc_i), .skip_i(rd_skip_i), .chained_i(chained),
      .stop_lvl_i(rd_stop_lvl_i[7:0]), .dim_size_i(rd_dim_size_i),
      .pos_i(pos_in_i), .pos_ready_o(pos_in_ready_o),
      .partner_i({addr_in_i.valid && rd_skip_i, addr_in_i.data}), .partner_ready_o(partner_ready),
      .block_rd_o(read_block), .block_rd_ready_i(read_block_ready),
      .coord_out_o, .coord_out_ready_i, .pos_out_o, .pos_out_ready_i,
      .rd_o(rd_near), .rd_ready_i(rd_near_ready), .rsp_i(rsp_far), .rsp_ready_o(rsp_far_ready),
      .walker_first_i(turn_i[0]), .stir_o(read_stir), .hazard_again_o(hazard_o[5]), .hazard_stop_o(hazard_o[6]),
      .hazard_done_o(hazard_o[7]), .hazard_values_o(hazard_o[8])
  );

  onyx_block_chain u_chain (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(rd_run_i && rd_block_mode_i), .two_i(!rd_lookup_i), .ahead_i(rd_ahead_i),
      .up_i({block_wr_i.valid && chained, block_wr_i.data}), .up_ready_o(chain_ready),
      .own_i(read_block), .own_ready_o(read_block_ready), .out_o(block_rd_o), .out_ready_i(block_rd_ready_i)
  );

  onyx_sram u_sram (
      .clk_i  (clk_i),
      .req_i  (en_i ? (mem_req && !flush_i) : sram_req_i),
      .we_i   (en_i ? mem_we : sram_we_i),
      .addr_i (en_i ? mem_addr : sram_addr_i),
      .wdata_i(en_i ? mem_wdata : sram_wdata_i),
      .rdata_o(mem_rdata)
  );
  assign sram_rdata_o = mem_rdata;

  // A token's stop level has eight bits.
  logic unused_levels;
  assign unused_levels = &{1'b0, wr_stop_lvl_i[15:8], rd_stop_lvl_i[15:8]};
`include "onyx_assert.svh"
  `ONYX_ASSUME(BusWaits, !(sram_req_i && en_i),
      "the configuration bus has the memory only while the tile stands still")
endmodule
