// The reset of a proof: the first cycle resets; the environment chooses every later reset.
module first_reset (
    input logic clk_i,
    input logic rst_ni,
    output logic live_o,  // this is not the first cycle
    output logic rst_no
);
  initial live_o = 1'b0;
  always_ff @(posedge clk_i) live_o <= 1'b1;
  assign rst_no = live_o & rst_ni;
endmodule
