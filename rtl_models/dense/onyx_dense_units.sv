// The units of dense tiles side by side, verilated for tests: settings in, the pins of each unit out.
module onyx_dense_units (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [1458:0] mem_space_i,
    input  logic [ 541:0] pond_space_i,
    input  logic [  31:0] data_i,
    input  logic [  31:0] chain_i,
    input  logic [  31:0] pond_data_i,
    input  logic          ren_i,
    input  logic          wen_i,
    input  logic [  10:0] addr_i,
    input  logic [  15:0] ram_data_i,
    output logic [  31:0] data_o,
    output logic [   1:0] accessor_o,
    output logic          valid_o,
    output logic [  15:0] pond_data_o,
    output logic [   1:0] pond_bit_o,
    output logic [  15:0] ram_data_o,
    output logic          ram_valid_o,
    output logic          ram_ready_o,
    input  logic [  83:0] pe_inst_i,
    input  logic [  47:0] pe_data_i,
    input  logic [   2:0] pe_bit_i,
    output logic [  15:0] pe_data_o,
    output logic          pe_bit_o,
    input  logic [  59:0] switch_sel_i,
    input  logic [  19:0] switch_enable_i,
    input  logic [  19:0] switch_register_i,
    input  logic [  19:0] arriving_i,
    input  logic [   4:0] core_i,
    output logic [  19:0] leaving_o,
    input  logic          box_enable_i,
    input  logic [   4:0] box_sel_i,
    input  logic          inner_i,
    output logic          box_o
);
  logic buffer_req, buffer_we, ram_req, ram_we;
  logic [8:0] buffer_addr, ram_addr;
  logic [63:0] buffer_wdata, buffer_rdata, ram_wdata, ram_rdata;

  onyx_dense_buffer u_buffer (
      .cfg_i(mem_space_i[1275:0]), .valid_o(accessor_o), .sram_req_o(buffer_req), .sram_we_o(buffer_we),
      .sram_addr_o(buffer_addr), .sram_wdata_o(buffer_wdata), .sram_rdata_i(buffer_rdata), .clk_i, .rst_ni,
      .en_i, .flush_i, .data_i, .chain_i, .data_o
  );
  onyx_sram u_buffer_sram (
      .req_i(buffer_req), .we_i(buffer_we), .addr_i(buffer_addr), .wdata_i(buffer_wdata), .rdata_o(buffer_rdata),
      .clk_i
  );
  onyx_dense_valid u_valid (
      .cfg_i(mem_space_i[1458:1276]), .bit_o(valid_o), .clk_i, .rst_ni, .en_i, .flush_i
  );
  onyx_dense_pond u_pond (
      .write_i(pond_space_i[541:271]), .read_i(pond_space_i[270:0]), .data_i(pond_data_i), .data_o(pond_data_o),
      .bit_o(pond_bit_o), .word_write_i(1'b0), .word_addr_i(5'd0), .word_i(16'd0), .clk_i, .rst_ni, .en_i, .flush_i
  );
  onyx_dense_ram u_ram (
      .data_i(ram_data_i), .data_o(ram_data_o), .valid_o(ram_valid_o), .ready_o(ram_ready_o), .sram_req_o(ram_req),
      .sram_we_o(ram_we), .sram_addr_o(ram_addr), .sram_wdata_o(ram_wdata), .sram_rdata_i(ram_rdata), .clk_i,
      .rst_ni, .ren_i, .wen_i, .addr_i
  );
  onyx_sram u_ram_sram (
      .req_i(ram_req), .we_i(ram_we), .addr_i(ram_addr), .wdata_i(ram_wdata), .rdata_o(ram_rdata), .clk_i
  );
  onyx_dense_pe u_pe (
      .inst_i(pe_inst_i), .data_i(pe_data_i), .bit_i(pe_bit_i), .data_o(pe_data_o), .bit_o(pe_bit_o), .clk_i,
      .rst_ni, .en_i
  );
  onyx_dense_switch u_switch (
      .sel_i(switch_sel_i), .enable_i(switch_enable_i), .register_i(switch_register_i), .in_i(arriving_i),
      .out_o(leaving_o), .clk_i, .rst_ni, .en_i, .core_i
  );
  onyx_dense_box #(.HasInner(1'b1)) u_box (
      .enable_i(box_enable_i), .sel_i(box_sel_i), .in_i(arriving_i), .data_o(box_o), .inner_i
  );
endmodule
