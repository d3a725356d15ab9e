// An IO tile (row 0): a depth-2 FIFO each way between a column's global-buffer port and tile (x,1) below.
//
// control_i is an onyx_pkg::control_t, south_* an onyx_pkg::side_t; plain vectors for the reason given in onyx_tile.
// Words from the buffer are 16 bits and become data tokens (bit 16 = 0) offered on all five tracks southwards
// at once, only while all five are ready. Tokens from the array arrive on track 0; their bit 16 is dropped.
// The global-buffer side comes from registers only. The rest is onyx_unit_io.
// comb from south_ready_i to valid on south_o; from control_i.cfg to cfg_rdata_o.
module onyx_tile_io (
    input  logic clk_i, rst_ni,
    input  logic [83:0] control_i,
    output logic [31:0] cfg_rdata_o,
    input  logic [15:0] glb2io_data_i, input  logic glb2io_valid_i, output logic glb2io_ready_o,
    output logic [15:0] io2glb_data_o, output logic io2glb_valid_o, input  logic io2glb_ready_i,
    input  logic [89:0] south_i,
    output logic [ 4:0] south_ready_o,
    output logic [89:0] south_o,
    input  logic [ 4:0] south_ready_i
);
  logic [17:0] out0;
  logic in0_ready, all_ready;

  onyx_unit_io u_unit (
      .clk_i,
      .rst_ni,
      .control_i,
      .cfg_rdata_o,
      .glb2io_data_i,
      .glb2io_valid_i,
      .glb2io_ready_o,
      .io2glb_data_o,
      .io2glb_valid_o,
      .io2glb_ready_i,
      .in0_i       ({south_i[85], south_i[16:0]}),
      .in0_ready_o (in0_ready),
      .out0_o      (out0),
      .out0_ready_i(all_ready)
  );

  assign all_ready     = &south_ready_i;
  assign south_o       = {{5{out0[17] & all_ready}}, {5{out0[16:0]}}};
  assign south_ready_o = {4'd0, in0_ready};

  // Tracks 1..4 end here unheard.
  logic unused_tracks;
  assign unused_tracks = ^south_i;
`include "onyx_assert.svh"
  `ONYX_ASSERT(TrackZeroIsHeard, south_ready_o[4:1] == 4'd0, "an IO tile listens to track 0 alone")
endmodule
