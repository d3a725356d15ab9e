// Walker of the read scanner: fibers of the plan to positions, and to reads of their coordinates or, dense, to the
// coordinates themselves; tokens of the plan pass through.
//
// Contract: plan_i, while plan_valid_i, is a fiber {1, reference} or a token {0, token}, and leaves at plan_pop_o; the
// segment of a fiber, {end, begin}, stands at pair_i while pair_valid_i, and leaves at pair_pop_o. asks_o with pos_o
// offers a position or token. At go_o the walker goes on, and out_o, the place of an answer or a token, is for the
// output queue: only while out_room_i, for an answer only at gnt_i, and without skipping only while pos_ready_i.
//
// Skipping (skips_i, onyx_read_skipper): entries are read 2^step_i apart, those between not at all; with a step only
// while ahead_room_i. goes_back_i: the next entry is back_to_i. cut_i: the rest of the fiber is skipped. A fiber with a
// gap stays until all requested entries have left (out_empty_i). run_i = 0 stands still.
module onyx_read_walker (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, dense_i, compressed_i, skips_i,
    input  logic [15:0] dim_size_i,
    input  logic plan_valid_i,
    input  logic [17:0] plan_i,
    output logic plan_pop_o,
    input  logic pair_valid_i,
    input  logic [31:0] pair_i,
    output logic pair_pop_o,
    output logic want_o,
    output logic [15:0] at_o,  // the entry to read
    input  logic gnt_i,
    output logic asks_o,
    output logic [16:0] pos_o,
    input  logic pos_ready_i,
    output logic go_o,
    output logic [17:0] out_o,
    input  logic out_room_i, out_empty_i,
    input  logic turn_i,  // marks the places of entries
    input  logic [2:0] step_i,
    input  logic ahead_room_i, cut_i, goes_back_i,
    input  logic [15:0] back_to_i
);
  logic [15:0] at_q;  // the entry to emit next
  logic active_q;  // .. of a fiber begun before
  logic gapped_q;  // .. with entries that were left out
  logic [15:0] first, last, at, ahead;
  logic fiber_known, empty, more, resolved, walk_token, walk_fiber;

  // A dense fiber counts 0..dim_size-1 and adds its first position.
  assign first       = dense_i ? 16'd0 : pair_i[15:0];
  assign last        = dense_i ? dim_size_i : pair_i[31:16];
  assign at          = active_q ? at_q : first;
  assign fiber_known = plan_valid_i && plan_i[17] && (dense_i || pair_valid_i);
  assign empty       = (at >= last) || cut_i;
  assign more        = (at + 16'd1 != last);
  assign ahead       = ((last - at) > (16'd1 << step_i)) ? at + (16'd1 << step_i) : more ? last - 16'd1 : last;
  assign resolved    = !gapped_q || out_empty_i || cut_i;
  assign walk_token  = run_i && plan_valid_i && !plan_i[17] && out_room_i;
  assign walk_fiber  = run_i && fiber_known && !empty && out_room_i;

  assign want_o     = walk_fiber && compressed_i && (skips_i ? (step_i == 3'd0) || ahead_room_i : pos_ready_i);
  assign at_o       = at;
  assign asks_o     = walk_token || (compressed_i ? want_o && gnt_i : walk_fiber);
  assign go_o       = asks_o && (skips_i || pos_ready_i);
  assign pos_o      = !plan_i[17] ? plan_i[16:0] : {1'b0, dense_i ? plan_i[15:0] * dim_size_i + at : at};
  assign out_o      = !plan_i[17] ? {1'b0, plan_i[16:0]}
                    : dense_i ? {2'b00, at} : {1'b1, skips_i ? {turn_i, at} : 17'd0};
  assign plan_pop_o = (go_o && (!plan_i[17] || (!more && !gapped_q))) ||
                      (run_i && fiber_known && empty && resolved && !goes_back_i);
  assign pair_pop_o = plan_pop_o && plan_i[17] && !dense_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {at_q, active_q, gapped_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        {active_q, gapped_q} <= '0;
      end else begin
        if (go_o && plan_i[17]) begin
          at_q     <= ahead;
          active_q <= more || gapped_q;
          if (skips_i && (ahead != at + 16'd1)) gapped_q <= 1'b1;
        end
        if (plan_pop_o) begin
          active_q <= 1'b0;
          gapped_q <= 1'b0;
        end
        if (goes_back_i) begin
          at_q     <= back_to_i;
          active_q <= 1'b1;
          gapped_q <= 1'b0;
        end
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(GapsSkip, skips_i || !gapped_q, "without skipping every entry is read")
  `ONYX_ASSERT(GoesWithRoom, !go_o || out_room_i, "what the walker puts out has its place")
endmodule
