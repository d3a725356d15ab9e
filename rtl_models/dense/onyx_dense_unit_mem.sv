// A MEM tile of the dense fabric without its interconnect: configuration registers, and around one SRAM the unified
// buffer (mode 1) and the RAM (mode 2); beside them the generator of valid bits.
//
// Words 2 and 3 are a buffer's inputs, 0 and 1 its chain; a RAM takes data from word 0 and addresses from word 2. Bits
// 0 and 1 are the buffer's valid bits, or ready and valid of the RAM; bit 2 is the generator's. Features 1 and 2 of
// the configuration bus are lines 0..255 and 256..511 of the SRAM: a line takes four writes, lane by lane, while
// stalled.
// Contract: an output is 0 while its unit is off.
module onyx_dense_unit_mem (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::control_t        control_i,
    input  logic               [63:0] data_i,
    input  logic               [ 1:0] bit_i,
    output logic               [31:0] data_o,
    output logic               [ 2:0] bit_o
);
  localparam int unsigned Words = 46;  // of CONFIG_SPACE; the next one has the mode

  logic [32*(Words+1)-1:0] words;
  logic [32*Words-1:0] space;
  onyx_dense_words #(.Words(Words + 1), .Feature(8'd0)) u_words (
      .cfg_i(control_i.cfg), .words_o(words), .clk_i, .rst_ni
  );
  // Registers are in the order of the names as strings: CONFIG_SPACE_0, _1, _10, .. _19, _2, _20, ..
  for (genvar k = 0; k < Words; k++) begin : g_space
    localparam int unsigned Place = k < 2 ? k : k < 5 ? 11 * k - 10 : k < 10 ? k + 36 : k - 9 + k / 10;
    assign space[32*k+:32] = words[32*Place+:32];
  end

  logic [31:0] tile;
  logic buffers, remembers, validates;
  logic [1:0] bits;
  assign tile      = words[32*Words+:32];
  assign buffers   = tile[onyx_fabric_pkg::MEM_TILE_EN_LO] && tile[onyx_fabric_pkg::MEM_MODE_LO+:2] == 2'd1;
  assign remembers = tile[onyx_fabric_pkg::MEM_TILE_EN_LO] && tile[onyx_fabric_pkg::MEM_MODE_LO+:2] == 2'd2;
  assign validates = tile[onyx_fabric_pkg::MEM_TILE_EN_LO] && tile[onyx_fabric_pkg::MEM_MODE_EXCL_LO];
  assign bits[0] = tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_1_NUM_0_REG_SEL_LO]
                   ? tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_1_NUM_0_REG_VALUE_LO] : bit_i[0];
  assign bits[1] = tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_1_NUM_1_REG_SEL_LO]
                   ? tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_1_NUM_1_REG_VALUE_LO] : bit_i[1];

  // Contents: three lanes wait for the fourth.
  logic word_write;
  logic [1:0] lane_q;
  logic [47:0] lanes_q;
  assign word_write = control_i.cfg.write && control_i.stall && control_i.cfg.addr[15:0] == control_i.cfg.tile_id &&
                      (control_i.cfg.addr[23:16] == 8'd1 || control_i.cfg.addr[23:16] == 8'd2) &&
                      (buffers || remembers);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lane_q  <= 2'd0;
      lanes_q <= 48'd0;
    end else if (!control_i.stall) begin
      lane_q <= 2'd0;
    end else if (word_write) begin
      lane_q  <= lane_q + 2'd1;
      lanes_q <= {control_i.cfg.data[15:0], lanes_q[47:16]};
    end
  end

  logic buffer_req, buffer_we, ram_req, ram_we, ram_valid, ram_ready, valid;
  logic [1:0] buffer_valid;
  logic [8:0] buffer_addr, ram_addr;
  logic [15:0] ram_data;
  logic [31:0] buffer_data;
  logic [63:0] buffer_wdata, ram_wdata, line;
  onyx_sram u_sram (
      .req_i(word_write ? lane_q == 2'd3 : buffers ? buffer_req : remembers && ram_req),
      .we_i(word_write || (buffers ? buffer_we : ram_we)),
      .addr_i(word_write ? {control_i.cfg.addr[17], control_i.cfg.addr[31:24]} : buffers ? buffer_addr : ram_addr),
      .wdata_i(word_write ? {control_i.cfg.data[15:0], lanes_q} : buffers ? buffer_wdata : ram_wdata),
      .rdata_o(line), .clk_i
  );
  onyx_dense_buffer u_buffer (
      .en_i(buffers && !control_i.stall), .flush_i(control_i.flush), .cfg_i(space[1275:0]), .data_i(data_i[63:32]),
      .chain_i(data_i[31:0]), .data_o(buffer_data), .valid_o(buffer_valid), .sram_req_o(buffer_req),
      .sram_we_o(buffer_we), .sram_addr_o(buffer_addr), .sram_wdata_o(buffer_wdata), .sram_rdata_i(line), .clk_i,
      .rst_ni
  );
  onyx_dense_ram u_ram (
      .ren_i(bits[0] && remembers), .wen_i(bits[1] && remembers), .addr_i(data_i[42:32]), .data_i(data_i[15:0]),
      .data_o(ram_data), .valid_o(ram_valid), .ready_o(ram_ready), .sram_req_o(ram_req), .sram_we_o(ram_we),
      .sram_addr_o(ram_addr), .sram_wdata_o(ram_wdata), .sram_rdata_i(line), .clk_i, .rst_ni
  );
  onyx_dense_valid u_valid (
      .en_i(validates && !control_i.stall), .flush_i(control_i.flush), .cfg_i(space[1458:1276]), .bit_o(valid), .clk_i,
      .rst_ni
  );
  assign data_o = buffers ? buffer_data : remembers ? {16'd0, ram_data} : 32'd0;
  assign bit_o  = {validates && valid, buffers ? buffer_valid : remembers ? {ram_valid, ram_ready} : 2'b00};

  // Settings of the sparse fabric, and of dense handshakes.
  logic unused_settings;
  assign unused_settings = ^{words, space};
endmodule
