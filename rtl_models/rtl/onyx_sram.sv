// The memory of a MEM tile: 512 words of 64 bits, one port, read latency a cycle.
//
// Contract: in a cycle with req_i the word at addr_i is written (we_i) or read; a word read stands on rdata_o from
// the next cycle until the next read. There is no reset: the contents are unknown until written. The caller gates
// req_i: the memory knows neither stall nor flush.
module onyx_sram (
    input  logic        clk_i,
    input  logic        req_i,
    input  logic        we_i,
    input  logic [ 8:0] addr_i,
    input  logic [63:0] wdata_i,
    output logic [63:0] rdata_o
);
  logic [63:0] words[0:511];

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) words[addr_i] <= wdata_i;
      else rdata_o <= words[addr_i];
    end
  end
`include "onyx_assert.svh"
  `ONYX_STEADY(HoldsWhatWasRead, !req_i || we_i, rdata_o, "a word that was read stands until the next read")
endmodule
