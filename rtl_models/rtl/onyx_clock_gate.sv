// Clock gate: passes a pulse of the clock if awake_i is set at its start.
//
// Contract: awake_i may change while clk_i is high; its value at the rise of clk_i counts. Used only for logic that
// would not change without a clock: the cycles are equal with and without the gate.
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
