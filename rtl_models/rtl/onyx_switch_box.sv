// The 17-bit switch box of a compute tile: an output on each track of each side, and the joins of ready.
//
// words_i holds the six configuration words of feature "SB B17" as written (word w at bits [32*w +: 32]).
// onyx_fabric_pkg gives the arriving wires of an output's select, and the places of its settings. Ready
// of a wire or core output = no enabled sink that selects the wire is waiting. core_ready_o is this join
// for the core outputs; the tile gates core valids with core_ready_o, the box gates nothing. cb_wait_i:
// wires awaited by a connection box of the tile, numbered as its select. comb from every input to the
// outputs.
module onyx_switch_box (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         stall_i,
    input  logic [191:0] words_i,
    input  logic [ 19:0] cb_wait_i,
    input  onyx_pkg::outputs_t core_i,
    output logic [  2:0] core_ready_o,
    input  onyx_pkg::side_t east_i, south_i, west_i, north_i,
    output logic [4:0] east_ready_o, south_ready_o, west_ready_o, north_ready_o,
    output onyx_pkg::side_t east_o, south_o, west_o, north_o,
    input  logic [4:0] east_ready_i, south_ready_i, west_ready_i, north_ready_i
);
  localparam int unsigned Outputs = onyx_fabric_pkg::OUTPUTS;

  // Arriving wires and outputs by number: TRACKS * side + track.
  logic [17*Outputs-1:0] in_data, out_data;
  logic [Outputs-1:0] in_valid, in_ready, out_valid, out_ready;
  assign in_data   = {north_i.data, west_i.data, south_i.data, east_i.data};
  assign in_valid  = {north_i.valid, west_i.valid, south_i.valid, east_i.valid};
  assign out_ready = {north_ready_i, west_ready_i, south_ready_i, east_ready_i};
  assign {north_ready_o, west_ready_o, south_ready_o, east_ready_o} = in_ready;
  assign east_o  = {out_valid[4:0], out_data[84:0]};
  assign south_o = {out_valid[9:5], out_data[169:85]};
  assign west_o  = {out_valid[14:10], out_data[254:170]};
  assign north_o = {out_valid[19:15], out_data[339:255]};

  onyx_pkg::stream_t core0, core1, core2;
  assign {core2, core1, core0} = core_i;

  // The SB_IN enables have no function (ready joins use the sinks' enables), nor have the gaps.
  logic unused_words;
  assign unused_words = ^words_i;

  logic [6*Outputs-1:0] waits;  // by output and select
  for (genvar o = 0; o < Outputs; o++) begin : g_out
    localparam int unsigned In0 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o)+:5]);
    localparam int unsigned In1 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o+1)+:5]);
    localparam int unsigned In2 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o+2)+:5]);
    onyx_sb_out u_out (
        .clk_i, .rst_ni, .stall_i,
        .enable_i(words_i[onyx_fabric_pkg::SWITCH_ENABLE[8*o+:8]]),
        .sel_i(words_i[onyx_fabric_pkg::SWITCH_SELECT[8*o+:8]+:3]),
        .rmux_i(words_i[onyx_fabric_pkg::SWITCH_RMUX[8*o+:8]]),
        .fifo_i(words_i[onyx_fabric_pkg::SWITCH_FIFO[8*o+:8]]),
        .start_i(words_i[onyx_fabric_pkg::SWITCH_START[8*o+:8]]),
        .end_i(words_i[onyx_fabric_pkg::SWITCH_END[8*o+:8]]),
        .in0_i({in_valid[In0], in_data[17*In0+:17]}),
        .in1_i({in_valid[In1], in_data[17*In1+:17]}),
        .in2_i({in_valid[In2], in_data[17*In2+:17]}),
        .core0_i(core0), .core1_i(core1), .core2_i(core2),
        .wait_o(waits[6*o+:6]), .out_o({out_valid[o], out_data[17*o+:17]}), .out_ready_i(out_ready[o])
    );
  end

  // Ready of an arriving wire: its three possible outputs, and the connection boxes.
  for (genvar k = 0; k < Outputs; k++) begin : g_join
    localparam int unsigned Wire = 32'(onyx_fabric_pkg::BOX_INPUT[5*k+:5]);
    localparam int unsigned To0 = 32'(onyx_fabric_pkg::SWITCH_LISTENER[5*(3*Wire)+:5]);
    localparam int unsigned To1 = 32'(onyx_fabric_pkg::SWITCH_LISTENER[5*(3*Wire+1)+:5]);
    localparam int unsigned To2 = 32'(onyx_fabric_pkg::SWITCH_LISTENER[5*(3*Wire+2)+:5]);
    localparam int unsigned Select0 = 32'(onyx_fabric_pkg::SWITCH_LISTENER_SELECT[2*(3*Wire)+:2]);
    localparam int unsigned Select1 = 32'(onyx_fabric_pkg::SWITCH_LISTENER_SELECT[2*(3*Wire+1)+:2]);
    localparam int unsigned Select2 = 32'(onyx_fabric_pkg::SWITCH_LISTENER_SELECT[2*(3*Wire+2)+:2]);
    assign in_ready[Wire] = ~(cb_wait_i[k] | waits[6*To0+Select0] | waits[6*To1+Select1] | waits[6*To2+Select2]);
  end

  // Core outputs: any output may wait.
  logic [Outputs-1:0] wait0, wait1, wait2;
  for (genvar o = 0; o < Outputs; o++) begin : g_core
    assign wait0[o] = waits[6*o+3];
    assign wait1[o] = waits[6*o+4];
    assign wait2[o] = waits[6*o+5];
  end
  assign core_ready_o = {~(|wait2), ~(|wait1), ~(|wait0)};
`include "onyx_assert.svh"
  `ONYX_ASSERT(FreeIsReady, cb_wait_i != 20'd0 || waits != '0 || in_ready == '1,
      "a wire that nobody holds up is ready")
endmodule
