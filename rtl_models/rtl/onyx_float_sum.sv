// Sum of two floating-point numbers of IEEE 754, the second of which lacks the `Low` last bits of its significand: of a
// float32 and a bfloat16. Rounded to nearest, ties to even; with subnormals; of every NaN only the first bit of the
// fraction is set. Combinational.
module onyx_float_sum #(
    parameter int Exp = 8,
    parameter int Frac = 23,
    parameter int Low = 16
) (
    input  logic [Exp+Frac:0] a_i,
    input  logic [Exp+Frac-Low:0] b_i,
    output logic [Exp+Frac:0] sum_o
);
  localparam int Width = Frac + 5;  // a carry, the significand, and three bits below
  localparam int Steps = $clog2(Width);
  localparam logic [Exp+Frac-1:0] Infinity = {{Exp{1'b1}}, {Frac{1'b0}}};
  localparam logic [Exp+Frac:0] NotANumber = {1'b0, {Exp{1'b1}}, 1'b1, {(Frac - 1) {1'b0}}};

  // x >> amount, with the lost bits joined into the lowest.
  function automatic logic [Width-1:0] jam(input logic [Width-1:0] x, input logic [Exp-1:0] amount);
    logic [Width-1:0] kept, lost;
    kept = x >> amount;
    lost = x & ~({Width{1'b1}} << amount);
    jam  = kept | {{(Width - 1) {1'b0}}, lost != '0};
  endfunction

  logic [Exp+Frac:0] b, more, less;
  logic a_larger;
  assign b        = {b_i, {Low{1'b0}}};
  assign a_larger = a_i[Exp+Frac-1:0] >= b[Exp+Frac-1:0];
  assign more    = a_larger ? a_i : b;
  assign less    = a_larger ? b : a_i;

  // A subnormal has the least exponent and no leading 1.
  logic more_normal, less_normal, differ;
  logic [Exp-1:0] exp_more, exp_less;
  logic [Width-1:0] x, y, sum;
  assign more_normal = more[Exp+Frac-1:Frac] != '0;
  assign less_normal = less[Exp+Frac-1:Frac] != '0;
  assign exp_more    = more_normal ? more[Exp+Frac-1:Frac] : Exp'(1);
  assign exp_less    = less_normal ? less[Exp+Frac-1:Frac] : Exp'(1);
  assign x            = {1'b0, more_normal, more[Frac-1:0], 3'd0};
  assign y            = jam({1'b0, less_normal, less[Frac-1:0], 3'd0}, exp_more - exp_less);
  assign differ       = more[Exp+Frac] ^ less[Exp+Frac];
  assign sum          = differ ? x - y : x + y;

  // The sum shifted until its leading 1 is in place, or the least exponent is reached; and its exponent. Steps are
  // powers of two, the largest first.
  logic [Width-1:0] s;
  logic [Exp-1:0] e;
  always_comb begin
    s = sum;
    e = exp_more;
    if (sum[Width-1]) begin
      s = jam(sum, Exp'(1));
      e = exp_more + Exp'(1);
    end else begin
      for (int i = Steps - 1; i >= 0; i--) begin
        if ((s >> (Width - 1 - (1 << i))) == '0 && e > Exp'(1 << i)) begin
          s = s << (1 << i);
          e = e - Exp'(1 << i);
        end
      end
    end
  end

  // Rounding up the largest number gives infinity, too.
  logic [Exp+Frac-1:0] magnitude;
  assign magnitude = {s[Width-2] ? e : Exp'(0), s[Width-3:3]}
      + {{(Exp + Frac - 1) {1'b0}}, s[2] & (s[3] | s[1] | s[0])};

  always_comb begin
    if (more[Exp+Frac-1:0] > Infinity) sum_o = NotANumber;
    else if (more[Exp+Frac-1:0] == Infinity)
      sum_o = (differ && less[Exp+Frac-1:0] == Infinity) ? NotANumber : more;
    else if (sum == '0) sum_o = {more[Exp+Frac] & ~differ, {(Exp + Frac) {1'b0}}};
    else if (e == {Exp{1'b1}}) sum_o = {more[Exp+Frac], Infinity};
    else sum_o = {more[Exp+Frac], magnitude};
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(OneNotANumber, sum_o[Exp+Frac-1:0] <= Infinity || sum_o == NotANumber, "a NaN is the named one")
endmodule
