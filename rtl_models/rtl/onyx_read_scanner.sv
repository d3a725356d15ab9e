// Read scanner: walks a level in the buffet and emits its coordinates and positions, or its values, or its raw
// contents.
//
// Modes (at most one; none of the three = compressed scan):
//   compressed   for each reference r on `pos`: the entries seg[r]..seg[r+1]-1 of the coordinate block on
//                `coord_out`, their addresses on `pos_out`, then a stop. After the reference a stop n is
//                consumed and becomes n+1, anything else means stop 0; a stop without a reference before
//                it is an empty fiber; a maybe is a reference to an empty fiber. Done passes, both blocks are
//                freed, and the next tree begins. root_i: [0, done] instead of `pos`, for each tree (dense: once).
//   compressed, skip_i (profile onyx-ext)   the same, less coordinates that the scanner on the other side of an intersecter
//                lacks, whose coordinates come on `partner` (onyx_skip_queue): see "skipping" below. Which of them are left out
//                depends on when they come; common coordinates and stops never are. Not with spacc_i.
//   dense_i      the same without memory: coordinates 0..dim_size-1, positions r*dim_size+k; a maybe goes to
//                both outputs as it is.
//   lookup_i     `coord_out` = value at r; other tokens pass, maybe becomes the value 0; done frees the block. With root_i
//                nothing leaves, ever: as on the chip, the scanner makes no reference for root_i.
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
  localparam logic [16:0] Done = 17'h10100;
  typedef enum logic [3:0] {Start,
    Ref,
    RefEnd,
    Stop,
    Walk,
    Free1,
    Free0,
    Rest,
    Inject,
    Size,
    SizeWait,
    Read,
    Drain,
    Route,
    PassDone,
    InjectDone} state_e;

  logic compressed, accumulates, values;
  assign compressed  = !dense_i && !lookup_i && !block_mode_i;
  assign values      = block_mode_i && lookup_i && !chained_i;
  assign accumulates = spacc_i && compressed && !root_i;

  // -- input --
  logic [16:0] ref_token;
  logic ref_valid, ref_pop, fifo_valid, pos_ready;
  logic [16:0] fifo_token;
  logic root_done_q, root_done_d;  // the injected reference is spent

  onyx_fifo2 u_in (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({pos_i.valid && run_i, pos_i.data}), .in_ready_o(pos_ready),
      .out_o({fifo_valid, fifo_token}), .out_ready_i(ref_pop && !root_i)
  );
  assign pos_ready_o = pos_ready && run_i && !root_i && !block_mode_i;
  assign ref_token   = !root_i ? fifo_token : root_done_q ? Done : 17'd0;
  assign ref_valid   = (root_i || fifo_valid) && run_i;

  state_e state_q, state_d;  // of the front

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
  assign plan_ready = (planned_q + {3'd0, state_q == RefEnd}) < 4'd8;

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
  logic [17:0] out_in, out_head;  // {answer, token}
  logic out_push, out_room, out_valid, out_pop;
  onyx_fifo_pow2 #(.Width(18), .LogDepth(3)) u_out (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({out_push, out_in}), .in_ready_o(out_room),
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

  logic head_valid, head_routes, to_block;
  logic to_block_q;  // what the routing token said
  logic [16:0] head_token;
  assign head_valid        = run_i && (values ? answer_valid : out_valid && (!out_head[17] || answer_valid));
  assign head_token        = (values || out_head[17]) ? {1'b0, answer} : out_head[16:0];
  assign block_rd_o.data   = head_token;
  assign coord_out_o.data  = head_token;
  assign head_routes       = spacc_i && head_token[16] && (head_token[9:8] == 2'd3);
  assign to_block          = block_mode_i || to_block_q;
  assign block_rd_o.valid  = head_valid && !head_routes && to_block;
  assign coord_out_o.valid = head_valid && !head_routes && !to_block && (!skips || (gives && pos_out_ready_i));
  assign out_pop           = head_valid && (head_routes || (to_block ? block_rd_ready_i : skips ? drops || gives_both :
                                                            coord_out_ready_i));

  // -- read-out of values: when the chip asks, and where it puts an answer --
  // The chip counts its eight places from 0 down modulo 16 as words leave, and asks unless the count is 8; once nothing
  // is on its way, that is for good. An answer goes to the next free place; if the other seven are taken, the answer
  // behind it goes to place 0, whichever is due.
  logic [3:0] count_q, kept_q, owed_q;  // the chip's count; answers that have not left; answers that have not come
  logic [2:0] place_q;  // of the answer that comes next
  logic misplaced_q;  // the chip has another place for it, or never asked for it
  logic came_q, asks_values, dry;
  assign dry             = (kept_q == 4'd0) && (owed_q == 4'd0);
  assign hazard_values_o = values && answer_push && ((kept_q == 4'd8) || misplaced_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {count_q, kept_q, owed_q, place_q, misplaced_q, came_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        {count_q, kept_q, owed_q, place_q, misplaced_q, came_q} <= '0;
      end else if (values) begin
        came_q  <= answer_push && answer_ready;
        count_q <= count_q - {3'd0, out_pop};
        kept_q  <= kept_q + {3'd0, answer_push && answer_ready} - {3'd0, out_pop};
        owed_q  <= owed_q + {3'd0, asks_values} - {3'd0, came_q};
        place_q <= place_q + {2'd0, answer_push && answer_ready};
        if (answer_push && (kept_q == 4'd7) && (place_q != 3'd7)) misplaced_q <= 1'b1;
        if (asks_values && (count_q == 4'd8)) misplaced_q <= 1'b1;
      end
    end
  end

  // -- skipping: entries leave with their positions, or not at all --
  // The walker leaves the position in an entry's place in the queue. While coordinates are below the bound the walker
  // reads ever further apart, without waiting for answers; an entry below the bound proves all earlier entries below.
  // An entry above, after a gap, sends the walker back to the first unknown entry, to read closer together. Entries
  // asked for before have the other turn, and vanish. A fiber with a gap stays until all requested entries have come.
  localparam logic [3:0] Patience = 4'd8;  // entries in a row that are left out before the first gap
  localparam logic [2:0] First = 3'd3;  // the first gap is of 2^First entries, about two lines of memory
  localparam logic [2:0] Widest = 3'd7;  // .. the widest of 2^Widest
  localparam logic [3:0] Ahead = 4'd3;  // entries asked for at a time beyond a gap: each is another line
  logic skips, gives, gives_both, drops, goes_back, live, in_order, below;
  logic turn_q, begun_q, gapped_q, seeking_q, closing_q, held_q;  // begun: an entry of the fiber is known; closing: after a step
                                                           // back; held: the offer stays
  logic [15:0] next_q;  // the first entry that nothing is known of
  logic [ 3:0] tokens_q, asked_q, dropped_q;  // tokens, entries in the output queue; entries in a row that were left out
  logic [ 2:0] step_q, step, step_back;  // logarithm of how far apart entries are read
  logic [15:0] ahead, head_pos, bound, leaves_out;
  logic bound_valid, skip_rest, may_end, same_fiber, skip_stir;
  assign skips      = skip_i && compressed && !spacc_i;
  assign head_pos   = out_head[15:0];
  assign live       = out_head[17] && (out_head[16] == turn_q);
  assign in_order   = !begun_q || (head_pos == next_q);
  assign below      = !held_q && (skip_rest || (bound_valid && (answer < bound)));
  assign gives      = out_head[17] ? live && !below && in_order
                                   : may_end || !(head_token[16] && (head_token[9:8] == 2'd0));
  assign gives_both = gives && coord_out_ready_i && pos_out_ready_i;
  assign drops      = out_head[17] && (!live || below || !in_order);
  assign goes_back  = head_valid && skips && live && !below && !in_order;
  assign leaves_out = head_pos - next_q;
  assign step_back  = (leaves_out >= 16'd256) ? 3'd6 : (leaves_out >= 16'd128) ? 3'd5 : (leaves_out >= 16'd64) ? 3'd4 :
                      (leaves_out >= 16'd32) ? 3'd3 : 3'd0;
  assign same_fiber = (tokens_q == 4'd0);

  onyx_skip_queue u_skip (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .run_i(run_i && skips), .partner_i, .partner_ready_o,
      .passed_i(out_pop && skips && out_head[17] && gives), .passed_crd_i(answer),
      .ended_i(out_pop && skips && !out_head[17] && head_token[16] && (head_token[9:8] == 2'd0)), .may_end_o(may_end),
      .bound_valid_o(bound_valid), .bound_o(bound), .end_o(skip_rest), .stir_o(skip_stir)
  );

  // -- front: references to segment pairs or values; blocks to the GLB; frees --
  logic second_q, second_d;  // block mode: at the coordinate block
  logic [15:0] left_q, left_d;  // block mode: words of the block not asked for yet
  logic [15:0] read_addr_q, read_addr_d;
  logic front_want, front_gnt, front_out_push, read_room;
  logic [18:0] front_cmd;
  logic [17:0] front_out;
  logic is_data, is_done, is_maybe, is_stop;
  logic [16:0] raised;  // a stop one level up
  logic read_out_q, read_out_d;  // this pass goes to block_rd_out
  logic done_given_q, done_given_d;  // the last stop of the tree is behind us
  logic done_taken_q, done_taken_d;  // .. and its done
  logic [7:0] level_q, level_d;  // of the last stop given to coord_out
  logic last_of_tree, frees_values;
  logic walker_done, pass_walked;

  assign is_data  = !ref_token[16];
  assign is_done  = ref_token[16] && (ref_token[9:8] == 2'd1);
  assign is_maybe = ref_token[16] && (ref_token[9:8] == 2'd2);
  assign is_stop  = ref_token[16] && (ref_token[9:8] == 2'd0);
  assign raised   = {ref_token[16:8], ref_token[7:0] + 8'd1};

  assign read_room    = values ? (count_q != 4'd8) || dry : out_room;
  assign asks_values  = front_gnt && ((state_q == Size) || (state_q == Read));
  assign last_of_tree = read_out_q ? done_given_q : (level_q == stop_lvl_i + 8'd2);
  assign frees_values = spacc_i ? is_stop && (ref_token[7:0] >= stop_lvl_i) : is_done;

  always_comb begin
    state_d        = state_q;
    second_d       = second_q;
    left_d         = left_q;
    read_addr_d    = read_addr_q;
    root_done_d    = root_done_q;
    read_out_d     = read_out_q;
    done_given_d   = done_given_q;
    done_taken_d   = done_taken_q;
    level_d        = level_q;
    ref_pop        = 1'b0;
    plan_push      = 1'b0;
    plan_in        = {1'b0, ref_token};
    front_want     = 1'b0;
    front_cmd      = 19'd0;
    front_out_push = 1'b0;
    front_out      = {1'b0, ref_token};
    case (state_q)
      Start: begin
        second_d    = 1'b0;
        root_done_d = 1'b0;
        if (accumulates) begin
          if (ref_valid && is_done && !read_out_q) begin
            ref_pop      = 1'b1;
            done_given_d = 1'b0;
          end else if (run_i && (ref_valid || read_out_q)) begin
            state_d = Route;
          end
        end else if (run_i) begin
          state_d = block_mode_i ? Size : !root_i ? Ref : lookup_i ? Start : Inject;
        end
      end
      Inject: state_d = InjectDone;
      InjectDone: state_d = Ref;
      Route: begin
        plan_in   = {1'b0, 16'h8180, read_out_q};
        plan_push = 1'b1;
        if (plan_ready) state_d = Ref;
      end

      Ref: begin
        if (read_out_q) begin
          front_want = plan_ready;
          front_cmd  = {onyx_pkg::OpRead, 1'b0, 16'd0};
          if (front_gnt) state_d = RefEnd;
        end else if (!ref_valid) begin
          state_d = Ref;
        end else if (accumulates && is_done) begin
          state_d = Start;
        end else if (lookup_i) begin
          if (is_data) begin
            front_want     = out_room;
            front_cmd      = {onyx_pkg::OpRead, 1'b0, ref_token[15:0]};
            front_out      = {1'b1, 17'd0};
            front_out_push = front_gnt;
            ref_pop        = front_gnt;
          end else begin
            if (is_maybe) front_out = 18'd0;
            front_out_push = 1'b1;
            ref_pop        = out_room;
            if (out_room && frees_values) state_d = Free0;
          end
        end else if (is_data && !dense_i) begin
          front_want = plan_ready;
          front_cmd  = {onyx_pkg::OpRead, 1'b0, ref_token[15:0]};
          if (front_gnt) state_d = RefEnd;
        end else if (is_data || (is_maybe && dense_i)) begin
          plan_in   = {is_data, ref_token};
          plan_push = 1'b1;
          ref_pop   = plan_ready;
          if (plan_ready) state_d = Stop;
        end else if (is_maybe) begin
          ref_pop = 1'b1;
          state_d = Stop;
        end else if (is_done) begin
          plan_push = 1'b1;
          ref_pop   = plan_ready;
          if (plan_ready) state_d = dense_i ? Walk : Free0;
        end else begin
          state_d = Stop;
        end
      end
      RefEnd: begin
        front_want = plan_ready;
        front_cmd  = {onyx_pkg::OpRead, 1'b0, read_out_q ? 16'd1 : ref_token[15:0] + 16'd1};
        plan_in    = {1'b1, read_out_q ? 17'd0 : ref_token};
        plan_push  = front_gnt;
        ref_pop    = front_gnt && !read_out_q;
        if (front_gnt) state_d = Stop;
      end
      Stop: begin
        if (read_out_q) begin
          plan_in   = {1'b0, 9'h100, level_q - 8'd1};
          plan_push = 1'b1;
          if (plan_ready) state_d = PassDone;
        end else if (ref_valid) begin
          // Only a stop is consumed; the next reference, maybe or done closes the fiber with stop 0.
          plan_in   = {1'b0, is_stop ? raised : 17'h10000};
          plan_push = 1'b1;
          ref_pop   = plan_ready && is_stop;
          if (plan_ready) level_d = plan_in[7:0];
          if (plan_ready) state_d = accumulates && (plan_in[7:0] >= stop_lvl_i) ? PassDone : Ref;
        end
      end
      PassDone: begin
        plan_in   = {1'b0, Done};
        plan_push = last_of_tree;
        if (plan_ready || !last_of_tree) begin
          state_d = Free0;
          ref_pop = ref_valid && is_done && !read_out_q;
          if (ref_pop) done_taken_d = 1'b1;
        end
        if (plan_ready && last_of_tree) done_given_d = 1'b1;
      end
      // A dense root has no block to wait for: it gives a single tree.
      Walk:
      if (!dense_i) begin
        if (!plan_valid || pass_walked) state_d = Free1;
      end else if (walker_done && !root_i) begin
        state_d = Start;
      end

      Free1: begin
        front_want = 1'b1;
        front_cmd  = {onyx_pkg::OpFree, 1'b1, 16'd0};
        if (front_gnt) state_d = compressed ? Rest : Free0;
      end
      // Segments are free as soon as all of a pass are asked for.
      Free0: begin
        front_want = 1'b1;
        front_cmd  = {onyx_pkg::OpFree, 17'd0};
        if (front_gnt) state_d = compressed ? Walk : Rest;
      end
      Rest: begin
        read_out_d = accumulates && !read_out_q && (level_q > stop_lvl_i);
        if (read_out_q && done_taken_q) begin
          done_given_d = 1'b0;
          done_taken_d = 1'b0;
        end
        state_d    = Start;
      end

      Size: begin
        front_want     = read_room;
        front_cmd      = {onyx_pkg::OpSize, 1'b0, 16'd0};
        front_out      = {1'b1, 17'd0};
        front_out_push = front_gnt && !values;
        if (front_gnt) state_d = SizeWait;
      end
      SizeWait: begin
        read_addr_d = 16'd0;
        left_d      = rsp_i.data[15:0];
        if (rsp_i.valid && rsp_ready_o) state_d = (rsp_i.data[15:0] == 16'd0) ? Drain : Read;
      end
      Read: begin
        front_want     = read_room;
        front_cmd      = {onyx_pkg::OpRead, second_q, read_addr_q};
        front_out      = {1'b1, 17'd0};
        front_out_push = front_gnt && !values;
        if (front_gnt) begin
          read_addr_d = read_addr_q + 16'd1;
          left_d      = left_q - 16'd1;
          if (left_q == 16'd1) state_d = Drain;
        end
      end
      Drain: begin
        // The block is out, or all its values have come: continue with the coordinate block, or free both.
        if (values ? owed_q == 4'd0 : !out_valid) begin
          front_want = 1'b1;
          if (!second_q && !lookup_i) begin
            front_cmd      = {onyx_pkg::OpSize, 1'b1, 16'd0};
            front_out      = {1'b1, 17'd0};
            front_out_push = front_gnt;
            second_d       = front_gnt;
            if (front_gnt) state_d = SizeWait;
          end else begin
            front_cmd = {onyx_pkg::OpFree, !lookup_i, 16'd0};
            if (front_gnt) state_d = lookup_i ? Rest : Free0;
          end
        end
      end
      default: state_d = Start;
    endcase
    if (ref_pop && is_data) root_done_d = 1'b1;
  end

  // -- for the monitors: dense, done has been taken; a stop where a reference may be --
  logic ended_q, taken;
  assign taken          = run_i && dense_i && ref_pop;
  assign hazard_again_o = taken && ended_q;
  assign hazard_stop_o  = run_i && dense_i && (state_q == Ref) && ref_valid && is_stop;
  assign hazard_done_o  = read_out_q && (state_q == Ref) && ref_valid && is_done;

  // -- walker: fibers to commands, positions and tokens --
  logic [15:0] at_q;  // the entry to emit next
  logic active_q;  // .. of a fiber begun before
  logic [15:0] first, last, at;
  logic fiber_known, empty, more, walk_token, walk_fiber, walk_want, walk_gnt, walk_go, walk_asks, cut, resolved;

  // A dense fiber counts 0..dim_size-1 and adds its first position.
  assign first       = dense_i ? 16'd0 : pair[15:0];
  assign last        = dense_i ? dim_size_i : pair[31:16];
  assign at          = active_q ? at_q : first;
  assign fiber_known = plan_valid && plan[17] && (dense_i || pair_valid);
  assign cut         = skips && skip_rest && same_fiber;
  assign empty       = (at >= last) || cut;
  assign more        = (at + 16'd1 != last);
  assign step        = (skips && same_fiber && (seeking_q || closing_q)) ? step_q : 3'd0;
  assign ahead       = ((last - at) > (16'd1 << step)) ? at + (16'd1 << step) : more ? last - 16'd1 : last;
  assign resolved    = !gapped_q || !out_valid || cut;
  assign walk_token  = run_i && plan_valid && !plan[17] && out_room;
  assign walk_fiber  = run_i && fiber_known && !empty && out_room;
  assign walk_want   = walk_fiber && compressed && (skips ? (step == 3'd0) || (asked_q < Ahead) : pos_out_ready_i);

  assign walk_asks       = walk_token || (compressed ? walk_want && walk_gnt : walk_fiber);
  assign pos_out_o.valid = skips ? head_valid && gives && coord_out_ready_i : walk_asks;
  assign pos_out_o.data  = skips ? (out_head[17] ? {1'b0, head_pos} : head_token)
                         : !plan[17] ? plan[16:0] : {1'b0, dense_i ? plan[15:0] * dim_size_i + at : at};
  assign walk_go         = walk_asks && (skips || pos_out_ready_i);
  assign plan_pop        = (walk_go && (!plan[17] || (!more && !gapped_q))) || (run_i && fiber_known && empty && resolved && !goes_back);
  assign pair_pop        = plan_pop && plan[17] && !dense_i;
  assign pass_walked     = plan_pop && (planned_q == 4'd1);  // with the last of a pass
  assign walker_done     = walk_go && !plan[17] && (plan[9:8] == 2'd1);

  // In lookup and block mode the walker is idle, otherwise the front puts nothing out.
  assign out_push = front_out_push || walk_go;
  assign out_in   = front_out_push ? front_out
                  : !plan[17] ? {1'b0, plan[16:0]}
                  : dense_i ? {2'b00, at} : {1'b1, skips ? {turn_q, at} : 17'd0};

  // -- the read port: front and walker take turns --
  assign walk_gnt  = rd_ready_i && (walker_first_i || !front_want);
  assign front_gnt = rd_ready_i && front_want && !(walk_want && walk_gnt);

  // The front's request counts with or without its turn: turns need not wake anything. Other register changes need a
  // state change, or a word entering or leaving a queue.
  assign stir_o = (state_d != state_q) || (second_d != second_q) || (read_out_d != read_out_q) ||
                  (root_done_d != root_done_q) || (done_given_d != done_given_q) || (done_taken_d != done_taken_q) ||
                  (pos_i.valid && pos_ready_o) || ref_pop || (plan_push && plan_ready) || (front_want && rd_ready_i) ||
                  (out_push && out_room) || out_pop || plan_pop || (rsp_i.valid && run_i) || came_q || skip_stir;

  assign rd_o = {front_gnt || (walk_want && walk_gnt), front_gnt ? front_cmd : {onyx_pkg::OpRead, 1'b1, at}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= Start;
      second_q       <= 1'b0;
      left_q         <= 16'd0;
      read_addr_q    <= 16'd0;
      root_done_q    <= 1'b0;
      read_out_q     <= 1'b0;
      done_given_q   <= 1'b0;
      done_taken_q   <= 1'b0;
      level_q        <= 8'd0;
      to_block_q     <= 1'b0;
      seg_half_q     <= 1'b0;
      seg_first_q    <= 16'd0;
      at_q           <= 16'd0;
      active_q       <= 1'b0;
      planned_q      <= 4'd0;
      ended_q        <= 1'b0;
      turn_q         <= 1'b0;
      begun_q        <= 1'b0;
      gapped_q       <= 1'b0;
      seeking_q      <= 1'b0;
      closing_q      <= 1'b0;
      next_q         <= 16'd0;
      tokens_q       <= 4'd0;
      asked_q        <= 4'd0;
      held_q         <= 1'b0;
      dropped_q      <= 4'd0;
      step_q         <= 3'd0;
    end else if (en_i) begin
      if (flush_i) begin
        turn_q         <= 1'b0;
        begun_q        <= 1'b0;
        gapped_q       <= 1'b0;
        seeking_q      <= 1'b0;
        closing_q      <= 1'b0;
        tokens_q       <= 4'd0;
        asked_q        <= 4'd0;
        held_q         <= 1'b0;
        dropped_q      <= 4'd0;
        ended_q        <= 1'b0;
        state_q        <= Start;
        read_out_q     <= 1'b0;
        done_given_q   <= 1'b0;
        done_taken_q   <= 1'b0;
        to_block_q     <= 1'b0;
        seg_half_q     <= 1'b0;
        active_q       <= 1'b0;
        planned_q      <= 4'd0;
      end else begin
        state_q     <= state_d;
        second_q    <= second_d;
        left_q      <= left_d;
        read_addr_q <= read_addr_d;
        root_done_q <= root_done_d;
        read_out_q  <= read_out_d;
        done_given_q <= done_given_d;
        done_taken_q <= done_taken_d;
        level_q     <= level_d;
        ended_q     <= ended_q || (taken && is_done);
        if (out_pop && head_routes) to_block_q <= head_token[0];
        if (seg_rsp) begin
          seg_half_q <= !seg_half_q;
          if (!seg_half_q) seg_first_q <= rsp_i.data[15:0];
        end
        if (walk_go && plan[17]) begin
          at_q     <= ahead;
          active_q <= more || gapped_q;
        end
        if (plan_pop) active_q <= 1'b0;
        if (skips) begin
          tokens_q <= tokens_q + {3'd0, walk_go && !plan[17]} - {3'd0, out_pop && !out_head[17]};
          asked_q  <= asked_q + {3'd0, walk_go && plan[17]} - {3'd0, out_pop && out_head[17]};
          held_q   <= head_valid && out_head[17] && gives && !gives_both;
          if (walk_go && plan[17] && (ahead != at + 16'd1)) gapped_q <= 1'b1;
          if (walk_go && plan[17] && same_fiber && seeking_q && (step_q != Widest)) step_q <= step_q + 3'd1;
          if (plan_pop) gapped_q <= 1'b0;
          if (out_pop && !out_head[17]) begin
            begun_q   <= 1'b0;
            dropped_q <= 4'd0;
            seeking_q <= 1'b0;
            closing_q <= 1'b0;
          end else if (out_pop && live && below) begin
            next_q  <= head_pos + 16'd1;
            begun_q <= 1'b1;
            if (dropped_q != Patience) dropped_q <= dropped_q + 4'd1;
            if (!seeking_q && !closing_q && same_fiber && (dropped_q == Patience)) begin
              seeking_q <= 1'b1;
              step_q    <= First;
            end
          end else if (goes_back) begin
            turn_q    <= !turn_q;
            at_q      <= next_q;
            active_q  <= 1'b1;
            gapped_q  <= 1'b0;
            seeking_q <= 1'b0;
            closing_q <= bound_valid;
            step_q    <= step_back;
            dropped_q <= 4'd0;
          end else if (out_pop && live) begin
            next_q    <= head_pos + 16'd1;
            begun_q   <= 1'b1;
            dropped_q <= 4'd0;
            seeking_q <= 1'b0;
            closing_q <= 1'b0;
          end
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
