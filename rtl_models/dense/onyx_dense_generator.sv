// Events on a loop nest, each with an address: an event in each cycle equal to the schedule's value.
//
// Contract: event_o in the cycle whose cycle_i equals the schedule, if enable_i. Afterwards the nest steps by loop_o
// (8: the nest has ended, and no event follows before the next flush). restart_o: whatever goes with the nest takes
// its start.
module onyx_dense_generator #(
    parameter int unsigned Loops = 6,
    parameter int unsigned RangeWidth = 11,
    parameter int unsigned AddrWidth = 4
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [                15:0] cycle_i,
    input  logic                        enable_i,
    input  logic [                 3:0] dim_i,
    input  logic [Loops*RangeWidth-1:0] range_i,
    input  logic [                15:0] start_i,
    input  logic [        Loops*16-1:0] stride_i,
    input  logic [       AddrWidth-1:0] addr_start_i,
    input  logic [ Loops*AddrWidth-1:0] addr_stride_i,
    output logic                        event_o,
    output logic                        restart_o,
    output logic [                 3:0] loop_o,
    output logic [       AddrWidth-1:0] addr_o
);
  logic finished_q, last;
  logic [15:0] at;

  assign event_o   = enable_i && !finished_q && at == cycle_i;
  assign restart_o = flush_i || (event_o && last);

  onyx_dense_loops #(.Loops(Loops), .RangeWidth(RangeWidth)) u_loops (
      .clear_i(flush_i), .step_i(event_o), .last_o(last), .clk_i, .rst_ni, .en_i, .dim_i, .range_i, .loop_o
  );
  onyx_dense_affine #(.Loops(Loops), .Width(16)) u_at (
      .load_i(restart_o), .step_i(event_o), .loop_i(loop_o), .value_o(at), .clk_i, .rst_ni, .en_i, .start_i,
      .stride_i
  );
  onyx_dense_affine #(.Loops(Loops), .Width(AddrWidth)) u_addr (
      .load_i(restart_o), .step_i(event_o), .loop_i(loop_o), .start_i(addr_start_i), .stride_i(addr_stride_i),
      .value_o(addr_o), .clk_i, .rst_ni, .en_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) finished_q <= 1'b0;
    else if (en_i) finished_q <= !flush_i && (finished_q || (event_o && last));
  end
endmodule
