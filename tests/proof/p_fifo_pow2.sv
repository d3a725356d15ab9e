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
    parameter int unsigned LogDepth = 1,
    parameter int unsigned Capacity = 1 << LogDepth,
    parameter int unsigned Latency = 1
) (
`include "fifo_frame.svh"
  onyx_fifo_pow2 #(.Width(Width), .LogDepth(LogDepth)) u_fifo (
      .rst_ni(rst_n), .in_ready_o(in_ready), .out_o(out), .clk_i, .en_i, .flush_i, .in_i, .out_ready_i
  );
endmodule
