// The PE as an ALU of the dense fabric: three words and three bits in, a word and a bit out.
//
// Contract: outputs are a function of the operands in the same cycle: the result, and the condition that inst_i
// selects of the flags, of the operation's own bit or of the look-up table. Registers are those of the operands.
module onyx_dense_pe (
    input  logic clk_i, rst_ni, en_i,
    input  onyx_dense_pkg::instruction_t        inst_i,
    input  logic                         [47:0] data_i,
    input  logic                         [ 2:0] bit_i,
    output logic                         [15:0] data_o,
    output logic                                bit_o
);
  localparam logic [1:0] KindInteger = 2'd0;
  localparam logic [1:0] KindCustom = 2'd1;
  localparam logic [4:0] OpAdc = 5'd0;
  localparam logic [4:0] OpSbc = 5'd1;
  localparam logic [4:0] OpAbs = 5'd2;
  localparam logic [4:0] OpFpSub = 5'd1;
  localparam logic [4:0] OpFpCompare = 5'd2;
  localparam logic [14:0] Infinity = 15'h7f80;

  logic [15:0] a, b, c;
  logic bit_d, bit_e, bit_f;
  onyx_dense_operand u_a (
      .mode_i(inst_i.a.mode), .constant_i(inst_i.a.constant), .data_i(data_i[15:0]), .value_o(a), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_operand u_b (
      .mode_i(inst_i.b.mode), .constant_i(inst_i.b.constant), .data_i(data_i[31:16]), .value_o(b), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_operand u_c (
      .mode_i(inst_i.c.mode), .constant_i(inst_i.c.constant), .data_i(data_i[47:32]), .value_o(c), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_operand #(.Width(1)) u_d (
      .mode_i(inst_i.d.mode), .constant_i(inst_i.d.constant), .data_i(bit_i[0]), .value_o(bit_d), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_operand #(.Width(1)) u_e (
      .mode_i(inst_i.e.mode), .constant_i(inst_i.e.constant), .data_i(bit_i[1]), .value_o(bit_e), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_operand #(.Width(1)) u_f (
      .mode_i(inst_i.f.mode), .constant_i(inst_i.f.constant), .data_i(bit_i[2]), .value_o(bit_f), .clk_i, .rst_ni, .en_i
  );

  logic is_integer, is_custom, custom_bit, custom_overflow, adds, compares;
  logic [15:0] integer_result, custom_result, fp_result;
  onyx_operate u_integer (
      .op_i(inst_i.opcode), .signed_i(inst_i.is_signed), .a_i(a), .b_i(b), .c_i(c), .d_i(bit_d),
      .result_o(integer_result)
  );
  onyx_dense_custom u_custom (
      .op_i(inst_i.opcode), .signed_i(inst_i.is_signed), .a_i(a), .b_i(b), .result_o(custom_result),
      .bit_o(custom_bit), .overflow_o(custom_overflow)
  );
  // A comparison is a difference with a flag of its own.
  onyx_bf16 u_bf16 (
      .op_i(compares ? OpFpSub : inst_i.opcode), .a_i(a), .b_i(b), .result_o(fp_result)
  );
  assign is_integer = inst_i.kind == KindInteger;
  assign is_custom  = inst_i.kind == KindCustom;
  assign compares   = inst_i.opcode == OpFpCompare;
  assign adds       = inst_i.opcode == OpAdc || inst_i.opcode == OpSbc;

  // Besides an operation of another kind the integer adder goes on: its carry is the carry flag.
  logic zero, negative, carry, overflow, own, less;
  logic [15:0] addend;
  logic [16:0] sum;
  logic unused_sum;
  assign unused_sum = ^sum[14:0];
  assign addend = (is_integer && inst_i.opcode == OpSbc) ? ~b : b;
  assign sum    = {1'b0, a} + {1'b0, addend} + {16'd0, is_integer && bit_d};
  always_comb begin
    data_o   = is_integer ? integer_result : is_custom ? custom_result : fp_result;
    zero     = data_o == 16'd0;
    negative = data_o[15];
    carry    = sum[16];
    overflow = 1'b0;
    own      = 1'b0;
    if (is_integer) begin
      carry    = adds && sum[16];
      overflow = adds && a[15] == addend[15] && a[15] != sum[15];
      own      = (inst_i.opcode == OpAbs) ? a[15] : carry;
    end else if (is_custom) begin
      zero     = 1'b0;
      negative = 1'b0;
      overflow = custom_overflow;
      own      = custom_bit;
    end else begin
      zero = data_o[14:0] == 15'd0 || (compares && a == b && a[14:0] == Infinity);
    end
  end

  assign less = negative != overflow;
  always_comb begin
    unique case (inst_i.condition)
      5'd0:    bit_o = zero;
      5'd1:    bit_o = !zero;
      5'd2:    bit_o = carry;
      5'd3:    bit_o = !carry;
      5'd4:    bit_o = negative;
      5'd5:    bit_o = !negative;
      5'd6:    bit_o = overflow;
      5'd7:    bit_o = !overflow;
      5'd8:    bit_o = carry && !zero;
      5'd9:    bit_o = !carry || zero;
      5'd10:   bit_o = !less;
      5'd11:   bit_o = less;
      5'd12:   bit_o = !less && !zero;
      5'd13:   bit_o = less || zero;
      5'd14:   bit_o = inst_i.lut[{bit_f, bit_e, bit_d}];
      5'd15:   bit_o = own;
      5'd16:   bit_o = !negative || zero;
      5'd17:   bit_o = !negative && !zero;
      5'd18:   bit_o = negative || zero;
      5'd19:   bit_o = negative && !zero;
      default: bit_o = 1'b0;
    endcase
  end
endmodule
