// An operand of a dense PE with its register. Contract: value_o is the constant (mode 0), the register (1), the input
// (2), or the input of the cycle before (3); only mode 3 loads the register, and no flush clears the register.
module onyx_dense_operand #(
    parameter int unsigned Width = 16
) (
    input  logic clk_i, rst_ni, en_i,
    input  logic [      1:0] mode_i,
    input  logic [Width-1:0] constant_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] value_o
);
  localparam logic [1:0] ModeConstant = 2'd0;
  localparam logic [1:0] ModeBypass = 2'd2;
  localparam logic [1:0] ModeDelay = 2'd3;

  logic [Width-1:0] held_q;

  assign value_o = mode_i == ModeConstant ? constant_i : mode_i == ModeBypass ? data_i : held_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (en_i && mode_i == ModeDelay) held_q <= data_i;
  end
endmodule
