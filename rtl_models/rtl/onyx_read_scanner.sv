// Read scanner: walks a level in the buffet and emits its coordinates and positions, or its values, or its raw
// contents.
//
// Modes (at most one; none of the three = compressed scan):
//   compressed   for each reference r on `pos`: the entries seg[r]..seg[r+1]-1 of the coordinate block on
//                `coord_out`, their addresses on `pos_out`, then a stop. After the reference a stop n is
//                consumed and becomes n+1, anything else means stop 0; a stop without a reference before
//                it is an empty fiber; a maybe is a reference to an empty fiber. Done passes, both blocks are
//                freed, and the next tree begins. root_i: [0, done] instead of `pos`, for each tree (dense: once).
//   compressed, skip_i (profile onyx-ext)   the same, less coordinates that the scanner on the other side of an
//                intersecter lacks, whose coordinates come on `partner` (onyx_read_skipper). Which of them are left out
//                depends on when they come; common coordinates and stops never are. Not with spacc_i.
//   dense_i      the same without memory: coordinates 0..dim_size-1, positions r*dim_size+k; a maybe goes to
//                both outputs as it is.
//   lookup_i     `coord_out` = value at r; other tokens pass, maybe becomes the value 0; done frees the block. With
//                root_i nothing leaves, ever: as on the chip, the scanner makes no reference for root_i.
//   block_mode_i `block_rd_out` = size and contents of the segment (or value) block, and unless lookup_i those of
//                the coordinate block; frees them; again and again. Takes no input. With lookup_i it asks ahead of
//                its places, as the chip does, whose count of places taken goes down as words leave and never up.
//   compressed, spacc_i   accumulates: each pass scans the oldest block as above, up to a stop of level stop_lvl_i
//                or above, frees it, and begins with a routing token on `pos_out`. After a stop above stop_lvl_i
//                the next pass needs no input and scans reference 0 to `block_rd_out`, with a stop one level lower.
//                The stop of level stop_lvl_i + 2 is the last one: done follows it, and the pass to
//                `block_rd_out` behind it. Done on `pos` vanishes, right behind the stop or at the start of a pass; the
//                next tree begins. A done at the start of the pass to `block_rd_out` is data on the chip.
//   lookup_i, spacc_i     as lookup, but a stop of level stop_lvl_i or above frees the block; a routing token
//                sends later tokens to `coord_out` (bit 0 clear) or `block_rd_out` (set).
// Contract: rd_o are read commands, rsp_i their answers (see onyx_buffet). Everything a command will deliver has
// its place reserved before the command is issued, so an answer never waits and no stall on the outputs can lose
// or reorder a word; in a read-out of values an answer may wait for its place, and nothing is lost here either. pos_out
// runs ahead of coord_out by up to eight tokens; made to stand before a FIFO: a position that memory is asked with is
// valid only while pos_out_ready_i. run_i = 0 stands still.
//
// onyx_read_front turns references into a plan of fibers and tokens, and onyx_read_walker walks the plan; both ask the
// buffet, in turn. This module has the queues between them, and the outputs.
module onyx_read_scanner (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, root_i, lookup_i, dense_i, block_mode_i, spacc_i, skip_i,
    input  logic chained_i,  // profile onyx-ext: other blocks are ahead on `block_rd_o`, so values ask as all else does
    input  logic [ 7:0] stop_lvl_i,
    input  logic [15:0] dim_size_i,
    input  onyx_pkg::stream_t pos_i, output logic pos_ready_o,
    input  onyx_pkg::stream_t partner_i, output logic partner_ready_o,
    output onyx_pkg::stream_t block_rd_o, input  logic block_rd_ready_i,
    output onyx_pkg::stream_t coord_out_o, input  logic coord_out_ready_i,
    output onyx_pkg::stream_t pos_out_o, input  logic pos_out_ready_i,
    output onyx_pkg::read_t rd_o, input  logic rd_ready_i,
    input  onyx_pkg::stream_t rsp_i, output logic rsp_ready_o,
    input  logic        walker_first_i,  // turns of front and walker at the read port
    output logic        stir_o,  // a register may change at the edge
    output logic        hazard_again_o,  // dense: the chip loses a tree after the first
    output logic        hazard_stop_o,  // .. passes a stop that is not behind a reference as it is
    output logic        hazard_done_o,  // accumulating: .. takes a late done for the read-out's data
    output logic        hazard_values_o  // read-out of values: .. puts a word into a place that is not its own
);
  logic compressed, values, skips;
  assign compressed = !dense_i && !lookup_i && !block_mode_i;
  assign values     = block_mode_i && lookup_i && !chained_i;
  assign skips      = skip_i && compressed && !spacc_i;

  // -- queue of fibers and tokens from the front to the walker, and the segment pairs --
  logic [17:0] plan_in, plan;  // {fiber, token}; a fiber carries its reference (dense)
  logic plan_push, plan_ready, plan_valid, plan_pop, unused_room;
  onyx_fifo_pow2 #(.Width(18), .LogDepth(3)) u_plan (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({plan_push && plan_ready, plan_in}), .in_ready_o(unused_room),
      .out_o({plan_valid, plan}), .out_ready_i(plan_pop)
  );
  // The fiber between its two reads has a place in the plan, not empty in this state: a place less is left.
  logic [3:0] planned_q;
  logic ref_end;
  assign plan_ready = (planned_q + {3'd0, ref_end}) < 4'd8;

  logic rsp_is_seg, seg_rsp, seg_half_q, pair_ready, pair_valid, pair_pop;
  logic [15:0] seg_first_q;
  logic [31:0] pair;
  assign rsp_is_seg = compressed && !rsp_i.data[16];
  assign seg_rsp = rsp_i.valid && run_i && rsp_is_seg;
  onyx_fifo_pow2 #(.Width(32), .LogDepth(3)) u_pairs (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({seg_rsp && seg_half_q, {rsp_i.data[15:0], seg_first_q}}), .in_ready_o(pair_ready),
      .out_o({pair_valid, pair}), .out_ready_i(pair_pop)
  );

  // -- output queue: tokens, and places of answers to come; and the answers --
  // In lookup and block mode the walker is idle, otherwise the front puts nothing out.
  logic [17:0] front_out, walk_out, out_head;  // {answer, token}
  logic front_push, walk_go, out_push, out_room, out_valid, out_pop;
  assign out_push = front_push || walk_go;
  onyx_fifo_pow2 #(.Width(18), .LogDepth(3)) u_out (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({out_push, front_push ? front_out : walk_out}), .in_ready_o(out_room),
      .out_o({out_valid, out_head}), .out_ready_i(out_pop)
  );
  logic [15:0] answer;
  logic answer_ready, answer_valid, answer_push;
  assign answer_push = rsp_i.valid && run_i && !rsp_is_seg;
  onyx_fifo_pow2 #(.Width(16), .LogDepth(3)) u_answers (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({answer_push, rsp_i.data[15:0]}), .in_ready_o(answer_ready),
      .out_o({answer_valid, answer}), .out_ready_i(out_pop && (values || out_head[17]))
  );
  assign rsp_ready_o = run_i && (rsp_is_seg ? pair_ready : answer_ready);  // but for values always, by reservation

  // -- outputs --
  logic head_valid, head_routes, to_block, skip_gives, skip_drops;
  logic to_block_q;  // what the routing token said
  logic [16:0] head_token, walk_pos;
  logic walk_asks;
  assign head_valid        = run_i && (values ? answer_valid : out_valid && (!out_head[17] || answer_valid));
  assign head_token        = (values || out_head[17]) ? {1'b0, answer} : out_head[16:0];
  assign block_rd_o.data   = head_token;
  assign coord_out_o.data  = head_token;
  assign head_routes       = spacc_i && head_token[16] && (head_token[9:8] == 2'd3);
  assign to_block          = block_mode_i || to_block_q;
  assign block_rd_o.valid  = head_valid && !head_routes && to_block;
  assign coord_out_o.valid = head_valid && !head_routes && !to_block && (!skips || (skip_gives && pos_out_ready_i));
  assign pos_out_o.valid   = skips ? head_valid && skip_gives && coord_out_ready_i : walk_asks;
  assign pos_out_o.data    = !skips ? walk_pos : out_head[17] ? {1'b0, out_head[15:0]} : head_token;
  assign out_pop           = head_valid && (head_routes || (to_block ? block_rd_ready_i : !skips ? coord_out_ready_i :
                             skip_drops || (skip_gives && coord_out_ready_i && pos_out_ready_i)));

  // -- read-out of values: what the chip asks for --
  logic values_room, values_settled, values_stir, asks_value;
  onyx_read_values u_values (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(values), .asks_i(asks_value), .arrives_i(answer_push), .came_i(answer_push && answer_ready),
      .left_i(out_pop), .room_o(values_room), .settled_o(values_settled), .stir_o(values_stir),
      .hazard_o(hazard_values_o)
  );

  // -- front and walker, which take turns at the read port --
  logic front_want, front_gnt, walk_want, walk_gnt, front_stir, pass_walked, done_walked;
  logic [18:0] front_cmd;
  logic [15:0] walk_at;
  assign walk_gnt    = rd_ready_i && (walker_first_i || !front_want);
  assign front_gnt   = rd_ready_i && front_want && !(walk_want && walk_gnt);
  assign rd_o        = {front_gnt || (walk_want && walk_gnt),
                        front_gnt ? front_cmd : {onyx_pkg::OpRead, 1'b1, walk_at}};
  assign pass_walked = plan_pop && (planned_q == 4'd1);  // with the last of a pass
  assign done_walked = walk_go && !plan[17] && (plan[9:8] == 2'd1);
  onyx_read_front u_front (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i, .root_i, .lookup_i, .dense_i, .block_mode_i, .spacc_i, .values_i(values), .stop_lvl_i,
      .pos_i, .pos_ready_o,
      .plan_push_o(plan_push), .plan_o(plan_in), .plan_ready_i(plan_ready), .plan_empty_i(!plan_valid),
      .pass_walked_i(pass_walked), .done_walked_i(done_walked),
      .want_o(front_want), .cmd_o(front_cmd), .gnt_i(front_gnt),
      .read_room_i(values ? values_room : out_room), .drained_i(values ? values_settled : !out_valid),
      .rsp_taken_i(rsp_i.valid && rsp_ready_o), .rsp_data_i(rsp_i.data[15:0]),
      .out_push_o(front_push), .out_o(front_out), .out_room_i(out_room),
      .asks_value_o(asks_value), .ref_end_o(ref_end), .stir_o(front_stir),
      .hazard_again_o, .hazard_stop_o, .hazard_done_o
  );

  logic skip_turn, skip_room, skip_cut, skip_back, skip_stir;
  logic [2:0] skip_step;
  logic [15:0] skip_next;
  onyx_read_walker u_walker (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i, .dense_i, .compressed_i(compressed), .skips_i(skips), .dim_size_i,
      .plan_valid_i(plan_valid), .plan_i(plan), .plan_pop_o(plan_pop),
      .pair_valid_i(pair_valid), .pair_i(pair), .pair_pop_o(pair_pop),
      .want_o(walk_want), .at_o(walk_at), .gnt_i(walk_gnt),
      .asks_o(walk_asks), .pos_o(walk_pos), .pos_ready_i(pos_out_ready_i),
      .go_o(walk_go), .out_o(walk_out), .out_room_i(out_room), .out_empty_i(!out_valid),
      .turn_i(skip_turn), .step_i(skip_step), .ahead_room_i(skip_room), .cut_i(skip_cut), .goes_back_i(skip_back),
      .back_to_i(skip_next)
  );
  onyx_read_skipper u_skipper (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i, .skips_i(skips), .partner_i, .partner_ready_o,
      .head_valid_i(head_valid), .head_i(out_head), .answer_i(answer), .ready_i(coord_out_ready_i && pos_out_ready_i),
      .pop_i(out_pop), .gives_o(skip_gives), .drops_o(skip_drops), .went_i(walk_go), .entry_i(plan[17]),
      .turn_o(skip_turn), .step_o(skip_step), .ahead_room_o(skip_room), .cut_o(skip_cut), .goes_back_o(skip_back),
      .back_to_o(skip_next), .stir_o(skip_stir)
  );

  // The front's request counts with or without its turn: turns need not wake anything. Other register changes need a
  // state change, or a word entering or leaving a queue.
  assign stir_o = front_stir || (plan_push && plan_ready) || (front_want && rd_ready_i) || (out_push && out_room) ||
                  out_pop || plan_pop || (rsp_i.valid && run_i) || values_stir || skip_stir;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {to_block_q, seg_half_q, seg_first_q, planned_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        {to_block_q, seg_half_q, planned_q} <= '0;
      end else begin
        if (out_pop && head_routes) to_block_q <= head_token[0];
        if (seg_rsp) begin
          seg_half_q <= !seg_half_q;
          if (!seg_half_q) seg_first_q <= rsp_i.data[15:0];
        end
        planned_q <= planned_q + {3'd0, plan_push && plan_ready} - {3'd0, plan_pop};
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(AnswersNeverWait, !run_i || !rsp_i.valid || rsp_ready_o || values, "what was asked for has its place")
  `ONYX_ASSERT(WaitingIsSaid, !run_i || !rsp_i.valid || rsp_ready_o || hazard_values_o,
      "a value that waits is a hazard")
  `ONYX_ASSERT(OneWayOut, !(block_rd_o.valid && coord_out_o.valid), "a token leaves by one of the two outputs")
endmodule
