// Pairs of SplitFIFOs on a route, each a start and an end, are a queue of two tokens a pair: a single pair has
// registered inputs and outputs, as onyx_fifo2 has, and adds a cycle.
//
// cells: onyx_split_fifo
// with: first_reset queue_contract
// set: Pairs=1 Width=1
// set: Pairs=1 Width=17
// set: Pairs=2 Width=1
// set: Pairs=3 Width=1
// broken: Alone=1
// broken: onyx_split_fifo s/(full_q || end_i || !out_ready_i)/(full_q || end_i)/
`include "proof.svh"
module p_split_pair #(
    parameter int unsigned Width = 1,
    parameter int unsigned Pairs = 1,
    parameter bit Alone = 1'b0  // every register start and end at once: half rate
) (
`include "queue_ports.svh"
);
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  // Port k lies before register k.
  localparam int unsigned Bits = Width + 1;
  logic [2*Pairs:0] ready;
  logic [(2*Pairs+1)*Bits-1:0] point;
  assign point[0+:Bits] = in_i;
  assign ready[2*Pairs] = out_ready_i;
  for (genvar k = 0; k < 2 * Pairs; k++) begin : g_register
    onyx_split_fifo #(.Width(Width)) u_split (
        .clk_i, .rst_ni(rst_n), .ce_i(en_i), .fifo_i(1'b1), .start_i((k % 2 == 0) | Alone), .end_i((k % 2 == 1) | Alone),
        .in_i(point[k*Bits+:Bits]), .in_ready_o(ready[k]), .out_o(point[(k+1)*Bits+:Bits]), .out_ready_i(ready[k+1])
    );
  end
  queue_contract #(.Width(Width), .Capacity(2 * Pairs), .Latency(Pairs), .Refill(Pairs - 1)) u_contract (
      .live_i(rst_n), .clear_i(1'b0), .in_ready_i(ready[0]), .out_i(point[2*Pairs*Bits+:Bits]), .clk_i, .en_i, .in_i,
      .out_ready_i, .pick_i, .seen_o
  );
endmodule
