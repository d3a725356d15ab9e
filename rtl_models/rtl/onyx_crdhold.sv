// Coordinate holder: repeats the outer coordinate once for each inner token of its fiber.
//
// out inner = the inner stream; out outer = the outer coordinate beside each inner data token, and the inner stream's
// stops. An inner stop of level 0 consumes an outer coordinate; a higher stop consumes the last coordinate of an
// outer fiber and its stop, or, for an empty outer fiber, its stop alone. An outer stop without an inner stop (an
// earlier dropper lowered the inner stop's level) vanishes before data or done.
//
// An inner stop leaves as soon as any outer token is at the head; the consumed token may still be on its way; debt_q
// remembers the token, and discards it on arrival. Hence an outer stop costs no cycle of its own unless inner data
// waits after the stop, the chip's timing.
//
// Handshake: made to stand between FIFOs. Both outputs are written together: each out valid depends (combinationally)
// on the other output's ready, never on its own. The throughput is a token a cycle, done takes three.
module onyx_crdhold (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_pkg::stream_t inner_i, output logic inner_ready_o,
    input  onyx_pkg::stream_t outer_i, output logic outer_ready_o,
    output onyx_pkg::stream_t inner_o, input  logic inner_ready_i,
    output onyx_pkg::stream_t outer_o, input  logic outer_ready_i,
    output logic        stir_o,  // a register may change at the edge though no word moves at a port
    output logic        hazard_o  // the chip takes a stop for this coordinate of an empty inner fiber
);
  typedef enum logic [1:0] {StStart = 2'd0,
    StHold = 2'd1,
    StDone = 2'd2} state_e;

  // Outer tokens consumed by inner stops already sent.
  typedef enum logic [1:0] {DebtNone = 2'd0,
    DebtItem = 2'd1,  // a coordinate
    DebtStop = 2'd2} debt_e;  // everything through the next stop

  state_e state_q, state_d; debt_e debt_q, debt_d;

  logic both, inner_stop, inner_done, inner_item, inner_high, outer_stop, outer_done, outer_item;
  assign both       = inner_i.valid & outer_i.valid;
  assign inner_stop = inner_i.data[16] & (inner_i.data[9:8] == 2'd0);
  assign inner_done = inner_i.data[16] & (inner_i.data[9:8] == 2'd1);
  assign inner_item = ~inner_stop & ~inner_done;
  assign inner_high = inner_i.data[7:0] != 8'd0;
  assign outer_stop = outer_i.data[16] & (outer_i.data[9:8] == 2'd0);
  assign outer_done = outer_i.data[16] & (outer_i.data[9:8] == 2'd1);
  assign outer_item = ~outer_stop & ~outer_done;

  // The debt left once the outer token at the head is discarded.
  debt_e rest;
  assign rest = ((debt_q == DebtStop) & outer_item) ? DebtStop
              : ((debt_q == DebtItem) & outer_stop) ? DebtItem
              : DebtNone;

  logic push, pop_inner, pop_outer;
  always_comb begin
    state_d   = state_q;
    debt_d    = debt_q;
    push      = 1'b0;
    pop_inner = 1'b0;
    pop_outer = 1'b0;
    unique case (state_q)
      StStart: state_d = StHold;
      StHold: begin
        if (both && inner_stop && !outer_done) begin
          // Sends the stop and discards the outer head, unless two debts would result.
          push      = (rest == DebtNone);
          pop_inner = push & inner_ready_i & outer_ready_i;
          pop_outer = pop_inner | ~push;
          if (!push) debt_d = rest;
          else if (pop_inner && debt_q != DebtNone) debt_d = inner_high ? DebtStop : DebtItem;
          else if (pop_inner) debt_d = (inner_high && outer_item) ? DebtStop : DebtNone;
        end else if (both && (debt_q != DebtNone || outer_stop) && !outer_done) begin
          pop_outer = 1'b1;
          debt_d    = rest;
        end else if (both && inner_item && outer_item) begin
          push      = 1'b1;
          pop_inner = inner_ready_i & outer_ready_i;
        end else if (both && inner_done && outer_done) begin
          state_d = StDone;
        end
      end
      default: begin
        push      = 1'b1;
        pop_inner = inner_ready_i & outer_ready_i;
        pop_outer = pop_inner;
        debt_d    = DebtNone;
        if (pop_inner) state_d = StStart;
      end
    endcase
  end

  assign inner_ready_o = pop_inner;
  assign outer_ready_o = pop_outer;
  assign inner_o.data  = inner_i.data;
  assign outer_o.data  = inner_item ? outer_i.data : inner_i.data;
  assign inner_o.valid = push & outer_ready_i;
  assign outer_o.valid = push & inner_ready_i;
  assign hazard_o      = pop_outer & outer_item & (debt_q != DebtNone);

  assign stir_o = (state_d != state_q) | (debt_d != debt_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StStart;
      debt_q  <= DebtNone;
    end else if (en_i) begin
      state_q <= flush_i ? StStart : state_d;
      debt_q  <= flush_i ? DebtNone : debt_d;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(KnownState, state_q != 2'd3 && debt_q != 2'd3, "state and debt are among those named")
endmodule
