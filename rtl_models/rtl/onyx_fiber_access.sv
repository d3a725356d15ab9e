// Fiber access: write scanner, buffet and read scanner around one memory of 512 x 64 bits.
//
// Contract: streams as in onyx_write_scanner (addr, block, data) and onyx_read_scanner (pos in; block_rd, coord,
// pos out). A finished block is freed by the reader when its tree is done, so trees follow each other
// without a flush. Configuration must not change while running. *_run_i are the enable bits of the three
// parts. sram_*: 64-bit access to the memory for the configuration bus, only while en_i = 0; it disturbs
// a read under way, so only before a run or after its end.
module onyx_fiber_access (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic        wr_run_i,
    input  logic        wr_block_mode_i,
    input  logic        wr_lowest_level_i,
    input  logic        wr_compressed_i,
    input  logic        wr_spacc_i,
    input  logic        wr_init_blank_i,
    input  logic [15:0] wr_stop_lvl_i,
    input  logic        rd_run_i,
    input  logic        rd_root_i,
    input  logic        rd_lookup_i,
    input  logic        rd_dense_i,
    input  logic        rd_block_mode_i,
    input  logic        rd_spacc_i,
    input  logic [15:0] rd_stop_lvl_i,
    input  logic [15:0] rd_dim_size_i,
    input  logic        buffet_run_i,
    input  logic [ 3:0] cap_log_0_i,
    input  logic [ 3:0] cap_log_1_i,
    input  logic [16:0] pos_in_data_i,
    input  logic        pos_in_valid_i,
    output logic        pos_in_ready_o,
    input  logic [16:0] addr_in_data_i,
    input  logic        addr_in_valid_i,
    output logic        addr_in_ready_o,
    input  logic [16:0] block_wr_data_i,
    input  logic        block_wr_valid_i,
    output logic        block_wr_ready_o,
    input  logic [16:0] data_in_data_i,
    input  logic        data_in_valid_i,
    output logic        data_in_ready_o,
    output logic [16:0] block_rd_data_o,
    output logic        block_rd_valid_o,
    input  logic        block_rd_ready_i,
    output logic [16:0] coord_out_data_o,
    output logic        coord_out_valid_o,
    input  logic        coord_out_ready_i,
    output logic [16:0] pos_out_data_o,
    output logic        pos_out_valid_o,
    input  logic        pos_out_ready_i,
    input  logic        sram_req_i,
    input  logic        sram_we_i,
    input  logic [ 8:0] sram_addr_i,
    input  logic [63:0] sram_wdata_i,
    output logic [63:0] sram_rdata_o,
    input  logic [ 1:0] turn_i,  // 0 in the cycle after a flush, then 1, 2, 3, 0, ..: whose turn it is
    output logic        stir_o,  // a register may change at the edge (but that behind turn_i)
    // second-block, write-order, overflow, equal-crd, empty-fiber, dense-again, dense-stop (docs/errata.md)
    output logic [ 7:0] hazard_o
);
  logic [33:0] wr_near_data, wr_far_data;
  logic wr_near_valid, wr_near_ready, wr_far_valid, wr_far_ready;
  logic [18:0] rd_near_data, rd_far_data;
  logic rd_near_valid, rd_near_ready, rd_far_valid, rd_far_ready;
  logic [16:0] rsp_near_data, rsp_far_data;
  logic rsp_near_valid, rsp_near_ready, rsp_far_valid, rsp_far_ready;
  logic mem_req, mem_we;
  logic [8:0] mem_addr;
  logic [63:0] mem_wdata, mem_rdata;

  logic write_stir, buffet_stir, read_stir, wr_stir, rd_stir, rsp_stir;
  assign stir_o = write_stir | wr_stir | buffet_stir | rd_stir | rsp_stir | read_stir;

  onyx_write_scanner u_write_scanner (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .en_i          (en_i),
      .flush_i       (flush_i),
      .run_i         (wr_run_i),
      .block_mode_i  (wr_block_mode_i),
      .lowest_level_i(wr_lowest_level_i),
      .compressed_i  (wr_compressed_i),
      .spacc_i       (wr_spacc_i),
      .init_blank_i  (wr_init_blank_i),
      .stop_lvl_i    (wr_stop_lvl_i[7:0]),
      .addr_data_i   (addr_in_data_i),
      .addr_valid_i  (addr_in_valid_i),
      .addr_ready_o  (addr_in_ready_o),
      .block_data_i  (block_wr_data_i),
      .block_valid_i (block_wr_valid_i),
      .block_ready_o (block_wr_ready_o),
      .data_data_i   (data_in_data_i),
      .data_valid_i  (data_in_valid_i),
      .data_ready_o  (data_in_ready_o),
      .cmd_data_o    (wr_near_data),
      .cmd_valid_o   (wr_near_valid),
      .cmd_ready_i   (wr_near_ready),
      .stir_o        (write_stir),
      .hazard_equal_o(hazard_o[3]),
      .hazard_empty_o(hazard_o[4])
  );

  onyx_fifo_link #(
      .Width (34),
      .Stages(3)
  ) u_wr_link (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (wr_near_data),
      .in_valid_i (wr_near_valid),
      .in_ready_o (wr_near_ready),
      .out_data_o (wr_far_data),
      .out_valid_o(wr_far_valid),
      .out_ready_i(wr_far_ready),
      .stir_o     (wr_stir)
  );
  onyx_fifo_link #(
      .Width(19)
  ) u_rd_link (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (rd_near_data),
      .in_valid_i (rd_near_valid),
      .in_ready_o (rd_near_ready),
      .out_data_o (rd_far_data),
      .out_valid_o(rd_far_valid),
      .out_ready_i(rd_far_ready),
      .stir_o     (rd_stir)
  );
  onyx_fifo_link #(
      .Width(17)
  ) u_rsp_link (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (rsp_near_data),
      .in_valid_i (rsp_near_valid),
      .in_ready_o (rsp_near_ready),
      .out_data_o (rsp_far_data),
      .out_valid_o(rsp_far_valid),
      .out_ready_i(rsp_far_ready),
      .stir_o     (rsp_stir)
  );

  onyx_buffet u_buffet (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .run_i      (buffet_run_i),
      .cap_log_0_i(cap_log_0_i),
      .cap_log_1_i(cap_log_1_i),
      .wr_data_i  (wr_far_data),
      .wr_valid_i (wr_far_valid),
      .wr_ready_o (wr_far_ready),
      .rd_data_i  (rd_far_data),
      .rd_valid_i (rd_far_valid),
      .rd_ready_o (rd_far_ready),
      .rsp_data_o (rsp_near_data),
      .rsp_valid_o(rsp_near_valid),
      .rsp_ready_i(rsp_near_ready),
      .mem_req_o  (mem_req),
      .mem_we_o   (mem_we),
      .mem_addr_o (mem_addr),
      .mem_wdata_o(mem_wdata),
      .mem_rdata_i(mem_rdata),
      .turn_i           (turn_i),
      .stir_o           (buffet_stir),
      .hazard_second_o  (hazard_o[0]),
      .hazard_order_o   (hazard_o[1]),
      .hazard_overflow_o(hazard_o[2])
  );

  onyx_read_scanner u_read_scanner (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .en_i             (en_i),
      .flush_i          (flush_i),
      .run_i            (rd_run_i),
      .root_i           (rd_root_i),
      .lookup_i         (rd_lookup_i),
      .dense_i          (rd_dense_i),
      .block_mode_i     (rd_block_mode_i),
      .spacc_i          (rd_spacc_i),
      .stop_lvl_i       (rd_stop_lvl_i[7:0]),
      .dim_size_i       (rd_dim_size_i),
      .pos_data_i       (pos_in_data_i),
      .pos_valid_i      (pos_in_valid_i),
      .pos_ready_o      (pos_in_ready_o),
      .block_rd_data_o  (block_rd_data_o),
      .block_rd_valid_o (block_rd_valid_o),
      .block_rd_ready_i (block_rd_ready_i),
      .coord_out_data_o (coord_out_data_o),
      .coord_out_valid_o(coord_out_valid_o),
      .coord_out_ready_i(coord_out_ready_i),
      .pos_out_data_o   (pos_out_data_o),
      .pos_out_valid_o  (pos_out_valid_o),
      .pos_out_ready_i  (pos_out_ready_i),
      .rd_data_o        (rd_near_data),
      .rd_valid_o       (rd_near_valid),
      .rd_ready_i       (rd_near_ready),
      .rsp_data_i       (rsp_far_data),
      .rsp_valid_i      (rsp_far_valid),
      .rsp_ready_o      (rsp_far_ready),
      .walker_first_i   (turn_i[0]),
      .stir_o           (read_stir),
      .hazard_again_o   (hazard_o[5]),
      .hazard_stop_o    (hazard_o[6]),
      .hazard_done_o    (hazard_o[7])
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
endmodule
