// A bank of the global buffer: words of 64 bits, one port, read latency a cycle.
//
// Contract: in a cycle with req_i the word at addr_i is written (we_i; the bytes of strb_i alone) or read; a word read
// stands on rdata_o from the next cycle until the next read. There is no reset: the contents are unknown until written.
module onyx_glb_bank #(
    parameter int unsigned Words = 16384
) (
    input  logic                     clk_i,
    input  logic                     req_i,
    input  logic                     we_i,
    input  logic [              7:0] strb_i,
    input  logic [$clog2(Words)-1:0] addr_i,
    input  logic [             63:0] wdata_i,
    output logic [             63:0] rdata_o
);
  if (Words < 2) $error("Words must be at least 2");
  logic [63:0] words[Words]  /*verilator public_flat_rw*/;

  always_ff @(posedge clk_i) begin
    if (req_i && we_i) begin
      for (int b = 0; b < 8; b++) if (strb_i[b]) words[addr_i][8*b+:8] <= wdata_i[8*b+:8];
    end
    if (req_i && !we_i) rdata_o <= words[addr_i];
  end
`include "onyx_assert.svh"
  `ONYX_STEADY(HoldsWhatWasRead, !req_i || we_i, rdata_o, "a word that was read stands until the next read")
endmodule
