// A value on a loop nest: each loop has an increment, loop 0 in the highest bits.
//
// Contract: load_i sets start_i, and precedes step_i, which adds the increment of loop_i; no loop adds nothing.
module onyx_dense_affine #(
    parameter int unsigned Loops = 6,
    parameter int unsigned Width = 16
) (
    input  logic clk_i, rst_ni, en_i, load_i, step_i,
    input  logic [            3:0] loop_i,
    input  logic [      Width-1:0] start_i,
    input  logic [Loops*Width-1:0] stride_i,
    output logic [      Width-1:0] value_o
);
  logic [Width-1:0] increment;

  always_comb begin
    increment = '0;
    for (int i = 0; i < Loops; i++) begin
      if (4'(i) == loop_i) increment = stride_i[(Loops-1-i)*Width+:Width];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) value_o <= '0;
    else if (en_i && load_i) value_o <= start_i;
    else if (en_i && step_i) value_o <= value_o + increment;
  end
endmodule
