// onyx_skip_queue: the queue lets its side skip only coordinates absent from the other side. The watched coordinate
// is any coordinate of the fiber at hand or a later fiber: until the fiber at hand has passed the watched coordinate
// in its own fiber, no bound exceeds the coordinate, and the rest of the fiber is not free. Coordinates yet to come
// need no further property: a bound has come in the fiber at hand, which the other side may have left; the rest is
// free only if the other side left the fiber. The other side waits only while 2^CountBits - 1 stops wait in the
// queue, a stop only while as many are owed, less the stops already come. Coordinates of a fiber ascend, no more is
// assumed of either side.
//
// cells: onyx_skip_queue onyx_fifo_pow2
// with: first_reset steady port
// set: LogDepth=1
// broken: onyx_skip_queue s/behind || gap_q, behind/behind, behind/
// broken: onyx_skip_queue s/assign in_step       = (owed_q == '0)/assign in_step = 1'b1/
// broken: onyx_skip_queue s/head <= passed_crd_i/head >= passed_crd_i/
// broken: onyx_skip_queue s/(head_stop ? ended_i : is_past)/(ended_i || is_past)/
// broken: onyx_skip_queue s/if (ended_i) past_valid_q <= 1'b0/if (1'b0) past_valid_q <= 1'b0/
// broken: onyx_skip_queue s/tail_q != '1/1'b1/
`include "proof.svh"
module p_skip_queue #(
    parameter int unsigned LogDepth = 1
) (
`include "control_ports.svh"
    input onyx_pkg::stream_t partner_i,
    input logic passed, ended, watch,
    input logic [1:0] passed_crd
);
  localparam int unsigned CrdBits = 2;
  localparam int unsigned CountBits = 1;
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic ready, may_end, bound_valid, rest_free, unused_stir;
  logic [CrdBits-1:0] bound;
  onyx_skip_queue #(.LogDepth(LogDepth), .CountBits(CountBits), .CrdBits(CrdBits)) u_cell (
      .clk_i, .rst_ni(rst_n), .en_i, .flush_i, .run_i(1'b1), .partner_i, .partner_ready_o(ready),
      .passed_i(passed), .passed_crd_i(passed_crd), .ended_i(ended), .may_end_o(may_end),
      .bound_valid_o(bound_valid), .bound_o(bound), .end_o(rest_free), .stir_o(unused_stir)
  );
  port #(.Queue(1'b1)) u_in (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(partner_i), .ready_i(ready)
  );

  logic moves, takes, takes_crd, takes_stop;
  logic [CrdBits-1:0] comes;
  assign moves      = rst_n & en_i & ~flush_i;
  assign takes      = moves & partner_i.valid & ready;
  assign comes      = partner_i.data[CrdBits-1:0];
  assign takes_crd  = takes & ~partner_i.data[16];
  assign takes_stop = takes & partner_i.data[16] & (partner_i.data[9:8] == 2'd0);
  always_comb assume (may_end || !ended);
  always_comb assume (!(passed && ended));

  // Fibers by which the other side is ahead; its last coordinate in its fiber; the watched coordinate, and the
  // distance of its fiber from the fiber at hand.
  logic signed [4:0] ahead_q;
  logic last_valid_q, watched_q;
  logic [CrdBits-1:0] last_q, watched_crd_q;
  logic signed [4:0] until_q;
  always_comb if (partner_i.valid && !partner_i.data[16] && last_valid_q) assume (comes > last_q);
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) {ahead_q, last_valid_q, watched_q} <= '0;
    else if (en_i) begin
      ahead_q <= ahead_q + (takes_stop ? 5'sd1 : 5'sd0) - (ended ? 5'sd1 : 5'sd0);
      if (takes_stop) last_valid_q <= 1'b0;
      else if (takes_crd) last_valid_q <= 1'b1;
      if (takes_crd) last_q <= comes;
      if (!watched_q) begin
        // Not a coordinate passed by the fiber at hand, or of a finished fiber, in this very cycle.
        if (watch && takes_crd && ahead_q >= 5'sd0 && (ahead_q > 5'sd0 || !ended) && !(ahead_q == 5'sd0 && passed && passed_crd >= comes) &&
            !(ahead_q == 5'sd0 && beyond)) begin
          watched_q     <= 1'b1;
          watched_crd_q <= comes;
          until_q       <= ahead_q - (ended ? 5'sd1 : 5'sd0);
        end
      end else if (ended) begin
        until_q <= until_q - 5'sd1;
        if (until_q == 5'sd0) watched_q <= 1'b0;
      end else if (passed && until_q == 5'sd0 && passed_crd >= watched_crd_q) begin
        watched_q <= 1'b0;
      end
    end
  end
  // The fiber at hand has come past the arriving coordinate.
  logic past_valid_q, beyond;
  logic [CrdBits-1:0] past_q;
  assign beyond = past_valid_q && past_q >= comes;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) past_valid_q <= 1'b0;
    else if (en_i && ended) past_valid_q <= 1'b0;
    else if (en_i && passed) past_valid_q <= 1'b1;
    if (en_i && passed) past_q <= passed_crd;
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(bound_below, !(watched_q && until_q == 5'sd0 && bound_valid && bound > watched_crd_q))
      `PROVE(rest_needed, !(watched_q && until_q == 5'sd0 && rest_free))
      `PROVE(has_come, !bound_valid || ahead_q > 5'sd0 || (ahead_q == 5'sd0 && last_valid_q && bound <= last_q))
      `PROVE(has_ended, !rest_free || ahead_q > 5'sd0)
      `PROVE(takes_all, ready || ahead_q >= 5'sd0)
      `PROVE(ends, may_end || ahead_q <= 5'sd2)
      `REACH(bounds, watched_q && until_q == 5'sd0 && bound_valid && bound == watched_crd_q)
      `REACH(frees, rest_free && ahead_q > 5'sd1)
      `REACH(far_ahead, !ready)
      `REACH(far_behind, !may_end)
      `REACH(lost, watched_q && until_q == 5'sd0 && !bound_valid && ahead_q > 5'sd0 && !rest_free)
    end
  end
endmodule
