// onyx_buffet: one access of the memory a cycle; a block's close is taken only while fewer than two blocks of its ID
// are finished, and reads and frees of an ID need a finished block. Each read or size taken is answered once, in the
// order of the commands, with its ID; an answer needs room in its FIFO of two. No write beyond the memory is ever
// taken. The proof leaves the memory's contents open (mem_rdata_i: anything, until the next read).
//
// cells: onyx_buffet_id onyx_buffet
// with: first_reset steady port
// broken: onyx_buffet_id s/assign free          = rd_valid_i \&\& has_block/assign free = rd_valid_i/
// broken: onyx_buffet_id s/open_q \&\& (blocks_q != 2'd2)/open_q/
// broken: onyx_buffet_id s/ \&\& rsp_empty_i//
// broken: onyx_buffet_id s/has_block \&\& !answers_i/has_block/
`include "proof.svh"
module p_buffet (
`include "control_ports.svh"
    input logic        run,
    input logic [ 3:0] cap_log_0,
    input logic [ 3:0] cap_log_1,
    input onyx_pkg::write_t wr_i,
    input onyx_pkg::read_t rd_i,
    input logic        rsp_ready_i,
    input logic        rsp_leaves,  // the FIFO's head
    input logic [63:0] mem_rdata_i,
    output logic [97:0] seen_o  // all that the FIFOs, the memory and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  // The configuration stands.
  steady #(.Width(9)) u_steady (.clk_i, .live_i(live), .value_i({run, cap_log_0, cap_log_1}));

  // Whose turn comes next, counted as in the core.
  logic [1:0] turn_q;
  initial turn_q = 2'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) turn_q <= 2'd0;
    else if (en_i) turn_q <= flush_i ? 2'd0 : turn_q + 2'd1;
  end

  logic [1:0] fill_q;
  logic wr_ready, rd_ready, mem_req, mem_we, stir, second, order, overflow;
  onyx_pkg::stream_t rsp;
  logic [8:0] mem_addr;
  logic [63:0] mem_wdata;
  onyx_buffet u_cell (
      .rst_ni(rst_n), .run_i(run), .cap_log_0_i(cap_log_0), .cap_log_1_i(cap_log_1), .wr_ready_o(wr_ready),
      .rd_ready_o(rd_ready), .rsp_o(rsp), .mem_req_o(mem_req), .mem_we_o(mem_we),
      .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata), .turn_i(turn_q), .stir_o(stir), .hazard_second_o(second),
      .hazard_order_o(order), .hazard_overflow_o(overflow), .clk_i, .en_i, .flush_i, .wr_i,
      .rd_i, .rsp_ready_i, .rsp_empty_i(fill_q == 2'd0), .mem_rdata_i
  );
  port #(.Width(34)) u_wr (.live_i(rst_n), .stream_i(wr_i), .ready_i(wr_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Width(19)) u_rd (.live_i(rst_n), .stream_i(rd_i), .ready_i(rd_ready), .clk_i, .en_i,
      .flush_i);
  // The port checks one bit of the data; the remaining bits have equal logic.
  port #(.Gives(1'b1), .Width(2)) u_rsp (
      .live_i(rst_n), .stream_i({rsp.valid, rsp.data[16], rsp.data[0]}), .ready_i(rsp_ready_i), .clk_i,
      .en_i, .flush_i
  );

  // The FIFO of the answers.
  initial fill_q = 2'd0;
  always_comb assume (rsp_ready_i == (fill_q != 2'd2));
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) fill_q <= 2'd0;
    else if (en_i) fill_q <= fill_q + {1'b0, answers} - {1'b0, rsp_leaves & (fill_q != 2'd0)};
  end

  // The memory's word stands until the next read.
  logic reads, read_q;
  logic [63:0] word_q;
  assign reads = en_i & ~flush_i & mem_req & ~mem_we;
  always_ff @(posedge clk_i) begin
    read_q <= reads;
    word_q <= mem_rdata_i;
  end
  always_comb if (live && !read_q) assume (mem_rdata_i == word_q);

  // What moves at this edge.
  logic moves, wr_takes, rd_takes, answers, opens, closes, frees, asks, wr_id, rd_id;
  assign moves    = rst_n & en_i & ~flush_i;
  assign wr_takes = moves & wr_i.valid & wr_ready;
  assign rd_takes = moves & rd_i.valid & rd_ready;
  assign answers  = moves & rsp.valid & rsp_ready_i;
  assign wr_id    = wr_i.id;
  assign rd_id    = rd_i.id;
  assign frees    = rd_takes & (rd_i.op == 2'd0);
  assign asks     = rd_takes & (rd_i.op != 2'd0);
  assign opens    = wr_takes & ~wr_i.write & ~open_q[wr_id];
  assign closes   = wr_takes & ~wr_i.write & open_q[wr_id];

  // What is open; finished blocks; a due answer, and its ID.
  logic [1:0] open_q, blocks0_q, blocks1_q;
  logic due_q, due_id_q, has_block;
  assign has_block = rd_id ? blocks1_q != 2'd0 : blocks0_q != 2'd0;
  initial begin
    open_q    = 2'd0;
    blocks0_q = 2'd0;
    blocks1_q = 2'd0;
    due_q     = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      open_q    <= 2'd0;
      blocks0_q <= 2'd0;
      blocks1_q <= 2'd0;
      due_q     <= 1'b0;
    end else if (en_i) begin
      // A waiting write opens the block, too.
      if (run && wr_i.valid && !(wr_takes && open_q[wr_id])) open_q[wr_id] <= 1'b1;
      if (closes) open_q[wr_id] <= 1'b0;
      blocks0_q <= blocks0_q + {1'b0, closes & ~wr_id} - {1'b0, frees & ~rd_id};
      blocks1_q <= blocks1_q + {1'b0, closes & wr_id} - {1'b0, frees & rd_id};
      due_q     <= asks & (due_q | ~answers);
      due_id_q  <= rd_id;
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(stands_still, run || !(wr_ready || rd_ready || rsp.valid) || due_q)
      `PROVE(two_blocks, blocks0_q <= 2'd2 && blocks1_q <= 2'd2)
      `PROVE(answers_what_is_due, !due_q || (rsp.valid && rsp_ready_i && rsp.data[16] == due_id_q))
    end
    if (moves) begin
      `PROVE(one_each, !(due_q && asks && rd_id == due_id_q))
      `PROVE(nothing_unasked, !answers || due_q || (asks && rsp.data[16] == rd_id))
      `PROVE(reads_blocks, !rd_takes || has_block)
      `PROVE(in_memory, !(wr_takes && wr_i.write) || wr_i.address[15:11] == 5'd0)
      `PROVE(writes_open, !(wr_takes && wr_i.write) || open_q[wr_id])
    end
    if (rst_n) begin
      `REACH(two_finished, blocks0_q == 2'd2 && blocks1_q == 2'd1)
      `REACH(merges, mem_req && mem_we && wr_i.valid && !wr_ready && wr_i.write)
      `REACH(beyond, wr_i.valid && wr_i.write && wr_i.address[15:11] != 5'd0 && open_q[wr_id])
    end
  end
  assign seen_o = {
    wr_takes,
    rd_takes,
    rsp.valid,
    rsp.data & {17{rsp.valid}},
    {mem_req, mem_we & mem_req, mem_addr & {9{mem_req}}, mem_wdata & {64{mem_req & mem_we}}} & {75{moves}},
    {second, order, overflow} & {3{moves}}
  };
endmodule
