// Skipper of the read scanner (profile onyx-ext): entries leave with their positions, or, if the other side of the
// intersecter lacks their coordinates, not at all.
//
// The walker leaves the position in an entry's place in the output queue. While coordinates are below the bound
// (onyx_skip_queue) the walker reads ever further apart, without waiting for answers; an entry below the bound proves
// all earlier entries below. An entry above, after a gap, sends the walker back to the first unknown entry, to read
// closer together. Entries asked for before have the other turn, and vanish.
//
// Contract: head_valid_i, head_i, answer_i: the output queue's head {answer, turn, position} or {0, token}, with the
// answer, the entry's coordinate; the head leaves at pop_i. gives_o: to both outputs, together; drops_o: to neither. An
// offer that was made stays. went_i: the walker has put an entry (entry_i) or a token into the queue.
module onyx_read_skipper (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, skips_i,
    input  onyx_pkg::stream_t partner_i, output logic partner_ready_o,
    input  logic head_valid_i,
    input  logic [17:0] head_i,
    input  logic [15:0] answer_i,
    input  logic ready_i,  // of both outputs
    input  logic pop_i,
    output logic gives_o, drops_o,
    input  logic went_i, entry_i,
    output logic turn_o,
    output logic [2:0] step_o,
    output logic ahead_room_o, cut_o, goes_back_o,
    output logic [15:0] back_to_o,
    output logic stir_o
);
  localparam logic [3:0] Patience = 4'd8;  // entries in a row that are left out before the first gap
  localparam logic [2:0] First = 3'd3;  // the first gap is of 2^First entries, about two lines of memory
  localparam logic [2:0] Widest = 3'd7;  // .. the widest of 2^Widest
  localparam logic [3:0] Ahead = 4'd3;  // entries asked for at a time beyond a gap: each is another line
  logic turn_q;
  logic begun_q;  // an entry of the fiber is known
  logic seeking_q, closing_q;  // reading apart: ever further; after a step back
  logic held_q;  // the offer stays
  logic [15:0] next_q;  // the first entry that nothing is known of
  logic [3:0] tokens_q, asked_q, dropped_q;  // tokens, entries in the output queue; entries in a row that were left out
  logic [2:0] step_q, step_back;  // logarithm of how far apart entries are read
  logic is_entry, is_stop, live, in_order, below, same_fiber;
  logic [15:0] head_pos, bound, leaves_out;
  logic bound_valid, skip_rest, may_end;
  assign is_entry   = head_i[17];
  assign is_stop    = !is_entry && head_i[16] && (head_i[9:8] == 2'd0);
  assign head_pos   = head_i[15:0];
  assign live       = is_entry && (head_i[16] == turn_q);
  assign in_order   = !begun_q || (head_pos == next_q);
  assign below      = !held_q && (skip_rest || (bound_valid && (answer_i < bound)));
  assign same_fiber = (tokens_q == 4'd0);
  assign leaves_out = head_pos - next_q;
  assign step_back  = (leaves_out >= 16'd256) ? 3'd6 : (leaves_out >= 16'd128) ? 3'd5 : (leaves_out >= 16'd64) ? 3'd4 :
                      (leaves_out >= 16'd32) ? 3'd3 : 3'd0;

  assign gives_o      = is_entry ? live && !below && in_order : may_end || !is_stop;
  assign drops_o      = is_entry && (!live || below || !in_order);
  assign turn_o       = turn_q;
  assign step_o       = (skips_i && same_fiber && (seeking_q || closing_q)) ? step_q : 3'd0;
  assign ahead_room_o = asked_q < Ahead;
  assign cut_o        = skips_i && skip_rest && same_fiber;
  assign goes_back_o  = head_valid_i && skips_i && live && !below && !in_order;
  assign back_to_o    = next_q;

  onyx_skip_queue u_skip (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(run_i && skips_i), .partner_i, .partner_ready_o,
      .passed_i(pop_i && skips_i && is_entry && gives_o), .passed_crd_i(answer_i),
      .ended_i(pop_i && skips_i && is_stop), .may_end_o(may_end),
      .bound_valid_o(bound_valid), .bound_o(bound), .end_o(skip_rest), .stir_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {turn_q, begun_q, seeking_q, closing_q, held_q, next_q, tokens_q, asked_q, dropped_q, step_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        {turn_q, begun_q, seeking_q, closing_q, held_q, tokens_q, asked_q, dropped_q} <= '0;
      end else if (skips_i) begin
        tokens_q <= tokens_q + {3'd0, went_i && !entry_i} - {3'd0, pop_i && !is_entry};
        asked_q  <= asked_q + {3'd0, went_i && entry_i} - {3'd0, pop_i && is_entry};
        held_q   <= head_valid_i && is_entry && gives_o && !ready_i;
        if (went_i && entry_i && same_fiber && seeking_q && (step_q != Widest)) step_q <= step_q + 3'd1;
        if (pop_i && !is_entry) begin
          begun_q   <= 1'b0;
          dropped_q <= 4'd0;
          seeking_q <= 1'b0;
          closing_q <= 1'b0;
        end else if (pop_i && live && below) begin
          next_q  <= head_pos + 16'd1;
          begun_q <= 1'b1;
          if (dropped_q != Patience) dropped_q <= dropped_q + 4'd1;
          if (!seeking_q && !closing_q && same_fiber && (dropped_q == Patience)) begin
            seeking_q <= 1'b1;
            step_q    <= First;
          end
        end else if (goes_back_o) begin
          turn_q    <= !turn_q;
          seeking_q <= 1'b0;
          closing_q <= bound_valid;
          step_q    <= step_back;
          dropped_q <= 4'd0;
        end else if (pop_i && live) begin
          next_q    <= head_pos + 16'd1;
          begun_q   <= 1'b1;
          dropped_q <= 4'd0;
          seeking_q <= 1'b0;
          closing_q <= 1'b0;
        end
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(GivesOrDrops, !head_valid_i || !(gives_o && drops_o), "an entry leaves to both outputs or to neither")
  `ONYX_ASSERT(OfferStays, !skips_i || !held_q || !head_valid_i || gives_o, "an entry that was offered is not dropped")
endmodule
