// Operations of a dense PE on the parts of bfloat16 numbers. Combinational; unknown opcodes give 0.
module onyx_dense_custom (
    input  logic [ 4:0] op_i,
    input  logic        signed_i,
    input  logic [15:0] a_i, b_i,
    output logic [15:0] result_o,
    output logic        bit_o,      // the carry of an exponent's sum
    output logic        overflow_o  // of an integer part
);
  localparam logic [4:0] OpMantissa = 5'd0;
  localparam logic [4:0] OpAddExponent = 5'd1;
  localparam logic [4:0] OpSubExponent = 5'd2;
  localparam logic [4:0] OpExponentToFp = 5'd3;
  localparam logic [4:0] OpInteger = 5'd4;
  localparam logic [4:0] OpFraction = 5'd5;
  localparam logic [4:0] OpToFp = 5'd6;

  logic [7:0] exp_a, exp_b, exponent_sum, exponent_difference;
  logic [8:0] wide_sum;
  assign exp_a               = a_i[14:7];
  assign exp_b               = b_i[14:7];
  assign wide_sum            = {1'b0, exp_a} + b_i[8:0];
  assign exponent_sum        = wide_sum[7:0];
  assign exponent_difference = exp_a - exp_b + 8'd127;

  // The integer that becomes a bfloat16 number: an unbiased exponent, or a.
  logic of_exponent, negative;
  logic [15:0] magnitude, normal;
  logic [7:0] unbiased, scale;
  assign of_exponent = op_i == OpExponentToFp;
  assign unbiased    = exp_a - 8'd127;
  assign negative    = of_exponent ? exp_a < 8'd127 : signed_i && a_i[15];
  always_comb begin
    if (of_exponent) magnitude = {8'd0, negative ? -unbiased : unbiased};
    else magnitude = negative ? -a_i : a_i;
  end

  // The highest 1 goes to bit 15; bits below the mantissa are cut off.
  always_comb begin
    normal = magnitude;
    scale  = 8'd142;
    for (int i = 0; i < 15; i++) begin
      if (!normal[15]) {scale, normal} = {scale - 8'd1, normal[14:0], 1'b0};
    end
  end

  // a without its sign, in units of 1/128.
  logic [22:0] fixed;
  logic [7:0] up, down;
  assign up   = exp_a - 8'd127;
  assign down = 8'd127 - exp_a;
  always_comb begin
    if (exp_a >= 8'd127) fixed = (up < 8'd23) ? {15'd0, 1'b1, a_i[6:0]} << up[4:0] : 23'd0;
    else fixed = (down < 8'd8) ? {15'd0, 1'b1, a_i[6:0]} >> down[2:0] : 23'd0;
  end

  logic [15:0] part;
  assign part = op_i == OpInteger ? fixed[22:7] : {9'd0, fixed[6:0]};
  always_comb begin
    unique case (op_i)
      OpMantissa:             result_o = {9'd0, a_i[6:0]};
      OpAddExponent:          result_o = {a_i[15], exponent_sum, a_i[6:0]};
      OpSubExponent:          result_o = {a_i[15] | b_i[15], exponent_difference, a_i[6:0]};
      OpExponentToFp, OpToFp: result_o = (magnitude == 16'd0) ? 16'd0 : {negative, scale, normal[14:8]};
      OpInteger, OpFraction:  result_o = a_i[15] ? -part : part;
      default:                result_o = 16'd0;
    endcase
  end
  assign bit_o      = op_i == OpAddExponent && wide_sum[8];
  assign overflow_o = op_i == OpInteger && exp_a > 8'd142;

  // Bits below a mantissa, and bits of b that no operation reads.
  logic unused_bits;
  assign unused_bits = ^{normal[15], normal[7:0], b_i};
endmodule
