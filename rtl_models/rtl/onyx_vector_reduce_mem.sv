// The vector reducer with its memory, as a MEM tile has it: for netlists of primitives (bits_to_verilog).
module onyx_vector_reduce_mem (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic        bf16_i,
    input  logic [16:0] crd_data_i,
    input  logic        crd_valid_i,
    output logic        crd_ready_o,
    input  logic [16:0] val_data_i,
    input  logic        val_valid_i,
    output logic        val_ready_o,
    output logic [16:0] crd_data_o,
    output logic        crd_valid_o,
    input  logic        crd_ready_i,
    output logic [16:0] val_data_o,
    output logic        val_valid_o,
    input  logic        val_ready_i,
    output logic        stir_o,
    output logic        hazard_o
);
  logic mem_req, mem_we;
  logic [8:0] mem_addr;
  logic [63:0] mem_wdata, mem_rdata;

  onyx_vector_reduce u_reduce (
      .clk_i,
      .rst_ni,
      .en_i,
      .flush_i,
      .bf16_i,
      .crd_data_i,
      .crd_valid_i,
      .crd_ready_o,
      .val_data_i,
      .val_valid_i,
      .val_ready_o,
      .crd_data_o,
      .crd_valid_o,
      .crd_ready_i,
      .val_data_o,
      .val_valid_o,
      .val_ready_i,
      .mem_req_o  (mem_req),
      .mem_we_o   (mem_we),
      .mem_addr_o (mem_addr),
      .mem_wdata_o(mem_wdata),
      .mem_rdata_i(mem_rdata),
      .stir_o,
      .hazard_o
  );

  onyx_sram u_sram (
      .clk_i,
      .req_i  (en_i & ~flush_i & mem_req),
      .we_i   (mem_we),
      .addr_i (mem_addr),
      .wdata_i(mem_wdata),
      .rdata_o(mem_rdata)
  );
endmodule
