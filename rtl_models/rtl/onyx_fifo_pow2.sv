// Register FIFO of 2^LogDepth words; a word put in shows at the output one cycle later.
//
// Contract: as onyx_fifo2, but for the depth.
module onyx_fifo_pow2 #(
    parameter int unsigned Width = 17,
    parameter int unsigned LogDepth = 3
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [Width:0] in_i,  output logic in_ready_o,
    output logic [Width:0] out_o, input  logic out_ready_i
);
  if (Width < 1 || LogDepth < 1 || LogDepth > 16) begin : g_bad
    $error("onyx_fifo_pow2: Width must be 1 or more and LogDepth 1..16");
  end

  logic [Width-1:0] words[0:(1 << LogDepth) - 1];
  // A bit more than an index: full and empty differ in this bit.
  logic [LogDepth:0] write_q, read_q;
  logic push, pop;

  assign in_ready_o = (write_q[LogDepth-1:0] != read_q[LogDepth-1:0]) || (write_q[LogDepth] == read_q[LogDepth]);
  assign out_o      = {write_q != read_q, words[read_q[LogDepth-1:0]]};
  assign push       = in_i[Width] & in_ready_o;
  assign pop        = out_o[Width] & out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        write_q <= '0;
        read_q  <= '0;
      end else begin
        if (push) write_q <= write_q + 1'b1;
        if (pop) read_q <= read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i && push) words[write_q[LogDepth-1:0]] <= in_i[Width-1:0];
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(InDepth, (write_q[LogDepth] == read_q[LogDepth]) ? write_q[LogDepth-1:0] >= read_q[LogDepth-1:0] : write_q[LogDepth-1:0] <= read_q[LogDepth-1:0],
      "no more words are held than there is room for")
endmodule
