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
    parameter int unsigned Width = 1
) (
    input logic             flush_i,
`include "queue_ports.svh"
);
  logic rst_n, in_ready, out_valid;
  logic [Width-1:0] out_data;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));
  onyx_fifo2 #(
      .Width(Width)
  ) u_fifo (
      .rst_ni(rst_n), .in_ready_o(in_ready), .out_data_o(out_data), .out_valid_o(out_valid), .clk_i, .en_i, .flush_i,
      .in_data_i, .in_valid_i, .out_ready_i
  );
  queue_contract #(
      .Width   (Width),
      .Capacity(2)
  ) u_contract (
      .live_i(rst_n), .clear_i(flush_i), .in_ready_i(in_ready), .out_data_i(out_data), .out_valid_i(out_valid),
      .clk_i, .en_i, .in_data_i, .in_valid_i, .out_ready_i, .pick_i, .seen_o
  );
endmodule
