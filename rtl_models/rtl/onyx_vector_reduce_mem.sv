// The vector and matrix reducer with its memory, as in a MEM tile: for netlists of primitives (bits_to_verilog).
module onyx_vector_reduce_mem (
    input  logic clk_i, rst_ni, en_i, flush_i, bf16_i,
    input  logic [3:0] op_i, inner_i,
    input  onyx_pkg::stream_t crd_i, output logic crd_ready_o,
    input  onyx_pkg::stream_t val_i, output logic val_ready_o,
    input  onyx_pkg::stream_t outer_i, output logic outer_ready_o,
    output onyx_pkg::stream_t crd_o, input  logic crd_ready_i,
    output onyx_pkg::stream_t val_o, input  logic val_ready_i,
    output onyx_pkg::stream_t outer_o, input  logic outer_ready_i,
    output logic stir_o, hazard_o
);
  logic mem_req, mem_we;
  logic [8:0] mem_addr;
  logic [63:0] mem_wdata, mem_rdata;

  onyx_matrix_reduce u_reduce (
      .clk_i, .rst_ni, .en_i, .flush_i, .bf16_i, .op_i, .inner_i, .stir_o, .hazard_o,
      .crd_i, .crd_ready_o, .val_i, .val_ready_o, .crd_o, .crd_ready_i, .val_o, .val_ready_i,
      .outer_i, .outer_ready_o, .outer_o, .outer_ready_i,
      .mem_req_o(mem_req), .mem_we_o(mem_we), .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata), .mem_rdata_i(mem_rdata)
  );

  onyx_sram u_sram (
      .clk_i,
      .req_i  (en_i & ~flush_i & mem_req),
      .we_i   (mem_we),
      .addr_i (mem_addr),
      .wdata_i(mem_wdata),
      .rdata_o(mem_rdata)
  );
`include "onyx_assert.svh"
  `ONYX_ASSERT(WritesAreRequests, mem_req || !mem_we, "a write is a request")
endmodule
