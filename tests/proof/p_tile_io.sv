// onyx_tile_io: each way between global buffer and array is a queue of two words while the tile is on; off, it takes
// none. A word for the array leaves on all five tracks at once, or on none, its bit 16 clear; of one from the array bit
// 16 is dropped. The register reads back; its overrides take the place of the handshake wires they name, for both ways.
//
// cells: onyx_fifo2 onyx_unit_io onyx_tile_io
// with: queue_contract
// broken: onyx_unit_io s/glb2io_valid_i) \& tile_en/glb2io_valid_i)/
// broken: onyx_unit_io s/out_ready \& tile_en/out_ready/
// broken: onyx_tile_io s/{5{out0[[]17] \& all_ready}}/{5{out0[17]}} \& south_ready_i/
`include "proof.svh"
module p_tile_io (
    input logic         clk_i,
    input logic         rst_ni,
    input onyx_pkg::control_t control_i,
    input logic         pick_i,
    input logic [ 15:0] glb2io_data_i,
    input logic         glb2io_valid_i,
    input logic         io2glb_ready_i,
    input onyx_pkg::side_t south_i,
    input logic [  4:0] south_ready_i,
    output logic [144:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic live_q, rst_n;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  assign rst_n = live_q & rst_ni;

  logic glb2io_ready, io2glb_valid;
  logic [15:0] io2glb_data;
  logic [31:0] cfg_rdata;
  onyx_pkg::side_t south;
  logic [4:0] south_ready;
  onyx_tile_io u_tile (
      .clk_i,
      .rst_ni        (rst_n),
      .control_i,
      .cfg_rdata_o   (cfg_rdata),
      .glb2io_data_i,
      .glb2io_valid_i,
      .glb2io_ready_o(glb2io_ready),
      .io2glb_data_o (io2glb_data),
      .io2glb_valid_o(io2glb_valid),
      .io2glb_ready_i,
      .south_i,
      .south_ready_o (south_ready),
      .south_o       (south),
      .south_ready_i
  );

  // The register as the configuration bus left the register, and its effect on the wires.
  logic [23:0] word_q;
  logic here, on, clears, all_ready;
  assign here = control_i.cfg.addr == {16'd0, control_i.cfg.tile_id};
  always_ff @(posedge clk_i) begin
    if (!rst_n) word_q <= 24'd0;
    else if (control_i.cfg.write && here) word_q <= control_i.cfg.data[23:0];
  end
  assign on        = word_q[23];
  assign clears    = word_q[7] ? word_q[8] : control_i.flush & ~word_q[6];
  assign all_ready = &south_ready_i;

  logic in_offer, in_take, out_offer, out_take;
  assign in_offer  = on & (word_q[9] ? word_q[10] : glb2io_valid_i);
  assign in_take   = word_q[15] ? word_q[16] : all_ready;
  assign out_offer = on & (word_q[0] ? word_q[1] : south_i.valid[0]);
  assign out_take  = word_q[19] ? word_q[20] : io2glb_ready_i;

  // Words inside, counted from outside: the expected ready and valid while the counts show.
  logic [1:0] in_q, out_q;
  logic in_room, in_valid, out_room, out_valid;
  initial begin
    in_q  = 2'd0;
    out_q = 2'd0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n || (!control_i.stall && clears)) begin
      in_q  <= 2'd0;
      out_q <= 2'd0;
    end else if (!control_i.stall) begin
      in_q  <= in_q + {1'b0, in_offer & in_room} - {1'b0, in_valid & in_take};
      out_q <= out_q + {1'b0, out_offer & out_room} - {1'b0, out_valid & out_take};
    end
  end
  assign in_room   = on ? glb2io_ready : in_q != 2'd2;
  assign in_valid  = all_ready ? south.valid[0] : in_q != 2'd0;
  assign out_room  = on ? south_ready[0] : out_q != 2'd2;
  assign out_valid = io2glb_valid;

  queue_contract #(.Width(16), .Capacity(2)) u_in (
      .clk_i, .live_i(rst_n), .en_i(~control_i.stall), .clear_i(clears), .in_i({in_offer, glb2io_data_i}),
      .in_ready_i(in_room), .out_i({in_valid, south.data[15:0]}), .out_ready_i(in_take), .pick_i
  );
  queue_contract #(.Width(16), .Capacity(2)) u_out (
      .clk_i, .live_i(rst_n), .en_i(~control_i.stall), .clear_i(clears), .in_i({out_offer, south_i.data[15:0]}),
      .in_ready_i(out_room), .out_i({out_valid, io2glb_data}), .out_ready_i(out_take), .pick_i
  );
  always_comb begin
    if (rst_n) begin
      `PROVE(all_or_none, south.valid == {5{south.valid[0]}} && (!south.valid[0] || all_ready))
      `PROVE(same_word, south.data == {5{1'b0, south.data[15:0]}})
      `PROVE(off_takes_nothing, on || !(glb2io_ready || south_ready[0]))
      `PROVE(unheard, south_ready[4:1] == 4'd0)
      `PROVE(reads_back, cfg_rdata == ((here && control_i.cfg.read) ? {8'd0, word_q} : 32'd0))
      `REACH(waits_for_one, in_q != 2'd0 && south_ready_i == 5'b10111)
      `REACH(overridden, on && in_q == 2'd2 && word_q[15] && word_q[16] && !all_ready)
    end
  end
  assign seen_o = {
    glb2io_ready,
    io2glb_valid,
    io2glb_data & {16{io2glb_valid}},
    south_ready,
    south.valid,
    south.data & {85{in_valid}},
    cfg_rdata
  };
endmodule
