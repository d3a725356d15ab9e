// onyx_fifo2 is a queue of two tokens whose ready and valid say how many are inside, whatever happens in the cycle.
//
// mutate: onyx_fifo2
// cells: onyx_fifo2
// with: queue_contract
// set: Width=1
// set: Width=17
// broken: onyx_fifo2 s/count_q != 2'd2/count_q != 2'd3/
// broken: onyx_fifo2 s/(pop) read_slot_q/(pop \& push) read_slot_q/
`include "proof.svh"
module p_fifo2 #(
    parameter int unsigned Width = 1
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

  onyx_fifo2 #(
      .Width(Width)
  ) u_fifo (
      .clk_i      (clk_i),
      .rst_ni     (rst_n),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (in_data_i),
      .in_valid_i (in_valid_i),
      .in_ready_o (in_ready),
      .out_data_o (out_data),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready_i)
  );
  queue_contract #(
      .Width   (Width),
      .Capacity(2)
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
