// onyx_float_sum: the sum of two numbers is the nearest number to the exact sum, that with an even last bit if two are
// as near; beyond half a step above the largest number infinity. Exact sums are whole numbers of the least subnormal
// number, which the few bits of exponent here keep short. Infinities and NaNs give what IEEE 754 says.
//
// cells: onyx_float_sum
// with: first_reset
// broken: onyx_float_sum s/s\[3\] | s\[1\] | s\[0\]/s[1] | s[0]/
// broken: onyx_float_sum s/, lost != '0}/, 1'b0}/
`include "proof.svh"
module p_float_sum #(
    parameter int Exp = 4,
    parameter int Frac = 4,
    parameter int Low = 2
) (
`include "control_ports.svh"
    input logic [Exp+Frac:0] a_i,
    input logic [Exp+Frac-Low:0] b_i
);
  localparam int Bits = Exp + Frac;
  localparam int Wide = (1 << Exp) + Frac + 3;  // of a sum, and twice a sum
  localparam logic [Bits-1:0] Infinity = {{Exp{1'b1}}, {Frac{1'b0}}};
  localparam logic [Bits:0] NotANumber = {1'b0, {Exp{1'b1}}, 1'b1, {(Frac - 1) {1'b0}}};
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic [Bits:0] b, sum;
  assign b = {b_i, {Low{1'b0}}};
  onyx_float_sum #(
      .Exp (Exp),
      .Frac(Frac),
      .Low (Low)
  ) u_cell (
      .a_i,
      .b_i,
      .sum_o(sum)
  );

  // A number without its sign, in least subnormal numbers; infinity goes on where the largest number ends.
  function automatic logic [Wide-1:0] value(input logic [Bits-1:0] m);
    logic normal;
    normal = m[Bits-1:Frac] != '0;
    value  = Wide'({normal, m[Frac-1:0]}) << (normal ? m[Bits-1:Frac] - Exp'(1) : Exp'(0));
  endfunction

  logic [Bits-1:0] m_a, m_b, m;
  logic numbers, nan, negative;
  logic [Wide-1:0] x, y, exact, low, high;
  assign m_a     = a_i[Bits-1:0];
  assign m_b     = b[Bits-1:0];
  assign m       = sum[Bits-1:0];
  assign numbers = m_a < Infinity && m_b < Infinity;
  assign nan     = m_a > Infinity || m_b > Infinity || (m_a == Infinity && m_b == Infinity && a_i[Bits] != b[Bits]);
  assign x       = value(m_a);
  assign y       = value(m_b);
  always_comb begin
    if (a_i[Bits] == b[Bits]) exact = x + y;
    else exact = x >= y ? x - y : y - x;
    negative = x >= y ? a_i[Bits] : b[Bits];
    low  = m == '0 ? '0 : value(m - 1'b1) + value(m);
    high = value(m) + value(m + 1'b1);
  end

  always_comb begin
    if (rst_n && numbers) begin
      `PROVE(sign, sum[Bits] == (exact == '0 ? a_i[Bits] & b[Bits] : negative))
      `PROVE(a_number, m <= Infinity)
      `PROVE(not_too_large, m == '0 || exact << 1 > low || (exact << 1 == low && !m[0]))
      `PROVE(not_too_small, m == Infinity || exact << 1 < high || (exact << 1 == high && !m[0]))
    end
    if (rst_n && !numbers) begin
      `PROVE(no_number, !nan || sum == NotANumber)
      `PROVE(infinity, nan || sum == (m_a == Infinity ? a_i : b))
    end
    if (rst_n) begin
      `REACH(tie, numbers && m != '0 && exact << 1 == low)
      `REACH(overflow, numbers && m == Infinity)
      `REACH(subnormal, numbers && m != '0 && m[Bits-1:Frac] == '0 && a_i[Bits] != b[Bits])
    end
  end
endmodule
