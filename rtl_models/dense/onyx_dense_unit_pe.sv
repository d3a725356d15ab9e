// A PE tile of the dense fabric without its interconnect: configuration registers, the PE and the Pond.
//
// Contract: an output is 0 while its unit is off. The bit inputs may be replaced by constants in the tile's last word.
module onyx_dense_unit_pe (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::control_t        control_i,
    input  logic               [47:0] data_i,
    input  logic               [ 2:0] bit_i,
    input  logic               [31:0] pond_data_i,
    output logic               [15:0] data_o,
    output logic                      bit_o,
    output logic               [15:0] pond_data_o,
    output logic               [ 1:0] pond_bit_o
);
  localparam int unsigned PondWords = 17;  // of CONFIG_SPACE; the next one turns the Pond on

  logic [127:0] words;
  logic [32*(PondWords+1)-1:0] pond_words;
  logic [32*PondWords-1:0] pond_space;
  onyx_dense_words #(.Words(4), .Feature(8'd0)) u_words (
      .cfg_i(control_i.cfg), .words_o(words), .clk_i, .rst_ni
  );
  onyx_dense_words #(.Words(PondWords + 1), .Feature(8'd1)) u_pond_words (
      .cfg_i(control_i.cfg), .words_o(pond_words), .clk_i, .rst_ni
  );
  // Registers are in the order of the names as strings: CONFIG_SPACE_0, _1, _10, .. _16, _2, ..
  for (genvar k = 0; k < PondWords; k++) begin : g_pond_space
    localparam int unsigned Place = k < 2 ? k : k < 10 ? k + 7 : k - 8;
    assign pond_space[32*k+:32] = pond_words[32*Place+:32];
  end

  logic on, pond_on, pe_bit;
  logic [1:0] pond_bit;
  logic [2:0] bits;
  logic [15:0] pe_data, pond_data;
  logic [31:0] tile;
  assign tile = words[127:96];
  assign on = tile[onyx_fabric_pkg::PE_TILE_EN_LO] && words[onyx_fabric_pkg::PE_ONYX_TILE_EN_LO] &&
              tile[onyx_fabric_pkg::PE_MODE_LO+:3] == 3'(onyx_fabric_pkg::PE_MODE_PE_ONYX);
  assign pond_on = pond_words[32*PondWords];
  assign bits[0] = tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_0_REG_SEL_LO]
                   ? tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_0_REG_VALUE_LO] : bit_i[0];
  assign bits[1] = tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_1_REG_SEL_LO]
                   ? tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_1_REG_VALUE_LO] : bit_i[1];
  assign bits[2] = tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_2_REG_SEL_LO]
                   ? tile[onyx_fabric_pkg::PE_INPUT_WIDTH_1_NUM_2_REG_VALUE_LO] : bit_i[2];

  onyx_dense_pe u_pe (
      .en_i(on && !control_i.stall), .inst_i(words[84:1]), .bit_i(bits), .data_o(pe_data), .bit_o(pe_bit), .clk_i,
      .rst_ni, .data_i
  );
  onyx_dense_pond u_pond (
      .en_i(pond_on && !control_i.stall), .flush_i(control_i.flush), .write_i(pond_space[541:271]),
      .read_i(pond_space[270:0]), .data_i(pond_data_i), .data_o(pond_data), .bit_o(pond_bit),
      .word_write_i(control_i.cfg.write && control_i.cfg.addr[23:0] == {8'd2, control_i.cfg.tile_id}),
      .word_addr_i(control_i.cfg.addr[28:24]), .word_i(control_i.cfg.data[15:0]), .clk_i, .rst_ni
  );
  assign data_o      = on ? pe_data : 16'd0;
  assign bit_o       = on && pe_bit;
  assign pond_data_o = pond_on ? pond_data : 16'd0;
  assign pond_bit_o  = pond_on ? pond_bit : 2'b00;

  // Settings of the sparse fabric, and of dense handshakes.
  logic unused_settings;
  assign unused_settings = ^{words, pond_words, pond_space};
endmodule
