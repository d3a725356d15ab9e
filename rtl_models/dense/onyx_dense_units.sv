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
    output logic          ram_ready_o
);
  onyx_dense_buffer u_buffer (
      .cfg_i(mem_space_i[1275:0]), .valid_o(accessor_o), .clk_i, .rst_ni, .en_i, .flush_i, .data_i, .chain_i,
      .data_o
  );
  onyx_dense_valid u_valid (
      .cfg_i(mem_space_i[1458:1276]), .bit_o(valid_o), .clk_i, .rst_ni, .en_i, .flush_i
  );
  onyx_dense_pond u_pond (
      .write_i(pond_space_i[541:271]), .read_i(pond_space_i[270:0]), .data_i(pond_data_i), .data_o(pond_data_o),
      .bit_o(pond_bit_o), .clk_i, .rst_ni, .en_i, .flush_i
  );
  onyx_dense_ram u_ram (
      .data_i(ram_data_i), .data_o(ram_data_o), .valid_o(ram_valid_o), .ready_o(ram_ready_o), .clk_i, .rst_ni,
      .ren_i, .wen_i, .addr_i
  );
endmodule
