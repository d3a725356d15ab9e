// Joiner of two coordinate streams, each with its position (reference) stream: intersection or union.
//
// joiner_op_i 0: coordinates both sides have; 1: coordinates either side has, the missing side's position
// being a maybe token. Streams of a side are taken in pairs (coordinate, position). At the end of a fiber the
// control token of side 0 goes to all three outputs. A maybe on a position is a position like any other; a
// maybe in place of a coordinate is no coordinate and vanishes with its position.
//
// Handshake: made to stand between FIFOs. The three outputs are written together, so each out valid
// depends (combinationally) on the ready of the two others, never on its own.
//
// States and their cost are the chip's: Idle, then Iterate (intersection) or Union, one comparison a cycle; the
// first end of a fiber to come, as a coordinate or as a position, ends Idle or Iterate, whatever the other streams
// have; Align discards what is left of the longer side; Drain passes control tokens, one a cycle; Restart.
module onyx_intersect (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic        joiner_op_i,
    input  onyx_pkg::stream_t crd0_i, output logic crd0_ready_o,
    input  onyx_pkg::stream_t crd1_i, output logic crd1_ready_o,
    input  onyx_pkg::stream_t pos0_i, output logic pos0_ready_o,
    input  onyx_pkg::stream_t pos1_i, output logic pos1_ready_o,
    output onyx_pkg::stream_t crd_o, input  logic crd_ready_i,
    output onyx_pkg::stream_t pos0_o, input  logic pos0_ready_i,
    output onyx_pkg::stream_t pos1_o, input  logic pos1_ready_i,
    output logic        stir_o,  // a register may change at the edge though no word moves at a port
    output logic        hazard_o,  // the chip takes a maybe among the references for the end of the fiber
    output logic        hazard_crd_o  // .. or one among the coordinates
);
  localparam logic [16:0] TokenMaybe = 17'h10200;

  typedef enum logic [2:0] {StIdle = 3'd0,
    StIterate = 3'd1,
    StUnion = 3'd2,
    StAlign = 3'd3,
    StDrain = 3'd4,
    StRestart = 3'd5} state_e;

  state_e state_q, state_d;

  // The heads of each side.
  logic side0, side1, all, maybe0, maybe1, end0, end1, less, equal;
  assign side0  = crd0_i.valid & pos0_i.valid;
  assign side1  = crd1_i.valid & pos1_i.valid;
  assign all    = side0 & side1;
  assign maybe0 = crd0_i.data[16] & (crd0_i.data[9:8] == 2'd2);
  assign maybe1 = crd1_i.data[16] & (crd1_i.data[9:8] == 2'd2);
  assign end0   = crd0_i.data[16] & ~maybe0;
  assign end1   = crd1_i.data[16] & ~maybe1;
  assign less   = crd0_i.data[15:0] < crd1_i.data[15:0];
  assign equal  = crd0_i.data[15:0] == crd1_i.data[15:0];

  // An end stands at the head of any of the four streams.
  logic over, over0, over1;
  assign over0 = (crd0_i.valid & end0) | (pos0_i.valid & pos0_i.data[16] & (pos0_i.data[9:8] != 2'd2));
  assign over1 = (crd1_i.valid & end1) | (pos1_i.valid & pos1_i.data[16] & (pos1_i.data[9:8] != 2'd2));
  assign over  = over0 | over1;

  // take0, take1: the leaving sides, at once without a push, else when the outputs have room.
  logic take0, take1, push, room;
  always_comb begin
    take0       = 1'b0;
    take1       = 1'b0;
    push        = 1'b0;
    crd_o.data  = crd0_i.data;
    pos0_o.data = pos0_i.data;
    pos1_o.data = pos1_i.data;
    state_d     = state_q;
    unique case (state_q)
      StIdle: begin
        if (joiner_op_i) state_d = all ? StUnion : StIdle;
        else if (over) state_d = StAlign;
        else if (all) state_d = StIterate;
      end
      StIterate: begin
        if (all && (maybe0 || maybe1)) begin
          take0 = maybe0;
          take1 = maybe1;
        end else if (over) begin
          state_d = StAlign;
        end else if (all) begin
          take0 = equal | less;
          take1 = equal | ~less;
          push  = equal;
        end
      end
      StUnion: begin
        if (all && (maybe0 || maybe1)) begin
          take0 = maybe0;
          take1 = maybe1;
        end else if (all && end0 && end1) begin
          state_d = StDrain;
        end else if (all) begin
          take0 = ~end0 & (end1 | equal | less);
          take1 = ~end1 & (end0 | equal | ~less);
          push  = 1'b1;
          if (!take0) crd_o.data = crd1_i.data;
          if (!take0) pos0_o.data = TokenMaybe;
          if (!take1) pos1_o.data = TokenMaybe;
        end
      end
      StAlign: begin
        take0 = side0 & ~end0;
        take1 = side1 & ~end1;
        if (all && end0 && end1) state_d = StDrain;
      end
      StDrain: begin
        if (all && end0 && end1) begin
          take0       = 1'b1;
          take1       = 1'b1;
          push        = 1'b1;
          pos0_o.data = crd0_i.data;
          pos1_o.data = crd0_i.data;
        end else if (all) begin
          state_d = StRestart;
        end
      end
      default: state_d = StIdle;
    endcase
  end

  assign room         = crd_ready_i & pos0_ready_i & pos1_ready_i;
  assign crd0_ready_o = take0 & (~push | room);
  assign pos0_ready_o = crd0_ready_o;
  assign crd1_ready_o = take1 & (~push | room);
  assign pos1_ready_o = crd1_ready_o;
  assign crd_o.valid  = push & pos0_ready_i & pos1_ready_i;
  assign pos0_o.valid = push & crd_ready_i & pos1_ready_i;
  assign pos1_o.valid = push & crd_ready_i & pos0_ready_i;

  assign hazard_o = (state_q == StIterate) & all & ~crd0_i.data[16] & ~crd1_i.data[16] & (crd0_ready_o | crd1_ready_o)
                  & ((pos0_i.data[16] & (pos0_i.data[9:8] == 2'd2)) | (pos1_i.data[16] & (pos1_i.data[9:8] == 2'd2)));

  assign hazard_crd_o = (crd0_ready_o & maybe0) | (crd1_ready_o & maybe1);

  assign stir_o = (state_d != state_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else if (en_i) state_q <= flush_i ? StIdle : state_d;
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(ThreeOrNone, (crd_o.valid && crd_ready_i) == (pos0_o.valid && pos0_ready_i) && (crd_o.valid && crd_ready_i) == (pos1_o.valid && pos1_ready_i),
      "all three outputs are written in one cycle")
  `ONYX_ASSERT(KnownState, state_q <= StRestart, "the state is one of those named")
endmodule
