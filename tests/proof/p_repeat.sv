// onyx_repeat, with a reference stream or one made here: every repeat signal is taken once, when it leaves: an item
// as a reference, anything else unchanged. Nothing is taken while the output has no room.
//
// cells: onyx_fifo2 onyx_repeat
// with: first_reset steady port token_kind
// broken: onyx_repeat s/assign repsig_ready_o = sent/assign repsig_ready_o = ref_ready_i/
// broken: onyx_repeat s/send_d      = send_q;/send_d = 1'b0;/
`include "proof.svh"
module p_repeat (
`include "control_ports.svh"
    input logic        pick_i,
    input logic        root,
    input logic        spacc,
    input onyx_pkg::stream_t proc_i,
    input onyx_pkg::stream_t repsig_i,
    input logic        ref_ready_i,
    output logic [20:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic proc_ready, repsig_ready;
  onyx_pkg::stream_t sent;
  steady #(.Width(2)) u_steady (.clk_i, .live_i(live), .value_i({root, spacc}));

  logic hazard, stir, gated_stir;
  onyx_repeat u_cell (
      .rst_ni(rst_n), .root_i(root), .spacc_i(spacc), .proc_ready_o(proc_ready), .repsig_ready_o(repsig_ready),
      .hazard_o(hazard), .ref_o(sent), .stir_o(stir), .clk_i, .en_i, .flush_i,
      .proc_i, .repsig_i, .ref_ready_i
  );

  // This copy of the cell has a clock only when the cell signals a change, or a token moves.
  logic awake, gated_proc_ready, gated_repsig_ready, gated_hazard;
  onyx_pkg::stream_t gated_sent;
  assign awake = en_i & (flush_i | gated_stir | (proc_i.valid & gated_proc_ready) | (repsig_i.valid & gated_repsig_ready) | (gated_sent.valid & ref_ready_i));
  onyx_repeat u_gated (
      .rst_ni(rst_n), .root_i(root), .spacc_i(spacc), .proc_ready_o(gated_proc_ready),
      .repsig_ready_o(gated_repsig_ready), .ref_o(gated_sent),
      .hazard_o(gated_hazard), .en_i(awake), .stir_o(gated_stir), .clk_i, .flush_i, .proc_i,
      .repsig_i, .ref_ready_i
  );
  port #(.Queue(1'b1)) u_proc (.live_i(rst_n), .stream_i(proc_i), .ready_i(proc_ready),
      .clk_i, .en_i, .flush_i);
  port u_repsig (.live_i(rst_n), .stream_i(repsig_i), .ready_i(repsig_ready), .clk_i,
      .en_i, .flush_i);
  port #(.Gives(1'b1)) u_ref (.live_i(rst_n), .stream_i(sent), .ready_i(ref_ready_i), .clk_i,
      .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, proc_takes, repsig_takes, ref_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign proc_takes = moves & proc_i.valid & proc_ready;
  assign repsig_takes = moves & repsig_i.valid & repsig_ready;
  assign ref_gives = moves & sent.valid & ref_ready_i;
  logic proc_stop, proc_done, proc_item;
  token_kind u_proc_kind (.data_i(proc_i.data), .stop_o(proc_stop), .done_o(proc_done), .item_o(proc_item));
  logic repsig_stop, repsig_done, repsig_item;
  token_kind u_repsig_kind (.data_i(repsig_i.data), .stop_o(repsig_stop), .done_o(repsig_done), .item_o(repsig_item));

  // One reference is marked: the only item on proc with value 1, all other items being 0 or maybe.
  logic marked_q, sent_q, over_q, last_q, fiber_q;  // it is taken; it has been sent; another after it; the last sent; since a stop
  initial begin
    marked_q = 1'b0;
    sent_q   = 1'b0;
    over_q   = 1'b0;
    fiber_q  = 1'b0;
  end
  logic sends_item, sends_mark;
  assign sends_item = ref_gives & repsig_item;
  assign sends_mark = sends_item & ~sent.data[16] & sent.data[0];
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      marked_q <= 1'b0;
      sent_q   <= 1'b0;
      over_q   <= 1'b0;
      fiber_q  <= 1'b0;
    end else if (moves) begin
      if (proc_takes && !proc_i.data[16] && proc_i.data[0]) marked_q <= 1'b1;
      if (sends_item) begin
        sent_q <= sent_q | sends_mark;
        over_q <= over_q | (sent_q & ~sends_mark);
        last_q <= sends_mark;
      end
      fiber_q <= ref_gives ? repsig_item : fiber_q;
    end
  end

  always_comb begin
    if (proc_i.valid && !proc_i.data[16]) assume (proc_i.data[15:0] == {15'd0, ~marked_q & pick_i});
    if (moves) begin
      if (sends_mark) begin
        `PROVE(nothing_invented, marked_q && sent.data == 17'd1)
        `PROVE(in_order, !over_q)
      end
      if (sends_item && !spacc) begin
        `PROVE(one_a_fiber, !fiber_q || sends_mark == last_q)
      end
    end
    if (rst_n) begin
      `REACH(mark_over, over_q)
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_proc_ready, gated_repsig_ready, gated_sent.data, gated_sent.valid, gated_hazard} ==
          {proc_ready, repsig_ready, sent.data, sent.valid, hazard})
    end
    if (moves) begin
      `PROVE(once, repsig_takes == ref_gives)
      if (ref_gives && !repsig_item && !spacc) begin
        `PROVE(control_passes, sent.data == repsig_i.data)
      end
      if (ref_gives && repsig_item) begin
        `PROVE(item_gets_reference, !sent.data[16] || (sent.data[9:8] != 2'd0 && sent.data[9:8] != 2'd1))
      end
      `PROVE(root_takes_nothing, !root || !proc_takes)
    end
    if (rst_n) begin
      `REACH(two_for_one, proc_i.valid && ref_gives && repsig_item && !root)
      `REACH(finishes, ref_gives && repsig_done)
      `REACH(root_made, root && ref_gives && repsig_item)
    end
  end
  assign seen_o = {
    proc_takes,
    repsig_takes,
    ref_gives,
    sent.data & {17{ref_gives}},
    hazard & moves
  };
endmodule
