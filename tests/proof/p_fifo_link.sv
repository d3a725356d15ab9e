// onyx_fifo_link is a queue of 2 * Stages tokens; a token crosses the link in Stages cycles, and room does, too.
// stir_o is a sound hint for its clock.
//
// mutate: onyx_fifo_link
// cells: onyx_fifo2 onyx_fifo_link
// with: first_reset queue_contract
// set: Stages=2 Width=1
// set: Stages=3 Width=1
// set: Stages=2 Width=17
// broken: onyx_fifo_link s/out_ready_i(ready\[s+1\])/out_ready_i(1'b1)/
// broken: onyx_fifo2 s/out_ready_i;/(out_ready_i | push);/
`include "proof.svh"
module p_fifo_link #(
    parameter int unsigned Width  = 1,
    parameter int unsigned Stages = 2,
    parameter int unsigned Capacity = 2 * Stages,
    parameter int unsigned Latency = Stages
) (
`include "fifo_frame.svh"
  logic stir, gated_stir, gated_ready;
  logic [Width:0] gated_out;
  onyx_fifo_link #(.Width(Width), .Stages(Stages)) u_link (
      .rst_ni(rst_n), .in_ready_o(in_ready), .out_o(out), .stir_o(stir), .clk_i, .en_i, .flush_i, .in_i, .out_ready_i
  );

  // This copy of the link has a clock only when the link signals a move.
  onyx_fifo_link #(.Width(Width), .Stages(Stages)) u_gated (
      .rst_ni(rst_n), .en_i(en_i & (flush_i | gated_stir)), .in_ready_o(gated_ready), .out_o(gated_out),
      .stir_o(gated_stir), .clk_i, .flush_i, .in_i, .out_ready_i
  );
  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, gated_ready == in_ready && gated_out[Width] == out[Width] && (!out[Width] || gated_out == out))
      `REACH(asleep, en_i && !flush_i && !gated_stir && out[Width] && !in_ready)
    end
  end
endmodule
