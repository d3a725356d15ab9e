// A choice of the environment: the input counts in the first cycle, and the output keeps the value.
module first_value #(
    parameter int unsigned Width = 1
) (
    input  logic             clk_i,
    input  logic             live_i,
    input  logic [Width-1:0] value_i,
    output logic [Width-1:0] value_o
);
  logic [Width-1:0] value_q;
  always_ff @(posedge clk_i) value_q <= value_o;
  assign value_o = live_i ? value_q : value_i;
endmodule
