// Write scanner: turns a stream into the write commands of one or two blocks of the buffet.
//
// A tree on the input becomes one block of segments or values (ID 0) and, on an upper level
// (lowest_level_i = 0), one block of coordinates (ID 1). A block is: an open command, writes, a close
// command. Modes:
//   block_mode_i                    input `block`: n0, n0 words to ID 0; upper level: then n1, n1 words to ID 1.
//   lowest_level_i & compressed_i   input `data`: data to ID 0 at 0,1,2..; stops and maybes are dropped; done ends.
//   lowest_level_i & !compressed_i  inputs `data`,`addr` in pairs; a token that is no data on either side
//                                   makes the pair (or that token alone, if the other is data) vanish; done on
//                                   both ends.
//   upper level                     input `data`: coordinates to ID 1, equal neighbours of a fiber once; the
//                                   count so far to the next segment at the first of a row of stops or maybes. What
//                                   is written is taken a cycle later.
// Accumulating (spacc_i, with a stream): a block ends with each stop of level stop_lvl_i or above, which the
// upper level also counts in a segment; done vanishes. With init_blank_i an empty block comes first, and again
// after each stop above stop_lvl_i.
// Contract: cmd_o is a stream of commands; every input is
// taken only when its effect is handed over. run_i = 0 stands still.
// Pace (that of the chip): a value or a block word a cycle, a coordinate or a segment three, a new tree three
// cycles after the last close.
module onyx_write_scanner (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, block_mode_i, lowest_level_i, compressed_i, spacc_i, init_blank_i,
    input  logic [ 7:0] stop_lvl_i,
    input  onyx_pkg::stream_t addr_i, output logic addr_ready_o,
    input  onyx_pkg::stream_t block_i, output logic block_ready_o,
    input  onyx_pkg::stream_t data_i, output logic data_ready_o,
    output onyx_pkg::write_t cmd_o, input  logic cmd_ready_i,
    output logic        stir_o,  // a register may change at the edge
    output logic        hazard_equal_o,  // a coordinate equal to the one before vanishes
    output logic        hazard_empty_o   // an empty fiber vanishes
);
  typedef enum logic [3:0] {Start,
    Open0,
    Open1,
    Settle,
    Length,
    Words,
    Values,
    Pairs,
    Look,
    Take,
    Next,
    Zero,
    Close0,
    TakeDone,
    Rest} state_e;

  logic cmd_valid;
  logic [33:0] cmd_data;
  assign cmd_o = {cmd_valid, cmd_data};

  state_e state_q, state_d;
  logic [15:0] index_q, index_d;  // words of ID 0, or of the block being copied, given so far
  logic [15:0] count_q, count_d;  // words of the block to copy, or coordinates written
  logic [15:0] last_q, last_d;  // the coordinate written last
  logic have_last_q, have_last_d;  // .. in this fiber
  logic ended_q, ended_d;  // the segment of the fibers so far is written
  logic second_q, second_d;  // copying the second block of the level
  logic pause_q, pause_d;  // four words given: the buffet needs a cycle to put the line away

  logic blank_q, blank_d;  // the empty block of the accumulation at hand is written

  logic data_is_done, addr_is_done, same_as_last, go;
  logic closes, renews;  // the stop ends a block, and an accumulation
  logic blank_due, ends, drops, ends_here;

  assign data_is_done = data_i.data[16] && (data_i.data[9:8] == 2'd1);
  assign addr_is_done = addr_i.data[16] && (addr_i.data[9:8] == 2'd1);
  assign same_as_last = have_last_q && (data_i.data[15:0] == last_q);
  assign go           = run_i && cmd_ready_i;

  assign closes    = data_i.data[16] && (data_i.data[9:8] == 2'd0) && (data_i.data[7:0] >= stop_lvl_i);
  assign renews    = closes && (data_i.data[7:0] != stop_lvl_i);
  assign blank_due = spacc_i && init_blank_i && !blank_q;
  assign ends      = blank_due || (spacc_i ? closes : data_is_done);
  assign drops     = data_i.data[16] ? ended_q || data_is_done : same_as_last;
  assign ends_here = blank_due || (data_i.valid && ends);

  logic drop_here;  // a token vanishes without effect
  assign drop_here      = (state_q == Next) && data_i.valid && data_ready_o;
  assign hazard_equal_o = drop_here && !data_i.data[16];
  assign hazard_empty_o = drop_here && data_i.data[16] && (data_i.data[9:8] == 2'd0);

  always_comb begin
    state_d       = state_q;
    index_d       = index_q;
    count_d       = count_q;
    last_d        = last_q;
    have_last_d   = have_last_q;
    ended_d       = ended_q;
    second_d      = second_q;
    pause_d       = 1'b0;
    blank_d       = blank_q;
    addr_ready_o  = 1'b0;
    block_ready_o = 1'b0;
    data_ready_o  = 1'b0;
    cmd_valid   = 1'b0;
    cmd_data    = 34'd0;
    case (state_q)
      Start: begin
        index_d     = 16'd0;
        count_d     = 16'd0;
        have_last_d = 1'b0;
        ended_d     = 1'b0;
        second_d    = 1'b0;
        if (run_i) state_d = Open0;
      end
      Open0: begin
        cmd_valid = run_i;
        if (go) state_d = !lowest_level_i ? Open1 : block_mode_i ? Length : Settle;
      end
      Open1: begin
        cmd_valid = run_i;
        cmd_data  = {2'b01, 32'd0};
        if (go) state_d = block_mode_i ? Length : Zero;
      end
      Settle: begin
        state_d = blank_due ? Close0 : compressed_i ? Values : Pairs;
        blank_d = blank_q || blank_due;
      end

      Length: begin
        block_ready_o = run_i;
        index_d       = 16'd0;
        count_d       = block_i.data[15:0];
        if (run_i && block_i.valid) state_d = Words;
      end
      Words: begin
        if (index_q != count_q) begin
          cmd_valid   = run_i && block_i.valid && !pause_q;
          cmd_data    = {1'b1, second_q, index_q, block_i.data[15:0]};
          block_ready_o = go && !pause_q;
          if (go && block_i.valid && !pause_q) begin
            index_d = index_q + 16'd1;
            pause_d = (index_q[1:0] == 2'd3);
          end
        end else if (!lowest_level_i && !second_q) begin
          second_d = 1'b1;
          state_d  = Length;
        end else begin
          cmd_valid = run_i;
          cmd_data  = {1'b0, !lowest_level_i, 32'd0};
          if (go) state_d = lowest_level_i ? TakeDone : Close0;
        end
      end

      Values: begin
        cmd_valid  = run_i && data_i.valid && (data_i.data[16] ? ends : !pause_q);
        cmd_data   = {!data_i.data[16], 1'b0, index_q, data_i.data[15:0]};
        data_ready_o = run_i && (data_i.data[16] ? !ends || cmd_ready_i : cmd_ready_i && !pause_q);
        if (go && data_i.valid && !data_i.data[16] && !pause_q) begin
          index_d = index_q + 16'd1;
          pause_d = (index_q[1:0] == 2'd3);
        end
        if (go && data_i.valid && data_i.data[16] && ends) begin
          state_d = TakeDone;
          blank_d = blank_q && !renews;
        end
      end
      Pairs: begin
        if (data_i.valid && addr_i.valid && run_i) begin
          if (!data_i.data[16] && !addr_i.data[16]) begin
            cmd_valid  = !pause_q;
            cmd_data   = {2'b10, addr_i.data[15:0], data_i.data[15:0]};
            data_ready_o = cmd_ready_i && !pause_q;
            addr_ready_o = cmd_ready_i && !pause_q;
            if (cmd_ready_i && !pause_q) begin
              index_d = index_q + 16'd1;
              pause_d = (index_q[1:0] == 2'd3);
            end
          end else if (data_is_done && addr_is_done) begin
            cmd_valid  = 1'b1;
            data_ready_o = cmd_ready_i;
            addr_ready_o = cmd_ready_i;
            if (cmd_ready_i) state_d = TakeDone;
          end else begin
            // Done waits for done; otherwise control tokens go.
            data_ready_o = addr_is_done || (data_i.data[16] && !data_is_done);
            addr_ready_o = data_is_done || (addr_i.data[16] && !addr_is_done);
          end
        end
      end

      // The leading segment.
      Zero: begin
        cmd_valid = run_i;
        cmd_data  = {2'b10, 32'd0};
        index_d   = 16'd1;
        if (go) state_d = Look;
      end
      // Writes a coordinate, or where a fiber ends.
      Look: begin
        if (run_i && data_i.valid && data_is_done && !ends) begin
          data_ready_o = 1'b1;  // the scanner accumulates
        end else if (data_i.data[16] || ends_here) begin
          cmd_valid = run_i && (data_i.valid || ends_here);
          cmd_data  = {2'b10, index_q, count_q};
          if (go && cmd_valid) begin
            index_d     = index_q + 16'd1;
            have_last_d = 1'b0;
            ended_d     = 1'b1;
            state_d     = Take;
          end
        end else begin
          cmd_valid = run_i && data_i.valid;
          cmd_data  = {2'b11, count_q, data_i.data[15:0]};
          if (go && cmd_valid) begin
            last_d      = data_i.data[15:0];
            count_d     = count_q + 16'd1;
            have_last_d = 1'b1;
            ended_d     = 1'b0;
            state_d     = Take;
          end
        end
      end
      // Takes the written token, unless the token also ends the block: an ending token stays.
      Take: begin
        if (ended_q && ends_here) begin
          cmd_valid = run_i;
          cmd_data  = {2'b01, 32'd0};
          if (go) state_d = Close0;
        end else begin
          data_ready_o = run_i;
          if (run_i) state_d = Next;
        end
      end
      // Takes tokens that add nothing, up to a token that adds an entry.
      Next: begin
        if (ended_q && ends_here) begin
          cmd_valid = run_i;
          cmd_data  = {2'b01, 32'd0};
          if (go) state_d = Close0;
        end else if (run_i && data_i.valid && !ends_here && drops) begin
          data_ready_o = 1'b1;
        end else if (run_i && (data_i.valid || ends_here)) begin
          state_d = Look;
        end
      end

      Close0: begin
        cmd_valid = run_i;
        if (go) state_d = TakeDone;
      end
      TakeDone: state_d = Rest;
      Rest: begin
        data_ready_o = run_i && !lowest_level_i && !block_mode_i && !blank_due;
        if (!lowest_level_i) blank_d = blank_due || (blank_q && !renews);
        state_d = Start;
      end
      default: state_d = Start;
    endcase
  end

  // Without a state change only a given or taken word changes the next state's inputs.
  assign stir_o = (state_d != state_q) || (pause_d != pause_q) || (blank_d != blank_q) || (cmd_valid && cmd_ready_i) ||
                  (addr_ready_o && addr_i.valid) || (block_ready_o && block_i.valid) || (data_ready_o && data_i.valid);

  // Words from the GLB carry no token bit.
  logic unused_token;
  assign unused_token = &{1'b0, block_i.data[16]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Start;
      index_q     <= 16'd0;
      count_q     <= 16'd0;
      last_q      <= 16'd0;
      have_last_q <= 1'b0;
      ended_q     <= 1'b0;
      second_q    <= 1'b0;
      pause_q     <= 1'b0;
      blank_q     <= 1'b0;
    end else if (en_i) begin
      if (flush_i) begin
        state_q <= Start;
        pause_q <= 1'b0;
        blank_q <= 1'b0;
      end else begin
        pause_q     <= pause_d;
        blank_q     <= blank_d;
        state_q     <= state_d;
        index_q     <= index_d;
        count_q     <= count_d;
        last_q      <= last_d;
        have_last_q <= have_last_d;
        ended_q     <= ended_d;
        second_q    <= second_d;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneSource, !(block_ready_o && data_ready_o), "blocks or streams are written, not both")
  `ONYX_ASSERT(KnownState, state_q <= Rest, "the state is one of those named")
endmodule
