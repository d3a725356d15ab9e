// The SRAM of a MEM tile as RAM or ROM: 2048 words in lines of four. sram_* have the contract of onyx_sram.
//
// Contract: a read is accepted when ready_o is 1, its word stands on data_o in the next cycle with valid_o; in every
// other cycle both are 0. A write goes before a read and takes the next cycle, too, in which ready_o is 0 and
// nothing is accepted. The state machine has no clock enable.
module onyx_dense_ram (
    input  logic clk_i, rst_ni,
    input  logic        ren_i,
    input  logic        wen_i,
    input  logic [10:0] addr_i,
    input  logic [15:0] data_i,
    output logic [15:0] data_o,
    output logic        valid_o,
    output logic        ready_o,
    output logic        sram_req_o, sram_we_o,
    output logic [ 8:0] sram_addr_o,
    output logic [63:0] sram_wdata_o,
    input  logic [63:0] sram_rdata_i
);
  logic writing_q, valid_q;
  logic [10:0] addr_q;
  logic [15:0] data_q;

  always_comb begin
    sram_wdata_o = sram_rdata_i;
    sram_wdata_o[16*addr_q[1:0]+:16] = data_q;
  end
  assign ready_o = !writing_q;
  assign valid_o = valid_q;
  assign data_o  = valid_q ? sram_rdata_i[16*addr_q[1:0]+:16] : 16'd0;

  assign sram_req_o  = writing_q || ren_i || wen_i;
  assign sram_we_o   = writing_q;
  assign sram_addr_o = writing_q ? addr_q[10:2] : addr_i[10:2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q <= 1'b0;
      valid_q   <= 1'b0;
    end else begin
      writing_q <= !writing_q && wen_i;
      valid_q   <= !writing_q && ren_i && !wen_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!writing_q) begin
      addr_q <= addr_i;
      data_q <= data_i;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneAccess, !(writing_q && valid_q), "no word stands in the second cycle of a write")
endmodule
