// onyx_fifo_pow2 is a queue of 2^LogDepth tokens whose ready and valid say how many are inside.
//
// mutate: onyx_fifo_pow2
// cells: onyx_fifo_pow2
// with: first_reset queue_contract
// set: LogDepth=1 Width=1
// set: LogDepth=1 Width=17
// set: LogDepth=2 Width=1
// set: LogDepth=2 Width=17
// set: LogDepth=3 Width=1
// broken: onyx_fifo_pow2 s/if (push) write_q <=/if (push \& ~pop) write_q <=/
// broken: onyx_fifo_pow2 s/if (en_i && push) words/if (en_i) words/
`include "proof.svh"
module p_fifo_pow2 #(
    parameter int unsigned Width = 1,
    parameter int unsigned LogDepth = 1
) (
    input logic             flush_i,
`include "queue_ports.svh"
);
  logic rst_n, in_ready, out_valid;
  logic [Width-1:0] out_data;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));
  onyx_fifo_pow2 #(
      .Width   (Width),
      .LogDepth(LogDepth)
  ) u_fifo (
      .rst_ni(rst_n), .data_i(in_data_i), .push_i(in_valid_i), .ready_o(in_ready),
      .data_o(out_data), .valid_o(out_valid), .pop_i(out_ready_i), .clk_i, .en_i, .flush_i
  );
  queue_contract #(
      .Width   (Width),
      .Capacity(1 << LogDepth)
  ) u_contract (
      .live_i(rst_n), .clear_i(flush_i), .in_ready_i(in_ready), .out_data_i(out_data), .out_valid_i(out_valid),
      .clk_i, .en_i, .in_data_i, .in_valid_i, .out_ready_i, .pick_i, .seen_o
  );
endmodule
