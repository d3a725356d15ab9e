// Clock gate: passes a pulse of the clock when awake_i was set before it.
//
// Contract: awake_i may change while clk_i is high; what it is when clk_i rises counts. Used where nothing behind
// the gate would change without a clock anyway, so the cycles are the same with and without it.
module onyx_clock_gate (
    input  logic clk_i,
    input  logic awake_i,
    output logic clk_o
);
  logic open;
  always_latch if (!clk_i) open = awake_i;
  assign clk_o = clk_i & open;
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(NoPulseOfItsOwn, !clk_o || clk_i, "a pulse comes from the clock")
endmodule
