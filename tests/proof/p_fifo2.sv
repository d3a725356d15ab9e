// onyx_fifo2 is a queue of two tokens whose ready and valid say how many are inside, whatever happens in the cycle.
//
// mutate: onyx_fifo2
// cells: onyx_fifo2
// with: first_reset queue_contract
// set: Width=1
// set: Width=17
// broken: onyx_fifo2 s/count_q != 2'd2/count_q != 2'd3/
// broken: onyx_fifo2 s/(pop) read_slot_q/(pop \& push) read_slot_q/
`include "proof.svh"
module p_fifo2 #(
    parameter int unsigned Width = 1,
    parameter int unsigned Capacity = 2,
    parameter int unsigned Latency = 1
) (
`include "fifo_frame.svh"
  onyx_fifo2 #(.Width(Width)) u_fifo (
      .rst_ni(rst_n), .in_ready_o(in_ready), .out_o(out), .clk_i, .en_i, .flush_i, .in_i, .out_ready_i
  );
endmodule
