// A PE tile (Mem = 0) or a MEM tile (Mem = 1) without its interconnect: configuration registers, and the core, that of
// a MEM tile with its SRAM. The words of the connection boxes and of the switch box leave on cb_o and sb17_o, as in
// onyx_tile_cfg.
//
// Streams as in the cores: ready of an input and valid of an output come from registers. What a fan-out asks for (an
// output is offered only while all its sinks are ready) is the interconnect's. In a MEM tile features 1 and 2 of the
// configuration bus are SRAM words 0..255 and 256..511, 16 bits an access.
// comb from control_i.cfg to cfg_rdata_o.
// lint: "-GMem=1'b0"
// lint: "-GMem=1'b1"
module onyx_unit #(
    parameter bit Mem = 1'b0
) (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::control_t control_i,
    output logic [31:0] cfg_rdata_o,
    output logic [23:0] cb_o,
    output logic [191:0] sb17_o,
    input  onyx_pkg::stream_t in0_i, output logic in0_ready_o,
    input  onyx_pkg::stream_t in1_i, output logic in1_ready_o,
    input  onyx_pkg::stream_t in2_i, output logic in2_ready_o,
    input  onyx_pkg::stream_t in3_i, output logic in3_ready_o,
    output onyx_pkg::stream_t out0_o, input  logic out0_ready_i,
    output onyx_pkg::stream_t out1_o, input  logic out1_ready_i,
    output onyx_pkg::stream_t out2_o, input  logic out2_ready_i
);
  logic [31:0] tile, reg_rdata;
  logic [127:0] space;

  onyx_tile_cfg #(.Mem(Mem)) u_cfg (
      .clk_i, .rst_ni, .cfg_i(control_i.cfg), .rdata_o(reg_rdata), .space_o(space), .tile_o(tile), .cb_o, .sb17_o
  );

  // Overrides: where a bit of *_set is on, the bit of *_to replaces valid of the input, ready of the output, or
  // flush. A PE tile has the overrides of inputs in the last word of CONFIG_SPACE.
  logic [3:0] valid_set, valid_to;
  logic [2:0] ready_set, ready_to, mode;
  logic flush_set, flush_to, flush_routed, tile_en;
  logic [31:0] last_space;
  assign last_space = space[32*onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_0_VALID_REG_SEL_REG+:32];
  if (Mem) begin : g_fields
    assign valid_set = {
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_3_VALID_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_2_VALID_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_1_VALID_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_0_VALID_REG_SEL_LO]
    };
    assign valid_to = {
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_3_VALID_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_2_VALID_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_1_VALID_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_INPUT_WIDTH_17_NUM_0_VALID_REG_VALUE_LO]
    };
    assign ready_set = {
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_2_READY_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_1_READY_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_0_READY_REG_SEL_LO]
    };
    assign ready_to = {
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_2_READY_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_1_READY_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_OUTPUT_WIDTH_17_NUM_0_READY_REG_VALUE_LO]
    };
    assign {flush_to, flush_set, flush_routed, tile_en} = {
      tile[onyx_fabric_pkg::MEM_FLUSH_REG_VALUE_LO],
      tile[onyx_fabric_pkg::MEM_FLUSH_REG_SEL_LO],
      tile[onyx_fabric_pkg::MEM_FLUSH_MUX_SEL_LO],
      tile[onyx_fabric_pkg::MEM_TILE_EN_LO]
    };
    assign mode = 3'(tile[onyx_fabric_pkg::MEM_MODE_LO+:onyx_fabric_pkg::MEM_MODE_BITS]);
  end else begin : g_fields
    assign valid_set = {
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_3_VALID_REG_SEL_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_2_VALID_REG_SEL_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_1_VALID_REG_SEL_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_0_VALID_REG_SEL_LO]
    };
    assign valid_to = {
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_3_VALID_REG_VALUE_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_2_VALID_REG_VALUE_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_1_VALID_REG_VALUE_LO],
      last_space[onyx_fabric_pkg::PE_INPUT_WIDTH_17_NUM_0_VALID_REG_VALUE_LO]
    };
    assign ready_set = {
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_2_READY_REG_SEL_LO],
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_1_READY_REG_SEL_LO],
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_0_READY_REG_SEL_LO]
    };
    assign ready_to = {
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_2_READY_REG_VALUE_LO],
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_1_READY_REG_VALUE_LO],
      tile[onyx_fabric_pkg::PE_OUTPUT_WIDTH_17_NUM_0_READY_REG_VALUE_LO]
    };
    assign {flush_to, flush_set, flush_routed, tile_en} = {
      tile[onyx_fabric_pkg::PE_FLUSH_REG_VALUE_LO],
      tile[onyx_fabric_pkg::PE_FLUSH_REG_SEL_LO],
      tile[onyx_fabric_pkg::PE_FLUSH_MUX_SEL_LO],
      tile[onyx_fabric_pkg::PE_TILE_EN_LO]
    };
    assign mode = 3'(tile[onyx_fabric_pkg::PE_MODE_LO+:onyx_fabric_pkg::PE_MODE_BITS]);
  end

  logic flush;
  logic [3:0] in_valid, in_ready;
  logic [2:0] out_ready;
  onyx_pkg::inputs_t in;
  onyx_pkg::outputs_t out;
  // A routed flush never comes: the 1-bit network has no datapath.
  assign flush     = flush_set ? flush_to : (control_i.flush & ~flush_routed);
  assign in_valid  = (valid_set & valid_to) | (~valid_set & {in3_i.valid, in2_i.valid, in1_i.valid, in0_i.valid});
  assign out_ready = (ready_set & ready_to) | (~ready_set & {out2_ready_i, out1_ready_i, out0_ready_i});
  assign in        = {in_valid[3], in3_i.data, in_valid[2], in2_i.data, in_valid[1], in1_i.data, in_valid[0], in0_i.data};
  assign {in3_ready_o, in2_ready_o, in1_ready_o, in0_ready_o} = in_ready;
  assign {out2_o, out1_o, out0_o} = out;

  // The memory of a MEM tile is at features 1 and 2 of the configuration bus.
  logic [15:0] sram_rdata;
  logic sram_here;
  assign sram_here = Mem && (control_i.cfg.addr[15:0] == control_i.cfg.tile_id) &&
                     (control_i.cfg.addr[23:16] == 8'd1 || control_i.cfg.addr[23:16] == 8'd2);
  assign cfg_rdata_o = (control_i.cfg.read && sram_here) ? {16'd0, sram_rdata} : reg_rdata;
  onyx_core #(.Mem(Mem)) u_core (
      .clk_i, .rst_ni, .en_i(~control_i.stall), .flush_i(flush), .tile_en_i(tile_en), .mode_i(mode), .space_i(space),
      .in_i(in), .in_ready_o(in_ready), .out_o(out), .out_ready_i(out_ready),
      .sram_we_i(control_i.cfg.write & sram_here), .sram_re_i(control_i.cfg.read & sram_here),
      .sram_addr_i({control_i.cfg.addr[17], control_i.cfg.addr[31:24]}), .sram_wdata_i(control_i.cfg.data[15:0]),
      .sram_rdata_o(sram_rdata)
  );

  // Dense-only fields: bypass of port FIFOs, overrides of 1-bit inputs, mode_excl.
  logic unused_dense;
  assign unused_dense = ^{tile, last_space};
`include "onyx_assert.svh"
  `ONYX_ASSERT(OnlyReadsAnswer, control_i.cfg.read || cfg_rdata_o == 32'd0,
      "nothing answers on the configuration bus without a read")
endmodule
