// Addresses of a DMA of the global buffer: nested counting loops over byte addresses, the first loop innermost.
//
// Contract:
// - start_i: addr_o is start_addr_i in the next cycle, and every loop at its beginning. start_i precedes step_i.
// - step_i: the innermost of the first dim_i loops that is not at its end counts on and adds its stride to addr_o;
//   those inside of it begin anew. Loop i counts range_i + 2 times; its stride is relative to where the loops inside of
//   it end.
// - last_o: all loops are at their ends; where dim_i is 0, always. A step in this state keeps addr_o. Loop i has
//   CountBits bits of range_i from CountBits*i, and bits 18*i+17 to 18*i of stride_i.
module onyx_dma_loops #(
    parameter int unsigned Loops = 8, CountBits = 32
) (
    input  logic                          clk_i, rst_ni, start_i, step_i,
    input  logic [                  17:0] start_addr_i,
    input  logic [                   3:0] dim_i,
    input  logic [   CountBits*Loops-1:0] range_i,
    input  logic [          18*Loops-1:0] stride_i,
    output logic [                  17:0] addr_o,
    output logic                          last_o
);
  if (Loops < 1 || Loops > 8) $error("Loops must be 1 to 8");

  logic [CountBits-1:0] count_q[Loops];
  logic [3:0] stepping;  // the loop that counts on; 8 = none

  always_comb begin
    stepping = 4'd8;
    for (int i = Loops - 1; i >= 0; i--) begin
      if (4'(i) < dim_i && count_q[i] != range_i[CountBits*i+:CountBits] + CountBits'(1)) stepping = 4'(i);
    end
  end
  assign last_o = (stepping == 4'd8);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addr_o <= 18'd0;
      for (int i = 0; i < Loops; i++) count_q[i] <= '0;
    end else if (start_i) begin
      addr_o <= start_addr_i;
      for (int i = 0; i < Loops; i++) count_q[i] <= '0;
    end else if (step_i && !last_o) begin
      for (int i = 0; i < Loops; i++) begin
        if (4'(i) == stepping) begin
          count_q[i] <= count_q[i] + CountBits'(1);
          addr_o     <= addr_o + stride_i[18*i+:18];
        end else if (4'(i) < stepping) begin
          count_q[i] <= '0;
        end
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(CountingLoopIsUsed, last_o || stepping < dim_i, "the loop that counts on is one of the stream")
endmodule
