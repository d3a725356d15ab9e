// A port of a Pond: two sets of loops, run in turn on a common generator.
//
// Contract: event_o[0] in the cycle of an event of the first set, event_o[1] of the second. A flush begins with the
// second set if enabled alone, or with an earlier start. At the end of a set the other set follows, unless already
// run.
module onyx_dense_pond_port (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic                [15:0] cycle_i,
    input  onyx_dense_pkg::pond_port_t cfg_i,
    output logic                [ 1:0] event_o,
    output logic                [ 4:0] addr_o
);
  logic second_q, second_d, due, last, ends, restart;
  logic [1:0] finished_q;
  logic [3:0] loop;
  logic [15:0] at;

  assign due = (second_q ? cfg_i.enable2 : cfg_i.enable) && !finished_q[second_q] && at == cycle_i;
  assign ends = due && last;
  assign restart = flush_i || ends;
  assign event_o = {due && second_q, due && !second_q};

  always_comb begin
    second_d = second_q;
    if (flush_i) second_d = cfg_i.enable2 && (!cfg_i.enable || cfg_i.start2 < cfg_i.start);
    else if (ends) second_d = !second_q;
  end

  onyx_dense_loops #(.Loops(4), .RangeWidth(16)) u_loops (
      .clear_i(flush_i), .step_i(due), .dim_i(second_q ? {2'd0, cfg_i.dim2} : {1'b0, cfg_i.dim}),
      .range_i(second_q ? {cfg_i.range2, 32'd0} : cfg_i.range), .loop_o(loop), .last_o(last), .clk_i, .rst_ni,
      .en_i
  );
  onyx_dense_affine #(.Loops(4), .Width(16)) u_at (
      .load_i(restart), .step_i(due), .loop_i(loop), .start_i(second_d ? cfg_i.start2 : cfg_i.start),
      .stride_i(second_q ? {cfg_i.stride2, 32'd0} : cfg_i.stride), .value_o(at), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_affine #(.Loops(4), .Width(5)) u_addr (
      .load_i(restart), .step_i(due), .loop_i(loop), .start_i(second_d ? cfg_i.addr_start2 : cfg_i.addr_start),
      .stride_i(second_q ? {cfg_i.addr_stride2, 10'd0} : cfg_i.addr_stride), .value_o(addr_o), .clk_i, .rst_ni,
      .en_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q   <= 1'b0;
      finished_q <= 2'b00;
    end else if (en_i) begin
      second_q <= second_d;
      if (flush_i) finished_q <= 2'b00;
      else if (ends) finished_q[second_q] <= 1'b1;
    end
  end
endmodule
