// The PE behind its sparse wrapper: joins two value streams, one result a cycle.
//
// Wrapper: waits for both heads. A maybe is an operand 0. If both heads are control tokens, both leave and
// the one of stream 0 is sent; otherwise the result is sent as data. (A control token beside data is no legal
// stream; its low bits are taken as the operand, as on the chip.) A depth-2 FIFO follows the PE, so the
// tile's latency is 3; out valid does not depend on out ready.
//
// Instruction inst_i: [1:0] kind, [6:2] opcode, [7] signed, [22:21] and [38:23] mode and constant of operand
// a, [40:39] and [56:41] of b, [58:57] and [74:59] of c, [76:75] and [77] of the bit operand d. Mode 0 takes
// the constant, any other the input. The PE has no third or one-bit stream in sparse mode, so c and d from
// an input read 0; DELAY registers, the LUT and the condition unit only serve dense mode and are not built.
// Of kind 2, the bfloat16 unit, sum, difference and product are built (onyx_bf16.sv); its comparison and kind 1 give 0.
module onyx_alu (
    input  logic clk_i, rst_ni, en_i, flush_i,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [83:0] inst_i,
    // verilator lint_on UNUSEDSIGNAL
    input  onyx_pkg::stream_t data0_i, output logic data0_ready_o,
    input  onyx_pkg::stream_t data1_i, output logic data1_ready_o,
    output onyx_pkg::stream_t res_o, input  logic res_ready_i,
    output logic        hazard_o  // a stop or done beside data or maybe: the chip sends it as data
);
  localparam logic [1:0] KindAlu = 2'd0;
  localparam logic [1:0] KindFpu = 2'd2;
  localparam logic [1:0] ModeConst = 2'd0;

  logic [4:0] op;
  logic is_signed, d;
  logic [15:0] a, b, c;
  assign op        = inst_i[6:2];
  assign is_signed = inst_i[7];
  assign a = (inst_i[22:21] == ModeConst) ? inst_i[38:23] : operand(data0_i.data);
  assign b = (inst_i[40:39] == ModeConst) ? inst_i[56:41] : operand(data1_i.data);
  assign c = (inst_i[58:57] == ModeConst) ? inst_i[74:59] : 16'd0;
  assign d = (inst_i[76:75] == ModeConst) & inst_i[77];

  function automatic logic [15:0] operand(input logic [16:0] token);
    operand = (token[16] && token[9:8] == 2'd2) ? 16'd0 : token[15:0];
  endfunction

  logic [15:0] result, fp_result, value;
  onyx_operate i_operate (
      .op_i    (op),
      .signed_i(is_signed),
      .a_i     (a),
      .b_i     (b),
      .c_i     (c),
      .d_i     (d),
      .result_o(result)
  );
  onyx_bf16 i_bf16 (
      .op_i    (op),
      .a_i     (a),
      .b_i     (b),
      .result_o(fp_result)
  );
  assign value = (inst_i[1:0] == KindAlu) ? result : (inst_i[1:0] == KindFpu) ? fp_result : 16'd0;

  logic both, control, queue_ready, end0, end1;
  assign end0          = data0_i.data[16] & (data0_i.data[9:8] != 2'd2);
  assign end1          = data1_i.data[16] & (data1_i.data[9:8] != 2'd2);
  assign hazard_o      = data0_ready_o & (end0 ^ end1);
  assign both          = data0_i.valid & data1_i.valid;
  assign control       = data0_i.data[16] & data1_i.data[16];
  assign data0_ready_o = both & queue_ready;
  assign data1_ready_o = both & queue_ready;

  onyx_fifo2 i_res_queue (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({both, control ? data0_i.data : {1'b0, value}}), .in_ready_o(queue_ready),
      .out_o(res_o), .out_ready_i(res_ready_i)
  );
`include "onyx_assert.svh"
  `ONYX_ASSERT(OperandsLeaveTogether, data0_ready_o == data1_ready_o, "both operands leave in one cycle")
endmodule
