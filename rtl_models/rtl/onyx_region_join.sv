// Joiner by regions (profile onyx-ext): from two coordinate streams, each with its position (reference) stream, gives
// the coordinates of the chosen regions among three: coordinates of side 0 only, of side 1 only, of both.
//
// regions_i[0]: side 0 only; [1]: side 1 only; [2]: both. 3'b100 is the intersection, 3'b111 the union, 3'b001 side 0
// without side 1, 3'b011 the symmetric difference, 3'b000 only the ends of fibers. The position of a side without the
// coordinate is a maybe token. Streams of a side are taken in pairs (coordinate, position). At the end of a fiber the
// control token of side 0 goes to all three outputs. A maybe on a position is a position like any other; a maybe in
// place of a coordinate is no coordinate and vanishes with its position.
//
// Handshake: made to stand between FIFOs. The three outputs are written together: each out valid depends
// (combinationally) on the ready of the two others, never on its own. The joiner makes a comparison a cycle, of the
// heads of both sides, and has no state: a coordinate takes a cycle whether given or dropped, and the end of a fiber
// takes a cycle.
module onyx_region_join (
    // verilator lint_off UNUSEDSIGNAL
    input  logic clk_i, rst_ni, en_i, flush_i,  // a primitive's, though it has no register
    // verilator lint_on UNUSEDSIGNAL
    input  logic [2:0] regions_i,
    input  onyx_pkg::stream_t crd0_i, crd1_i, pos0_i, pos1_i,
    output logic crd0_ready_o, crd1_ready_o, pos0_ready_o, pos1_ready_o,
    output onyx_pkg::stream_t crd_o, pos0_o, pos1_o,
    input  logic crd_ready_i, pos0_ready_i, pos1_ready_i,
    output logic hazard_o  // the chip's joiner takes a maybe among the coordinates for the end of the fiber
);
  localparam logic [16:0] Absent = 17'h10200;

  // By side: whether the head is a maybe, or the end of its fiber; whether its coordinate is the lower of the two.
  logic [1:0] maybe, ended, next;
  assign maybe = {crd1_i.data[16] & (crd1_i.data[9:8] == 2'd2), crd0_i.data[16] & (crd0_i.data[9:8] == 2'd2)};
  assign ended = {crd1_i.data[16], crd0_i.data[16]} & ~maybe;
  assign next  = ~ended & {ended[0] | (crd1_i.data[15:0] <= crd0_i.data[15:0]),
                           ended[1] | (crd0_i.data[15:0] <= crd1_i.data[15:0])};

  // Leaving sides: at once outside the chosen regions, else when the outputs have room.
  logic [1:0] take;
  logic all, done, skip, push;
  assign all  = crd0_i.valid & pos0_i.valid & crd1_i.valid & pos1_i.valid;
  assign done = &ended;
  assign skip = |maybe;
  assign push = all & ~skip & (done | (&next ? regions_i[2] : next[0] ? regions_i[0] : regions_i[1]));
  assign take = {2{all & (~push | (crd_ready_i & pos0_ready_i & pos1_ready_i))}} & (skip ? maybe : done ? 2'b11 : next);

  assign {pos1_ready_o, pos0_ready_o} = take;
  assign {crd1_ready_o, crd0_ready_o} = take;
  assign crd_o.data   = (done | next[0]) ? crd0_i.data : crd1_i.data;
  assign pos0_o.data  = done ? crd0_i.data : next[0] ? pos0_i.data : Absent;
  assign pos1_o.data  = done ? crd0_i.data : next[1] ? pos1_i.data : Absent;
  assign {crd_o.valid, pos0_o.valid, pos1_o.valid} =
      {3{push}} & {pos0_ready_i & pos1_ready_i, crd_ready_i & pos1_ready_i, crd_ready_i & pos0_ready_i};

  assign hazard_o = all & skip;
`include "onyx_assert.svh"
  `ONYX_ASSERT(SidesLeaveTogether, crd0_ready_o == pos0_ready_o && crd1_ready_o == pos1_ready_o,
      "a coordinate leaves with its reference")
  `ONYX_ASSERT(ThreeOrNone, (crd_o.valid && crd_ready_i) == (pos0_o.valid && pos0_ready_i) && (crd_o.valid && crd_ready_i) == (pos1_o.valid && pos1_ready_i),
      "all three outputs are written in one cycle")
endmodule
