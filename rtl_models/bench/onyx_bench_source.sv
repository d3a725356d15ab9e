// A stream into an exported kernel: offers a word in every cycle, up to the last word of a run.
//
// Contract: next_i begins the next run's words in the cycle behind. done_o: all words of the run were taken.
module onyx_bench_source #(
    parameter File = "", parameter integer Words = 1
) (
    input  logic clk_i, rst_ni, next_i,
    output logic done_o,
    output logic [15:0] data_o, output logic valid_o, input logic ready_i
);
  logic [16:0] words[0:Words-1];
  logic [31:0] at_q;
  logic active_q;
  initial $readmemh(File, words);

  assign valid_o = active_q;
  assign data_o  = active_q ? words[at_q][15:0] : 16'd0;
  assign done_o  = !active_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q     <= 32'd0;
      active_q <= 1'b0;
    end else if (next_i) begin
      active_q <= 1'b1;
    end else if (active_q && ready_i) begin
      at_q     <= at_q + 32'd1;
      active_q <= !words[at_q][16];
    end
  end
endmodule
