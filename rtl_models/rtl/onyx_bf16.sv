// Sum, difference or product of two bfloat16 numbers, rounded to nearest, ties to even; with subnormals. A product is
// cut after three bits below the last bit, and rounded. Every NaN comes out as 7fc0. Combinational.
module onyx_bf16 (
    input  logic [ 4:0] op_i,  // 0 a + b, 1 a - b, 3 a * b; others give 0
    input  logic [15:0] a_i,
    input  logic [15:0] b_i,
    output logic [15:0] result_o
);
  localparam logic [4:0] OpAdd = 5'd0;
  localparam logic [4:0] OpSub = 5'd1;
  localparam logic [4:0] OpMul = 5'd3;
  localparam logic [14:0] Infinity = 15'h7f80;
  localparam logic [15:0] NotANumber = 16'h7fc0;

  logic sign_a, sign_b;
  logic [7:0] exp_a, exp_b, sig_a, sig_b;
  assign sign_a = a_i[15];
  assign sign_b = b_i[15] ^ (op_i == OpSub);
  // A subnormal has the least exponent and no leading 1.
  assign exp_a  = (a_i[14:7] == 8'd0) ? 8'd1 : a_i[14:7];
  assign exp_b  = (b_i[14:7] == 8'd0) ? 8'd1 : b_i[14:7];
  assign sig_a  = {a_i[14:7] != 8'd0, a_i[6:0]};
  assign sig_b  = {b_i[14:7] != 8'd0, b_i[6:0]};

  // x >> amount, with the lost bits joined into the lowest.
  function automatic logic [19:0] jam(input logic [19:0] x, input logic [10:0] amount);
    logic [19:0] kept, lost;
    kept = (amount > 11'd19) ? 20'd0 : x >> amount[4:0];
    lost = (amount > 11'd19) ? x : x & ~(20'hfffff << amount[4:0]);
    jam  = kept | {19'd0, lost != 20'd0};
  endfunction

  // Nearest number of magnitude x * 2^(scale - 146): 20 bits whose highest has weight 2^(scale - 127). Below the half
  // only the bits of `seen` count; jam joins lost bits into bit 0, invisible to a product.
  localparam logic [10:0] SeenOfSum = 11'h7ff;
  localparam logic [10:0] SeenOfProduct = 11'h600;
  function automatic logic [14:0] rounded(input logic [19:0] x, input logic signed [10:0] scale,
                                          input logic [10:0] seen);
    logic [19:0] s;
    logic signed [10:0] e;
    logic [14:0] magnitude;
    s = x;
    e = scale;
    for (int i = 0; i < 19; i++) begin
      if (!s[19]) begin
        s = s << 1;
        e = e - 11'sd1;
      end
    end
    if (e < 11'sd1) begin
      s = jam(s, 11'(11'sd1 - e));
      e = 11'sd1;
    end
    // Rounding up the largest number gives infinity, too.
    magnitude = {8'(e - 11'sd1), 7'd0} + {7'd0, s[19:12]} + {14'd0, s[11] & (s[12] | ((s[10:0] & seen) != 11'd0))};
    rounded   = (e > 11'sd254) ? Infinity : magnitude;
  endfunction

  // The sum of the significands on ten more bits, aligned to the larger exponent.
  logic a_larger;
  logic [10:0] distance;
  logic [19:0] aligned_a, aligned_b, sum;
  logic sum_sign;
  logic signed [10:0] sum_scale;
  assign a_larger  = exp_a >= exp_b;
  assign distance  = {3'd0, a_larger ? exp_a - exp_b : exp_b - exp_a};
  assign aligned_a = jam({2'd0, sig_a, 10'd0}, a_larger ? 11'd0 : distance);
  assign aligned_b = jam({2'd0, sig_b, 10'd0}, a_larger ? distance : 11'd0);
  assign sum_scale = {3'd0, a_larger ? exp_a : exp_b} + 11'sd2;
  always_comb begin
    if (sign_a == sign_b) begin
      sum      = aligned_a + aligned_b;
      sum_sign = sign_a;
    end else if (aligned_a >= aligned_b) begin
      sum      = aligned_a - aligned_b;
      sum_sign = (sum != 20'd0) & sign_a;
    end else begin
      sum      = aligned_b - aligned_a;
      sum_sign = sign_b;
    end
  end

  logic [15:0] product;
  logic signed [10:0] product_scale;
  assign product       = {8'd0, sig_a} * {8'd0, sig_b};
  assign product_scale = {3'd0, exp_a} + {3'd0, exp_b} - 11'sd126;

  logic nan_a, nan_b, inf_a, inf_b, zero_a, zero_b;
  assign nan_a  = a_i[14:0] > Infinity;
  assign nan_b  = b_i[14:0] > Infinity;
  assign inf_a  = a_i[14:0] == Infinity;
  assign inf_b  = b_i[14:0] == Infinity;
  assign zero_a = a_i[14:0] == 15'd0;
  assign zero_b = b_i[14:0] == 15'd0;

  always_comb begin
    unique case (op_i)
      OpAdd, OpSub: begin
        if (inf_a && inf_b && sign_a != sign_b) result_o = NotANumber;
        else if (inf_a) result_o = {sign_a, Infinity};
        else if (inf_b) result_o = {sign_b, Infinity};
        else if (sum == 20'd0) result_o = {sum_sign, 15'd0};
        else result_o = {sum_sign, rounded(sum, sum_scale, SeenOfSum)};
      end
      OpMul: begin
        if ((inf_a && zero_b) || (inf_b && zero_a)) result_o = NotANumber;
        else if (inf_a || inf_b) result_o = {sign_a ^ sign_b, Infinity};
        else if (zero_a || zero_b) result_o = {sign_a ^ sign_b, 15'd0};
        else result_o = {sign_a ^ sign_b, rounded({product, 4'd0}, product_scale, SeenOfProduct)};
      end
      default:      result_o = 16'd0;
    endcase
    if ((nan_a || nan_b) && (op_i == OpAdd || op_i == OpSub || op_i == OpMul)) result_o = NotANumber;
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(OtherOperationsGiveZero, op_i == OpAdd || op_i == OpSub || op_i == OpMul || result_o == 16'd0,
      "operations but sum, difference and product give 0")
endmodule
