// Buffet: two address spaces (ID 0 segments or values, ID 1 coordinates) of blocks in one memory of
// 512 x 64 bits; ID 0 from word 0, ID 1 from word 256.
//
// Contract: wr_* is the stream of write commands of onyx_write_scanner; rd_* the stream {op[1:0], ID,
// address[15:0]} with op 0 free the oldest block, 1 read an entry of it, 2 its size; rsp_* answers reads and
// sizes in order: {ID, data[15:0]}. A read command waits until a block of its ID is closed.
// The memory itself stands outside (mem_*: carried out in the cycle of mem_req_o, read data one later).
// run_i = 0 stands still.
// Writer and reader of both IDs share the memory port: in the order writer 0, reader 0, writer 1, reader 1 each has the
// first right to it in every fourth cycle (turn_i); if that one does not want it, the first of the
// others that does gets it. The second half of a merge goes before all.
module onyx_buffet (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic        run_i,
    input  logic [ 3:0] cap_log_0_i,
    input  logic [ 3:0] cap_log_1_i,
    input  logic [33:0] wr_data_i,
    input  logic        wr_valid_i,
    output logic        wr_ready_o,
    input  logic [18:0] rd_data_i,
    input  logic        rd_valid_i,
    output logic        rd_ready_o,
    output logic [16:0] rsp_data_o,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output logic        mem_req_o,
    output logic        mem_we_o,
    output logic [ 8:0] mem_addr_o,
    output logic [63:0] mem_wdata_o,
    input  logic [63:0] mem_rdata_i,
    input  logic [ 1:0] turn_i,
    output logic        stir_o,  // a register may change at the edge
    output logic        hazard_second_o,  // of either ID: see onyx_buffet_id
    output logic        hazard_order_o,
    output logic        hazard_overflow_o
);
  logic [3:0] req, gnt;
  logic wr_go, rd_go;
  logic wr_id, rd_id;
  logic wr_pop_0, wr_req_0, wr_we_0, wr_lock_0, rd_pop_0, rd_req_0, rsp_valid_0, fetching_0;
  logic wr_pop_1, wr_req_1, wr_we_1, wr_lock_1, rd_pop_1, rd_req_1, rsp_valid_1, fetching_1;
  logic [8:0] wr_addr_0, rd_addr_0, wr_addr_1, rd_addr_1;
  logic [63:0] wr_line_0, wr_line_1;
  logic [15:0] rsp_data_0, rsp_data_1;
  logic stir_0, stir_1;
  logic second_0, order_0, overflow_0, second_1, order_1, overflow_1;

  assign wr_go = run_i && wr_valid_i;
  assign wr_id = wr_data_i[32];
  assign rd_go = run_i && rd_valid_i && !fetching_0 && !fetching_1;
  assign rd_id = rd_data_i[16];

  onyx_buffet_id u_id0 (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .en_i         (en_i),
      .flush_i      (flush_i),
      .cap_log_i    (cap_log_0_i),
      .wr_valid_i   (wr_go && !wr_id),
      .wr_is_write_i(wr_data_i[33]),
      .wr_addr_i    (wr_data_i[31:16]),
      .wr_data_i    (wr_data_i[15:0]),
      .wr_pop_o     (wr_pop_0),
      .mem_wr_req_o (wr_req_0),
      .mem_wr_we_o  (wr_we_0),
      .mem_wr_lock_o(wr_lock_0),
      .mem_wr_addr_o(wr_addr_0),
      .mem_wr_data_o(wr_line_0),
      .mem_wr_gnt_i (gnt[0]),
      .rd_valid_i   (rd_go && !rd_id),
      .rd_op_i      (rd_data_i[18:17]),
      .rd_addr_i    (rd_data_i[15:0]),
      .rd_pop_o     (rd_pop_0),
      .mem_rd_req_o (rd_req_0),
      .mem_rd_addr_o(rd_addr_0),
      .mem_rd_gnt_i (gnt[1]),
      .mem_rdata_i  (mem_rdata_i),
      .rsp_valid_o  (rsp_valid_0),
      .rsp_data_o   (rsp_data_0),
      .rsp_ready_i  (rsp_ready_i),
      .fetching_o   (fetching_0),
      .stir_o       (stir_0),
      .hazard_second_o  (second_0),
      .hazard_order_o   (order_0),
      .hazard_overflow_o(overflow_0)
  );
  onyx_buffet_id u_id1 (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .en_i         (en_i),
      .flush_i      (flush_i),
      .cap_log_i    (cap_log_1_i),
      .wr_valid_i   (wr_go && wr_id),
      .wr_is_write_i(wr_data_i[33]),
      .wr_addr_i    (wr_data_i[31:16]),
      .wr_data_i    (wr_data_i[15:0]),
      .wr_pop_o     (wr_pop_1),
      .mem_wr_req_o (wr_req_1),
      .mem_wr_we_o  (wr_we_1),
      .mem_wr_lock_o(wr_lock_1),
      .mem_wr_addr_o(wr_addr_1),
      .mem_wr_data_o(wr_line_1),
      .mem_wr_gnt_i (gnt[2]),
      .rd_valid_i   (rd_go && rd_id),
      .rd_op_i      (rd_data_i[18:17]),
      .rd_addr_i    (rd_data_i[15:0]),
      .rd_pop_o     (rd_pop_1),
      .mem_rd_req_o (rd_req_1),
      .mem_rd_addr_o(rd_addr_1),
      .mem_rd_gnt_i (gnt[3]),
      .mem_rdata_i  (mem_rdata_i),
      .rsp_valid_o  (rsp_valid_1),
      .rsp_data_o   (rsp_data_1),
      .rsp_ready_i  (rsp_ready_i),
      .fetching_o   (fetching_1),
      .stir_o       (stir_1),
      .hazard_second_o  (second_1),
      .hazard_order_o   (order_1),
      .hazard_overflow_o(overflow_1)
  );

  assign stir_o            = stir_0 || stir_1;
  assign hazard_second_o   = second_0 || second_1;
  assign hazard_order_o    = order_0 || order_1;
  assign hazard_overflow_o = overflow_0 || overflow_1;

  assign wr_ready_o = wr_pop_0 || wr_pop_1;
  assign rd_ready_o = rd_pop_0 || rd_pop_1;

  // Only one of the two can be true.
  assign rsp_valid_o = rsp_valid_0 || rsp_valid_1;
  assign rsp_data_o  = rsp_valid_1 ? {1'b1, rsp_data_1} : {1'b0, rsp_data_0};

  assign req = {rd_req_1, wr_req_1, rd_req_0, wr_req_0};
  always_comb begin
    if (wr_lock_0) gnt = 4'b0001;
    else if (wr_lock_1) gnt = 4'b0100;
    else if (req[turn_i]) gnt = 4'b0001 << turn_i;
    else gnt = req & (~req + 4'd1);  // the lowest
  end

  assign mem_req_o = (req != 4'd0);
  assign mem_we_o  = (gnt[0] && wr_we_0) || (gnt[2] && wr_we_1);
  // The upper half of the memory belongs to ID 1; a capacity above 256 words of ID 0 reaches into it.
  assign mem_addr_o = gnt[0] ? wr_addr_0 : gnt[1] ? rd_addr_0 : (gnt[2] ? wr_addr_1 : rd_addr_1) ^ 9'h100;
  assign mem_wdata_o = gnt[2] ? wr_line_1 : wr_line_0;
endmodule
