// A core output that feeds Sinks switch-box outputs: each output passes on all tokens of the core, once and in order,
// whichever outputs are registers (of any kind for streams) and whichever consumers stall. A core's token leaves for
// all its sinks in one cycle, or not at all. Far = 1: a wire that forks in the next tile, with the same contract.
//
// The tile offers a core output only while all its sinks are ready (gate), as onyx_tile does; an arriving wire has no
// gate, and needs none while no register lies ahead of the fork. Early = 1 puts a register ahead of the fork: tokens
// are doubled in this case, the reason for the mapper's rule against forks after a path's first register. Assumed of
// the consumers: ready stays until a token is taken. The environment chooses, once, the kind of each output and the
// observed output.
//
// cells: onyx_split_fifo onyx_sb_out
// with: queue_contract
// set: Sinks=1
// set: Sinks=2
// set: Sinks=3
// set: Sinks=8
// set: Sinks=1 Far=1
// set: Sinks=3 Far=1
// broken: Sinks=2 Far=1 Early=1
// broken: Sinks=2 Gate=0
// broken: onyx_sb_out s/rmux_i ? reg_ready : out_ready_i/out_ready_i/
`include "proof.svh"
module p_fork #(
    parameter int unsigned Sinks = 2,
    parameter bit Far = 1'b0,
    parameter bit Early = 1'b0,
    parameter bit Gate = 1'b1
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             stall_i,
    input logic             pick_i,
    input onyx_pkg::stream_t core_i,
    input logic [Sinks-1:0] ready_i
);
  (* anyconst *) logic [Sinks-1:0] rmux, first, last;
  (* anyconst *) logic [3:0] watched;
  logic live_q, rst_n;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  assign rst_n = live_q & rst_ni;

  // The core's fork, or the next tile's wire after one output of the core's tile.
  logic core_ready, wire_ready;
  onyx_pkg::stream_t offered, forked;
  logic [Sinks-1:0] waits, valid;
  logic [18*Sinks-1:0] given;
  assign offered    = {core_i.valid & (core_ready | ~Gate), core_i.data};
  assign wire_ready = ~(|waits);
  if (Far) begin : g_far
    logic [5:0] wait_first;
    onyx_sb_out u_first (
        .clk_i, .rst_ni(rst_n), .stall_i, .enable_i(1'b1), .sel_i(3'd3), .rmux_i(Early), .fifo_i(1'b1), .start_i(1'b1),
        .end_i(1'b0), .in0_i(18'd0), .in1_i(18'd0), .in2_i(18'd0), .core0_i(offered), .core1_i(18'd0), .core2_i(18'd0),
        .wait_o(wait_first), .out_o(forked), .out_ready_i(wire_ready)
    );
    assign core_ready = ~wait_first[3];
  end else begin : g_near
    assign forked     = offered;
    assign core_ready = wire_ready;
  end

  for (genvar k = 0; k < Sinks; k++) begin : g_sink
    logic [5:0] wait_sink;
    onyx_sb_out u_sink (
        .clk_i, .rst_ni(rst_n), .stall_i, .enable_i(1'b1), .sel_i(3'd1), .rmux_i(rmux[k]), .fifo_i(1'b1),
        .start_i(first[k]), .end_i(last[k]), .in0_i(18'd0), .in1_i(forked), .in2_i(18'd0), .core0_i(18'd0),
        .core1_i(18'd0), .core2_i(18'd0), .wait_o(wait_sink), .out_o(given[18*k+:18]), .out_ready_i(ready_i[k])
    );
    assign waits[k] = wait_sink[1];
    assign valid[k] = given[18*k+17];
  end

  onyx_pkg::stream_t seen;
  logic seen_ready;
  always_comb begin
    seen       = given[17:0];
    seen_ready = ready_i[0];
    for (int unsigned k = 1; k < Sinks; k++) begin
      if (watched == k) begin
        seen       = given[18*k+:18];
        seen_ready = ready_i[k];
      end
    end
  end
  // Data is bit 0 here: these cells do not depend on data.
  queue_contract #(.Capacity(1), .Through(1'b1), .Shared(1'b1)) u_contract (
      .clk_i, .live_i(rst_n), .en_i(~stall_i), .clear_i(1'b0), .in_i({core_i.valid, core_i.data[0]}),
      .in_ready_i(core_ready), .out_i({seen.valid, seen.data[0]}), .out_ready_i(seen_ready), .pick_i
  );

  logic [Sinks-1:0] waiting_q;
  initial waiting_q = '0;
  always_ff @(posedge clk_i) begin
    waiting_q <= rst_n ? ready_i & ~({Sinks{~stall_i}} & valid) : '0;
  end
  always_comb begin
    assume ((ready_i & waiting_q) == waiting_q);
    if (rst_n) begin
      `PROVE(all_or_none, !(|(~rmux & valid & ready_i)) || &(rmux | (valid & ready_i)))
      `PROVE(all_ready, !(&ready_i && &(~rmux | ~first)) || core_ready)
      `REACH(blocked, core_i.valid && !core_ready)
      `REACH(all_take, core_i.valid && core_ready && &valid && &ready_i)
    end
  end
endmodule
