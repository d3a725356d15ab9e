// Coordinate dropper: removes the outer coordinates with an empty inner fiber, and the fiber's stop.
//
// Inner data passes. An inner stop closes the outer coordinate at the head: both pass if the fiber had
// data, both vanish otherwise (the level of a dropped stop is lost, as on the chip). Outer stops pass. An
// outer fiber without coordinates keeps its stop while the corresponding inner stop vanishes; a register
// marks the stop that closes the fiber of the last coordinate as owed, to tell the two apart. An outer stop
// without an inner stop (an earlier dropper lowered the inner stop's level) passes, too. The done tokens
// pass together.
//
// Handshake: made to stand between FIFOs. Both outputs are written in the same cycle: an out valid may depend
// (combinationally) on the other output's ready, never on its own. The throughput is a token a cycle.
module onyx_crddrop (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_pkg::stream_t inner_i, output logic inner_ready_o,
    input  onyx_pkg::stream_t outer_i, output logic outer_ready_o,
    output onyx_pkg::stream_t inner_o, input  logic inner_ready_i,
    output onyx_pkg::stream_t outer_o, input  logic outer_ready_i,
    output logic        hazard_empty_o,  // the chip loses this coordinate, or keeps an inner stop: the outer fiber before had none
    output logic        hazard_uneven_o  // .. repeats done, or loses a coordinate: one output only has room
);
  // has_data_q: the inner fiber at hand had data. owed_q: an outer stop already answered is still to pass.
  logic has_data_q, has_data_d, owed_q, owed_d;

  logic inner_stop, inner_done, inner_item, inner_high, outer_stop, outer_done, outer_item;
  assign inner_stop = inner_i.valid & inner_i.data[16] & (inner_i.data[9:8] == 2'd0);
  assign inner_done = inner_i.valid & inner_i.data[16] & (inner_i.data[9:8] == 2'd1);
  assign inner_item = inner_i.valid & ~inner_stop & ~inner_done;
  assign inner_high = inner_stop & (inner_i.data[7:0] != 8'd0);
  assign outer_stop = outer_i.valid & outer_i.data[16] & (outer_i.data[9:8] == 2'd0);
  assign outer_done = outer_i.valid & outer_i.data[16] & (outer_i.data[9:8] == 2'd1);
  assign outer_item = outer_i.valid & ~outer_stop & ~outer_done;

  // Events of this cycle, given room.
  logic close, keep, finish, orphan, pass_stop, empty_outer, push_both;
  assign close       = inner_stop & outer_item;
  assign keep        = close & has_data_q;
  assign finish      = inner_done & outer_done;
  assign orphan      = inner_stop & outer_done;
  assign empty_outer = outer_stop & ~owed_q & inner_high & ~has_data_q;
  assign pass_stop   = outer_stop & (owed_q | inner_i.valid) & ~empty_outer;
  assign push_both   = keep | finish;

  assign inner_o.data  = inner_i.data;
  assign outer_o.data  = outer_i.data;
  assign inner_o.valid = inner_item | orphan | (push_both & outer_ready_i);
  assign outer_o.valid = pass_stop | empty_outer | (push_both & inner_ready_i);

  assign inner_ready_o = (inner_item | orphan) ? inner_ready_i
                       : push_both ? (inner_ready_i & outer_ready_i)
                       : empty_outer ? outer_ready_i
                       : close;
  assign outer_ready_o = (pass_stop | empty_outer) ? outer_ready_i
                       : push_both ? (inner_ready_i & outer_ready_i)
                       : close;

  always_comb begin
    has_data_d = has_data_q;
    owed_d     = owed_q;
    if (inner_ready_o) has_data_d = inner_item;
    if (outer_ready_o && outer_stop) owed_d = 1'b0;
    if (inner_ready_o && close && inner_high) owed_d = 1'b1;
  end

  // For the monitors: the outer fiber at hand has a coordinate; an earlier coordinate of this row had none; some
  // fiber of the tree has a coordinate. The chip passes an empty outer fiber's inner stop with done: a surplus sum,
  // unnoticed only without any coordinate.
  logic fiber_open_q, fiber_open_d, empty_before_q, empty_before_d, any_q, any_d;
  assign hazard_empty_o  = outer_ready_o & empty_before_q & (outer_item | (outer_done & any_q));
  assign hazard_uneven_o = finish ? (inner_ready_i ^ outer_ready_i) : (close & ~has_data_q & inner_ready_i & ~outer_ready_i);
  always_comb begin
    fiber_open_d   = fiber_open_q;
    empty_before_d = empty_before_q;
    any_d = any_q;
    if (outer_ready_o) begin
      any_d          = outer_item | (any_q & ~outer_done);
      fiber_open_d   = outer_item;
      empty_before_d = outer_stop & (empty_before_q | ~fiber_open_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_data_q     <= 1'b0;
      owed_q         <= 1'b0;
      fiber_open_q   <= 1'b0;
      empty_before_q <= 1'b0;
      any_q          <= 1'b0;
    end else if (en_i) begin
      has_data_q     <= ~flush_i & has_data_d;
      owed_q         <= ~flush_i & owed_d;
      fiber_open_q   <= ~flush_i & fiber_open_d;
      empty_before_q <= ~flush_i & empty_before_d;
      any_q          <= ~flush_i & any_d;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(BothOrNone, !push_both || (inner_o.valid && inner_ready_i) == (outer_o.valid && outer_ready_i),
      "what is written to both outputs is written in one cycle")
endmodule
