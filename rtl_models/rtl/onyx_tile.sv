// A PE tile (Mem = 0) or a MEM tile (Mem = 1): configuration registers, four connection boxes, the core, the switch
// box.
//
// Ports of struct types are plain vectors here, control_i an onyx_pkg::control_t and a side an onyx_pkg::side_t: a
// hierarchical block (onyx_array.vlt) of Verilator 5.006 has no structs at its ports, and no package in its file. Mem
// has no default: of an instance whose parameters are the defaults it makes none either, and writes the tile out each
// time. A side *_i arrives (SB_IN), *_o leaves (SB_OUT). A core output is offered to the fabric only while all its
// sinks are ready, so every branch of a fan-out takes a token in the same cycle. Stall stops core and switch-box
// registers, not the configuration; flush resets the core's state. In a MEM tile features
// 1 and 2 of the configuration bus are SRAM words 0..255 and 256..511, 16 bits an access.
// comb from every side input to side outputs where the configuration has no register on the way.
// lint: "-GMem=1'b0"
// lint: "-GMem=1'b1"
module onyx_tile #(
    parameter bit Mem
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic [83:0] control_i,
    output logic [31:0] cfg_rdata_o,
    input  logic [89:0] east_i, south_i, west_i, north_i,
    output logic [4:0] east_ready_o, south_ready_o, west_ready_o, north_ready_o,
    output logic [89:0] east_o, south_o, west_o, north_o,
    input  logic [4:0] east_ready_i, south_ready_i, west_ready_i, north_ready_i
);
  localparam int unsigned Inputs = 4;
  localparam int unsigned Bits = 18;  // of a stream, valid on top

  logic [191:0] sb17;
  logic [6*Inputs-1:0] cb;
  logic [20*Inputs-1:0] cb_wait;
  logic [Bits*Inputs-1:0] in;
  logic [Inputs-1:0] in_ready;
  logic [Bits-1:0] out0, out1, out2;
  logic [2:0] core_ready;

  onyx_unit #(.Mem(Mem)) u_unit (
      .clk_i, .rst_ni, .control_i, .cfg_rdata_o, .cb_o(cb), .sb17_o(sb17),
      .in0_i(in[Bits*0+:Bits]), .in0_ready_o(in_ready[0]), .in1_i(in[Bits*1+:Bits]), .in1_ready_o(in_ready[1]),
      .in2_i(in[Bits*2+:Bits]), .in2_ready_o(in_ready[2]), .in3_i(in[Bits*3+:Bits]), .in3_ready_o(in_ready[3]),
      .out0_o(out0), .out0_ready_i(core_ready[0]), .out1_o(out1), .out1_ready_i(core_ready[1]),
      .out2_o(out2), .out2_ready_i(core_ready[2])
  );

  for (genvar p = 0; p < Inputs; p++) begin : g_cb
    onyx_cb u_cb (
        .enable_i   (cb[6*p]),
        .sel_i      (cb[6*p+1+:5]),
        .east_i,
        .south_i,
        .west_i,
        .north_i,
        .wait_o     (cb_wait[20*p+:20]),
        .out_o      (in[Bits*p+:Bits]),
        .out_ready_i(in_ready[p])
    );
  end

  onyx_switch_box u_sb (
      .clk_i,
      .rst_ni,
      .stall_i     (control_i[83]),
      .words_i     (sb17),
      .cb_wait_i   (cb_wait[19:0] | cb_wait[39:20] | cb_wait[59:40] | cb_wait[79:60]),
      .core_i      ({out2[17] & core_ready[2], out2[16:0], out1[17] & core_ready[1], out1[16:0],
                     out0[17] & core_ready[0], out0[16:0]}),
      .core_ready_o(core_ready),
      .east_i,
      .south_i,
      .west_i,
      .north_i,
      .east_ready_o,
      .south_ready_o,
      .west_ready_o,
      .north_ready_o,
      .east_o,
      .south_o,
      .west_o,
      .north_o,
      .east_ready_i,
      .south_ready_i,
      .west_ready_i,
      .north_ready_i
  );
`include "onyx_assert.svh"
  `ONYX_ASSERT(OnlyReadsAnswer, control_i[64] || cfg_rdata_o == 32'd0,
      "nothing answers on the configuration bus without a read")
endmodule
