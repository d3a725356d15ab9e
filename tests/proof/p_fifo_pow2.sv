// onyx_fifo_pow2 is a queue of 2^LogDepth tokens whose ready and valid say how many are inside.
//
// mutate: onyx_fifo_pow2
// cells: onyx_fifo_pow2
// with: queue_contract
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
    input logic             clk_i,
    input logic             rst_ni,
    input logic             en_i,
    input logic             flush_i,
    input logic             pick_i,
    input logic [Width-1:0] in_data_i,
    input logic             in_valid_i,
    input logic             out_ready_i,
    output logic [Width+1:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic live_q, rst_n, in_ready, out_valid;
  logic [Width-1:0] out_data;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  assign rst_n = live_q & rst_ni;

  onyx_fifo_pow2 #(
      .Width   (Width),
      .LogDepth(LogDepth)
  ) u_fifo (
      .clk_i  (clk_i),
      .rst_ni (rst_n),
      .en_i   (en_i),
      .flush_i(flush_i),
      .data_i (in_data_i),
      .push_i (in_valid_i),
      .ready_o(in_ready),
      .data_o (out_data),
      .valid_o(out_valid),
      .pop_i  (out_ready_i)
  );
  queue_contract #(
      .Width   (Width),
      .Capacity(1 << LogDepth)
  ) u_contract (
      .clk_i      (clk_i),
      .live_i     (rst_n),
      .en_i       (en_i),
      .clear_i    (flush_i),
      .in_data_i  (in_data_i),
      .in_valid_i (in_valid_i),
      .in_ready_i (in_ready),
      .out_data_i (out_data),
      .out_valid_i(out_valid),
      .out_ready_i(out_ready_i),
      .pick_i     (pick_i)
  );
  assign seen_o = {in_ready, out_valid, out_data & {Width{out_valid}}};
endmodule
