// Buffet: two address spaces (ID 0 segments or values, ID 1 coordinates) of blocks in one memory of
// 512 x 64 bits; ID 0 from word 0, ID 1 from word 256.
//
// Contract: wr_i is the stream of write commands of onyx_write_scanner; rd_i has the read commands; rsp_o
// answers reads and sizes in order: {ID, data[15:0]}. A read command waits until a block of its ID is
// closed. rsp_empty_i: the receiver of answers is empty, hence an answer of memory surely has room a cycle
// later. The memory itself stands outside (mem_*: accesses happen in the cycle of mem_req_o, read data
// come a cycle later). run_i = 0 stands still. Writer and reader of both IDs share the memory port: in the
// order writer 0, reader 0, writer 1, reader 1 each has priority in every fourth cycle (turn_i); without
// its request, the first of the remaining requesters gets the port. The second half of a merge goes before
// all.
module onyx_buffet (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic        run_i,
    input  logic [ 3:0] cap_log_0_i, cap_log_1_i,
    input  onyx_pkg::write_t wr_i, output logic wr_ready_o,
    input  onyx_pkg::read_t rd_i, output logic rd_ready_o,
    output onyx_pkg::stream_t rsp_o, input  logic rsp_ready_i, rsp_empty_i,
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
  // By ID.
  logic [1:0] wr_pop, wr_we, wr_lock, rd_pop, rsp_valid, fetching, stir, second, order, overflow;
  logic [17:0] wr_addr, rd_addr;
  logic [127:0] wr_line;
  logic [31:0] rsp_data;

  assign wr_go = run_i && wr_i.valid;
  assign rd_go = run_i && rd_i.valid;

  for (genvar id = 0; id < 2; id++) begin : g_id
    onyx_buffet_id u_id (
        .clk_i,
        .rst_ni,
        .en_i,
        .flush_i,
        .cap_log_i    (id == 0 ? cap_log_0_i : cap_log_1_i),
        .wr_valid_i   (wr_go && (wr_i.id == 1'(id))),
        .wr_is_write_i(wr_i.write),
        .wr_addr_i    (wr_i.address),
        .wr_data_i    (wr_i.data),
        .wr_pop_o     (wr_pop[id]),
        .mem_wr_req_o (req[2*id]),
        .mem_wr_we_o  (wr_we[id]),
        .mem_wr_lock_o(wr_lock[id]),
        .mem_wr_addr_o(wr_addr[9*id+:9]),
        .mem_wr_data_o(wr_line[64*id+:64]),
        .mem_wr_gnt_i (gnt[2*id]),
        .rd_valid_i   (rd_go && (rd_i.id == 1'(id))),
        .rd_op_i      (rd_i.op),
        .rd_addr_i    (rd_i.address),
        .rd_pop_o     (rd_pop[id]),
        .mem_rd_req_o (req[2*id+1]),
        .mem_rd_addr_o(rd_addr[9*id+:9]),
        .mem_rd_gnt_i (gnt[2*id+1]),
        .mem_rdata_i,
        .rsp_valid_o  (rsp_valid[id]),
        .rsp_data_o   (rsp_data[16*id+:16]),
        .rsp_ready_i,
        .rsp_empty_i,
        .answers_i    (fetching != 2'd0),
        .fetching_o   (fetching[id]),
        .stir_o       (stir[id]),
        .hazard_second_o  (second[id]),
        .hazard_order_o   (order[id]),
        .hazard_overflow_o(overflow[id])
    );
  end

  assign stir_o            = |stir;
  assign hazard_second_o   = |second;
  assign hazard_order_o    = |order;
  assign hazard_overflow_o = |overflow;
  assign wr_ready_o        = |wr_pop;
  assign rd_ready_o        = |rd_pop;

  // At most one of the two is valid.
  assign rsp_o = {|rsp_valid, rsp_valid[1], rsp_valid[1] ? rsp_data[31:16] : rsp_data[15:0]};

  always_comb begin
    if (wr_lock[0]) gnt = 4'b0001;
    else if (wr_lock[1]) gnt = 4'b0100;
    else if (req[turn_i]) gnt = 4'b0001 << turn_i;
    else gnt = req & (~req + 4'd1);  // takes the lowest
  end

  assign mem_req_o = (req != 4'd0);
  assign mem_we_o  = (gnt[0] && wr_we[0]) || (gnt[2] && wr_we[1]);
  // The upper half of the memory belongs to ID 1; a capacity above 256 words of ID 0 extends into the upper half.
  assign mem_addr_o = gnt[0] ? wr_addr[8:0] : gnt[1] ? rd_addr[8:0] : (gnt[2] ? wr_addr[17:9] : rd_addr[17:9]) ^ 9'h100;
  assign mem_wdata_o = gnt[2] ? wr_line[127:64] : wr_line[63:0];
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneHasTheMemory, (gnt & (gnt - 4'd1)) == 4'd0, "one of the four has the memory port")
  `ONYX_ASSERT(OneAnswers, rsp_valid != 2'b11, "one of the two IDs answers")
endmodule
