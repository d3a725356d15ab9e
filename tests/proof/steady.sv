// A choice that the environment makes once: the value stays as in the first cycle.
module steady #(
    parameter int unsigned Width = 1
) (
    input logic clk_i,
    input logic live_i,
    input logic [Width-1:0] value_i
);
  logic [Width-1:0] value_q;
  always_ff @(posedge clk_i) value_q <= value_i;
  always_comb if (live_i) assume (value_i == value_q);
endmodule
