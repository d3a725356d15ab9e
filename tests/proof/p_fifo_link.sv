// onyx_fifo_link is a queue of 2 * Stages tokens; one crosses it in Stages cycles, and so does room. stir_o is a
// sound hint for its clock.
//
// mutate: onyx_fifo_link
// cells: onyx_fifo2 onyx_fifo_link
// with: first_reset queue_contract
// set: Stages=2 Width=1
// set: Stages=3 Width=1
// set: Stages=2 Width=17
// broken: onyx_fifo_link s/assign near_ready = mid_ready/assign near_ready = 1'b1/
// broken: onyx_fifo2 s/out_ready_i;/(out_ready_i | push);/
`include "proof.svh"
module p_fifo_link #(
    parameter int unsigned Width  = 1,
    parameter int unsigned Stages = 2
) (
    input logic             flush_i,
`include "queue_ports.svh"
);
  logic rst_n, in_ready, out_valid, stir, gated_stir, gated_ready, gated_valid;
  logic [Width-1:0] out_data, gated_data;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));
  onyx_fifo_link #(
      .Width (Width),
      .Stages(Stages)
  ) u_link (
      .rst_ni(rst_n), .in_ready_o(in_ready), .out_data_o(out_data), .out_valid_o(out_valid), .stir_o(stir), .clk_i,
      .en_i, .flush_i, .in_data_i, .in_valid_i, .out_ready_i
  );

  // This copy of the link has a clock only when the link says that a word moves.
  onyx_fifo_link #(
      .Width (Width),
      .Stages(Stages)
  ) u_gated (
      .rst_ni(rst_n), .en_i(en_i & (flush_i | gated_stir)), .in_ready_o(gated_ready),
      .out_data_o(gated_data), .out_valid_o(gated_valid), .stir_o(gated_stir), .clk_i, .flush_i, .in_data_i,
      .in_valid_i, .out_ready_i
  );
  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, gated_ready == in_ready && gated_valid == out_valid && (!out_valid || gated_data == out_data))
      `REACH(asleep, en_i && !flush_i && !gated_stir && out_valid && !in_ready)
    end
  end

  queue_contract #(
      .Width   (Width),
      .Capacity(2 * Stages),
      .Latency (Stages),
      .Refill  (Stages - 1)
  ) u_contract (
      .live_i(rst_n), .clear_i(flush_i), .in_ready_i(in_ready), .out_data_i(out_data), .out_valid_i(out_valid),
      .clk_i, .en_i, .in_data_i, .in_valid_i, .out_ready_i, .pick_i, .seen_o
  );
endmodule
