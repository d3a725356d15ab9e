// onyx_alu joins two streams: both heads are taken in one cycle or none is; a pair is a queue's token, of which there are two
// inside at most. A pair of control tokens leaves as that of operand 0, any other as data; what the data is, is not asked.
//
// cells: onyx_fifo2 onyx_bf16 onyx_alu
// with: first_reset port queue_contract
// broken: onyx_alu s/assign data1_ready_o = both \& queue_ready/assign data1_ready_o = both/
// broken: onyx_alu s/in_valid_i (both)/in_valid_i (data0_valid_i)/
`include "proof.svh"
module p_alu (
`include "control_ports.svh"
    input logic        pick_i,
    input logic [16:0] data0_data_i,
    input logic        data0_valid_i,
    input logic [16:0] data1_data_i,
    input logic        data1_valid_i,
    input logic        res_ready_i
);
  // a + b of the integer unit: the handshake does not know the instruction.
  localparam logic [83:0] Add = {6'd0, 1'b0, 2'd0, 16'd0, 2'd0, 16'd0, 2'd2, 16'd0, 2'd2, 13'd0, 1'b0, 5'd0, 2'd0};
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic data0_ready, data1_ready, res_valid;
  logic [16:0] res_data;
  onyx_alu u_cell (
      .rst_ni(rst_n), .inst_i(Add), .data0_ready_o(data0_ready), .data1_ready_o(data1_ready), .res_data_o(res_data),
      .res_valid_o(res_valid), .hazard_o(), .clk_i, .en_i, .flush_i, .data0_data_i, .data0_valid_i, .data1_data_i,
      .data1_valid_i, .res_ready_i
  );
  port u_data0 (.live_i(rst_n), .data_i(data0_data_i), .valid_i(data0_valid_i), .ready_i(data0_ready), .clk_i, .en_i,
      .flush_i);
  port u_data1 (.live_i(rst_n), .data_i(data1_data_i), .valid_i(data1_valid_i), .ready_i(data1_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_res (.live_i(rst_n), .data_i(res_data), .valid_i(res_valid), .ready_i(res_ready_i), .clk_i,
      .en_i, .flush_i);

  // A pair as the queue must give it back, data left out.
  logic control;
  assign control = data0_data_i[16] & data1_data_i[16];
  queue_contract #(
      .Width   (17),
      .Capacity(2)
  ) u_contract (
      .clk_i      (clk_i),
      .live_i     (rst_n),
      .en_i       (en_i),
      .clear_i    (flush_i),
      .in_data_i  (control ? data0_data_i : 17'd0),
      .in_valid_i (data0_valid_i & data1_valid_i),
      .in_ready_i (room | data0_ready),
      .out_data_i (res_data[16] ? res_data : 17'd0),
      .out_valid_i(res_valid),
      .out_ready_i(res_ready_i),
      .pick_i     (pick_i)
  );

  // Room, counted from outside: what the ports' ready must say where a pair is there.
  logic [1:0] level_q;
  logic room, pushes, pops;
  initial level_q = 2'd0;
  assign room = level_q != 2'd2;
  assign pushes = data0_valid_i & data0_ready;
  assign pops   = res_valid & res_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) level_q <= 2'd0;
    else if (en_i) level_q <= level_q + {1'b0, pushes} - {1'b0, pops};
  end
  always_comb begin
    if (rst_n) begin
      `PROVE(together, data0_ready == data1_ready)
      `PROVE(at_once, data0_ready == (data0_valid_i & data1_valid_i & room))
      `REACH(alone, data0_valid_i && !data1_valid_i && room)
    end
  end
endmodule
