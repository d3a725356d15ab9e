// Repeater: sends the reference at the head of proc once for each data token of its repeat-signal fiber.
//
// A repsig stop of level 0 ends a reference, a higher stop also ends the proc fiber (or, for an empty fiber, only the
// fiber); the repsig stop is sent on, proc stops are not, and proc stops without a repsig stop (an earlier dropper
// lowered its level) are dropped. A maybe on proc is repeated like a reference, a maybe on repsig counts as data (the
// chip stands still for ever). Done leaves when present on both streams. With root_i the proc stream is [0, done],
// made here, once for every tree. With spacc_i stops end no reference: done does.
//
// Handshake: made to stand between FIFOs, with a FIFO of its own behind the proc port; out valid does not depend on
// out ready. A fiber of N tokens takes N+2 cycles, as on the chip; pops happen in the chip's cycles, except that a
// stop waits for the proc token it ends (the chip forgets this token). As on the chip, a stop leaves only when the
// next proc token after its reference is present, a stop or done.
module onyx_repeat (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic        root_i,
    input  logic        spacc_i,
    input  onyx_pkg::stream_t proc_i, output logic proc_ready_o,
    input  onyx_pkg::stream_t repsig_i, output logic repsig_ready_o,
    output onyx_pkg::stream_t ref_o, input  logic ref_ready_i,
    output logic        stir_o,  // a register may change at the edge though no word moves at a port
    output logic        hazard_o,  // the chip keeps the reference of this empty repsig fiber
    output logic        hazard_leading_o,  // .. loses what comes behind the second of leading stops
    output logic        hazard_maybe_o  // .. never takes the maybe in the repeat signal
);
  localparam logic [16:0] TokenDone = 17'h10100;

  typedef enum logic [2:0] {StStart = 3'd0,
    StRootRef = 3'd1,
    StRootDone = 3'd2,
    StRepeat = 3'd3,
    StStop = 3'd4,
    StDone = 3'd5} state_e;

  state_e state_q, state_d;
  // In StStop. send_q: the proc token ended by the repsig stop at the head is popped, and the stop leaves with the
  // next proc token. close_q: the proc stop of a higher repsig stop is not yet popped.
  logic send_q, send_d, close_q, close_d;

  logic make_ref, make_done;
  logic [16:0] proc_data;
  logic proc_valid, proc_pop, queue_ready;
  assign make_ref     = state_q == StRootRef;
  assign make_done    = state_q == StRootDone;
  assign proc_ready_o = queue_ready & ~root_i;
  onyx_fifo2 i_proc_queue (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({root_i ? (make_ref | make_done) : proc_i.valid,
             make_ref ? 17'd0 : make_done ? TokenDone : proc_i.data}),
      .in_ready_o(queue_ready), .out_o({proc_valid, proc_data}), .out_ready_i(proc_pop)
  );

  logic proc_stop, proc_done, proc_item, sig_stop, sig_done, sig_item, sig_high;
  assign proc_stop = proc_valid & proc_data[16] & (proc_data[9:8] == 2'd0);
  assign proc_done = proc_valid & proc_data[16] & (proc_data[9:8] == 2'd1);
  assign proc_item = proc_valid & ~proc_stop & ~proc_done;
  assign sig_stop  = repsig_i.valid & repsig_i.data[16] & (repsig_i.data[9:8] == 2'd0);
  assign sig_done  = repsig_i.valid & repsig_i.data[16] & (repsig_i.data[9:8] == 2'd1);
  assign sig_item  = repsig_i.valid & ~sig_stop & ~sig_done;
  assign sig_high  = repsig_i.data[7:0] != 8'd0;

  logic sent;
  assign sent           = ref_o.valid & ref_ready_i;
  assign ref_o.data     = (state_q == StRepeat && !sig_stop) ? proc_data : repsig_i.data;
  assign repsig_ready_o = sent;

  always_comb begin
    state_d     = state_q;
    send_d      = send_q;
    close_d     = close_q;
    proc_pop    = 1'b0;
    ref_o.valid = 1'b0;
    unique case (state_q)
      StStart:    state_d = root_i ? StRootRef : StRepeat;
      StRootRef:  state_d = StRootDone;
      StRootDone: state_d = StRepeat;
      StRepeat: begin
        ref_o.valid = (sig_item | (sig_stop & spacc_i)) & proc_item;
        if (spacc_i) begin
          proc_pop = proc_stop | (sig_done & proc_item);
          if (sig_done && proc_done) state_d = StDone;
        end else if (sig_stop && (proc_item || proc_stop)) begin
          // A stop here stands for an empty proc fiber: the fiber needs no further close.
          proc_pop = 1'b1;
          send_d   = 1'b1;
          close_d  = proc_item & sig_high;
          state_d  = StStop;
        end else if ((sig_item || sig_done) && proc_stop) begin
          proc_pop = 1'b1;
        end else if (sig_done && proc_done) begin
          state_d = StDone;
        end
      end
      StStop: begin
        ref_o.valid = send_q ? proc_valid : (sig_stop & proc_stop & ~close_q);
        if (sent) send_d = 1'b0;
        if (close_q) begin
          if ((sent || !send_q) && proc_stop) begin
            proc_pop = 1'b1;
            close_d  = 1'b0;
          end
        end else if (proc_stop) begin
          proc_pop = sent & ~send_q;
          if (sig_item || sig_done) state_d = StRepeat;
        end else if ((sent || !send_q) && proc_valid) begin
          state_d = StRepeat;
        end
      end
      default: begin
        ref_o.valid = 1'b1;
        proc_pop    = ref_ready_i;
        if (ref_ready_i) state_d = StStart;
      end
    endcase
  end

  // For the monitors. The chip enters its state for stops with the first stop of the signal, with or without a token
  // on proc, and leaves the state when proc has a token other than a stop and the output has room. A stop that meets
  // a reference in this state, and did not end the last popped token, leaves and pops nothing. A stop for an empty
  // proc fiber leaves with the proc stop on the chip, with the next token here (late_q). The kept reference does harm
  // when the next token of the signal repeats the reference.
  logic stays_q, stays_d, late_q, late_d, kept_q, kept_d, fresh_q, fresh_d;
  logic fresh, ends_ref;
  assign hazard_o = kept_q & sent & (state_q == StRepeat) & sig_item;
  assign kept_d   = (kept_q | (stays_q & sig_stop & proc_item & ~send_q & ~close_q)) & (state_q != StDone);
  assign late_d   = (late_q & ~sent) | (ends_ref & proc_stop & stays_q);
  assign stays_d  = stays_q ? (late_q & send_q) | ~(proc_valid & ~proc_stop & ref_ready_i)
                            : (state_q == StRepeat) & sig_stop & ~proc_done & ~spacc_i;

  // Nothing has left since the tree began.
  assign fresh    = fresh_q | (state_q == StStart);
  assign ends_ref = (state_q == StRepeat) & ~spacc_i & sig_stop & (proc_item | proc_stop);
  assign fresh_d  = sent ? sig_done : fresh;

  // The tree began with a stop on both streams, and no reference has come yet.
  logic leading_q, leading_d;
  assign hazard_leading_o = leading_q & (state_q == StStop) & proc_pop & proc_stop;
  assign leading_d = (leading_q | (ends_ref & proc_stop & fresh)) & ~proc_item & ~proc_done;

  assign hazard_maybe_o = sent & (state_q == StRepeat) & sig_item & repsig_i.data[16];

  assign stir_o = ({state_d, send_d, close_d, stays_d, late_d, kept_d, fresh_d, leading_d} !=
                   {state_q, send_q, close_q, stays_q, late_q, kept_q, fresh_q, leading_q}) | proc_pop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StStart;
      send_q     <= 1'b0;
      close_q    <= 1'b0;
      stays_q    <= 1'b0;
      late_q     <= 1'b0;
      kept_q     <= 1'b0;
      fresh_q    <= 1'b0;
      leading_q  <= 1'b0;
    end else if (en_i) begin
      state_q    <= flush_i ? StStart : state_d;
      send_q     <= ~flush_i & send_d;
      close_q    <= ~flush_i & close_d;
      stays_q    <= ~flush_i & stays_d;
      late_q     <= ~flush_i & late_d;
      kept_q     <= ~flush_i & kept_d;
      fresh_q    <= ~flush_i & fresh_d;
      leading_q  <= ~flush_i & leading_d;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(KnownState, state_q <= StDone, "the state is one of those named")
  `ONYX_ASSERT(TakesWhatItSends, repsig_ready_o == (ref_o.valid && ref_ready_i),
      "a signal leaves with the reference that it stands for")
endmodule
