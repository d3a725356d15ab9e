// onyx_alu joins two streams: one cycle takes both heads or neither; a pair is a queue's token, and at most two pairs
// are inside. A pair of control tokens leaves as operand 0's token, any other as data; the proof leaves the value of
// data open.
//
// cells: onyx_fifo2 onyx_bf16 onyx_operate onyx_alu
// with: first_reset port queue_contract
// broken: onyx_alu s/assign data1_ready_o = both \& queue_ready/assign data1_ready_o = both/
// broken: onyx_alu s/in_i({both,/in_i({data0_i.valid,/
`include "proof.svh"
module p_alu (
`include "control_ports.svh"
    input logic        pick_i,
    input onyx_pkg::stream_t data0_i,
    input onyx_pkg::stream_t data1_i,
    input logic        res_ready_i
);
  // a + b of the integer unit: the handshake does not know the instruction.
  localparam logic [83:0] Add = {6'd0, 1'b0, 2'd0, 16'd0, 2'd0, 16'd0, 2'd2, 16'd0, 2'd2, 13'd0, 1'b0, 5'd0, 2'd0};
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic data0_ready, data1_ready;
  onyx_pkg::stream_t res;
  onyx_alu u_cell (
      .rst_ni(rst_n), .inst_i(Add), .data0_ready_o(data0_ready), .data1_ready_o(data1_ready), .res_o(res), .hazard_o(), .clk_i, .en_i, .flush_i, .data0_i, .data1_i, .res_ready_i
  );
  port u_data0 (.live_i(rst_n), .stream_i(data0_i), .ready_i(data0_ready), .clk_i, .en_i,
      .flush_i);
  port u_data1 (.live_i(rst_n), .stream_i(data1_i), .ready_i(data1_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_res (.live_i(rst_n), .stream_i(res), .ready_i(res_ready_i), .clk_i,
      .en_i, .flush_i);

  // A pair as the queue must return the pair, data left out.
  logic control;
  assign control = data0_i.data[16] & data1_i.data[16];
  queue_contract #(
      .Width   (17),
      .Capacity(2)
  ) u_contract (
      .live_i(rst_n), .clear_i(flush_i),
      .in_i({data0_i.valid & data1_i.valid, control ? data0_i.data : 17'd0}), .in_ready_i(room | data0_ready),
      .out_i({res.valid, res.data[16] ? res.data : 17'd0}), .out_ready_i(res_ready_i),
      .clk_i, .en_i, .pick_i
  );

  // Room, counted from outside: the expected ready of the ports while a pair waits.
  logic [1:0] level_q;
  logic room, pushes, pops;
  initial level_q = 2'd0;
  assign room = level_q != 2'd2;
  assign pushes = data0_i.valid & data0_ready;
  assign pops   = res.valid & res_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) level_q <= 2'd0;
    else if (en_i) level_q <= level_q + {1'b0, pushes} - {1'b0, pops};
  end
  always_comb begin
    if (rst_n) begin
      `PROVE(together, data0_ready == data1_ready)
      `PROVE(at_once, data0_ready == (data0_i.valid & data1_i.valid & room))
      `REACH(alone, data0_i.valid && !data1_i.valid && room)
    end
  end
endmodule
