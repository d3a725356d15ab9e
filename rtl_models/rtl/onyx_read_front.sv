// Front of the read scanner: references to fibers for the walker, which needs their segments; values at references;
// whole blocks for the global buffer (onyx_read_blocks); and frees of blocks.
//
// Contract: plan_o, while plan_push_o, is a fiber {1, reference} or a token {0, token} for the walker, and taken if
// plan_ready_i; a fiber is planned as its second segment is asked for. want_o offers the command cmd_o to the buffet,
// taken at gnt_i. out_push_o: out_o, a token or an answer's place {1, 0}, is for the output queue; a place comes at the
// gnt_i of its command. A block is freed once the walker, or the output queue, is done with its tree. run_i = 0 stands
// still.
module onyx_read_front (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, root_i, lookup_i, dense_i, block_mode_i, spacc_i,
    input  logic values_i,  // block mode of values: answers find their places by themselves
    input  logic [7:0] stop_lvl_i,
    input  onyx_pkg::stream_t pos_i, output logic pos_ready_o,
    output logic plan_push_o,
    output logic [17:0] plan_o,
    input  logic plan_ready_i,
    input  logic plan_empty_i,
    input  logic pass_walked_i,  // the walker takes the last of the plan
    input  logic done_walked_i,  // the walker passes a done on
    output logic want_o,
    output logic [18:0] cmd_o,
    input  logic gnt_i,
    input  logic read_room_i,  // the answer to a block's command has its place
    input  logic drained_i,  // no answer of a block is on its way
    input  logic rsp_taken_i,
    input  logic [15:0] rsp_data_i,
    output logic out_push_o,
    output logic [17:0] out_o,
    input  logic out_room_i,
    output logic asks_value_o,  // a command of a block leaves
    output logic ref_end_o,  // a fiber has a place in the plan that it does not fill yet
    output logic stir_o,  // a register may change though no command and nothing of the plan moves
    output logic hazard_again_o,  // dense: the chip loses a tree after the first
    output logic hazard_stop_o,  // .. passes a stop that is not behind a reference as it is
    output logic hazard_done_o  // accumulating: .. takes a late done for the read-out's data
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
  state_e state_q, state_d;

  logic compressed, accumulates;
  assign compressed  = !dense_i && !lookup_i && !block_mode_i;
  assign accumulates = spacc_i && compressed && !root_i;

  // -- input --
  logic [16:0] ref_token, fifo_token;
  logic ref_valid, ref_pop, fifo_valid, pos_ready;
  logic root_done_q, root_done_d;  // the injected reference is spent
  onyx_fifo2 u_in (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({pos_i.valid && run_i, pos_i.data}), .in_ready_o(pos_ready),
      .out_o({fifo_valid, fifo_token}), .out_ready_i(ref_pop && !root_i)
  );
  assign pos_ready_o = pos_ready && run_i && !root_i && !block_mode_i;
  assign ref_token   = !root_i ? fifo_token : root_done_q ? Done : 17'd0;
  assign ref_valid   = (root_i || fifo_valid) && run_i;

  logic is_data, is_done, is_maybe, is_stop;
  logic [16:0] raised;  // a stop one level up
  assign is_data  = !ref_token[16];
  assign is_done  = ref_token[16] && (ref_token[9:8] == 2'd1);
  assign is_maybe = ref_token[16] && (ref_token[9:8] == 2'd2);
  assign is_stop  = ref_token[16] && (ref_token[9:8] == 2'd0);
  assign raised   = {ref_token[16:8], ref_token[7:0] + 8'd1};

  // -- block mode --
  logic block_want, block_last, block_frees, block_stir;
  logic [18:0] block_cmd;
  onyx_read_blocks u_blocks (
      .clk_i, .rst_ni, .en_i, .flush_i, .lookup_i, .start_i(state_q == Start),
      .size_i(state_q == Size), .wait_i(state_q == SizeWait), .read_i(state_q == Read), .drain_i(state_q == Drain),
      .answer_i(rsp_data_i), .room_i(read_room_i), .drained_i, .want_o(block_want), .cmd_o(block_cmd), .gnt_i,
      .last_o(block_last), .frees_o(block_frees), .stir_o(block_stir)
  );
  assign asks_value_o = gnt_i && ((state_q == Size) || (state_q == Read));
  assign ref_end_o    = state_q == RefEnd;

  // -- states --
  logic read_out_q, read_out_d;  // this pass goes to block_rd_out
  logic done_given_q, done_given_d;  // the last stop of the tree is behind us
  logic done_taken_q, done_taken_d;  // .. and its done
  logic [7:0] level_q, level_d;  // of the last stop given to coord_out
  logic last_of_tree, frees_values;
  assign last_of_tree = read_out_q ? done_given_q : (level_q == stop_lvl_i + 8'd2);
  assign frees_values = spacc_i ? is_stop && (ref_token[7:0] >= stop_lvl_i) : is_done;

  always_comb begin
    state_d      = state_q;
    root_done_d  = root_done_q;
    read_out_d   = read_out_q;
    done_given_d = done_given_q;
    done_taken_d = done_taken_q;
    level_d      = level_q;
    ref_pop      = 1'b0;
    plan_push_o  = 1'b0;
    plan_o       = {1'b0, ref_token};
    want_o       = 1'b0;
    cmd_o        = 19'd0;
    out_push_o   = 1'b0;
    out_o        = {1'b0, ref_token};
    case (state_q)
      Start: begin
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
        plan_o      = {1'b0, 16'h8180, read_out_q};
        plan_push_o = 1'b1;
        if (plan_ready_i) state_d = Ref;
      end

      Ref: begin
        if (read_out_q) begin
          want_o = plan_ready_i;
          cmd_o  = {onyx_pkg::OpRead, 1'b0, 16'd0};
          if (gnt_i) state_d = RefEnd;
        end else if (!ref_valid) begin
          state_d = Ref;
        end else if (accumulates && is_done) begin
          state_d = Start;
        end else if (lookup_i) begin
          if (is_data) begin
            want_o     = out_room_i;
            cmd_o      = {onyx_pkg::OpRead, 1'b0, ref_token[15:0]};
            out_o      = {1'b1, 17'd0};
            out_push_o = gnt_i;
            ref_pop    = gnt_i;
          end else begin
            if (is_maybe) out_o = 18'd0;
            out_push_o = 1'b1;
            ref_pop    = out_room_i;
            if (out_room_i && frees_values) state_d = Free0;
          end
        end else if (is_data && !dense_i) begin
          want_o = plan_ready_i;
          cmd_o  = {onyx_pkg::OpRead, 1'b0, ref_token[15:0]};
          if (gnt_i) state_d = RefEnd;
        end else if (is_data || (is_maybe && dense_i)) begin
          plan_o      = {is_data, ref_token};
          plan_push_o = 1'b1;
          ref_pop     = plan_ready_i;
          if (plan_ready_i) state_d = Stop;
        end else if (is_maybe) begin
          ref_pop = 1'b1;
          state_d = Stop;
        end else if (is_done) begin
          plan_push_o = 1'b1;
          ref_pop     = plan_ready_i;
          if (plan_ready_i) state_d = dense_i ? Walk : Free0;
        end else begin
          state_d = Stop;
        end
      end
      RefEnd: begin
        want_o      = plan_ready_i;
        cmd_o       = {onyx_pkg::OpRead, 1'b0, read_out_q ? 16'd1 : ref_token[15:0] + 16'd1};
        plan_o      = {1'b1, read_out_q ? 17'd0 : ref_token};
        plan_push_o = gnt_i;
        ref_pop     = gnt_i && !read_out_q;
        if (gnt_i) state_d = Stop;
      end
      Stop: begin
        if (read_out_q) begin
          plan_o      = {1'b0, 9'h100, level_q - 8'd1};
          plan_push_o = 1'b1;
          if (plan_ready_i) state_d = PassDone;
        end else if (ref_valid) begin
          // Only a stop is consumed; the next reference, maybe or done closes the fiber with stop 0.
          plan_o      = {1'b0, is_stop ? raised : 17'h10000};
          plan_push_o = 1'b1;
          ref_pop     = plan_ready_i && is_stop;
          if (plan_ready_i) level_d = plan_o[7:0];
          if (plan_ready_i) state_d = accumulates && (plan_o[7:0] >= stop_lvl_i) ? PassDone : Ref;
        end
      end
      PassDone: begin
        plan_o      = {1'b0, Done};
        plan_push_o = last_of_tree;
        if (plan_ready_i || !last_of_tree) begin
          state_d = Free0;
          ref_pop = ref_valid && is_done && !read_out_q;
          if (ref_pop) done_taken_d = 1'b1;
        end
        if (plan_ready_i && last_of_tree) done_given_d = 1'b1;
      end
      // A dense root has no block to wait for: it gives a single tree.
      Walk:
      if (!dense_i) begin
        if (plan_empty_i || pass_walked_i) state_d = Free1;
      end else if (done_walked_i && !root_i) begin
        state_d = Start;
      end

      Free1: begin
        want_o = 1'b1;
        cmd_o  = {onyx_pkg::OpFree, 1'b1, 16'd0};
        if (gnt_i) state_d = compressed ? Rest : Free0;
      end
      // Segments are free as soon as all of a pass are asked for.
      Free0: begin
        want_o = 1'b1;
        cmd_o  = {onyx_pkg::OpFree, 17'd0};
        if (gnt_i) state_d = compressed ? Walk : Rest;
      end
      Rest: begin
        read_out_d = accumulates && !read_out_q && (level_q > stop_lvl_i);
        if (read_out_q && done_taken_q) begin
          done_given_d = 1'b0;
          done_taken_d = 1'b0;
        end
        state_d = Start;
      end

      SizeWait: if (rsp_taken_i) state_d = (rsp_data_i == 16'd0) ? Drain : Read;
      Size, Read, Drain: begin
        want_o     = block_want;
        cmd_o      = block_cmd;
        out_o      = {1'b1, 17'd0};
        out_push_o = gnt_i && !values_i && !((state_q == Drain) && block_frees);
        if (gnt_i) begin
          if (state_q == Size) state_d = SizeWait;
          else if (state_q == Read) state_d = block_last ? Drain : Read;
          else state_d = !block_frees ? SizeWait : lookup_i ? Rest : Free0;
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

  assign stir_o = (state_d != state_q) || block_stir || (read_out_d != read_out_q) || (root_done_d != root_done_q) ||
                  (done_given_d != done_given_q) || (done_taken_d != done_taken_q) || (pos_i.valid && pos_ready_o) ||
                  ref_pop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Start;
      {root_done_q, read_out_q, done_given_q, done_taken_q, level_q, ended_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        state_q <= Start;
        {read_out_q, done_given_q, done_taken_q, ended_q} <= '0;
      end else begin
        state_q      <= state_d;
        root_done_q  <= root_done_d;
        read_out_q   <= read_out_d;
        done_given_q <= done_given_d;
        done_taken_q <= done_taken_d;
        level_q      <= level_d;
        ended_q      <= ended_q || (taken && is_done);
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(GrantedIsWanted, !gnt_i || want_o, "the read port grants a command that is wanted")
  `ONYX_ASSERT(PlansOrPuts, !(plan_push_o && out_push_o), "a token is for the walker or for the output queue")
  `ONYX_ASSERT(FrontPutsAlone, !out_push_o || lookup_i || block_mode_i, "in other modes only the walker puts out")
endmodule
