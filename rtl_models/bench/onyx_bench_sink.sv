// A stream out of an exported kernel: takes a word in every cycle, up to the last expected word of a run, and compares.
//
// Contract: next_i begins the next run in the cycle behind. done_o: all words of the run came. failed_o: a word was
// wrong, or a word came behind the last.
module onyx_bench_sink #(
    parameter File = "", parameter integer Words = 1
) (
    input  logic clk_i, rst_ni, next_i,
    output logic done_o, failed_o,
    input  logic [15:0] data_i, input logic valid_i, output logic ready_o
);
  logic [16:0] words[0:Words-1];
  logic [31:0] at_q;
  logic active_q;
  initial $readmemh(File, words);

  assign ready_o = active_q;
  assign done_o  = !active_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q     <= 32'd0;
      active_q <= 1'b0;
      failed_o <= 1'b0;
    end else if (next_i) begin
      active_q <= 1'b1;
    end else if (valid_i && !active_q && at_q != 32'd0 && !failed_o) begin
      $display("%s: a word behind the last, %h", File, data_i);
      failed_o <= 1'b1;
    end else if (valid_i && active_q) begin
      if (data_i != words[at_q][15:0]) begin
        $display("%s: word %0d is %h, expected %h", File, at_q, data_i, words[at_q][15:0]);
        failed_o <= 1'b1;
      end
      at_q     <= at_q + 32'd1;
      active_q <= !words[at_q][16];
    end
  end
endmodule
