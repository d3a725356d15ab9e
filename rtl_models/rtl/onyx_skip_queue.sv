// Skippable coordinates of a scanner (profile onyx-ext): the coordinates of the scanner on the other side of its
// intersecter, in turn with its own fibers.
//
// partner_i is the other side's coordinate stream, as the intersecter has it; both sides have as many fibers, and a
// fiber's coordinates ascend. bound_o, while valid: the other side lacks all coordinates of the current fiber below
// bound_o. end_o: the other side lacks all remaining coordinates of the current fiber. Neither is ever right for
// another fiber: tokens of finished fibers are removed, tokens of later fibers wait. passed_i: a coordinate of the
// fiber at hand leaves; ended_i: its stop does, only while may_end_o.
//
// The observed stream is never held up: a coordinate without a place is lost, and the next coordinate is no bound
// (gap). Stops are counted. Only 2^CountBits - 1 stops ahead of or behind the fiber at hand hold up anything; the
// FIFOs between scanner and intersecter hold fewer. Control tokens but stops vanish. run_i = 0 stands still.
module onyx_skip_queue #(
    parameter int unsigned LogDepth = 3,
    parameter int unsigned CountBits = 8,
    parameter int unsigned CrdBits = 16  // fewer in a proof only
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i,
    input  onyx_pkg::stream_t partner_i, output logic partner_ready_o,
    input  logic passed_i,
    input  logic [CrdBits-1:0] passed_crd_i,
    input  logic ended_i,
    output logic may_end_o,
    output logic bound_valid_o,
    output logic [CrdBits-1:0] bound_o,
    output logic end_o,
    output logic stir_o  // a register may change at the edge though no word moves at a port
);
  if (CountBits < 1 || CountBits > 16 || CrdBits < 1 || CrdBits > 16) begin : g_bad
    $error("onyx_skip_queue: CountBits and CrdBits must be 1..16");
  end

  // -- arriving tokens: into the queue, or, if full, into two registers after the queue --
  logic [CountBits-1:0] tail_q;  // stops behind the queue
  logic gap_q;  // a coordinate behind all of them is lost
  logic crd_comes, stop_comes, behind, push, room;
  assign partner_ready_o = run_i && (tail_q != '1);
  assign crd_comes  = partner_i.valid && partner_ready_o && !partner_i.data[16];
  assign stop_comes = partner_i.valid && partner_ready_o && partner_i.data[16] && (partner_i.data[9:8] == 2'd0);
  assign behind     = (tail_q != '0);
  assign push       = room && (behind ? run_i : crd_comes || stop_comes);

  logic head_valid, head_gap, head_stop, pop;
  logic [CrdBits-1:0] head;
  onyx_fifo_pow2 #(.Width(CrdBits + 2), .LogDepth(LogDepth)) u_queue (
      .clk_i, .rst_ni, .en_i, .flush_i,
      .in_i({push, behind || gap_q, behind || stop_comes, partner_i.data[CrdBits-1:0]}), .in_ready_o(room),
      .out_o({head_valid, head_gap, head_stop, head}), .out_ready_i(pop)
  );

  // -- leaving tokens: in step with the fibers --
  logic [CountBits-1:0] owed_q;  // fibers that are over, whose stop is still to come from the other side
  logic past_valid_q;  // a coordinate of the fiber at hand has left
  logic [CrdBits-1:0] past_q;  // .. the last one
  logic in_step, is_past;
  assign in_step       = (owed_q == '0);
  assign may_end_o     = (owed_q != '1);
  assign bound_valid_o = head_valid && in_step && !head_stop && !head_gap;
  assign bound_o       = head;
  assign end_o         = head_valid && in_step && head_stop && !head_gap;
  assign is_past       = (past_valid_q && (head <= past_q)) || (passed_i && (head <= passed_crd_i));
  assign pop           = run_i && head_valid && (!in_step || (head_stop ? ended_i : is_past));

  assign stir_o = push || pop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q       <= '0;
      gap_q        <= 1'b0;
      owed_q       <= '0;
      past_valid_q <= 1'b0;
      past_q       <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        tail_q       <= '0;
        gap_q        <= 1'b0;
        owed_q       <= '0;
        past_valid_q <= 1'b0;
      end else begin
        tail_q <= tail_q + CountBits'(stop_comes && (behind || !room)) - CountBits'(behind && push);
        if (stop_comes || (push && !behind)) gap_q <= 1'b0;
        else if (crd_comes) gap_q <= 1'b1;
        owed_q <= owed_q + CountBits'(ended_i) - CountBits'(pop && head_stop);
        if (ended_i) past_valid_q <= 1'b0;
        else if (passed_i) past_valid_q <= 1'b1;
        if (passed_i) past_q <= passed_crd_i;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(BoundOrEnd, !(bound_valid_o && end_o), "the other side has a coordinate or ends")
endmodule
